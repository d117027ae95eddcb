"""Opening a session for one command; notices for the person go to standard error."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.model_calls import tell_call
from workbench.cli.output import note

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench


@contextlib.contextmanager
def reading(session: Path, *, replay_calls: bool = False) -> Generator[Workbench]:
    """Open a session that the command only reads."""
    from workbench.app.workbench import Workbench

    with contextlib.closing(Workbench.open_to_read(session, replay_calls=replay_calls)) as bench:
        _tell_calls(bench)
        yield bench


@contextlib.contextmanager
def reading_all(sessions: Iterable[Path]) -> Generator[list[Workbench]]:
    """Open several sessions that the command only reads."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(reading(session)) for session in sessions]


@contextlib.contextmanager
def guarding_all(sessions: Iterable[Path]) -> Generator[list[Workbench]]:
    """Open several sessions that guard an agent."""
    from workbench.app.workbench import Workbench

    with contextlib.ExitStack() as stack:
        benches = [
            stack.enter_context(contextlib.closing(Workbench.open_to_guard(session))) for session in sessions
        ]
        for notice in (notice for bench in benches for notice in bench.session.notices):
            note(notice)
        for bench in benches:
            _tell_calls(bench)
            _tell_missing(bench)
        yield benches


def _tell_missing(bench: Workbench) -> None:
    """Write what is not in force; a guard enforces its policy also where that cannot be found out."""
    from workbench.model import WorkbenchError

    try:
        missing = bench.in_force.missing()
    except WorkbenchError as error:
        note(f"Whether all that was answered is in force is not known: {error}")
        return
    for item in missing:
        note(f"Not in force: {item.kind} {item.name}: {item.reason}. To mend it: {item.mend}")


@contextlib.contextmanager
def writing(session: Path, *, replay_calls: bool = False) -> Generator[Workbench]:
    """Open a session that the command changes.

    Raises:
        WorkbenchError: another process has the session open, or it may not be written.
    """
    from workbench.app.workbench import Workbench
    from workbench.model import WorkbenchError

    with contextlib.closing(Workbench.open(session, replay_calls=replay_calls)) as bench:
        if bench.session.read_only:
            raise WorkbenchError(f"{session} cannot be changed. {bench.session.why_read_only}")
        for notice in bench.session.notices:
            note(notice)
        _tell_calls(bench)
        yield bench


def _tell_calls(bench: Workbench) -> None:
    """Write the progress of model calls that read arguments, and a note if their results are not kept."""
    if not bench.runs.asks_model:
        return
    bench.authorship.watch(tell_call)
    if bench.session.read_only:
        note(f"What the model reads is not kept. {bench.session.why_read_only}")
