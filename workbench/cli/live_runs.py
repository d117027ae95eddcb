"""The command ``live``: an agent acts on a world of tools under the session's policy."""

from __future__ import annotations

import getpass
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.app.live import Limits, LiveOrder, LiveSettings, OpenQuestions, Strategy
from workbench.clean_text import one_line
from workbench.cli.live_text import event_lines, question_line, report_lines
from workbench.cli.open_session import guarding_all
from workbench.cli.output import note, write, write_json
from workbench.cli.parameters import Also, AsJson, SessionPath

if TYPE_CHECKING:
    from workbench.app.live import LiveEvent, OpenQuestion

_INTERRUPTED = 130
_ANSWER = re.compile(r"(?P<word>yes|no)\s+(?P<number>[0-9]{1,9})")

AgentName = Annotated[
    str, typer.Option(metavar="MODULE:FUNCTION", help="The agent; a module may be the path of a file.")
]
WorldName = Annotated[str, typer.Option(metavar="MODULE:CLASS", help="The world that has its tools.")]
Strategies = Annotated[
    list[Strategy] | None,
    typer.Option(help="What happens on a denial; may be repeated. block-action unless given."),
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
    strategies = (None, *Strategy) if table else tuple(strategy or (Strategy.BLOCK_ACTION,))
    limits = Limits(steps=steps, calls=calls, seconds=seconds, tool_seconds=tool_seconds)
    settings = LiveSettings(strategies, tuple(task or ()), log, limits, look_up)
    order = LiveOrder(agent, world, settings, ask_seconds if ask else None, tuple(also or ()))
    if watch:
        return _watched(session, order, as_json)
    return _acted(session, order, as_json, _nothing if as_json or table else _note_event)


def _acted(session: Path, order: LiveOrder, as_json: bool, on_event: Callable[[LiveEvent], None]) -> int:
    """Let the agent act, ask the person at the terminal where the policy asks, and write the report."""
    questions = None if order.ask_seconds is None else OpenQuestions(_note_question, order.ask_seconds)
    stop = threading.Event()
    with guarding_all([session, *order.also]) as (bench, *other_benches):
        agent, world = bench.live.named(order.agent, order.world)
        for notice in filter(None, (opened.enforced.notice for opened in (bench, *other_benches))):
            note(one_line(notice))
        if questions is not None:
            _answer_from(sys.stdin, questions)
        report = bench.live.run(
            agent,
            world,
            order.settings,
            questions=questions,
            on_event=on_event,
            stop=stop,
            also=[other_bench.live for other_bench in other_benches],
        )
    if as_json:
        from workbench.app.json_output.live import LIVE

        write_json(LIVE.write(report))
    else:
        for line in report_lines(report):
            write(line)
    if stop.is_set():
        return _INTERRUPTED
    return 0 if report.orderly else 1


def _watched(session: Path, order: LiveOrder, as_json: bool) -> int:
    """Let the agent act, and show it on the screen of its session."""
    from workbench.cli.sessions import need_terminal
    from workbench.model import WorkbenchError
    from workbench.tui.starting import run

    if as_json:
        raise WorkbenchError("The screen prints nothing: leave --json out, or --watch.")
    need_terminal()
    return run(session, live=order)


def _nothing(_event: LiveEvent) -> None:
    """Ignore the event."""


def _note_event(event: LiveEvent) -> None:
    for line in event_lines(event):
        note(line)


def _note_question(question: OpenQuestion) -> None:
    note(question_line(question))


def _answer_from(lines: Iterator[str], questions: OpenQuestions) -> None:
    """Pass the answers that a person types to the open questions, until the input ends."""

    def take() -> None:
        by = getpass.getuser()
        for line in lines:
            answer = _ANSWER.fullmatch(line.strip())
            if answer is None:
                note("Answer with yes or no and the number of the question, such as: yes 1")
            elif not questions.answer(int(answer["number"]), approve=answer["word"] == "yes", by=by):
                note(f"No question {answer['number']} is open (any more).")

    threading.Thread(target=take, name="answers", daemon=True).start()
