"""Opening a session for one command; notices for the person go to standard error."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.model_calls import tell_call
from workbench.cli.output import note

if TYPE_CHECKING:
    from workbench.app.absent_rules import AbsentRules
    from workbench.app.workbench import Workbench


@contextlib.contextmanager
def reading(session: Path, *, replay_calls: bool = False) -> Generator[Workbench]:
    """Open a session that the command only reads."""
    from workbench.app.workbench import Workbench

    with contextlib.closing(Workbench.open_to_read(session, replay_calls=replay_calls)) as bench:
        if bench.session.interrupted is not None:
            note(bench.session.interrupted.sentence(str(session)))
        _tell_calls(bench, bench.runs.asks_model)
        yield bench


def guard_absent(bench: Workbench) -> None:
    """Read rules about values that may be missing with guards, and tell so; for what asks and says rules."""
    found = tell_absent(bench)
    if found is not None:
        bench.session.read_as(found.text)
        note("So they are read here, and policy.py has it so with the next sentence that is kept.")


def tell_absent(bench: Workbench) -> AbsentRules | None:
    """Write which rules read values that may be missing since they were written, and how to mend them."""
    from workbench.app.absent_rules import absent_rules

    found = absent_rules(bench.session)
    for rule in () if found is None else found.rules:
        verb = "is" if len(rule.values) == 1 else "are"
        note(f"{rule.name} reads {' and '.join(rule.values)}, which {verb} optional in agent.toml now.")
        note(f"  With a guard it says: {rule.sentence}")
        if rule.cited:
            note(
                f"  To keep this or another: workbench say {bench.session.path} --keep --for {rule.cited!r} …"
            )
    return found


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
            _tell_calls(bench, bench.enforced.asks_model)
            _tell_missing(bench)
        yield benches


def _tell_missing(bench: Workbench) -> None:
    """Write what of the session is not in force; its guards enforce what was accepted in any case."""
    from workbench.model import WorkbenchError

    if bench.enforced.broken:  # its notice says so
        return

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
        _tell_calls(bench, bench.runs.asks_model)
        yield bench


def _tell_calls(bench: Workbench, asks_model: bool) -> None:
    """Write the progress of model calls that read arguments, and a note if their results are not kept."""
    if not asks_model:
        return
    bench.authorship.watch(tell_call)
    if bench.session.read_only:
        note(f"What the model reads is not kept. {bench.session.why_read_only}")
