"""The questions that a request leaves open: finding them, previewing answers, and answering.

The questions about a policy of calls, and the answers to them, which change policy, contract and cases.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.as_proposed import doubts_of
from workbench.app.clause_findings import is_about_terms, understood
from workbench.app.results import (
    Assumed,
    ChoicePreview,
    Logs,
    SessionChange,
    TurnedCalls,
    Understanding,
)
from workbench.app.session_language import ALONE, language_of, rule_sentences
from workbench.app.surroundings import doubts_of_tools, with_answer
from workbench.clean_text import one_line
from workbench.model import (
    AgentSpec,
    Assumption,
    Case,
    Doubt,
    Draft,
    MadeBy,
    Question,
    RecordedCall,
    Requirement,
    Run,
    WorkbenchError,
    assumption_id,
)
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import DEFAULT
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.answered_rules import Lost
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.clarify.refined_request import RefinedRequest
    from workbench.clarify.written import Asked, Book, Effect
    from workbench.language.language import Language
    from workbench.language.own_clauses import OwnClause
    from workbench.language.trees import Tree
    from workbench.policy.terms import PolicyTerms
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
            calls = [call for run in self._runs.known_runs for call in run.calls]
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
        from workbench.app.answered_rules import changed_since, still_held

        source = self._session.written
        for other in self._request.assumptions:
            is_held = other.question != question and rule in still_held(other, source)
            if is_held and rule not in changed_since(other, source):
                return f" (as was answered to {other.question}: {one_line(other.statement)})"
        return ""

    def refined(self, understanding: Understanding) -> RefinedRequest:
        """The request as understood, each sentence next to its original words, with its assumptions."""
        from workbench.clarify.refined_request import refine

        draft, assumptions = understanding.draft, understanding.assumptions
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
        from workbench.app.effect import refuted_by
        from workbench.dialect.differing_part import differing_parts

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
            self._policy.diff(*differing_parts(self._session.written, text), logs, near=False),
            tuple(clause for clause in after.clauses if clause.source not in old),
            tuple(clause for clause in before.clauses if clause.source not in new),
            planned.merged.conflicts,
            refuted_by(self._policy, self._session.written, text),
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
        label = f"Answer: {assumption.statement}"
        others = tuple(item for item in self._request.assumptions if item.question != question.id)
        terms = self._policy.checked()[0]
        homes = None if terms is None else terms.file.undeclared_homes
        if (agent := with_answer(self._session.agent, question, value, homes or {})) is not None:
            from workbench.app.agent import Agent

            with self._session.transaction(label):
                self._session.set_assumptions(others)
                return Agent(self._session).set_spec(agent, label)
        return self._request.assume((*others, assumption), label)

    def answer_all(self, chosen: Sequence[tuple[Question, str]]) -> SessionChange:
        """Store several answers one after another, as one change; raises WorkbenchError if one is none."""
        with self._session.transaction(f"{len(chosen)} answers"):
            changes = [self.answer(question, value) for question, value in chosen]
        return SessionChange(
            any(one.policy for one in changes),
            any(one.cases for one in changes),
            dropped=tuple(dropped for one in changes for dropped in one.dropped),
        )

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
        from workbench.app.answered_rules import still_held
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


class TermAnswers:
    """Asks about the rules of a policy of calls, and puts what an answer means into it."""

    def __init__(self, session: Session, request: Request, policy: Policy) -> None:
        self._session = session
        self._request = request
        self._policy = policy

    def asked(self, requirements: tuple[Requirement, ...]) -> tuple[Asked, ...]:
        """The questions about the policy as it is; none where it is not in the dialect."""
        terms = self._policy.checked()[0]
        if terms is None:
            return ()
        language = language_of(self._session.written, self._session.agent)
        with ALONE:
            answered = frozenset(one.question for one in self._session.assumptions)
            key = _Key(language, self._session.agent, terms, self._session.cases)
            return _asked(key, requirements, answered, tuple(self._session.log_paths))

    def answer(self, question: Question, assumption: Assumption, *, anyway: bool) -> SessionChange:
        """Store an answer and what it means.

        Raises Contradicts, and stores nothing, if clauses of the contract would not hold then, unless
        ``anyway`` is given.
        """
        from workbench.app.answered_rules import changed_rules, with_former, with_what_it_wrote
        from workbench.app.contradictions import Contradicts
        from workbench.app.effect import refuted_by
        from workbench.app.results import SessionChange
        from workbench.app.said_cases import set_cases_of

        session, requirements = self._session, self._request.draft().requirements
        asked = next((one for one in self.asked(requirements) if one.question.id == question.id), None)
        if asked is None:
            raise WorkbenchError(f"{question.id} is asked no more; 'workbench ask' lists what is.")
        effect = self._effect(asked, assumption.value)
        before, cases = session.written, session.cases
        kept = [one for one in session.assumptions if one.question != question.id]
        former = next((one for one in session.assumptions if one.question == question.id), None)
        lost, dropped = {question.id, *self.lost(())}, tuple[Assumption, ...]()
        with session.transaction(f"Answer: {assumption.statement}"):
            if effect is None:
                answered = self._about(assumption, before, asked.about)
                session.set_assumptions((*kept, with_former(answered, former, asked.question)))
            else:
                language = language_of(before, session.agent)
                is_open = language.policy.default_allow
                text, rules = with_effect(language, before, effect, open_default=is_open)
                found = refuted_by(self._policy, before, text)
                if found and not anyway:
                    raise Contradicts(found)
                about = (*effect.about, *rules, *_permitting(language, text, effect.open_tools))
                if is_open and effect.open_tools:
                    about = (*about, DEFAULT)
                answered = with_what_it_wrote(self._about(assumption, text, about), before, text)
                session.set_assumptions((*kept, with_former(answered, former, asked.question)))
                session.set_policy(text)
                set_cases_of(session, self._policy, requirements, question.requirements, rules)
                dropped = self.follow((), lost, changed_rules(before, session.written))
        return SessionChange(session.written != before, session.cases != cases, dropped=dropped)

    def _about(self, assumption: Assumption, text: str, names: Collection[str]) -> Assumption:
        """The assumption of an answer with the rules of a policy that say what was chosen."""
        from workbench.app.answered_rules import rules_as_said

        with ALONE:
            said = rules_as_said(language_of(text, self._session.agent), names)
        return replace(assumption, rests_on=said)

    def lost(self, asked: Iterable[Asked]) -> Mapping[str, tuple[Lost, ...]]:
        """The rules that each answer about the terms has lost, by its question; ``asked`` are those raised.

        Nothing is told of a policy that is not in the dialect.
        """
        from workbench.app.answered_rules import lost_rules
        from workbench.app.clause_findings import is_about_terms

        session = self._session
        answered = [one for one in session.assumptions if is_about_terms(one.question)]
        if not answered or self._policy.checked()[0] is None:
            return {}
        judged = {one.question.id: one.about for one in asked}
        with ALONE:
            language = language_of(session.written, session.agent)
            found = {
                one.question: lost_rules(language, session.agent, one, judged.get(one.question, ()))
                for one in answered
            }
        return {question: lost for question, lost in found.items() if lost}

    def follow(
        self, renewed: Collection[str], before: Collection[str], turned: Collection[str] = ()
    ) -> tuple[Assumption, ...]:
        """Let answers follow the rules that the person changed by an act, and drop those with no rule left.

        ``renewed`` names the rules that were said anew, ``turned`` those that another answer changed, and on
        which answers rest as they are then. ``before`` are the questions whose answers had lost rules before
        the act. Where the policy still raises the question, it judges the answer. The answers that went are
        returned.
        """
        session, every = self._session, {*renewed, *turned}
        lost = {
            name: rules
            for name, rules in self.lost(()).items()
            if name not in before and all(one.name in every for one in rules)
        }
        if not lost:
            return ()
        raised = {one.question.id: one for one in self.asked(self._request.draft().requirements)}
        after: dict[str, Assumption | None] = {}
        for one in session.assumptions:
            rules, asked = lost.get(one.question, ()), raised.get(one.question)
            if rules and asked is None:
                after[one.question] = self._followed(one, rules, turned)
            elif rules and asked is not None and one.value == (asked.question.default or "meant"):
                after[one.question] = self._about(one, session.written, asked.about)
            else:
                after[one.question] = one
        dropped = tuple(one for one in session.assumptions if after[one.question] is None)
        session.set_assumptions(one for one in after.values() if one is not None)
        return dropped

    def _followed(
        self, assumption: Assumption, lost: Sequence[Lost], turned: Collection[str]
    ) -> Assumption | None:
        """An answer after an act that changed the rules which it has lost; None where it is about no other.

        Where a rule is gone and another stands that the answer wrote, it stays as it is, not in force.
        """
        from workbench.app.answered_rules import rule_name, stored_rule

        now = self._about(assumption, self._session.written, turned).rests_on
        as_turned = {rule_name(stored_rule(text)): text for text in now}
        gone = {one.name for one in lost} - as_turned.keys()
        wrote = {one.partition(" ")[0] for one in assumption.wrote}
        if any(one.is_back for one in lost) or (wrote and gone >= wrote):
            return None
        if gone and wrote:
            return assumption
        rests_on = [(rule_name(stored_rule(text)), text) for text in assumption.rests_on]
        left = tuple(as_turned.get(name, text) for name, text in rests_on if name not in gone)
        return replace(assumption, rests_on=left) if left else None

    def retract(self, assumption: Assumption) -> SessionChange:
        """Take an answer back: the rules, clauses and cases that it wrote go, and what it replaced is back.

        A rule of the answer that was changed since stays, and is told, as are clauses that do not hold then.
        """
        from workbench.app.answered_rules import changed_rules, changed_since, still_held, without_answer
        from workbench.app.effect import refuted_by
        from workbench.app.results import SessionChange
        from workbench.app.said_cases import set_cases_of, without_cases_of

        session, terms = self._session, self._policy.terms()
        before, cases = session.written, session.cases
        text, rules = without_answer(language_of(before, session.agent), assumption)
        held = still_held(assumption, before)
        left = tuple(one for one in session.assumptions if one.question != assumption.question)
        lost, dropped = {assumption.question, *self.lost(())}, tuple[Assumption, ...]()
        with session.transaction(f"Retract the answer to {assumption.question}"):
            session.set_assumptions(left)
            if text != before:
                without_cases_of(session, terms, held)
                session.set_policy(text)
                set_cases_of(session, self._policy, self._request.draft().requirements, (), rules)
                dropped = self.follow((), lost, changed_rules(before, session.written))
        found = refuted_by(self._policy, before, session.written)
        return SessionChange(
            session.written != before,
            session.cases != cases,
            contradictions=found,
            left=changed_since(assumption, before),
            dropped=dropped,
        )

    def planned(self, question: Question, value: str) -> str:
        """The policy file after an answer; nothing is stored."""
        asked = next(
            (one for one in self.asked(self._request.draft().requirements) if one.question.id == question.id),
            None,
        )
        effect = None if asked is None else self._effect(asked, value)
        before = self._session.written
        if effect is None:
            return before
        language = language_of(before, self._session.agent)
        return with_effect(language, before, effect, open_default=language.policy.default_allow)[0]

    def _effect(self, asked: Asked, value: str) -> Effect | None:
        return asked.effects.get(value) or self._listed(asked, value)

    def _listed(self, asked: Asked, value: str) -> Effect | None:
        """The effect of an answer that lists the tools which are allowed; None for what changes nothing."""
        from workbench.clarify.written import Effect

        if any(option.value == value for option in asked.question.options):
            return None
        tools = next(effect.open_tools for effect in asked.effects.values() if effect.open_tools)
        named = [part for part in value.replace(",", " ").split() if part]
        if strange := [name for name in named if name not in tools]:
            raise WorkbenchError(f"{strange[0]} is none of {', '.join(tools)}; name those that are allowed.")
        return Effect(open_tools=tuple(named), closed_tools=tuple(one for one in tools if one not in named))


class _Key:
    """A policy as the key of a cache: its language and terms, which are made once for a text.

    The cases tell inputs, by which the same is found sooner.
    """

    def __init__(
        self, language: Language, agent: AgentSpec, terms: PolicyTerms, cases: Sequence[Case]
    ) -> None:
        self.language = language
        self.agent = agent
        self.terms = terms
        self.known = tuple(case.arguments for case in cases)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.language is other.language

    def __hash__(self) -> int:
        return id(self.language)


@lru_cache(maxsize=8)
def _asked(
    key: _Key, requirements: tuple[Requirement, ...], answered: frozenset[str], logs: tuple[Path, ...]
) -> tuple[Asked, ...]:
    from workbench.clarify.written import asked_of

    return tuple(asked_of(replace(_book(key, requirements, logs), answered=answered)))


@lru_cache(maxsize=2)
def _book(key: _Key, requirements: tuple[Requirement, ...], logs: tuple[Path, ...]) -> Book:
    """A policy as the questions about it see it, with what is found of its rules, before any answer."""
    from workbench.app.session_language import kept_of
    from workbench.clarify.written import Book
    from workbench.clarify.written.tried_calls import Trials

    kept, calls = kept_of(key.language, key.agent), _first_calls(key.agent, logs)
    trials = Trials(key.terms, key.agent)
    return Book(
        key.language, key.agent, key.terms, requirements, key.known, kept=kept, calls=calls, trials=trials
    )


_MOST_LOGGED = 500


def _first_calls(agent: AgentSpec, logs: Sequence[Path]) -> Sequence[RecordedCall]:
    """The first calls of logs, which a rewriting has to leave as they are."""
    from workbench.runs.logs import read_all

    read = read_all(logs, tools=[tool.name for tool in agent.tools], enough=_MOST_LOGGED)
    return tuple(call for run in read if isinstance(run, Run) for call in run.calls)


# --- the policy with an effect ----------------------------------------------------


def with_effect(
    language: Language, source: str, effect: Effect, *, open_default: bool
) -> tuple[str, frozenset[str]]:
    """A policy with what an answer means, its clauses in step, and the names of the rules that changed."""
    from workbench.dialect.file_imports import with_imports
    from workbench.language.own_clauses import in_step, own_clauses

    before = own_clauses(language, source)
    text, rules = _with_said(source, effect.said, effect.dropped), set(effect.said)
    for beside, tree in effect.new:
        text, name = _with_rule(language, text, tree, _cited(source, beside))
        rules.add(name)
    clauses: list[str] = []
    text, opened = _opened(language, text, effect, clauses, open_default=open_default)
    text = in_step(language, text, before)
    present = {node.name for node in statements(text) if isinstance(node, ast.FunctionDef)}
    for own in own_clauses(language, text).values():
        if own.name in clauses and own.name not in present:
            text = f"{text.rstrip()}\n\n\n{own.text(_cited(text, own.about) or _otherwise(language, own))}"
    return with_imports(text, language.types), frozenset({*rules, *opened})


def _otherwise(language: Language, own: OwnClause) -> str:
    """What a clause says of a tool of which only prohibitions speak, whatever these are."""
    possible = language.write(("call", "ensure", ("call", "Result"), *own.tree[3:]))
    return f"{possible.removesuffix('.')}, where no rule stands against it."


def _with_said(source: str, said: Mapping[str, Tree], dropped: Sequence[str]) -> str:
    from workbench.language.python_text import rule_text

    lines = source.split("\n")
    for node in reversed(statements(source)):
        if not isinstance(node, ast.FunctionDef) or node.name not in {*said, *dropped}:
            continue
        text: list[str] = []
        if node.name in said:
            message = (ast.get_docstring(node) or "").split("\n")[0]
            text = rule_text(said[node.name], node.name, message).rstrip().split("\n")
        lines[node.lineno - 1 : node.end_lineno] = text
    return "\n".join(lines).rstrip() + "\n"


def _cited(source: str, rule: str) -> str:
    """The first line of the docstring of a rule, by which it cites its sentence."""
    for node in statements(source):
        if isinstance(node, ast.FunctionDef) and node.name == rule:
            return (ast.get_docstring(node) or "").split("\n")[0]
    return ""


def _with_rule(language: Language, source: str, tree: Tree, cited: str) -> tuple[str, str]:
    from workbench.language.kept_sentence import with_sentence

    kept = with_sentence(language, tree, cited or language.write(tree), source)
    return kept.policy, kept.name


def _opened(
    language: Language, source: str, effect: Effect, clauses: list[str], *, open_default: bool
) -> tuple[str, list[str]]:
    """A policy in which calls of tools are allowed or denied where no rule speaks of them.

    ``clauses`` gets the names of the clauses that say so without a rule of their own.
    """
    from workbench.language.own_clauses import OTHERWISE, own_clauses
    from workbench.language.trees import TRUE

    classes = {call.tool: name for name, call in language.types.calls.items()}
    permitted = _permitted(language, source)
    opened: list[str] = []
    bare = [tool for tool in effect.open_tools if not permitted.get(classes[tool]) and not open_default]
    closed = effect.closed_tools
    for form, tools in (("permit", bare), ("forbid", closed)):
        if tools:
            tree: Tree = ("call", form, TRUE, *(("name", classes[tool]) for tool in tools))
            source, name = _with_rule(language, source, tree, "")
            opened.append(name)
    for tool in effect.open_tools:
        rules = permitted.get(classes[tool], ())
        if rules:
            clauses += [own.name for own in own_clauses(language, source).values() if own.about in rules]
        elif tool not in bare:
            clauses.append(f"{OTHERWISE}{classes[tool]}")
    return source, opened


def _permitting(language: Language, source: str, tools: Iterable[str]) -> tuple[str, ...]:
    """The rules of a policy that permit calls of some tools."""
    classes = {call.tool: name for name, call in language.types.calls.items()}
    permitted = _permitted(language, source)
    return tuple(rule for tool in tools for rule in permitted.get(classes[tool], ()))


def _permitted(language: Language, source: str) -> Mapping[str, Iterable[str]]:
    """The rules that permit calls of each class."""
    found: dict[str, list[str]] = {}
    for node in statements(source):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("permit_"):
            annotation = node.args.args[0].annotation
            names = [] if annotation is None else ast.unparse(annotation).split(" | ")
            for name in language.types.calls if names == ["Call"] else names:
                found.setdefault(name, []).append(node.name)
    return found
