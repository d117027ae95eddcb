"""The questions that a request leaves open: finding them, previewing answers, and answering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.clause_findings import is_about_terms, understood
from workbench.app.results import (
    Assumed,
    ChoicePreview,
    Logs,
    SessionChange,
    TurnedCalls,
    Understanding,
)
from workbench.app.session_language import rule_sentences
from workbench.app.term_answers import TermAnswers
from workbench.model import Assumption, Draft, MadeBy, Question, WorkbenchError, assumption_id
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.clarify.refined_request import RefinedRequest
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
            asked = tuple(one.question for one in self._terms.asked(draft.requirements))
        return understood(draft, self._request.assumptions, self._policy.checked()[0], asked)

    def lost(self, draft: Draft) -> Mapping[str, str]:
        """What became of the rules that answers about the terms of the policy were about, by the question."""
        if self._session.is_drafted:
            return {}
        lost = self._terms.lost(self._terms.asked(draft.requirements))
        return {question: "; ".join(one.how for one in rules) for question, rules in lost.items()}

    def refined(self, understanding: Understanding) -> RefinedRequest:
        """The request as understood, each sentence next to its original words, with its assumptions."""
        from workbench.clarify.refined_request import refine

        draft, assumptions = understanding.draft, understanding.assumptions
        return refine(draft, assumptions, understanding.open, self._aloud())

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

        others = tuple(item for item in self._request.assumptions if item.question != question.id)
        with_it = others if value is None else (*others, assumption_of(question, value, MadeBy.HUMAN))
        planned = self._request.planned(with_it)
        text = planned.merged.text
        if value is not None and is_about_terms(question.id):
            text = self._terms.planned(question, value)
        before, after = self._policy.terms(), self._policy.terms(text)
        old = {clause.source for clause in before.clauses}
        new = {clause.source for clause in after.clauses}
        return ChoicePreview(
            question.id,
            value,
            text,
            self._policy.diff(self._session.written, text, logs),
            tuple(clause for clause in after.clauses if clause.source not in old),
            tuple(clause for clause in before.clauses if clause.source not in new),
            planned.merged.conflicts,
            newly_refuted(before, after),
        )

    def turned_by(self, question: Question, logs: Logs) -> Mapping[str, TurnedCalls]:
        """The calls that each option of a question would decide otherwise, with the rules, by its value.

        Only answers about the terms of a policy turn any: others accept a finding, or wait for a draft.
        Raises WorkbenchError if the policy file is not in the dialect.
        """
        from workbench.app.what_changed import rule_changes
        from workbench.runs.replay import FlipKind, flips

        if not is_about_terms(question.id):
            return {}
        terms = self._policy.terms()
        before = self._runs.decide(terms, logs)
        turned_by_value: dict[str, TurnedCalls] = {}
        for option in question.options:
            would_be = self._policy.terms(self._terms.planned(question, option.value))
            after = self._runs.decide(would_be, logs)
            kinds = Counter(flip.kind for flip in flips(before, after))
            turned_by_value[option.value] = TurnedCalls(
                kinds[FlipKind.NEWLY_ALLOWED],
                kinds[FlipKind.NEWLY_ASKED],
                kinds[FlipKind.NEWLY_DENIED],
                kinds[FlipKind.CANNOT_EVALUATE],
                rule_changes(terms, would_be),
            )
        return turned_by_value

    def answer(self, question: Question, value: str, made_by: MadeBy = MadeBy.HUMAN) -> SessionChange:
        """Store the answer as an assumption, and carry what it means into policy, contract and cases.

        What a model drafted stays until it drafts again.
        """
        assumption = assumption_of(question, value, made_by)
        if is_about_terms(question.id):
            return self._terms.answer(question, assumption, anyway=self._request.is_anyway)
        others = (item for item in self._request.assumptions if item.question != question.id)
        return self._request.assume((*others, assumption), f"Answer: {assumption.statement}")

    def answer_all(self, chosen: Sequence[tuple[Question, str]]) -> SessionChange:
        """Store several answers one after another, as one change; raises WorkbenchError if one is none."""
        with self._session.transaction(f"{len(chosen)} answers"):
            changes = [self.answer(question, value) for question, value in chosen]
        return SessionChange(
            any(one.policy for one in changes),
            any(one.cases for one in changes),
            dropped=tuple(dropped for one in changes for dropped in one.dropped),
        )

    def assumed(self, understanding: Understanding) -> tuple[Assumed, ...]:
        """Every assumption with the question that it answers and the sentences that it affects."""
        from workbench.app.written_answers import still_held
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

    def edit_assumption(self, assumption: Assumption) -> SessionChange:
        """Store an assumption in place of the one with its id, and carry it into policy and cases.

        Raises WorkbenchError if there is none, if it answers another question, or if its value is no answer
        to the question.
        """
        assumption_by_id = {item.id: item for item in self._request.assumptions}
        old = assumption_by_id.get(assumption.id)
        if old is None or assumption.question != old.question:
            raise WorkbenchError("An assumption keeps its id and its question; answer another question anew.")
        if assumption.value != old.value:
            questions = (item for item in self.understand().questions if item.id == assumption.question)
            if (question := next(questions, None)) is None:
                raise WorkbenchError(
                    f"{assumption.question} is asked no more, so its value stays {old.value!r}."
                )
            assumption_of(question, assumption.value, assumption.made_by)
        changed = tuple(assumption if item is old else item for item in self._request.assumptions)
        return self._request.assume(changed, f"Edit the assumption {assumption.id}")

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
        return f"say the sentence in other words, or answer with: {possible_answers}"
    return f"answer with one of: {possible_answers}"
