"""A program that approves calls: only a name together with exit code 0 approves."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from workbench.guard import EnforcedPolicy, Guard, PastCall, Strategy, ToolCall, program_approval
from workbench.model import Decision, Json, Value, Verdict, Violation

HOSTILE = "$(touch x); \x1b]52;c;cHduZWQ=\x07 'q' \n \u202e"


class Never(EnforcedPolicy):
    """A policy that lets nothing run without a person."""

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        return Decision(Verdict.ASK, (Violation("ask_all", "Nothing may run.", ("a",)),), arguments)


class Unknown(EnforcedPolicy):
    """A policy that cannot evaluate."""

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        return Decision(Verdict.CANNOT_EVALUATE, (), arguments, ("size is missing",))


def _nothing(call: ToolCall, past: Sequence[PastCall]) -> Mapping[str, Value]:
    del call, past
    return {}


def guarded(program: str, *, timeout: float = 60, policy: Never | Unknown | None = None) -> Guard:
    return Guard(
        policy or Never(),
        _nothing,
        strategy=Strategy.TERMINATE_TASK,
        approval=program_approval([sys.executable, "-c", program], timeout=timeout),
        context={"user": "ann"},
    )


def call(**arguments: Json) -> ToolCall:
    return ToolCall("pay", arguments)


def test_a_name_and_a_good_end_approve_a_call_that_the_program_was_shown(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    program = f"import sys; open({str(shown)!r}, 'w').write(sys.stdin.read()); "
    program += "print('Bo \\x1b[2JB' + chr(10) + 'x')"
    outcome = guarded(program).check(call(note=HOSTILE))
    assert outcome.runs
    assert outcome.approved_by == "Bo [2JB"
    request = json.loads(shown.read_text())
    assert request["tool"] == "pay"
    assert request["arguments"] == {"note": HOSTILE}
    assert request["context"] == {"user": "ann"}
    assert request["rules"] == [{"rule": "ask_all", "message": "Nothing may run.", "items": ["a"]}]
    assert "Nothing may run" in request["reason"]


@pytest.mark.parametrize(
    "program",
    [
        "print('Bo'); raise SystemExit(1)",
        "pass",
        "print(' ')",
        "import os; print('Bo', flush=True); os.abort()",
    ],
)
def test_anything_else_denies(program: str) -> None:
    outcome = guarded(program).check(call())
    assert not outcome.runs
    assert outcome.ends_task
    assert outcome.approved_by == ""


def test_silence_denies_after_the_time_given() -> None:
    outcome = guarded("import time; time.sleep(600); print('Bo')", timeout=0.2).check(call())
    assert not outcome.runs


def test_a_program_that_does_not_start_denies() -> None:
    guard = Guard(Never(), _nothing, approval=program_approval(["no-such-approver"], timeout=60))
    assert not guard.check(call()).runs


def test_what_cannot_be_evaluated_is_not_put_to_the_program(tmp_path: Path) -> None:
    mark = tmp_path / "asked"
    program = f"open({str(mark)!r}, 'w'); print('Bo')"
    assert not guarded(program, policy=Unknown()).check(call()).runs
    assert not mark.exists()
