"""The journal: every change of a session's files, kept so that nothing is ever lost.

One JSON object per line in ``.workbench/journal.jsonl``:

* ``{"do": id, "label", "time", "outside", "files": [{"name", "old", "new", "old_sha", "new_sha"}]}``
* ``{"applied": id}``: the files of a change, an undo or a redo have all been written
* ``{"undo": id, "time"}`` and ``{"redo": id, "time"}``
* ``{"base": {name: {"text", "sha"}}}``: what the files were where older lines were dropped

A change is written here, and flushed to the disk, before any file is touched. If the
process dies in between, the next opening finds a last change that was not applied and
completes it. A last line that was cut off is ignored. ``old`` or ``new`` is null where the
file does not exist.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from workbench.files.regular import append_line, read_regular
from workbench.session.atomic import digest, mend_tail, sync_folder, write_atomic
from workbench.session.redact import redact

MAX_BYTES = 8_000_000
KEEP_BYTES = 2_000_000
KEEP_CHANGES = 500


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
        return cls(name, clean(old), clean(new), fingerprint(old), fingerprint(new))


@dataclass(frozen=True, slots=True)
class JournaledChange:
    """One change of the session: what it is called, when it was made, and the files in it.

    ``outside`` marks a change that another program made, which the workbench noticed.
    """

    id: int
    label: str
    time: str
    files: tuple[FileChange, ...]
    outside: bool = False


@dataclass(frozen=True, slots=True)
class KnownText:
    """The last text of a file that the journal knows, with its fingerprint."""

    text: str | None
    sha: str


@dataclass(slots=True)
class Journal:
    """The history of a session, in memory and on disk."""

    path: Path
    done: list[JournaledChange] = field(default_factory=list[JournaledChange])
    undone: list[JournaledChange] = field(default_factory=list[JournaledChange])
    known: dict[str, KnownText] = field(default_factory=dict[str, KnownText])
    pending: tuple[JournaledChange, bool] | None = None
    warnings: list[str] = field(default_factory=list[str])
    _next: int = 1
    _size: int = 0

    @classmethod
    def load(cls, path: Path, *, writable: bool) -> Journal:
        """Read the journal; a last line that was cut off is dropped, and cut from a writable file."""
        journal = cls(path)
        try:
            data = read_regular(path)
        except FileNotFoundError:
            return journal
        lines = data.split(b"\n")
        if lines.pop() and writable:
            mend_tail(path)
        for number, line in enumerate(lines, 1):
            try:
                journal._take(cast("dict[str, object]", json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError):
                journal.warnings.append(
                    f"{path}:{number} is damaged and was skipped: what it recorded cannot be undone; "
                    "the session's own files are not affected."
                )
        journal._size = len(data)
        return journal

    def record(self, label: str, files: Iterable[FileChange], *, outside: bool = False) -> JournaledChange:
        """Write a change down, before its files are. It clears what could be redone."""
        change = JournaledChange(self._next, label, _now(), tuple(files), outside)
        self._append(_line_of(change))
        self._do(change)
        if outside:
            self.applied()
        return change

    def undo(self) -> JournaledChange:
        """Write down that the last change is undone; the caller writes its old texts."""
        change = self.done[-1]
        self._append({"undo": change.id, "time": _now()})
        self._undo(change.id)
        return change

    def redo(self) -> JournaledChange:
        """Write down that the last undone change is done again; the caller writes its new texts."""
        change = self.undone[-1]
        self._append({"redo": change.id, "time": _now()})
        self._redo(change.id)
        return change

    def applied(self) -> None:
        """Write down that the files of the pending change have been written."""
        if self.pending is not None:
            self._append({"applied": self.pending[0].id}, sync=False)
            self.pending = None
        if self._size > MAX_BYTES:
            self.compact()

    def compact(self) -> None:
        """Drop the oldest changes, so that the journal stays small; recent ones stay undoable."""
        keep: list[JournaledChange] = []
        size = 0
        for change in reversed(self.done):
            size += len(json.dumps(_line_of(change)))
            if len(keep) >= KEEP_CHANGES or (keep and size > KEEP_BYTES):
                break
            keep.append(change)
        self.done = keep[::-1]
        redo = self.undone[::-1]
        known = {name: {"text": item.text, "sha": item.sha} for name, item in self.known.items()}
        lines: list[Mapping[str, object]] = [_line_of(change) for change in (*self.done, *redo)]
        lines += [{"undo": change.id, "time": change.time} for change in reversed(redo)]
        lines.append({"applied": 0})
        lines.append({"base": known, "next": self._next})
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_atomic(self.path, text.encode())
        self._size = len(text.encode())

    def _append(self, line: Mapping[str, object], *, sync: bool = True) -> None:
        data = json.dumps(line, ensure_ascii=False).encode()
        new = not self.path.exists()
        append_line(self.path, data, sync=sync)
        if new:
            sync_folder(self.path.parent)
        self._size += len(data) + 1

    def _take(self, line: Mapping[str, object]) -> None:
        """Replay one line."""
        if "do" in line:
            self._do(_change_of(line))
        elif "undo" in line:
            self._undo(cast("int", line["undo"]))
        elif "redo" in line:
            self._redo(cast("int", line["redo"]))
        elif "applied" in line:
            self.pending = None
        elif "base" in line:
            for name, item in cast("dict[str, dict[str, str]]", line["base"]).items():
                self.known[name] = KnownText(item["text"], item["sha"])
            self._next = max(self._next, cast("int", line["next"]))

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


def clean(text: str | None) -> str | None:
    """The text without secrets."""
    return None if text is None else redact(text)


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def _line_of(change: JournaledChange) -> dict[str, object]:
    files = [
        {"name": f.name, "old": f.old, "new": f.new, "old_sha": f.old_sha, "new_sha": f.new_sha}
        for f in change.files
    ]
    line: dict[str, object] = {"do": change.id, "label": change.label, "time": change.time, "files": files}
    if change.outside:
        line["outside"] = True
    return line


def _change_of(line: Mapping[str, object]) -> JournaledChange:
    files = cast("list[dict[str, str]]", line["files"])
    return JournaledChange(
        int(cast("int", line["do"])),
        str(line["label"]),
        str(line["time"]),
        tuple(FileChange(f["name"], f["old"], f["new"], f["old_sha"], f["new_sha"]) for f in files),
        bool(line.get("outside", False)),
    )
