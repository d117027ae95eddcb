"""Running cases: real pytest, isolated from its surroundings, with results as data."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.check.test_cases_generate import BANK, HOSPITAL
from tests.plain_policies import check
from tests.waiting import until
from workbench.check.cases_generate import generate_cases
from workbench.check.cases_run import CaseRun, names_of_tests, python_literal, render_cases, run_cases
from workbench.cli.report_text import case_lines
from workbench.guard.nouns_text import deciding_part
from workbench.model import Case, RecordValue, Value, Verdict
from workbench.policy.written import OWN_NAMES

TEXTS = st.text(max_size=20)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.decimals(allow_nan=False), TEXTS,
    st.frozensets(TEXTS, max_size=3), st.dates(), st.times(),
    st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-3, minutes=-30))])),
)  # fmt: skip
NAMES = {
    "Decimal": Decimal, "date": date, "time": time, "datetime": datetime, "UTC": UTC,
    "timezone": timezone, "timedelta": timedelta, "frozenset": frozenset,
}  # fmt: skip
HOSTILE = '"""\n\'\\\nimport os; os.abort()\r\u2028\x00\x1b]52;c;x\x07 {arguments} #'


def case(name: str, expected: str, **arguments: Value) -> Case:
    return Case(name, arguments, Verdict(expected), "because")


@given(VALUES)
def test_a_literal_yields_the_value_again_with_its_type(value: Value) -> None:
    again = eval(python_literal(value), {"__builtins__": {}}, NAMES)  # noqa: S307 # the text under test
    assert again == value
    assert type(again) is type(value)


@settings(deadline=None)
@given(st.lists(st.builds(Case, id=TEXTS, arguments=st.dictionaries(TEXTS, VALUES, max_size=2),
                          expected=st.sampled_from(Verdict), reason=TEXTS), max_size=3))  # fmt: skip
def test_no_text_of_a_case_becomes_code(cases: list[Case]) -> None:
    tree = ast.parse(render_cases(check(BANK), cases))
    tests = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert [node.name for node in tests] == list(names_of_tests(cases))
    assert len({node.name for node in tests}) == len(cases)
    allowed = {"decide", "frozenset", "Decimal", "date", "time", "datetime", "timezone", "timedelta", "UTC"}
    for node in tests:
        (statement,) = node.body
        assert isinstance(statement, ast.Assert)
        assert {name.id for name in ast.walk(statement) if isinstance(name, ast.Name)} <= allowed
        assert not any(isinstance(part, ast.Attribute | ast.JoinedStr) for part in ast.walk(statement))


def test_the_draft_passes_its_own_cases() -> None:
    cases = generate_cases(check(BANK))
    run = run_cases(check(BANK), cases)
    assert (run.passed, run.failed, run.why) == (len(cases), (), "")
    assert [result.case for result in run.results] == [item.id for item in cases]
    assert [result.actual for result in run.results] == [item.expected for item in cases]
    assert f"{len(cases)} passed" in run.output
    denied = next(result for result in run.results if result.case == "blocked-fires")
    assert denied.detail == "Money may not go to a blocked account."


def test_a_failing_case_says_what_was_decided_instead() -> None:
    cases = generate_cases(check(HOSPITAL))
    run = run_cases(check(HOSPITAL.replace('"cost.cost"', '"cost.cost", "allergy.drugname"')), cases)
    (failed, *_) = run.failed
    assert failed.actual is Verdict.ALLOW
    assert failed.detail == "expected deny, got allow"
    assert "assert 'allow' == 'deny'" in run.output
    assert run.why == ""


def test_hostile_texts_are_data(tmp_path: Path) -> None:
    columns = frozenset({HOSTILE, "allergy.drugname"})
    cases = (
        Case(HOSTILE, {"role": "nursing", "columns": columns}, Verdict.DENY, HOSTILE),
        Case(HOSTILE + "2", {"role": HOSTILE, HOSTILE: None}, Verdict.CANNOT_EVALUATE, HOSTILE * 50),
    )
    run = run_cases(check(HOSPITAL), cases, workdir=tmp_path)
    assert [result.passed for result in run.results] == [True, True]
    assert (tmp_path / "test_policy.py").exists()


