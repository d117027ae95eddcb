"""Denials by cause: groups that stay the same, and judgements that become cases."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.plain_policies import check
from tests.runs.logs.log_samples import lines
from tests.runs.replay.plain_arguments import PlainExtractor
from tests.runs.replay.test_explanation import CLERK, PATHS, PAYMENTS
from workbench.app.workbench import Workbench
from workbench.check.cases_run import run_cases
from workbench.engines.compiled.compile import compile_policy
from workbench.model import CallDecision, Judgement, Verdict, WorkbenchError
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay
from workbench.runs.replay.grouping import (
    DenialGroup,
    cases_of,
    group_denials,
    group_named,
    with_judgement,
)
from workbench.serialization.nouns import json_of

SESSIONS = Path(__file__).resolve().parents[3] / "sessions"


def pay(run: str, amount: object, *files: str, tool: str = "pay") -> dict[str, object]:
    arguments: dict[str, object] = {"amount": amount, "files": list(files)}
    return {"run": run, "tool": tool, "arguments": arguments, "context": CLERK}


CALLS = [
    pay("a", 250),
    pay("b", 300),
    pay("c", 250),
    pay("d", 1, "secret-17.txt"),
    pay("e", 2, "secret-18.txt"),
    pay("f", 1, "secrets.csv"),
    pay("g", "a lot"),
    pay("h", "very 'much'"),
    pay("i", 5),
    pay("j", 1, tool="delete"),
]


def groups_of(
    tmp_path: Path, calls: list[dict[str, object]]
) -> tuple[tuple[DenialGroup, ...], list[CallDecision]]:
    path = tmp_path / "log.jsonl"
    path.write_text(lines(*calls))
    policy = compile_policy(check(PAYMENTS))
    decided = list(replay(policy, PlainExtractor(PATHS), load_runs([path]).runs))
    return group_denials(policy, decided), decided


def members(groups: tuple[DenialGroup, ...]) -> set[frozenset[str]]:
    return {frozenset(group.runs) for group in groups}


def test_calls_with_one_cause_stand_together_whatever_their_numbers(tmp_path: Path) -> None:
    groups, decided = groups_of(tmp_path, CALLS)
    assert members(groups) == {
        frozenset("abc"),
        frozenset("de"),
        frozenset("f"),
        frozenset("gh"),
        frozenset("j"),
    }
    assert sum(len(group.calls) for group in groups) == sum(
        decision.decision.verdict is not Verdict.ALLOW for decision in decided
    )
    assert len(groups[0].calls) == 3, "the largest group comes first"
    assert len(groups[0].vectors) == 2, "equal arguments count once"
    json.dumps(json_of(groups))


def test_keys_do_not_depend_on_the_order_or_number_of_the_calls(tmp_path: Path) -> None:
    groups, _ = groups_of(tmp_path, CALLS)
    others, _ = groups_of(tmp_path, [*reversed(CALLS), pay("k", 999), pay("l", 7, "secret-3.txt")])
    assert {group.key for group in groups} == {group.key for group in others}
    assert len({group.key for group in groups}) == len(groups)


def test_a_group_is_named_by_its_key_or_the_only_one_like_it(tmp_path: Path) -> None:
    groups, _ = groups_of(tmp_path, CALLS)
    assert group_named(groups, groups[0].key) is groups[0]
    assert group_named(groups, groups[0].key[-8:]) is groups[0]
    for wrong in ("", "forbid_", "nothing"):
        with pytest.raises(WorkbenchError):
            group_named(groups, wrong)


def test_judgements_become_cases_that_hold_or_fail_as_judged(tmp_path: Path) -> None:
    groups, _ = groups_of(tmp_path, CALLS)
    large = next(group for group in groups if "a" in group.runs)
    right, false_alarm = (cases_of(large, judgement) for judgement in Judgement)
    assert {case.requirements for case in right} == {("R1",)}
    assert all(result.passed for result in run_cases(check(PAYMENTS), right).results)
    assert not any(result.passed for result in run_cases(check(PAYMENTS), false_alarm).results)
    lifted = PAYMENTS.replace('"100"', '"1000"')
    assert all(result.passed for result in run_cases(check(lifted), false_alarm).results)


def test_a_later_judgement_replaces_the_earlier_one_and_contradictions_are_named(tmp_path: Path) -> None:
    groups, _ = groups_of(tmp_path, CALLS)
    large = next(group for group in groups if "a" in group.runs)
    right, false_alarm = (cases_of(large, judgement) for judgement in Judgement)
    both, judged = with_judgement(right, false_alarm)
    assert both == false_alarm
    assert judged.contradicted == ()
    written = tuple(
        type(case)("mine", case.arguments, case.expected, "by hand", (), "human") for case in right[:1]
    )
    both, judged = with_judgement(written, false_alarm)
    assert both == (*written, *false_alarm)
    assert judged.contradicted == ("mine",)


def test_a_judgement_replaces_one_that_its_file_writes_with_other_digits(tmp_path: Path) -> None:
    groups, _ = groups_of(tmp_path, CALLS)
    large = next(group for group in groups if "a" in group.runs)
    right, false_alarm = (cases_of(large, judgement) for judgement in Judgement)
    amount = Decimal(250)
    stored = tuple(
        replace(case, arguments={**case.arguments, "amount": Decimal("250.0")})
        for case in right
        if case.arguments["amount"] == amount
    )
    assert stored
    cases, judged = with_judgement(stored, false_alarm)
    assert cases == judged.cases == false_alarm
    written = [replace(case, id="mine", origin="human") for case in stored]
    assert with_judgement(written, false_alarm)[1].contradicted == ("mine",)


def test_calls_without_arguments_cannot_be_judged(tmp_path: Path) -> None:
    groups, _ = groups_of(tmp_path, CALLS)
    odd = next(group for group in groups if "g" in group.runs)
    with pytest.raises(WorkbenchError, match="amount"):
        cases_of(odd, Judgement.RIGHT)


def test_a_judged_group_is_stored_in_the_session_and_can_be_undone(tmp_path: Path) -> None:
    shutil.copytree(SESSIONS / "web-shopping", tmp_path / "s", ignore=shutil.ignore_patterns(".workbench"))
    bench = Workbench.open(tmp_path / "s")
    try:
        before = bench.session.cases
        terms = bench.policy.terms()
        logs = bench.runs.load()
        groups = bench.judging.denials(terms, bench.runs.decide(terms, logs))
        judged = bench.judging.judge(groups[:1], Judgement.RIGHT)
        assert judged.cases
        assert bench.session.cases == (*before, *judged.cases)
        assert all(result.passed for result in bench.cases.run().results)
        bench.session.undo()
        assert bench.session.cases == before
    finally:
        bench.close()
