"""The questions that a request leaves open: finding them, previewing answers, and answering.

The questions about a policy of calls, and the answers to them, which change policy, contract and cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.answered_rules import TermAnswers, changed_since, still_held
from workbench.app.as_proposed import doubts_of
from workbench.app.clause_findings import has_lapsed, is_about_terms, understood
from workbench.app.results import (
    Assumed,
    ChoicePreview,
    Logs,
    SessionChange,
    TurnedCalls,
    Understanding,
)
from workbench.app.session_language import rule_sentences
from workbench.app.surroundings import doubts_of_tools, with_answer
from workbench.clean_text import one_line
from workbench.model import (
    AgentSpec,
    Assumption,
    CallDecision,
    Doubt,
    Draft,
    MadeBy,
    Question,
    WorkbenchError,
    assumption_id,
)
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.clarify.refined_request import RefinedRequest
    from workbench.clarify.written import Asked
    from workbench.session import Session


class Questions:
    """The questions that a request leaves open, and a person's answers to them."""

    def __init__(self, session: Session, request: Request, runs: Runs, policy: Policy) -> None:
        self._session = session
        self._request = request
        self._runs = runs
        self._policy = policy
        self._terms = TermAnswers(session, request, policy)

    def understand(self, draft: Draft | None = None) -> Understanding:
        """The request as drafted, with its questions; ``draft`` is the session's, if the caller has it.

        A model that drafted the policy asks itself what it was not sure of; a policy that a person wrote is
        asked about by its terms.
        """
        draft = draft or self._request.draft()
        asked = None
        if not self._session.is_drafted:
            asked = self._terms.asked(draft.requirements)
        terms, doubts = self._policy.checked()[0], tuple[Doubt, ...]()
        if terms is not None:
            calls = [call for run in self._runs.known.runs for call in run.calls]
            doubts = tuple(doubts_of_tools(terms, self._session.agent, self._session.request, calls))
        doubts = (*doubts, *doubts_of(self._request.assumptions))
        return understood(draft, self._request.assumptions, terms, asked, doubts)

    def lost(self, draft: Draft) -> Mapping[str, str]:
        """What became of the rules that answers about the terms of the policy were about, by the question."""
        if self._session.is_drafted:
            return {}
        lost = self._terms.lost(self._terms.asked(draft.requirements))
        return {
            question: "; ".join(f"{one.how}{self._by_another(question, one.name)}" for one in rules)
            for question, rules in lost.items()
        }

    def _by_another(self, question: str, rule: str) -> str:
        """The other answer that says what a rule of the policy says now, as the end of a sentence."""
        source = self._session.written
        for other in self._request.assumptions:
            is_held = other.question != question and rule in still_held(other, source)
            if is_held and rule not in changed_since(other, source):
                return f" (as was answered to {other.question}: {one_line(other.statement)})"
        return ""

    def refined(self, understanding: Understanding) -> RefinedRequest:
        """The request as understood, each sentence next to its original words, with its assumptions."""
        from workbench.clarify.refined_request import refine

        draft, asked = understanding.draft, understanding.questions
        is_read = self._policy.checked()[0] is not None
        assumptions = [one for one in understanding.assumptions if not (is_read and has_lapsed(one, asked))]
        return refine(draft, assumptions, understanding.open, self._aloud())

    def clarified(self) -> str:
        """The request as a model that judges the agent gets it: with what a person clarified of it.

        That a sentence needs no clause clarifies nothing of what the agent may do.
        """
        from workbench.app.clause_findings import is_finding
        from workbench.clarify.refined_request import refine

        assumptions = tuple(
            item
            for item in self._request.assumptions
            if is_about_terms(item.question) or not is_finding(item.question)
        )
        return refine(self._request.draft(), assumptions, (), self._aloud()).clarified(self._session.request)

    def _aloud(self) -> Mapping[str, tuple[str, ...]]:
        """The rules of each requirement as sentences: only rules of it alone if there are any.

        There are none where the policy is not in the dialect.
        """
        terms = self._policy.checked()[0]
        if terms is None:
            return {}
        said = rule_sentences(self._session.written, self._session.agent)
        sentences_by_id: dict[str, tuple[str, ...]] = {}
        for rule in sorted(terms.rules, key=lambda rule: len(rule.requirements) > 1):
            for name in rule.requirements:
                if len(rule.requirements) == 1 or name not in sentences_by_id:
                    sentences_by_id[name] = (*sentences_by_id.get(name, ()), said[rule.name])
        return sentences_by_id

    def preview(self, question: Question, value: str | None, logs: Logs | None = None) -> ChoicePreview:
        """The changes that an answer would make; None for ``value`` previews taking the answer back.

        Raises WorkbenchError if the value is no answer, or the policy file is not in the dialect.
        """
        from workbench.app.contradictions import newly_refuted
        from workbench.app.effect import refuted_by
        from workbench.dialect.differing_part import differing_parts

        others = tuple(item for item in self._request.assumptions if item.question != question.id)
        with_it = others if value is None else (*others, assumption_of(question, value, MadeBy.HUMAN))
        planned, agent = self._request.planned(with_it), None
        text = planned.merged.text
        if value is not None:
            changed, agent = self._planned(question, value)
            text = changed if is_about_terms(question.id) else text
        before = self._policy.terms()
        after = self._policy.terms(text, agent=agent)
        old = {clause.source for clause in before.clauses}
        new = {clause.source for clause in after.clauses}
        if agent is None:
            change = self._policy.diff(*differing_parts(self._session.written, text), logs, near=False)
            refuted = refuted_by(self._policy, self._session.written, text)
        else:
            change = self._policy.diff_by_agent(after, agent, logs)
            refuted = newly_refuted(before, after)
        return ChoicePreview(
            question.id,
            value,
            text,
            change,
            tuple(clause for clause in after.clauses if clause.source not in old),
            tuple(clause for clause in before.clauses if clause.source not in new),
            planned.merged.conflicts,
            refuted,
        )

    def _planned(self, question: Question, value: str) -> tuple[str, AgentSpec | None]:
        """The policy file after an answer, and the agent if the answer changes it; nothing is stored."""
        if is_about_terms(question.id):
            return self._terms.planned(question, value)
        return self._session.written, self._agent_with(question, value)

    def _agent_with(self, question: Question, value: str) -> AgentSpec | None:
        terms = self._policy.checked()[0]
        homes: Mapping[str, Mapping[str, str]] = {} if terms is None else terms.file.undeclared_homes
        return with_answer(self._session.agent, question, value, homes)

    def turned_by(self, question: Question, logs: Logs) -> Mapping[str, TurnedCalls]:
        """The calls that each option of a question would decide otherwise, by its value.

        Answers that accept a finding, or wait for a draft, turn none. Raises WorkbenchError if the policy
        file is not in the dialect.
        """
        from workbench.runs.replay.flips import FlipKind, flips

        before: Sequence[CallDecision] | None = None
        turned_by_value: dict[str, TurnedCalls] = {}
        for option in question.options:
            planned, agent = self._planned(question, option.value)
            if not is_about_terms(question.id) and agent is None:
                continue
            before = self._runs.decide(self._policy.terms(), logs) if before is None else before
            terms = self._policy.terms(planned, agent=agent)
            read = logs if agent is None else self._runs.read_by(agent, terms, logs)
            kinds = Counter(flip.kind for flip in flips(before, self._runs.decide(terms, read)))
            turned_by_value[option.value] = TurnedCalls(
                kinds[FlipKind.NEWLY_ALLOWED],
                kinds[FlipKind.NEWLY_ASKED],
                kinds[FlipKind.NEWLY_DENIED],
                kinds[FlipKind.CANNOT_EVALUATE],
            )
        return turned_by_value

    def answer(self, question: Question, value: str, made_by: MadeBy = MadeBy.HUMAN) -> SessionChange:
        """Store the answer as an assumption, and carry what it means into policy, contract and cases.

        What a model drafted stays until it drafts again.
        """
        assumption = assumption_of(question, value, made_by)
        if is_about_terms(question.id):
            return self._terms.answer(question, assumption, anyway=self._request.is_anyway)
        label = f"Answer: {assumption.statement}"
        others = tuple(item for item in self._request.assumptions if item.question != question.id)
        if (agent := self._agent_with(question, value)) is not None:
            from workbench.app.agent import Agent

            with self._session.transaction(label):
                self._session.set_assumptions(others)
                return Agent(self._session).set_spec(agent, label)
        return self._request.assume((*others, assumption), label)

    def answer_all(self, chosen: Sequence[tuple[Question, str]]) -> SessionChange:
        """Store several answers one after another, as one change.

        Each does what it says as it was asked: what is asked no more, or in other words, after the answers
        before it is settled if the policy does that already; else it is put beside what these answers wrote.
        Raises WorkbenchError if one is no answer, or if others undo what it says.
        """
        raised, names = self._terms.raised(), [question.id for question, _ in chosen]
        shown = {name: raised[name] for name in names if name in raised and raised[name].calls}
        # What shows no calls comes first: afterwards nothing could tell that it holds no more.
        ordered = sorted(chosen, key=lambda one: one[0].id in shown)
        passes = {
            one.id: self._terms.lets_through(shown[one.id], value) for one, value in chosen if one.id in shown
        }
        settled: list[str] = []
        with self._session.transaction(f"{len(chosen)} answers"), self._terms.listed(names):
            changes = [
                self._answer_listed(one, value, raised.get(one.id), passes, settled) for one, value in ordered
            ]
            for one, value in chosen:
                if one.id in shown and self._terms.lets_through(shown[one.id]) is not passes[one.id]:
                    raise _undone(one, value)
        return SessionChange(
            any(one.policy for one in changes),
            any(one.cases for one in changes),
            dropped=tuple(dropped for one in changes for dropped in one.dropped),
            settled=tuple(settled),
        )

    def _answer_listed(
        self,
        question: Question,
        value: str,
        earlier: Asked | None,
        passes: Mapping[str, bool],
        settled: list[str],
    ) -> SessionChange:
        """Store an answer of a list, of which some may be ``settled`` by those before it.

        ``passes`` says of each question that shows calls whether its answer lets them through.
        """
        now = question if earlier is None else self._terms.asked_still(earlier)
        if earlier is None or (now is not None and _label(now, value) == _label(question, value)):
            return self.answer(now or question, value)
        effect = earlier.effects.get(value)
        says_so = bool(earlier.calls) and self._terms.lets_through(earlier) is passes[question.id]
        if says_so or (effect is None and _label(question, value)):
            settled.append(question.id)
            return SessionChange(policy=False, cases=False)
        is_shown = bool(earlier.calls) or (effect is not None and not effect.said)
        beside = self._terms.beside(earlier, value) if is_shown else None
        if beside is None:
            raise _undone(question, value)
        assumption = assumption_of(question, value, MadeBy.HUMAN)
        return self._terms.answer(question, assumption, anyway=self._request.is_anyway, asked=beside)

    def assume_defaults(self) -> tuple[Assumption, ...]:
        """Answer what a model asked by what its draft goes by, without a person, and return the assumptions.

        An answer that the draft does not follow goes to the model once, and is owed if that changes nothing.
        What has no safe value stays open. Raises WorkbenchError if no model drafts the policy.
        """
        if not self._session.is_drafted:
            raise WorkbenchError("A person writes this policy: its open questions have no defaults to take.")
        with self._session.transaction("Take the defaults"):
            self._answer_by_default()
            if self._request.untold():
                self._request.redraft()
                self._answer_by_default()
        return tuple(item for item in self._request.assumptions if item.made_by is MadeBy.DEFAULT)

    def _answer_by_default(self) -> None:
        values = self._request.assumed()
        for question in self.understand().open:
            if value := values.get(question.id, ""):
                self.answer(question, value, MadeBy.DEFAULT)

    def assumed(self, understanding: Understanding) -> tuple[Assumed, ...]:
        """Every assumption with the question that it answers and the sentences that it affects."""
        from workbench.clarify.refined_request import touched

        lost = self.lost(understanding.draft)
        question_by_id = {question.id: question for question in understanding.questions}
        return tuple(
            Assumed(
                item,
                question_by_id.get(item.question),
                touched(understanding.draft, item),
                still_held(item, self._session.written),
                lost.get(item.question, ""),
            )
            for item in understanding.assumptions
        )

    def retract(self, question_id: str) -> SessionChange:
        """Remove the assumption that answers a question; the question is open again.

        Raises WorkbenchError if there is none.
        """
        answered = next((item for item in self._request.assumptions if item.question == question_id), None)
        if answered is None:
            raise WorkbenchError(
                f"{question_id} has no answer to take back; 'workbench assumptions' lists them."
            )
        if is_about_terms(question_id):
            return self._terms.retract(answered)
        assumptions = tuple(item for item in self._request.assumptions if item.question != question_id)
        return self._request.assume(assumptions, f"Retract the answer to {question_id}")


