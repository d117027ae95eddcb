"""Noticing that files change on disk, cheaply: by their times and sizes, a few times a second."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

EVERY = 0.5

type Look = tuple[tuple[int, int, int] | None, ...]


class FileWatch:
    """A thread that reports when files look different and are no longer being written.

    A report is only a hint, to be checked by the contents; own changes are reported too. A file that looks
    different at two looks in a row is still being written; this is reported only if ``growing``.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        tell: Callable[[], None],
        *,
        growing: bool = False,
    ) -> None:
        """Watch these paths, which need not exist; ``tell`` is called in the thread.

        Later looks are compared with the state at this moment.
        """
        self._growing = growing
        self._paths = tuple(paths)
        self._tell = tell
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="file-watch", daemon=True)
        self._told_look = self._look()

    def start(self) -> None:
        """Start to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; nothing is reported afterwards."""
        self._ended.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        before = self._told_look
        while not self._ended.wait(EVERY):
            look = self._look()
            if look != self._told_look and (self._growing or look == before):
                self._told_look = look
                self._tell()
            before = look

    def _look(self) -> Look:
        states: list[tuple[int, int, int] | None] = []
        for path in self._paths:
            try:
                file_status = path.stat()
            except OSError:
                states.append(None)
            else:
                states.append((file_status.st_mtime_ns, file_status.st_size, file_status.st_ino))
        return tuple(states)
