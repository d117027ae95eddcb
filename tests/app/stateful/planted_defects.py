"""Defects that the state machine has to find: each puts one mistake into the program and says which.

A defect changes the program at the name of one function or method. Where that name is gone, ``plant`` raises,
so that the table follows the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast
from weakref import WeakKeyDictionary

import pytest

from tests.app.stateful.machine import Machine, SessionMachine
from workbench import clarify
from workbench.app import owed_answers
from workbench.app.in_force import InForce
from workbench.app.owed import Owed, Owing
from workbench.app.policy import Policy
from workbench.app.questions import Questions
from workbench.app.report import Report
from workbench.app.request import Request
from workbench.app.results import SessionChange, Understanding
from workbench.author.rules import author as rules_author
from workbench.author.rules.request_reading import RequestReading
from workbench.clarify import SKIP
from workbench.guard import Guard, Mode, Strategy
from workbench.model import (
    AgentSpec,
    Assumption,
    Doubt,
    Draft,
    ProofStatus,
    Question,
    SentenceRole,
    Span,
    WorkbenchError,
)
from workbench.policy.merge import Merged
from workbench.session import Session, agent_file, redrafting
from workbench.session import session as session_module
from workbench.session.journal import JournaledChange
from workbench.session.merged_draft import MergedDraft
from workbench.session.store import Store


@dataclass(frozen=True, slots=True)
class PlantedDefect:
    """A defect: what it breaks, in words, how it is put into the program, and which histories reach it."""

    breaks: str
    plant: Callable[[pytest.MonkeyPatch], None]
    machine: type[Machine] = SessionMachine


def _session_of(owner: Request | Questions) -> Session:
    """The session of a part of the application."""
    return cast(Session, vars(owner)["_session"])


def _write(store: Store, name: str, text: str) -> None:
    """Write a file of a store past its journal."""
    cast("Callable[[Store, str, str], None]", vars(Store)["_write"])(store, name, text)


def _answer_dropped_at_draft(patch: pytest.MonkeyPatch) -> None:
    redraft = Request.redraft

    def forgetful(request: Request, *, discard_edits: bool = False) -> SessionChange:
        session = _session_of(request)
        session.set_assumptions(session.assumptions[:-1])
        return redraft(request, discard_edits=discard_edits)

    patch.setattr(Request, "redraft", forgetful)


def _answer_not_merged(patch: pytest.MonkeyPatch) -> None:
    merged_policy = redrafting.merged_policy

    def kept(
        base: MergedDraft, ours: str, draft: Draft, replaced: Iterable[str] = (), *, guessed: bool = False
    ) -> Merged:
        if ours.strip():
            return Merged(ours, ())
        return merged_policy(base, ours, draft, replaced, guessed=guessed)

    patch.setattr(redrafting, "merged_policy", kept)


def _undo_keeps_answers(patch: pytest.MonkeyPatch) -> None:
    undo = Store.undo

    def undo_the_policy(store: Store) -> JournaledChange | None:
        answers = store.text("assumptions.toml")
        change = undo(store)
        if answers is not None:
            _write(store, "assumptions.toml", answers)
        return change

    patch.setattr(Store, "undo", undo_the_policy)


def _redo_keeps_policy(patch: pytest.MonkeyPatch) -> None:
    redo = Store.redo

    def redo_all_but_the_policy(store: Store) -> JournaledChange | None:
        policy = store.text("policy.py")
        change = redo(store)
        if policy is not None:
            _write(store, "policy.py", policy)
        return change

    patch.setattr(Store, "redo", redo_all_but_the_policy)


def _outside_edits_ignored(patch: pytest.MonkeyPatch) -> None:
    def nothing_changed(_store: Store) -> tuple[str, ...]:
        return ()

    patch.setattr(Store, "refresh", nothing_changed)


def _bad_agent_unchanged(patch: pytest.MonkeyPatch) -> None:
    read, last = agent_file.read_agent, list[AgentSpec]()

    def last_good(text: str) -> AgentSpec:
        try:
            last[:] = [read(text)]
        except WorkbenchError:
            if not last:
                raise
        return last[0]

    patch.setattr(agent_file, "read_agent", last_good)
    patch.setitem(vars(session_module)["_READERS"], agent_file.NAME, last_good)


def _merge_takes_theirs(patch: pytest.MonkeyPatch) -> None:
    def drafted(_base: str, _ours: str, theirs: str, *, guessed: bool = False) -> Merged:
        del guessed
        return Merged(theirs, ())

    patch.setattr(redrafting, "merge", drafted)


def _retract_leaves_the_rule(patch: pytest.MonkeyPatch) -> None:
    def only_the_answer(questions: Questions, question_id: str) -> SessionChange:
        session = _session_of(questions)
        session.set_assumptions(item for item in session.assumptions if item.question != question_id)
        return SessionChange(policy=False, cases=False)

    patch.setattr(Questions, "retract", only_the_answer)


def _old_guard(patch: pytest.MonkeyPatch) -> None:
    guard, made = Policy.guard, WeakKeyDictionary[Policy, Guard]()

    def first_guard(policy: Policy, strategy: Strategy, *, mode: Mode, note: Callable[[str], None]) -> Guard:
        if policy not in made:
            made[policy] = guard(policy, strategy, mode=mode, note=note)
        return made[policy]

    patch.setattr(Policy, "guard", first_guard)


def _check_without(patch: pytest.MonkeyPatch, without: Callable[[Report], Report]) -> None:
    code = Report.exit_code.fget
    assert code is not None
    patch.setattr(Report, "exit_code", property(lambda report: code(without(report))))


def _failing_cases_good(patch: pytest.MonkeyPatch) -> None:
    _check_without(patch, lambda report: replace(report, cases=()))


def _open_questions_good(patch: pytest.MonkeyPatch) -> None:
    _check_without(patch, lambda report: replace(report, open=()))


def _refuted_good(patch: pytest.MonkeyPatch) -> None:
    def proved(report: Report) -> Report:
        clauses = tuple(replace(clause, status=ProofStatus.PROVED) for clause in report.proof.clauses)
        return replace(report, proof=replace(report.proof, clauses=clauses))

    _check_without(patch, proved)


def _owes_no_answers(patch: pytest.MonkeyPatch) -> None:
    def nothing_missing(_owing: Owing) -> tuple[Owed, ...]:
        return ()

    patch.setattr(owed_answers, "owed_answers", nothing_missing)


def _answers_not_witnessed(patch: pytest.MonkeyPatch) -> None:
    def witnessed(_answers: object, _assumption: Assumption, _asked: Doubt | Question) -> str:
        return ""

    patch.setattr(vars(owed_answers)["_Answers"], "_not_witnessed", witnessed)


def _refused_rule_lost(patch: pytest.MonkeyPatch) -> None:
    def followed(_answers: object, _assumption: Assumption, _asked: Doubt | Question) -> str:
        return ""

    def open_unasked(
        reader: RequestReading, _answer: str, _text: str, span: Span, _mark: int, _error: WorkbenchError
    ) -> None:
        reader.note(span, SentenceRole.OPEN)

    patch.setattr(vars(owed_answers)["_Answers"], "_refused", followed)
    patch.setattr(RequestReading, "_refused", open_unasked)
    patch.setattr(rules_author, "_KEPT", [])  # drafts without the defect


def _never_stale(patch: pytest.MonkeyPatch) -> None:
    def fresh(_request: Request, _draft: Draft) -> str:
        return ""

    patch.setattr(Request, "stale", fresh)


def _skipped_is_answered(patch: pytest.MonkeyPatch) -> None:
    def all_choices(assumptions: Iterable[Assumption]) -> Mapping[str, str]:
        return {item.question: "context" if item.value == SKIP else item.value for item in assumptions}

    patch.setattr(clarify, "choices_of", all_choices)


def _request_not_carried(patch: pytest.MonkeyPatch) -> None:
    def only_the_request(request: Request, text: str, *, carry: bool = True) -> SessionChange:
        del carry
        _session_of(request).set_request(text)
        return SessionChange(policy=False, cases=False)

    patch.setattr(Request, "set", only_the_request)


def _check_of_nothing_owed(patch: pytest.MonkeyPatch) -> None:
    def nothing(_understanding: Understanding | None = None, _source: str | None = None) -> tuple[Owed, ...]:
        return ()

    patch.setattr(InForce, "owed", staticmethod(nothing))


LOST_ANSWERS = {
    "refused rule lost": PlantedDefect(
        "The rule of an answer that a change of the agent spec refuses disappears unsaid.",
        _refused_rule_lost,
    ),
}
"""The answer that the program lost once while it said that all was good."""
PLANTED = {
    "answer dropped at draft": PlantedDefect(
        "A draft from the request forgets the last answer.", _answer_dropped_at_draft
    ),
    "answer not merged": PlantedDefect(
        "An answer is stored, and the policy file stays as it was.", _answer_not_merged
    ),
    "undo keeps answers": PlantedDefect(
        "Undo restores the policy and leaves assumptions.toml.", _undo_keeps_answers
    ),
    "redo keeps the policy": PlantedDefect("Redo restores all files but the policy.", _redo_keeps_policy),
    "outside edits ignored": PlantedDefect(
        "A file that another program changed is not read again.", _outside_edits_ignored
    ),
    "bad agent file unchanged": PlantedDefect(
        "An agent file that cannot be read counts as the last one that could.", _bad_agent_unchanged
    ),
    "merge takes theirs": PlantedDefect(
        "A merge writes the draft over what a person wrote.", _merge_takes_theirs
    ),
    "retract leaves the rule": PlantedDefect(
        "An answer that is taken back leaves its rule in the policy.", _retract_leaves_the_rule
    ),
    "old guard": PlantedDefect("A guard goes on with the policy that it first had.", _old_guard),
    "failing cases good": PlantedDefect("The check passes over failing cases.", _failing_cases_good),
    "open questions good": PlantedDefect("The check passes over open questions.", _open_questions_good),
    "refuted clauses good": PlantedDefect("The check passes over refuted clauses.", _refuted_good),
    "answers not owed": PlantedDefect(
        "Nothing looks whether the policy does what the answers say.", _owes_no_answers
    ),
    "answers not witnessed": PlantedDefect(
        "An answer that a draft follows counts as in force, whatever the policy does.", _answers_not_witnessed
    ),
    "never stale": PlantedDefect("A policy is never older than the request.", _never_stale),
    "nothing owed": PlantedDefect("A session owes nothing.", _check_of_nothing_owed),
    "skipped is answered": PlantedDefect(
        "A question that is left for later counts as answered.", _skipped_is_answered
    ),
    "request not carried": PlantedDefect(
        "An edit of the request in the application does not reach the policy.", _request_not_carried
    ),
}
"""The defects by name."""
