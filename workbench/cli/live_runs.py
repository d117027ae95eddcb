"""The command ``live``: an agent acts on a world of tools under the session's policy."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.app.live import (
    EventKind,
    Limits,
    LiveOrder,
    LiveSettings,
    OpenQuestions,
    Strategy,
)
from workbench.app.value_texts import call_arguments
from workbench.clean_text import counted, one_line
from workbench.cli.grants import agreed, lasting_for, region_lines
from workbench.cli.open_session import guarding_all
from workbench.cli.output import columns, note, tell
from workbench.cli.parameters import Also, AsJson, SessionPath
from workbench.model import GrantScope, Verdict, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.grants import OfferedRegion
    from workbench.app.live import LiveEvent, LiveReport, LiveResult, LiveTally, OpenQuestion, Outcome
    from workbench.app.workbench import Workbench

_INTERRUPTED = 130
_ANSWER = re.compile(r"(?P<word>yes|no)\s+(?P<number>[0-9]{1,9})")
_GRANT = re.compile(
    r"grant\s+(?P<number>[0-9]{1,9})\s+(?P<region>[0-9]{1,3})\s+(?P<scope>once|run|always)"
    r"\s+(?P<hours>[0-9]{1,4}(?:\.[0-9]{1,4})?)\s+(?P<reason>\S.*)"
)

AgentName = Annotated[
    str, typer.Option(metavar="MODULE:FUNCTION", help="The agent; a module may be the path of a file.")
]
WorldName = Annotated[str, typer.Option(metavar="MODULE:CLASS", help="The world that has its tools.")]
Strategies = Annotated[
    list[Strategy] | None,
    typer.Option(help="What happens on a denial; may be repeated. block-call unless given."),
]
Table = Annotated[
    bool, typer.Option("--table", help="Run under every strategy, and unguarded, and compare them.")
]
TaskIds = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Only this task of the world; may be repeated.")
]
NewLog = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Record to this file instead of a new one in the session's logs."),
]
Ask = Annotated[
    bool,
    typer.Option(
        "--ask", help="Put calls that the policy asks about to the person at the terminal: yes N, or no N."
    ),
]
AskSeconds = Annotated[float, typer.Option(min=0.1, max=86_400, help="Seconds after which silence denies.")]
Steps = Annotated[int, typer.Option(min=1, help="The most steps (actions of one or several calls) of a run.")]
Calls = Annotated[int, typer.Option(min=1, help="The most calls of a run.")]
Seconds = Annotated[float, typer.Option(min=0.1, help="The most seconds of a run.")]
ToolSeconds = Annotated[float, typer.Option(min=0.1, help="The most seconds of a call of a tool.")]
Watch = Annotated[bool, typer.Option("--watch", help="Watch on the screen; with --ask you are asked there.")]
LookUp = Annotated[
    bool, typer.Option("--look-up", help="Let the guard look up in the world what the agent did not.")
]


def live(
    session: SessionPath,
    agent: AgentName,
    world: WorldName,
    strategy: Strategies = None,
    table: Table = False,
    task: TaskIds = None,
    log: NewLog = None,
    ask: Ask = False,
    ask_seconds: AskSeconds = 60.0,
    steps: Steps = 60,
    calls: Calls = 200,
    seconds: Seconds = 600.0,
    tool_seconds: ToolSeconds = 30.0,
    watch: Watch = False,
    look_up: LookUp = False,
    also: Also = None,
    as_json: AsJson = False,
) -> int:
    """Let an agent act on a world of tools under the policy.

    The agent runs in this process. Everything that it does through its run is decided first. The runs are
    recorded, and a replay has to make the same decisions. Ends with 1 where a run ended by a limit or a
    failure, or a decision is not made again.
    """
    strategies = (None, *Strategy) if table else tuple(strategy or (Strategy.BLOCK_CALL,))
    limits = Limits(steps=steps, calls=calls, seconds=seconds, tool_seconds=tool_seconds)
    settings = LiveSettings(strategies, tuple(task or ()), log, limits, look_up)
    order = LiveOrder(agent, world, settings, ask_seconds if ask else None, tuple(also or ()))
    if watch:
        return _watched(session, order, as_json)
    return _acted(session, order, as_json, _nothing if as_json or table else _note_event)


def _acted(session: Path, order: LiveOrder, as_json: bool, on_event: Callable[[LiveEvent], None]) -> int:
    """Let the agent act, ask the person at the terminal where the policy asks, and write the report."""
    stop = threading.Event()
    with guarding_all([session, *order.also]) as (bench, *other_benches):
        agent, world = bench.live.named(order.agent, order.world)
        settings = replace(order.settings, log=order.settings.log or bench.live.log_path())
        asked = _AtTheTerminal(session, bench, settings.log) if order.ask_seconds is not None else None
        questions = None if asked is None else OpenQuestions(asked.put, order.ask_seconds or 0.0)
        for notice in filter(None, (opened.enforced.notice for opened in (bench, *other_benches))):
            note(one_line(notice))
        if asked is not None and questions is not None:
            asked.answer_from(sys.stdin, questions)
        report = bench.live.run(
            agent,
            world,
            settings,
            questions=questions,
            on_event=on_event,
            stop=stop,
            also=[other_bench.live for other_bench in other_benches],
        )
    tell(report, report_lines(report), as_json=as_json)
    if stop.is_set():
        return _INTERRUPTED
    return 0 if report.orderly else 1


def _watched(session: Path, order: LiveOrder, as_json: bool) -> int:
    """Let the agent act, and show it on the screen of its session."""
    from workbench.cli.person import need_terminal
    from workbench.tui.starting import run

    if as_json:
        raise WorkbenchError("The screen prints nothing: leave --json out, or --watch.")
    need_terminal()
    return run(session, live=order)


def _nothing(_event: LiveEvent) -> None:
    """Ignore the event."""


def _note_event(event: LiveEvent) -> None:
    for line in _event_lines(event):
        note(line)


class _AtTheTerminal:
    """The person at the terminal: sees each call that waits with the regions around it, and answers."""

    def __init__(self, session: Path, bench: Workbench, log: Path | None) -> None:
        """Ask about the session of an opened folder, whose agent is recorded to ``log``."""
        self._session = session
        self._bench = bench
        self._log = log
        self._offers: dict[int, Sequence[OfferedRegion]] = {}
        self._reading = threading.Lock()

    def put(self, question: OpenQuestion) -> None:
        """Show a question at once, and the regions that a grant could open as soon as they are proved."""
        note(_question_line(question))
        threading.Thread(target=self._offer, args=(question,), name="regions", daemon=True).start()

    def _offer(self, question: OpenQuestion) -> None:
        from workbench.app.hook_guard import recorded_logs

        number = question.number
        logs = [*recorded_logs(self._bench.session), *filter(None, [self._log])]
        try:
            with self._reading:
                offers = tuple(self._bench.grants.offered_now(list(dict.fromkeys(logs)), question.outcome))
        except WorkbenchError as error:
            note(f"Question {number}: no grant. {one_line(str(error))}")
            return
        self._offers[number] = offers
        for place, offer in enumerate(offers, 1):
            note(f"  grant {number} {place} opens {offer.region.words}:")
            for line in region_lines(offer):
                note(f"  {line}")
        note(f"  Type, to grant one: grant {number} REGION once|run|always HOURS REASON")

    def answer_from(self, lines: Iterator[str], questions: OpenQuestions) -> None:
        """Pass the answers that a person types to the open questions, until the input ends."""

        def take() -> None:
            for line in lines:
                try:
                    self._take(line.strip(), questions)
                except WorkbenchError as error:
                    note(one_line(str(error)))

        threading.Thread(target=take, name="answers", daemon=True).start()

    def _take(self, line: str, questions: OpenQuestions) -> None:
        from workbench.app.grants import user_name

        answer, grant = _ANSWER.fullmatch(line), _GRANT.fullmatch(line)
        if answer is None and grant is None:
            note("Answer with yes or no and the number of the question, such as: yes 1")
            return
        if grant is not None:
            self._grant(int(grant["number"]), grant)
        number = int((answer or grant or {})["number"])
        approve = grant is not None or (answer is not None and answer["word"] == "yes")
        if not questions.answer(number, approve=approve, by=user_name()):
            note(f"No question {number} is open (any more).")

    def _grant(self, number: int, grant: re.Match[str]) -> None:
        """Store what a person grants. Raises WorkbenchError if it may not be granted."""
        from workbench.app.grants import user_name

        offers, place = self._offers.get(number, ()), int(grant["region"])
        if not 1 <= place <= len(offers):
            raise WorkbenchError(f"Question {number} has {len(offers)} regions; {place} is none of them.")
        offer, scope, hours = offers[place - 1], GrantScope(grant["scope"]), float(grant["hours"])
        lasting = lasting_for(hours)
        agreed(self._session, offer, scope, hours)
        added = self._bench.grants.add(
            offer, scope=scope, lasting=lasting, by=user_name(), reason=grant["reason"]
        )
        note(f"Granted as {added.id}, until {added.expires}.")


# --- the text about the live runs of an agent

_LONGEST = 160
_HEAD = ("", "attacks stopped", "tasks done", "calls refused", "steps")
_WIDTHS = (18, 17, 12, 15, 9)


def _event_lines(event: LiveEvent) -> Iterator[str]:
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


def _question_line(question: OpenQuestion) -> str:
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
    yield from columns(_WIDTHS, _HEAD, map(_cells, report.tallies))
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
