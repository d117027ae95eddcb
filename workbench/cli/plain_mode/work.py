"""Work that Ctrl-C stops, while the conversation goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Outcome[T]:
    """What a thread found, or how it failed."""

    values: list[T] = field(default_factory=list["T"])
    error: BaseException | None = None


def stoppable[T](work: Callable[[threading.Event], T], stop: Callable[[], None]) -> tuple[T, bool]:
    """Do the work in a thread, and whether it was stopped by Ctrl-C.

    The first Ctrl-C sets the event that ``work`` takes and calls ``stop``, and the work's own
    result is waited for, so that a change of the session is whole. A second one is raised.
    """
    cancelled, outcome = threading.Event(), _Outcome[T]()

    def run() -> None:
        try:
            outcome.values.append(work(cancelled))
        except BaseException as error:
            outcome.error = error

    thread = threading.Thread(target=run, daemon=True)

    def wait() -> None:
        while thread.is_alive():
            thread.join(0.05)

    waiting = thread.start
    while not (_undisturbed(waiting) and _undisturbed(wait)):
        waiting = wait
        if cancelled.is_set():
            raise KeyboardInterrupt
        cancelled.set()
        stop()
    if outcome.error is not None:
        raise outcome.error
    return outcome.values[0], cancelled.is_set()


def _undisturbed(work: Callable[[], None]) -> bool:
    """Do a piece of waiting; False if Ctrl-C was pressed in it."""
    try:
        work()
    except KeyboardInterrupt:
        return False
    return True
