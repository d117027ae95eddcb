"""Defects that the written histories have to find: each puts one mistake into the program and says which.

A defect changes the program at the name of one function or method. Where that name is gone, it raises, so
that the table follows the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast
from weakref import WeakKeyDictionary

import pytest

from workbench.app import answered_rules, clause_findings, rewording, said_cases, widened
from workbench.app.answered_rules import TermAnswers
from workbench.app.in_force import InForce
from workbench.app.owed import not_asked
from workbench.app.policy import Policy
from workbench.app.report import Report
from workbench.guard import Guard, Mode, Strategy
from workbench.language import own_clauses
from workbench.language.language import Language
from workbench.model import AgentSpec, Requirement, WorkbenchError
from workbench.runs.expressions.call_values import CallValues
from workbench.runs.world.earlier_calls import Earlier
from workbench.session import Session, agent_file
from workbench.session import session as session_module
from workbench.session.journal import JournaledChange
from workbench.session.store import Store


def _rule_without_clause(patch: pytest.MonkeyPatch) -> None:
    in_step = own_clauses.in_step

    def forgetful(language: Language, source: str, earlier: str, new: Collection[str] = ()) -> str:
        text = in_step(language, source, earlier, new)
        for name in new:
            text = re.sub(rf"(?ms)^def {own_clauses.OF_RULE}{name}\(.*?(?=^def |\Z)", "", text)
        return text

    patch.setattr(own_clauses, "in_step", forgetful)


def _answer_without_effect(patch: pytest.MonkeyPatch) -> None:
    def nothing(_language: object, source: str, _effect: object, **_: object) -> tuple[str, frozenset[str]]:
        return source, frozenset()

    patch.setattr(answered_rules, "with_effect", nothing)


def _old_rule_stays(patch: pytest.MonkeyPatch) -> None:
    def kept(source: str, *_: object) -> str:
        return source

    patch.setattr(rewording, "_without", kept)


def _lost_sentence_untold(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(clause_findings, "_citations", _nothing)


def _cases_stay(patch: pytest.MonkeyPatch) -> None:
    set_cases_of = said_cases.set_cases_of

    def first_only(
        session: Session,
        policy: Policy,
        requirements: Sequence[Requirement],
        changed: Collection[str],
        rules: Collection[str] = (),
    ) -> None:
        if not any(set(changed) & set(case.requirements) for case in session.cases):
            set_cases_of(session, policy, requirements, changed, rules)

    patch.setattr(said_cases, "set_cases_of", first_only)


def _nothing(*_: object, **__: object) -> tuple[()]:
    return ()


# --- files and history


def _write(store: Store, name: str, text: str) -> None:
    """Write a file of a store past its journal."""
    cast("Callable[[Store, str, str], None]", vars(Store)["_write"])(store, name, text)


def _keeps(name: str, step: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Undo or redo leaves a file as it was."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        whole = cast("Callable[[Store], JournaledChange | None]", vars(Store)[step])

        def all_but_one(store: Store) -> JournaledChange | None:
            text = store.text(name)
            change = whole(store)
            if text is not None:
                _write(store, name, text)
            return change

        patch.setattr(Store, step, all_but_one)

    return plant


def _outside_edits_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Store, "refresh", _nothing)


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


def _removed_version_untold(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(widened, "not_compared", _nothing)


# --- guards and runs


def _old_guard(patch: pytest.MonkeyPatch) -> None:
    guard, made = Policy.guard, WeakKeyDictionary[Policy, Guard]()

    def first_guard(policy: Policy, strategy: Strategy, *, mode: Mode, note: Callable[[str], None]) -> Guard:
        if policy not in made:
            made[policy] = guard(policy, strategy, mode=mode, note=note)
        return made[policy]

    patch.setattr(Policy, "guard", first_guard)


def _failures_are_done(patch: pytest.MonkeyPatch) -> None:
    def never(_values: object, _call: object) -> bool:
        return False

    patch.setattr(CallValues, "_has_failed", never)


def _later_calls_seen(patch: pytest.MonkeyPatch) -> None:
    def every(earlier: Earlier) -> int:
        return len(earlier.calls)

    patch.setattr(Earlier, "__len__", every)


# --- what the check says


def _check_says(
    code_of: Callable[[Report, Callable[[Report], int]], int],
) -> Callable[[pytest.MonkeyPatch], None]:
    """The exit code is what ``code_of`` makes of a report and of the function that has it."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        code = Report.exit_code.fget
        assert code is not None
        patch.setattr(Report, "exit_code", property(lambda report: code_of(report, code)))

    return plant


def _asks_nothing(report: Report) -> Report:
    return replace(report, open=(), owed=not_asked(report.owed, report.open))


def good_where(wrong: Callable[[Report], bool]) -> Callable[[pytest.MonkeyPatch], None]:
    """All counts as good where something is wrong, so that only histories that come there can see it."""
    return _check_says(lambda report, code: 0 if wrong(report) else code(report))


def _lost_rules_untold(patch: pytest.MonkeyPatch) -> None:
    def none_lost(*_: object) -> Mapping[str, object]:
        return {}

    patch.setattr(TermAnswers, "lost", none_lost)


def _owes_no_answers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(clause_findings, "owed_clauses", _nothing)


def _owes_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(InForce, "owed", staticmethod(_nothing))


WRITTEN_DEFECTS: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a kept sentence is a rule without a clause": _rule_without_clause,
    "an answer is stored and changes no rule": _answer_without_effect,
    "a sentence that is said again keeps its old rule": _old_rule_stays,
    "a rule of a sentence that is gone is not told": _lost_sentence_untold,
    "the cases of a sentence stay when it is said otherwise": _cases_stay,
    "undo leaves the answers": _keeps("assumptions.toml", "undo"),
    "undo leaves the agent file": _keeps("agent.toml", "undo"),
    "redo leaves the policy": _keeps("policy.py", "redo"),
    "a file that another program changed is not read again": _outside_edits_ignored,
    "an agent file that cannot be read counts as the last one that could": _bad_agent_unchanged,
    "an accepted version that another program removed is not missed": _removed_version_untold,
    "a guard goes on with the policy that it first had": _old_guard,
    "a call that failed counts as done": _failures_are_done,
    "a call knows the calls after it": _later_calls_seen,
    "the check passes over open questions": _check_says(lambda report, code: code(_asks_nothing(report))),
    "all is good where the policy has problems": good_where(lambda report: bool(report.problems)),
    "an answer whose question is asked no more is in force whatever stands": _lost_rules_untold,
    "nothing looks whether an answer is in force": _owes_no_answers,
    "a session owes nothing": _owes_nothing,
}
"""How each defect is put into the program, by what is wrong then."""
