"""The command ``live``: an agent acts on a world of tools under the session's policy."""

from __future__ import annotations

import getpass
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.app.live import Strategy
from workbench.cli.live_text import event_lines, question_line, report_lines
from workbench.cli.open_session import guarding_all
from workbench.cli.output import note, write, write_json
from workbench.cli.parameters import Also, AsJson, SessionPath

if TYPE_CHECKING:
    from workbench.app.live import LiveEvent, LiveOrder, OpenQuestion, OpenQuestions


_INTERRUPTED = 130
_ANSWER = re.compile(r"(?P<word>yes|no)\s+(?P<number>[0-9]{1,9})")


def live(
    session: SessionPath,
    agent: Annotated[
        str, typer.Option(metavar="MODULE:FUNCTION", help="The agent; a module may be the path of a file.")
    ],
    world: Annotated[str, typer.Option(metavar="MODULE:CLASS", help="The world that has its tools.")],
    strategy: Annotated[
        list[Strategy] | None,
        typer.Option(help="What happens on a denial; may be repeated. block-action unless given."),
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Run under every strategy, and unguarded, and compare them.")
    ] = False,
    task: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this task of the world; may be repeated.")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Record to this file instead of a new one in the session's logs."),
    ] = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Put denials to the person at the terminal: yes N, or no N.")
    ] = False,
    ask_seconds: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="Seconds after which silence denies.")
    ] = 60.0,
    steps: Annotated[int, typer.Option(min=1, help="The most actions of a run.")] = 60,
    calls: Annotated[int, typer.Option(min=1, help="The most calls of a run.")] = 200,
    seconds: Annotated[float, typer.Option(min=0.1, help="The most seconds of a run.")] = 600.0,
    tool_seconds: Annotated[
        float, typer.Option(min=0.1, help="The most seconds of a call of a tool.")
    ] = 30.0,
    watch: Annotated[
        bool, typer.Option("--watch", help="Watch on the screen; with --ask denials are put to you there.")
    ] = False,
    look_up: Annotated[
        bool, typer.Option("--look-up", help="Let the guard look up in the world what the agent did not.")
    ] = False,
    also: Also = None,
    as_json: AsJson = False,
) -> int:
    """Let an agent act on a world of tools under the policy.

    The agent runs in this process. Everything that it does through its run is decided first. The runs are
    recorded, and a replay has to make the same decisions. Ends with 1 where a run ended by a limit or a
    failure, or a decision is not made again.
    """
    from workbench.app.live import Limits, LiveOrder, OpenQuestions
    from workbench.model import WorkbenchError

    strategies = [None, *Strategy] if table else strategy or [Strategy.BLOCK_ACTION]
    limits = Limits(steps=steps, calls=calls, seconds=seconds, tool_seconds=tool_seconds)
    if watch:
        if as_json:
            raise WorkbenchError("The screen prints nothing: leave --json out, or --watch.")
        patience = ask_seconds if ask else None
        names = tuple(task or ())
        order = LiveOrder(
            agent, world, tuple(strategies), names, log, limits, patience, look_up, tuple(also or ())
        )
        return _watched(session, order)
    questions = OpenQuestions(_note_question, ask_seconds) if ask else None
    stop = threading.Event()
    with guarding_all([session, *(also or ())]) as (bench, *others):
        agent_function, place = bench.live.named(agent, world)
        if questions is not None:
            _answer_from(sys.stdin, questions)
        report = bench.live.run(
            agent_function,
            place,
            strategies=strategies,
            tasks=task or (),
            log=log,
            questions=questions,
            limits=limits,
            on_event=(lambda _event: None) if as_json or table else _note_event,
            stop=stop,
            also=[other.live for other in others],
            look_up=look_up,
        )
    if as_json:
        from workbench.app.result_forms import LIVE

        write_json(LIVE.write(report))
    else:
        for line in report_lines(report):
            write(line)
    if stop.is_set():
        return _INTERRUPTED
    return 0 if report.orderly else 1


def _watched(session: Path, order: LiveOrder) -> int:
    """Let the agent act on the screen of its session."""
    from workbench.cli.sessions import need_terminal
    from workbench.tui.starting import run

    need_terminal()
    return run(session, live=order)


def _note_event(event: LiveEvent) -> None:
    for line in event_lines(event):
        note(line)


def _note_question(question: OpenQuestion) -> None:
    note(question_line(question))


def _answer_from(lines: Iterator[str], questions: OpenQuestions) -> None:
    """Take the answers that a person types, for as long as the program goes on."""

    def take() -> None:
        by = getpass.getuser()
        for line in lines:
            answer = _ANSWER.fullmatch(line.strip())
            if answer is None:
                note("Answer with yes or no and the number of the question, such as: yes 1")
            elif not questions.answer(int(answer["number"]), approve=answer["word"] == "yes", by=by):
                note(f"No question {answer['number']} is open (any more).")

    threading.Thread(target=take, name="answers", daemon=True).start()
