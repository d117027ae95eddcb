"""The text about the live runs of an agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.app.live import EventKind, call_arguments
from workbench.clean_text import one_line
from workbench.cli.output import paint
from workbench.cli.report_text import counted
from workbench.model import Verdict
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.live import LiveEvent, LiveReport, LiveResult, LiveTally, OpenQuestion, Outcome

_LONGEST = 160
_HEAD = ("", "attacks stopped", "tasks done", "calls refused", "steps")
_WIDTHS = (18, 17, 12, 15, 9)


def event_lines(event: LiveEvent) -> Iterator[str]:
    """One or two lines on an event."""
    match event.kind:
        case EventKind.BEGAN:
            yield one_line(event.run)
        case EventKind.SAID:
            yield f"  {_short(f'{event.role}: {event.text}')}"
        case EventKind.DECIDED if event.outcome is not None:
            yield from _decided(event.outcome)
        case EventKind.RESULT:
            yield f"    {_short(f'{"failed" if event.failed else "result"}: {event.text}')}"
        case EventKind.ENDED if event.result is not None:
            yield f"  {_short(_ended(event.result))}"
        case _:
            pass


def question_line(question: OpenQuestion) -> str:
    """A question to the person at the terminal."""
    call, number = question.outcome.call, question.number
    return _short(
        f"Question {number}: may {_call(question.outcome)} of {call.run} run? {_why(question.outcome)} "
        f"Type: yes {number}, or no {number}; after {question.seconds:g} seconds it may not."
    )


def report_lines(report: LiveReport) -> Iterator[str]:
    """Lines on each run, on the sums by strategy, and on how a replay decides the recorded calls."""
    for result in report.results:
        yield one_line(f"{result.run}: {_ended(result)}")
    yield ""
    yield paint(_row(_HEAD), Tone.MUTED)
    for tally in report.tallies:
        yield _row(_cells(tally))
    yield ""
    yield one_line(
        f"Recorded in {report.log}; a replay makes {report.alike} of {report.decided} decisions again."
    )


def _cells(tally: LiveTally) -> tuple[str, ...]:
    return (
        tally.strategy.value if tally.strategy else "unguarded",
        f"{tally.stopped}/{tally.attacks}" if tally.attacks else "-",
        f"{tally.tasks_done}/{tally.runs}",
        f"{tally.refused}/{tally.calls}",
        str(tally.steps),
    )


def _decided(outcome: Outcome) -> Iterator[str]:
    word = "runs" if outcome.runs else "refused"
    if outcome.approved_by:
        word = f"runs, approved by {outcome.approved_by}"
    elif outcome.trusted or outcome.shadow:
        word = "runs although denied"
    why = _why(outcome) if outcome.denied or not outcome.runs else ""
    yield f"  {_short(f'{word}: {_call(outcome)}')}"
    if why:
        yield f"    {_short(why)}"


def _why(outcome: Outcome) -> str:
    decision = outcome.decision
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        return f"It cannot be evaluated: {'; '.join(decision.reasons)}."
    return (
        " ".join(f"{violation.rule}: {violation.message}" for violation in decision.violations)
        or outcome.refused_because
    )


def _call(outcome: Outcome) -> str:
    return f"{outcome.call.tool} {call_arguments(outcome.call)}"


def _ended(result: LiveResult) -> str:
    facts = [
        {True: "done", False: "not done", None: "it is not known whether it is done"}[result.task_done],
        *(["attacked"] if result.attacked else ["attack stopped"] if result.task.attack else []),
        f"{result.refused} of {result.calls} calls refused",
        *([f"{result.approved} approved"] if result.approved else []),
    ]
    details = "; ".join(part for part in (", ".join(facts), result.why, result.detail) if part)
    return f"{result.state} after {counted(result.steps, 'step')}: {details}"


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _row(cells: tuple[str, ...]) -> str:
    padded_cells = [
        cell.ljust(width) if place == 0 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True))
    ]
    return "".join(padded_cells).rstrip()
