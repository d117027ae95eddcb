"""The calls of one session of a log while it is read, each with the context that was known at it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from workbench.model import Json
from workbench.runs.logs.logged_call import NOTHING, LoggedCall

_TIME = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_NUMBER = 40


@dataclass(frozen=True, slots=True)
class _Said:
    """What a line says of its session, the time of the line, and the call that it has."""

    context: Mapping[str, Json]
    time: str | None
    call: LoggedCall | None


@dataclass(slots=True)
class GatheredSession:
    """The calls of a session that begins at a line, and what its lines say of it."""

    line: int
    calls: list[LoggedCall] = field(default_factory=list[LoggedCall])
    _known: Mapping[str, Json] = NOTHING
    _said: list[_Said] = field(default_factory=list[_Said])

    def hear(
        self, context: Mapping[str, Json], call: LoggedCall | None, time: str | None, *, by_time: bool
    ) -> None:
        """Take the next line. With ``by_time`` its context is told to the calls when all lines are there."""
        if call is not None:
            self.calls.append(call)
        if by_time:
            self._said.append(_Said(context, time, call))
        else:
            self._tell(_Said(context, time, call))

    def tell_in_time(self) -> None:
        """Give each call the context of the lines whose time is not later, and its own line's above all.

        If a line with context has no time, the lines count in the order of the log.
        """
        said = [line for line in self._said if line.context or line.call is not None]
        times = [began for line in said if (began := instant(line.time)) is not None]
        if len(times) == len(said):
            said = [line for _, line in sorted(zip(times, said, strict=True), key=lambda pair: pair[0])]
        for line in said:
            self._tell(line)

    def _tell(self, line: _Said) -> None:
        if line.context:
            self._known = {**self._known, **line.context}
        if line.call is not None and line.call.context is None:
            line.call.context = self._known


def instant(time: str | None) -> tuple[int, str] | None:
    """The seconds of a time, and the digits of their fraction.

    The time is in nanoseconds or in ISO 8601; without a zone it is UTC.
    """
    if time is not None and time.isdecimal() and len(time) < _LONGEST_NUMBER:
        seconds, nanoseconds = divmod(int(time), 10**9)
        return seconds, f"{nanoseconds:09}".rstrip("0")
    match = _TIME.fullmatch(time or "")
    if match is None:
        return None
    try:
        whole = datetime.fromisoformat(match[1] + (match[3] or "Z"))
    except ValueError:
        return None
    return (whole - _EPOCH) // timedelta(seconds=1), (match[2] or "").rstrip("0")
