"""A world in a thread of its own, so that what it does can be waited for with a limit."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout


class WorldHangs(Exception):
    """A world did not answer in time; nobody knows what it did, and it is asked nothing more."""


class WorldWorker:
    """Does everything of one world in one thread, in order: many worlds hold a connection of that thread."""

    def __init__(self, seconds: float) -> None:
        """Wait so long for each piece of work."""
        self._seconds = seconds
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._hangs = threading.Event()
        self._asking = threading.Lock()  # the time of a piece of work begins when those before it are done
        threading.Thread(target=self._run, name="world", daemon=True).start()

    def do[T](self, work: Callable[[], T]) -> T:
        """The result of the work, or what it raised. Raises WorldHangs where it takes too long."""
        with self._asking:
            if self._hangs.is_set():
                raise WorldHangs("the world did not answer an earlier call")
            done: Future[T] = Future()

            def carried_out() -> None:
                try:
                    done.set_result(work())
                except BaseException as error:  # also SystemExit: the worker goes on, whatever a world raises
                    done.set_exception(_tellable(error))

            self._work.put(carried_out)
            try:
                return done.result(self._seconds)
            except FutureTimeout:
                if done.done():  # it raised a TimeoutError of its own
                    raise
                self._hangs.set()
                raise WorldHangs(f"the world did not answer within {self._seconds:g} seconds") from None

    def close(self) -> None:
        """Ask nothing more; the thread ends when its work does."""
        self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


class WorldRaised(Exception):
    """Stands for what a world raised that is no Exception, as SystemExit, or cannot tell its text."""

    def __init__(self, error: BaseException) -> None:
        """Keep what it says."""
        super().__init__(error_text(error))


def error_text(error: BaseException) -> str:
    """The name and the text of what was raised; its name alone where it fails to tell the text."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # it is the error of a stranger, with code of its own
        return type(error).__name__


def _tellable(error: BaseException) -> Exception:
    if isinstance(error, Exception) and error_text(error) != type(error).__name__:
        return error
    return WorldRaised(error)