TRIP = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Trip:
    cabin: str


def forbid_economy(trip: Trip) -> bool:
    """R1: No economy."""
    return trip.cabin == "economy"


def allow(trip: Trip) -> bool:
    return not forbid_economy(trip)
'''


def test_a_case_may_say_more_of_a_record_than_the_policy_asks_but_not_less() -> None:
    more = RecordValue("Trip", (("bags", 2), ("cabin", "economy")))
    less = RecordValue("Trip", (("bags", 2),))
    cases = [case("more", "deny", trip=more), case("less", "cannot-evaluate", trip=less)]
    run = run_cases(check(TRIP), cases)
    assert [result.actual for result in run.results] == [Verdict.DENY, Verdict.CANNOT_EVALUATE], run.output


def test_the_surroundings_have_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "conftest.py").write_text("raise SystemExit('conftest ran')\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", encoding="utf-8")
    (tmp_path / "workdir").mkdir()
    (tmp_path / "workdir" / "conftest.py").write_text("raise SystemExit('conftest ran')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    cases = [case("a", "allow", role="nursing", columns=frozenset[str]())]
    assert run_cases(check(HOSPITAL), cases).passed == 1
    assert run_cases(check(HOSPITAL), cases, workdir=tmp_path / "workdir").passed == 1


def test_a_cancelled_run_counts_no_case_as_passed() -> None:
    cancelled = threading.Event()
    cancelled.set()
    run = run_cases(
        check(HOSPITAL), [case("a", "allow", role="nursing", columns=frozenset[str]())], cancelled=cancelled
    )
    assert (run.passed, run.why) == (0, "cancelled")
    assert run.failed[0].detail == "did not run: cancelled"


def test_a_time_limit_ends_the_run() -> None:
    cases = [case("a", "allow", role="nursing", columns=frozenset[str]())]
    run = run_cases(check(HOSPITAL), cases, timeout=0)
    assert (run.passed, run.why) == (0, "the time limit of 0 s passed")


def test_no_cases_is_no_success() -> None:
    assert run_cases(check(HOSPITAL), []) == CaseRun((), why="there are no cases")


def test_the_process_is_gone_when_cancelled_midway(tmp_path: Path) -> None:
    cancelled = threading.Event()
    cases = generate_cases(check(HOSPITAL))

    def cancel_midway() -> None:
        until((tmp_path / "results.jsonl").exists)
        cancelled.set()

    threading.Thread(target=cancel_midway, daemon=True).start()
    run = run_cases(check(HOSPITAL), cases, cancelled=cancelled, workdir=tmp_path)
    assert run.why in ("cancelled", "")
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
    assert str(tmp_path) not in listing


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX only")
def test_the_rendered_file_runs_by_hand(tmp_path: Path) -> None:
    cases = generate_cases(check(HOSPITAL))
    (tmp_path / "test_policy.py").write_text(
        render_cases(deciding_part(check(HOSPITAL), OWN_NAMES), cases), encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_policy.py"],
        cwd=tmp_path, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"{len(cases)} passed" in done.stdout


GROWN = '''
def forbid_far(action: str, distance: int | None) -> bool:
    """R1: Nothing is sent far."""
    return action == "send" and distance is not None and distance > 10


def forbid_delete(action: str) -> bool:
    """R2: Nothing is deleted."""
    return action == "delete"


def allow(action: str, distance: int | None, note: str) -> bool:
    return not (forbid_far(action, distance) or forbid_delete(action))
'''


def test_a_case_that_lacks_a_new_argument_is_completed_where_that_cannot_matter_and_else_says_so() -> None:
    cases = [
        case("read", "allow", action="read"),
        case("delete", "deny", action="delete"),
        case("near", "allow", action="send", distance=3),
        case("wrong", "allow", action="delete"),
        case("send", "allow", action="send"),
    ]
    done = run_cases(check(GROWN), cases)
    assert [result.passed for result in done.results] == [True, True, True, False, False]
    *_, wrong, send = done.results
    assert wrong.actual is Verdict.DENY
    assert send.actual is None
    assert "does not say the argument `distance`, on which its decision rests" in send.detail
    assert send.detail in [line.strip() for line in case_lines(done.results, cases)]
