"""What an importer met and does not know: each kind with its count, as problems of the file.

An importer knows the kinds that are calls, those that are results, and those that are neither. Anything else
may be a call of a newer version of the writer: it is counted here, and a call that is not understood takes
its place in the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from workbench.clean_text import counted, one_line
from workbench.model import ImportProblem, Json
from workbench.runs.logs.log_stream import LogSource

_MOST_KINDS = 50
_LONGEST = 60


class Unread:
    """The unknown parts of a run or a file, by what they are and their kind."""

    def __init__(self) -> None:
        """Begin without any."""
        self._parts: dict[tuple[str, str], tuple[int, int]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    @property
    def total(self) -> int:
        """How many parts were counted."""
        return sum(self._counts.values())

    def note(self, what: str, kind: Json, line: int, place: int = 0) -> None:
        """Count a part: ``what`` is its noun (``item``), ``place`` its number in its record if it has one."""
        key = (what, _name(kind))
        if key not in self._counts and len(self._counts) >= _MOST_KINDS:
            key = (what, "other")
        self._parts.setdefault(key, (line, place))
        self._counts[key] = self._counts.get(key, 0) + 1

    def problems(self, source: LogSource, run: str | None = None) -> Iterator[ImportProblem]:
        """A problem for each kind, with how many there are."""
        for (what, kind), (line, place) in islice(self._parts.items(), 2 * _MOST_KINDS):
            count = self._counts[what, kind]
            where = f"run {run}, " if run is not None else ""
            first = f" (the first is {what} {place})" if place else ""
            found = f"{counted(count, what)} of the unknown kind {kind}{first}"
            reason = f"{where}{found}, so that calls may be missing"
            yield ImportProblem(str(source.path), line, reason, count)


def _name(kind: Json) -> str:
    name = one_line(kind) if isinstance(kind, str) else "none" if kind is None else type(kind).__name__
    return repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…")