def _label(question: Question, value: str) -> str:
    """What an option of a question says; empty if it has none of the value."""
    return next((one.label for one in question.options if one.value == value), "")


def _undone(question: Question, value: str) -> WorkbenchError:
    """Why a list of answers is not stored."""
    return WorkbenchError(
        f"{question.id} {value} would not hold after the other answers; give these answers one by one."
    )


# --- the assumption that an answer to a question makes, and what counts as an answer


def assumption_of(question: Question, value: str, made_by: MadeBy) -> Assumption:
    """The assumption that choosing ``value`` makes; raises WorkbenchError if it is no option."""
    option = next((item for item in question.options if item.value == value), None)
    if not value.strip():
        raise WorkbenchError(f"The answer to {question.id} is empty; {_how_to_answer(question)}.")
    if option is None and not question.free_text:
        raise WorkbenchError(f"{value!r} does not answer {question.id}; {_how_to_answer(question)}.")
    return Assumption(
        id=assumption_id(question.id),
        question=question.id,
        value=value,
        statement=option.statement if option else value,
        made_by=made_by,
        when=timestamp(),
        requirements=question.requirements,
    )


def _how_to_answer(question: Question) -> str:
    """Half a sentence on what counts as an answer to a question."""
    possible_answers = ", ".join(item.value for item in question.options)
    if question.free_text:
        from workbench.question_wording import own_answer

        own = own_answer(question.kind) or "say the sentence in other words"
        return f"{own}, or answer with: {possible_answers}"
    return f"answer with one of: {possible_answers}"
