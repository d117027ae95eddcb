"""Tried calls are decided as the same calls of a log are: alone, after others, and in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.written_desk import written_desk
from workbench.app.tried_calls import MOST_LINES, Before, as_line, placed
from workbench.app.workbench import Workbench
from workbench.model import Json, Verdict, WorkbenchError

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
FOLDER = "/home/kim/app"
LINES = """\
# a note, and a blank line

git status
rm -rf ../..
Bash: git push --force
Read:
src/a.py
../secrets/x
Write {"file_path": "/etc/passwd", "content": "x"}
{"tool": "Bash", "arguments": {"command": "ln -s /etc link"}}
Bash: cat link/passwd
"""
CALLS: tuple[tuple[str, dict[str, Json]], ...] = (
    ("Bash", {"command": "git status"}),
    ("Bash", {"command": "rm -rf ../.."}),
    ("Bash", {"command": "git push --force"}),
    ("Read", {"file_path": "src/a.py"}),
    ("Read", {"file_path": "../secrets/x"}),
    ("Write", {"file_path": "/etc/passwd", "content": "x"}),
    ("Bash", {"command": "ln -s /etc link"}),
    ("Bash", {"command": "cat link/passwd"}),
)


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with closing(Workbench.open_to_read(SESSIONS / "coding-agent")) as opened:
        yield opened


PAYING = '''\
"""What the travel desk may pay."""

from decimal import Decimal

from agent import PayInvoice, Run

DEFAULT = "allow"


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R9: The total paid per session must not exceed 5,000 EUR."""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded) > Decimal("5000")
'''


def logged(bench: Workbench, file: Path, *, one_run: bool) -> list[Verdict]:
    """The verdicts on the calls as a log has them: all in one run, or each in its own."""
    context = {"folders": [FOLDER], "project": FOLDER, "cwd": FOLDER, "client": "claude-code"}
    rows = [
        {
            "format": "workbench-decision/1", "run": "log" if one_run else f"log {at}",
            "call": at if one_run else 0, "time": "2026-03-02T09:00:30+00:00", "tool": tool, "runs": True,
            "context": context, "arguments": json.dumps({**given, "cwd": FOLDER}),
        }
        for at, (tool, given) in enumerate(CALLS)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    terms = bench.policy.terms()
    decided = bench.runs.decide(terms, bench.runs.load([file], terms=terms))
    return [one.decision.verdict for one in decided]


def tried(bench: Workbench, before: Before, text: str = LINES) -> list[Verdict | str]:
    terms = bench.policy.terms()
    decider = bench.line_decider(terms, bench.runs.current(), before)
    found = decider.decide(text)
    assert decider.decide(text) == found, "a line that is known is decided as before"
    return [one.decided.decision.verdict if one.decided else one.problem for one in found]


def test_each_line_alone_is_decided_as_a_run_of_its_call(bench: Workbench, tmp_path: Path) -> None:
    verdicts = tried(bench, placed(bench.runs.current(), 0))
    assert verdicts == logged(bench, tmp_path / "log.jsonl", one_run=False)
    assert {Verdict.ALLOW, Verdict.DENY} <= set(verdicts)


def test_in_order_only_what_was_allowed_ran(tmp_path: Path) -> None:
    desk = written_desk(tmp_path, PAYING)

    def pay(*totals: int) -> str:
        given: dict[str, Json] = {
            "trip_id": "T",
            "supplier_id": "S",
            "iban": "I",
            "invoice": "N",
            "lines": [],
        }
        return "\n".join(f"pay_invoice {json.dumps({**given, 'total': total})}" for total in totals)

    with closing(Workbench.open_to_read(desk)) as bench:
        apart, in_order = Before(), Before(lines_above=True)
        assert tried(bench, apart, pay(3000, 3000)) == [Verdict.ALLOW, Verdict.ALLOW]
        assert tried(bench, in_order, pay(3000, 3000)) == [Verdict.ALLOW, Verdict.DENY]
        assert tried(bench, in_order, pay(6000, 3000)) == [Verdict.DENY, Verdict.ALLOW]


CLOSED = '''\
"""What the travel desk may pay."""

from agent import GetTrip, PayInvoice, Run

DEFAULT = "allow"


def forbid_closed(call: PayInvoice, run: Run) -> bool:
    """R9: Nothing is paid for a trip that is closed."""
    return any(c.trip_id == call.trip_id and "closed" in c.result for c in run.earlier(GetTrip))
'''


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        ('{"status": "closed"}', Verdict.DENY),
        ('"closed -> x"', Verdict.DENY),
        ('{"status": "open"}', Verdict.ALLOW),
        ("closed", Verdict.ALLOW),  # no JSON: part of what was looked up
    ],
)
def test_a_line_may_have_a_result_that_the_lines_below_know(
    tmp_path: Path, result: str, verdict: Verdict
) -> None:
    texts = dict.fromkeys(("supplier_id", "iban", "invoice"), "x")
    given: dict[str, Json] = {"trip_id": "T", **texts, "lines": [], "total": 1}
    lines = f"get_trip: T -> {result}\npay_invoice {json.dumps(given)}"
    with closing(Workbench.open_to_read(written_desk(tmp_path, CLOSED))) as bench:
        for before in (Before(), Before(lines_above=True)):
            assert tried(bench, before, lines) == [Verdict.ALLOW, verdict]


def test_a_recorded_call_written_as_a_line_is_decided_in_its_place_as_it_was(bench: Workbench) -> None:
    logs, terms = bench.runs.current(), bench.policy.terms()
    for at, decided in enumerate(bench.runs.decide(terms, logs)):
        before = placed(logs, at, logs.calls[at].index)
        assert tried(bench, before, as_line(logs.calls[at])) == [decided.decision.verdict]


def test_a_line_that_is_no_call_says_why(bench: Workbench) -> None:
    (why,) = tried(bench, placed(bench.runs.current(), 0), "TaskUpdate: x")
    assert "A call of TaskUpdate is no single text: write it as JSON" in str(why)
    with pytest.raises(WorkbenchError, match="At most 2,000 lines"):
        tried(bench, Before(), "ls\n" * (MOST_LINES + 1))


def test_why_has_the_typed_parts_of_the_call(bench: Workbench) -> None:
    terms, logs = bench.policy.terms(), bench.runs.current()
    decider = bench.line_decider(terms, logs, placed(logs, 0))
    (line,) = decider.decide("Bash: git diff src/a.py > out.txt && curl https://x.example/p")
    parts = {part.name: part.value for part in decider.explain(line).parts}
    assert parts["command.programs"] == "curl, git" and parts["command.hosts"] == "x.example"
    assert (
        parts["command.writes"] == f"{FOLDER}/out.txt"
        and parts["command.trees"] == f"{FOLDER}, {FOLDER}/src/a.py"
    )
