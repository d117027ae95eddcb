"""Work that Ctrl-C stops, while the conversation goes on."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Outcome[T]:
    """The values that a thread returned, or the error that it raised."""

    values: list[T] = field(default_factory=list["T"])
    error: BaseException | None = None


def stoppable[T](work: Callable[[threading.Event], T], stop: Callable[[], None]) -> tuple[T, bool]:
    """Do the work in a thread; return its result, and whether Ctrl-C stopped it.

    The first Ctrl-C sets the event that ``work`` takes and calls ``stop``. Then the work's own result is
    waited for, so that a change of the session is complete. A second Ctrl-C is raised.
    """
    cancelled, outcome = threading.Event(), _Outcome[T]()

    def run() -> None:
        try:
            outcome.values.append(work(cancelled))
        except BaseException as error:
            outcome.error = error

    with _counting_interrupts() as pressed:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.05)
            if pressed and not cancelled.is_set():
                cancelled.set()
                stop()
            if len(pressed) > 1:
                raise KeyboardInterrupt
    if outcome.error is not None:
        raise outcome.error
    return outcome.values[0], cancelled.is_set()


@contextlib.contextmanager
def _counting_interrupts() -> Generator[list[int]]:
    """A list that gets one entry for each Ctrl-C, which raises nothing meanwhile.

    So waiting for a thread is never interrupted halfway.
    """
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
