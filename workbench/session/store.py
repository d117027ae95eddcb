"""The texts of a session's files: read, changed together, journaled, undone and redone.

A change is journaled before a file is touched. Every file is replaced atomically. A change that was
interrupted is completed or dropped by a person, with redo or undo; until then no other change is made. A
change of a file by another program is noticed by the file's fingerprint; the journal then has both versions.

One writer per session.

The lock belongs to the operating system and ends with the process that holds it, however the process ends.
The file only names the process. A lock file without a holder has no effect.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Generator, Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from workbench.files.regular import open_regular, read_regular
from workbench.redact import REDACTED
from workbench.session import buffers
from workbench.session.atomic import encode, inside, read_text, remove_leftovers, sync_folder, write_atomic
from workbench.session.interrupted import Interrupted, has_text, interrupted
from workbench.session.journal import FileChange, Journal, JournaledChange, fingerprint, without_secrets
from workbench.session.session_error import SessionConflict, SessionError

HIDDEN = ".workbench"


class Store:
    """The named texts of a folder, with their history."""

    def __init__(self, folder: Path, names: Iterable[str], *, read_only: bool, history: bool = True) -> None:
        """Read the texts and the journal; take the lock unless ``read_only``.

        If the lock is held elsewhere, or the folder cannot be written, the store is read-only
        and ``notices`` says why. Without its ``history`` a read-only store has the texts alone.
        """
        self.folder = folder
        self.names = tuple(names)
        self.read_only = read_only
        self.notices: list[str] = []
        self._guard = threading.RLock()
        self._lock: Lock | None = None
        self._waits = False
        self.why_read_only = "It was opened to be read only."
        self._pending: dict[str, str | None] | None = None
        self._changing: int | None = None
        self._hidden = inside(folder, HIDDEN)
        self._buffers = inside(folder, f"{HIDDEN}/buffers")
        if not read_only:
            self._take_lock()
        self._seen = {name: self._disk(name) for name in self.names}
        journal = inside(folder, f"{HIDDEN}/journal.jsonl")
        try:
            self._journal = (
                Journal.load(journal, self.names, writable=not self.read_only)
                if history
                else Journal(journal, frozenset(self.names))
            )
        except OSError as error:
            self.close()
            raise SessionError(
                f"The journal {journal} cannot be read: {error.strerror}.", exit_code=3
            ) from error
        self.notices += self._journal.warnings
        self.interrupted = self._interrupted()
        if self.interrupted is not None:
            self.notices.append(self.interrupted.sentence(str(folder)))
        if not self.read_only:
            remove_leftovers(folder, self.names)
            remove_leftovers(self._hidden, ["journal.jsonl"])
            remove_leftovers(self._buffers, ["*.json"])
            self.refresh()
            if self.interrupted is None:
                with self._writing():
                    self._journal.know(self._seen)

    def check_name(self, name: str) -> None:
        """Check that a name is one of the session's files. Raises SessionError."""
        if name not in self.names:
            raise SessionError(f"{name} is not a file of a session; it has {', '.join(self.names)}.")

    # --- reading ------------------------------------------------------------------

    def text(self, name: str) -> str | None:
        """The text of a file, with the changes of an open transaction; None if it does not exist.

        Another thread than that of the transaction reads what was there before, and never waits for it: it
        may hold what the transaction waits for.
        """
        pending = self._pending if self._changing == threading.get_ident() else None
        if pending is not None and name in pending:
            return pending[name]
        if name not in self._seen:
            raise SessionError(f"{name} of {self.folder} was not read; mend the session first.")
        return self._seen[name]

    def differing(self) -> dict[str, str | None]:
        """The texts on disk that differ from the known texts, by name; nothing is adopted."""
        with self._guard:
            text_by_name = {name: self._disk(name) for name in self.names}
            return {name: text for name, text in text_by_name.items() if text != self._seen[name]}

    def refresh(self) -> tuple[str, ...]:
        """Look for changes made by other programs, journal them, and return the files' names.

        An own change that was not written completely, for example because the disk was full, is completed
        first. While an interrupted change waits for a person, nothing is journaled.
        """
        with self._guard:
            if self.interrupted is not None:
                changed_names = tuple(self.differing())
                self._seen = {name: self._disk(name) for name in self.names}
                return changed_names
            if not self.read_only:
                self._complete()
            changed: list[FileChange] = []
            for name in self.names:
                disk, seen_text = self._disk(name), self._seen[name]
                known_file = self._journal.known.get(name)
                if (
                    known_file is not None
                    and disk == seen_text
                    and known_file.sha != fingerprint(disk)
                    and not self.read_only
                ):
                    changed.append(FileChange.between(name, known_file.text, disk))
                elif disk != seen_text:
                    changed.append(FileChange.between(name, seen_text, disk))
                self._seen[name] = disk
            if changed and not self.read_only:
                names = ", ".join(change.name for change in changed)
                self.notices.append(
                    f"Changed outside the workbench: {names}. Undo brings back what was there."
                )
                with self._writing():
                    self._journal.record(f"Edited outside: {names}", changed, outside=True)
            return tuple(change.name for change in changed)

    # --- writing ------------------------------------------------------------------

    @contextlib.contextmanager
    def transaction(self, label: str) -> Generator[None]:
        """Collect changes into one change, undone together; an exception drops them all."""
        with self._guard:
            if self._pending is not None:
                yield
                return
            self._writable()
            if self.interrupted is not None:
                raise SessionError(self.interrupted.sentence(str(self.folder)), exit_code=1)
            self._pending, self._changing = {}, threading.get_ident()
            try:
                yield
                pending = self._pending
            finally:
                self._pending, self._changing = None, None
            self._commit(label, pending)

    def put(self, name: str, text: str | None, label: str) -> None:
        """Change one text, on its own or as part of the open transaction."""
        self.check_name(name)
        with self._guard, self.transaction(label):
            if text is not None:
                encode(text, name)
                cleaned = without_secrets(text)
                if cleaned != text:
                    self.notices.append(f"A key in {name} was replaced by {REDACTED}.")
                text = cleaned
            assert self._pending is not None
            self._pending[name] = text

    def _commit(self, label: str, pending: dict[str, str | None]) -> None:
        outside = [name for name in self.refresh() if name in pending]
        if outside:
            raise SessionConflict(
                f"{', '.join(outside)} changed outside the workbench meanwhile; look at that version, "
                "then save again to replace it (undo brings it back)."
            )
        changes = [
            FileChange.between(name, self._seen[name], text)
            for name, text in pending.items()
            if text != self._seen[name]
        ]
        if changes:
            with self._writing():
                self._journal.record(label.encode("utf-8", "replace").decode(), changes)
                for change in changes:
                    self._write(change.name, pending[change.name])
                self._journal.applied()
        unsaved = self.buffers()
        for name, text in pending.items():
            if name in unsaved and unsaved[name].text == text:
                buffers.drop(self._buffers, name)

    def undo(self) -> JournaledChange | None:
        """Undo the last change, in all its files; return it, or None if there is none.

        An interrupted change is dropped: its files get the texts from before it.
        """
        with self._guard:
            self._writable()
            if self.interrupted is not None:
                return self._settle(forward=False)
            self.refresh()
            if not self._journal.done:
                return None
            with self._writing():
                change = self._journal.undo()
                for file in change.files:
                    self._write(file.name, file.old)
                self._journal.applied()
            return change

    def redo(self) -> JournaledChange | None:
        """Make the last undone change again; return it, or None if there is none.

        An interrupted change is completed: its files get the texts from after it.
        """
        with self._guard:
            self._writable()
            if self.interrupted is not None:
                return self._settle(forward=True)
            self.refresh()
            if not self._journal.undone:
                return None
            with self._writing():
                change = self._journal.redo()
                for file in change.files:
                    self._write(file.name, file.new)
                self._journal.applied()
            return change

    @property
    def done(self) -> tuple[JournaledChange, ...]:
        """The changes that can be undone, oldest first."""
        return tuple(self._journal.done)

    @property
    def undone(self) -> tuple[JournaledChange, ...]:
        """The changes that can be done again; the last one is the next."""
        return tuple(self._journal.undone)

    # --- unsaved texts ------------------------------------------------------------

    def save_buffer(self, name: str, text: str) -> None:
        """Keep an unsaved text; if it equals the saved text, the kept text is forgotten instead."""
        with self._guard, self._writing():
            self._writable()
            saved = self._seen.get(name)
            if saved is not None and text == saved:
                buffers.drop(self._buffers, name)
                return
            buffers.save(self._buffers, name, text, fingerprint(saved))

    def drop_buffer(self, name: str) -> None:
        """Forget an unsaved text."""
        with self._guard, self._writing():
            self._writable()
            buffers.drop(self._buffers, name)

    def buffers(self) -> dict[str, buffers.Buffer]:
        """The unsaved texts by name."""
        return dict(buffers.load(self._buffers))

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    # --- inside -------------------------------------------------------------------

    def _take_lock(self) -> None:
        path = self._hidden / "lock"
        try:
            self._hidden.mkdir(exist_ok=True)
            with contextlib.suppress(FileExistsError):
                ignore = open_regular(self._hidden / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                with os.fdopen(ignore, "wb") as file:
                    file.write(b"*\n")
            self._lock = Lock.take(path)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EROFS, errno.EPERM):
                raise SessionError(
                    f"{self._hidden} cannot be used: {error.strerror}.", exit_code=3
                ) from error
            self.read_only = True
            why = f"{self.folder} may not be written, so it is read-only here"
            self.why_read_only = f"{why}; change its permissions, or copy it."
            self.notices.append(self.why_read_only)
            return
        if self._lock is None:
            self.read_only = self._waits = True
            process = _holder(path)
            who = f"process {process}" if process else "another process"
            self.why_read_only = f"It is open in {who}, so it is read-only here; close it there first."
            self.notices.append(self.why_read_only)

    def lock_is_free(self) -> bool:
        """Whether the process that held the lock when this store was opened has ended."""
        if not self._waits:
            return False
        try:
            lock = Lock.take(self._hidden / "lock")
        except OSError:
            return False
        if lock is not None:
            lock.release()
        return lock is not None

    def _writable(self) -> None:
        if self.read_only:
            raise SessionError(f"{self.folder} cannot be changed. {self.why_read_only}", exit_code=3)

    @contextlib.contextmanager
    def _writing(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise SessionError(f"{self.folder} cannot be written: {error.strerror}.", exit_code=3) from error

    def _disk(self, name: str) -> str | None:
        return read_text(inside(self.folder, name), name)

    def _write(self, name: str, text: str | None) -> None:
        self.check_name(name)
        path = inside(self.folder, name)
        if text is None:
            path.unlink(missing_ok=True)
            sync_folder(path.parent)
        else:
            write_atomic(path, encode(text, name))
        self._seen[name] = text

    def _interrupted(self) -> Interrupted | None:
        """What the process that had the session before left unwritten; None while one still has it."""
        if (
            self._journal.pending is None
            or self._waits
            or (self.read_only and _is_held(self._hidden / "lock"))
        ):
            return None
        change, forward = self._journal.pending
        return interrupted(change, self._seen, forward=forward)

    def _complete(self) -> None:
        """Finish a change that this process began, and of which a full disk took only a part."""
        if self._journal.pending is None:
            return
        change, forward = self._journal.pending
        unfinished = interrupted(change, self._seen, forward=forward) is not None
        self._write_side(change, new=forward)
        if unfinished:
            self.notices.append(f"Completed a change that was interrupted: {change.label}.")

    def _settle(self, *, forward: bool) -> JournaledChange:
        """Complete or drop the interrupted change, as a person says, and adopt later edits of its files."""
        assert self._journal.pending is not None
        change, was_forward = self._journal.pending
        with self._writing():
            if was_forward and not forward:
                self._journal.undo()
            elif forward and not was_forward:
                self._journal.redo()
        self._write_side(change, new=forward)
        self.interrupted = None
        self.refresh()
        return change

    def _write_side(self, change: JournaledChange, *, new: bool) -> None:
        """Write the texts from after a change (``new``) or before it where the other ones are on the disk."""
        with self._writing():
            for file in change.files:
                text = self._disk(file.name)
                if has_text(file, text, new=not new) and not has_text(file, text, new=new):
                    self._write(file.name, file.new if new else file.old)
            self._journal.applied()


class Lock:
    """The right to write to a session, held until ``release`` or the end of the process."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: BinaryIO | None = file

    @classmethod
    def take(cls, path: Path) -> Lock | None:
        """The lock, or None if someone else holds it. Raises OSError if the file cannot be made."""
        descriptor = open_regular(path, os.O_RDWR | os.O_CREAT)
        file = os.fdopen(descriptor, "r+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
        file.flush()
        return cls(file)

    def release(self) -> None:
        """Release the lock; a second call has no effect."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, run: TracebackType | None
    ) -> None:
        self.release()


def _holder(path: Path) -> int | None:
    """The process that the file names as holder of the lock; None if the file names none."""
    try:
        text = read_regular(path).decode("ascii", errors="replace").strip()
    except OSError:
        return None
    return int(text) if text.isascii() and text.isdigit() else None


def _is_held(path: Path) -> bool:
    """Whether a process holds the lock; the file is only read."""
    try:
        descriptor = open_regular(path, os.O_RDONLY)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
