"""A world in a thread of its own, so that each wait for it has a time limit."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout


class WorldHangs(Exception):
    """A world did not answer in time; the effect of its call is unknown, and it gets no further call."""


class WorldWorker:
    """Does all work of one world in one thread, in order: many worlds hold a connection of that thread."""

    def __init__(self, seconds: float) -> None:
        """``seconds`` is the longest wait for each piece of work."""
        self._seconds = seconds
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._hangs = threading.Event()
        self._asking = threading.Lock()  # the time of a piece of work begins when the earlier ones are done
        threading.Thread(target=self._run, name="world", daemon=True).start()

    def do[T](self, work: Callable[[], T]) -> T:
        """The result of the work, or the error that it raised. Raises WorldHangs if it takes too long."""
        with self._asking:
            if self._hangs.is_set():
                raise WorldHangs("the world did not answer an earlier call")
            future: Future[T] = Future()

            def carried_out() -> None:
                try:
                    future.set_result(work())
                except BaseException as error:  # also SystemExit: the worker survives any error of a world
                    future.set_exception(_tellable(error))

            self._work.put(carried_out)
            try:
                return future.result(self._seconds)
            except FutureTimeout:
                if future.done():  # the work itself raised a TimeoutError
                    raise
                self._hangs.set()
                raise WorldHangs(f"the world did not answer within {self._seconds:g} seconds") from None

    def close(self) -> None:
        """Accept no more work; the thread ends when its work is done."""
        self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


class WorldRaised(Exception):
    """Replaces an error of a world that is no Exception, like SystemExit, or whose text cannot be read."""

    def __init__(self, error: BaseException) -> None:
        """Keep the text of the error."""
        super().__init__(error_text(error))


def error_text(error: BaseException) -> str:
    """The name and the text of an error; its name alone if the text cannot be read."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # the error class is foreign code
        return type(error).__name__


def _tellable(error: BaseException) -> Exception:
    if isinstance(error, Exception) and error_text(error) != type(error).__name__:
        return error
    return WorldRaised(error)
