"""The journal: every change of a session's files, kept so that nothing is ever lost.

Each line of ``.workbench/journal.jsonl`` is a JSON object. Its kinds are: a change (``do``);
all files of a change, an undo or a redo are written (``applied``); a change was undone (``undo``) or done
again (``redo``); the texts of files that no line before is about (``base``).

A change is written here, and flushed to the disk, before any file is touched. If the process dies in between,
the next opening finds a last change that was not applied, and the person is asked about it. A last line that
was cut off is ignored.

The journal may come with a session from somebody else: a line that names a file other than the session's own
is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from workbench.clean_text import one_line
from workbench.files.regular import append_line, read_regular
from workbench.files.strict_reading import Count, FileForm, Flag
from workbench.redact import redact
from workbench.session.atomic import digest, mend_tail, sync_folder, write_atomic
from workbench.session.session_error import SessionError
from workbench.timestamps import timestamp

MAX_BYTES = 8_000_000
KEEP_BYTES = 2_000_000
KEEP_CHANGES = 500
MOST_WARNINGS = 5
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class FileChange:
    """The texts of one file before and after; None where it does not exist.

    ``old_sha`` and ``new_sha`` fingerprint the true texts, secrets included; the texts
    themselves are kept without them.
    """

    name: str
    old: str | None
    new: str | None
    old_sha: str
    new_sha: str

    @classmethod
    def between(cls, name: str, old: str | None, new: str | None) -> FileChange:
        """The change of a file from one text to another."""
        return cls(name, without_secrets(old), without_secrets(new), fingerprint(old), fingerprint(new))


@dataclass(frozen=True, slots=True)
class KnownText:
    """The last text of a file that the journal knows, with its fingerprint."""

    text: str | None
    sha: str


class JournaledChange(FileForm):
    """A change of the session's files: its name, when it was made, and the texts before and after.

    ``outside`` marks a change that another program made, which the workbench noticed.
    """

    id: Count = Field(alias="do")
    label: str
    time: str
    files: tuple[FileChange, ...]
    outside: Flag = False


class AppliedLine(FileForm):
    """The files of the last change, undo or redo have all been written."""

    applied: Count


class UndoLine(FileForm):
    """The last change was undone."""

    undo: Count
    time: str


class RedoLine(FileForm):
    """The change that was undone last was done again."""

    redo: Count
    time: str


class BaseLine(FileForm):
    """The texts of files that no line before is about, and the number of the next change."""

    base: dict[str, KnownText]
    next: Count


type Line = JournaledChange | AppliedLine | UndoLine | RedoLine | BaseLine


_FORMS: Mapping[str, type[Line]] = {
    "do": JournaledChange, "applied": AppliedLine, "undo": UndoLine, "redo": RedoLine, "base": BaseLine,
}  # fmt: skip
"""The form of a line by a key that no other line has."""


def _read_line(text: bytes) -> Line:
    """The line that a text is. Raises ``ValueError`` if it is none."""
    held = json.loads(text)
    form = next((_FORMS[key] for key in _FORMS if key in held), None) if isinstance(held, dict) else None
    if form is None:
        raise ValueError("This is no line of a journal.")
    return form.model_validate(held)


@dataclass(slots=True)
class Journal:
    """The history of a session, in memory and on disk."""

    path: Path
    names: frozenset[str]
    done: list[JournaledChange] = field(default_factory=list[JournaledChange])
    undone: list[JournaledChange] = field(default_factory=list[JournaledChange])
    known: dict[str, KnownText] = field(default_factory=dict[str, KnownText])
    pending: tuple[JournaledChange, bool] | None = None
    warnings: list[str] = field(default_factory=list[str])
    _next: int = 1
    _size: int = 0

    @classmethod
    def load(cls, path: Path, names: Iterable[str], *, writable: bool) -> Journal:
        """Read the journal of the files with these names.

        A last line that was cut off is dropped, and removed from a writable file.
        """
        journal = cls(path, frozenset(names))
        try:
            data = read_regular(path)
        except FileNotFoundError:
            return journal
        lines = data.split(b"\n")
        if lines.pop() and writable:
            mend_tail(path)
        for number, line in enumerate(lines, 1):
            try:
                journal._take(_read_line(line))
            except SessionError as error:
                journal.warnings.append(f"{path}:{number} was skipped: {error}")
            except ValueError:
                journal.warnings.append(
                    f"{path}:{number} is damaged and was skipped: what it recorded cannot be undone; "
                    "the session's own files are not affected."
                )
        if (more := len(journal.warnings) - MOST_WARNINGS) > 0:
            journal.warnings[MOST_WARNINGS:] = [f"{path}: {more} more lines were skipped."]
        journal._size = len(data)
        return journal

    def know(self, text_by_name: Mapping[str, str | None]) -> None:
        """Write down the texts of files that no line is about, so that a later edit of them is noticed."""
        known = {
            name: KnownText(without_secrets(text), fingerprint(text))
            for name, text in text_by_name.items()
            if name not in self.known
        }
        if known:
            self._append(BaseLine(base=known, next=self._next))
            self.known.update(known)

    def record(self, label: str, files: Iterable[FileChange], *, outside: bool = False) -> JournaledChange:
        """Write down a change, before its files are written. It clears the undone changes."""
        change = JournaledChange(
            do=self._next, label=label, time=timestamp(), files=tuple(files), outside=outside
        )
        self._append(change)
        self._do(change)
        if outside:
            self.applied()
        return change

    def undo(self) -> JournaledChange:
        """Write down that the last change is undone; the caller writes its old texts."""
        change = self.done[-1]
        self._append(UndoLine(undo=change.id, time=timestamp()))
        self._undo(change.id)
        return change

    def redo(self) -> JournaledChange:
        """Write down that the last undone change is done again; the caller writes its new texts."""
        change = self.undone[-1]
        self._append(RedoLine(redo=change.id, time=timestamp()))
        self._redo(change.id)
        return change

    def applied(self) -> None:
        """Write down that the files of the pending change have been written."""
        if self.pending is not None:
            self._append(AppliedLine(applied=self.pending[0].id), sync=False)
            self.pending = None
        if self._size > MAX_BYTES:
            self.compact()

    def compact(self) -> None:
        """Drop the oldest changes, so that the journal stays small; recent changes can still be undone."""
        keep: list[JournaledChange] = []
        size = 0
        for change in reversed(self.done):
            size += len(_json(change))
            if len(keep) >= KEEP_CHANGES or (keep and size > KEEP_BYTES):
                break
            keep.append(change)
        self.done = keep[::-1]
        redo = self.undone[::-1]
        lines: list[Line] = [*self.done, *redo]
        lines += [UndoLine(undo=change.id, time=change.time) for change in reversed(redo)]
        lines += [AppliedLine(applied=0), BaseLine(base=self.known, next=self._next)]
        data = b"".join(_json(line) + b"\n" for line in lines)
        write_atomic(self.path, data)
        self._size = len(data)

    def _append(self, line: Line, *, sync: bool = True) -> None:
        data = _json(line)
        new = not self.path.exists()
        append_line(self.path, data, sync=sync)
        if new:
            sync_folder(self.path.parent)
        self._size += len(data) + 1

    def _take(self, line: Line) -> None:
        """Replay one line.

        Raises ValueError if it does not follow from the lines before it, SessionError if it names a file that
        is none of the session's.
        """
        match line:
            case JournaledChange():
                self._check_names(file.name for file in line.files)
                self._do(line)
            case UndoLine():
                self._undo(line.undo)
            case RedoLine():
                self._redo(line.redo)
            case AppliedLine():
                self.pending = None
            case BaseLine():
                self._check_names(line.base)
                self.known.update(line.base)
                self._next = max(self._next, line.next)

    def _check_names(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.names:
                raise SessionError(
                    f"it names {one_line(name)[:_LONGEST_NAME]}, which is no file of a session."
                )

    def _do(self, change: JournaledChange) -> None:
        self.done.append(change)
        self.undone.clear()
        self._next = max(self._next, change.id + 1)
        self._expect(change, forward=True)

    def _undo(self, change_id: int) -> None:
        if not self.done or self.done[-1].id != change_id:
            raise ValueError(change_id)
        change = self.done.pop()
        self.undone.append(change)
        self._expect(change, forward=False)

    def _redo(self, change_id: int) -> None:
        if not self.undone or self.undone[-1].id != change_id:
            raise ValueError(change_id)
        change = self.undone.pop()
        self.done.append(change)
        self._expect(change, forward=True)

    def _expect(self, change: JournaledChange, *, forward: bool) -> None:
        for file in change.files:
            if forward and change.outside:
                self.known[file.name] = KnownText(file.new, file.new_sha)
            else:
                text = file.new if forward else file.old
                self.known[file.name] = KnownText(text, fingerprint(text))
        self.pending = (change, forward)


def fingerprint(text: str | None) -> str:
    """The fingerprint of a file's text; empty for a file that does not exist."""
    return "" if text is None else digest(text)


def without_secrets(text: str | None) -> str | None:
    """The text without secrets."""
    return None if text is None else redact(text)


def _json(line: Line) -> bytes:
    return line.model_dump_json(by_alias=True, exclude_defaults=True).encode()
