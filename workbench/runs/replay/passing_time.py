"""The effect of waiting: the arguments of a policy that are the time of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from workbench.model import Argument, Arguments, RecordedCall, RecordValue, Value
from workbench.runs.values.found_value import Missing
from workbench.runs.values.zones import moment, zone_named

CALL_TIME = "call.time"
"""The expression of a policy of calls that is the time of the call."""
_HOURS = 8 * 24
_DAYS = 400
_MOST_MARKS = 2_000
_MINUTE = timedelta(minutes=1)


def is_clock(argument: Argument | None) -> bool:
    """Whether an argument is the time of the call."""
    expression = argument.expression if argument is not None else None
    return expression is not None and expression.text == CALL_TIME


def _changes_with_time(argument: Argument) -> bool:
    """Whether an expression of a policy of calls is about the time of the call, and more than that time."""
    expression = argument.expression
    if expression is None or is_clock(argument):
        return False
    return any(CALL_TIME in text for text in expression.texts)


@dataclass(frozen=True, slots=True)
class Wait:
    """A later time at which a call would be decided otherwise, with the arguments at that time."""

    until: datetime
    arguments: Arguments


class Clock:
    """The arguments that are the time of one call: they change together and only forwards."""

    def __init__(self, arguments: Iterable[Argument], zone: str, call: RecordedCall) -> None:
        """Take the declared arguments and the call; ``zone`` is the agent's, for times without one.

        The values of other expressions over the time are known for this call's only.
        """
        arguments = tuple(arguments)
        self._fixed = frozenset(one.name for one in arguments if _changes_with_time(one))
        self._clocks = frozenset(one.name for one in arguments if is_clock(one))
        self._zone = zone_named(zone) if zone else None
        try:
            self._now = (
                moment(call.time, self._zone, is_cut=True) if self._clocks and call.time is not None else None
            )
        except Missing:
            self._now = None

    def wait(
        self, arguments: Arguments, marks: Iterable[Value], turned: Callable[[Arguments], bool]
    ) -> Wait | None:
        """The first time found at which the same call is decided otherwise, to the minute; None if none is.

        ``marks`` are the times and durations in the policy.
        """
        now = self._now
        if now is None or not self._clocks & arguments.keys() or self._fixed & arguments.keys():
            return None
        before = now
        for later in self._later(now, arguments, marks):
            if turned(self._at(later, arguments)):
                until = self._first(before, later, arguments, turned)
                return Wait(until, self._at(until, arguments))
            before = later
        return None

    def _at(self, when: datetime, arguments: Arguments) -> dict[str, Value]:
        now = when if self._zone is None else when.astimezone(self._zone)
        return {name: now if name in self._clocks else value for name, value in arguments.items()}

    def _later(self, now: datetime, arguments: Arguments, marks: Iterable[Value]) -> Sequence[datetime]:
        """The times to try, in order: each hour of 8 days, each day of the next year, and the marks."""
        hour = now.replace(minute=0, second=0, microsecond=0)
        times = {hour + timedelta(hours=count) for count in range(1, _HOURS)}
        midnight = datetime.combine(now.astimezone(self._zone or UTC).date(), time(), self._zone or UTC)
        times |= {midnight + timedelta(days=count) for count in range(1, _DAYS)}
        known_values = [*marks, *(part for value in arguments.values() for part in _parts(value))]
        lengths = (
            timedelta(0),
            *{abs(duration) for duration in known_values if isinstance(duration, timedelta)},
        )
        points = [
            instant for instant in (self._point(value) for value in known_values) if instant is not None
        ]
        for point in points[:_MOST_MARKS]:
            for length in lengths:
                try:
                    times |= {point + length, point + length + _MINUTE}
                except OverflowError:
                    continue
        return sorted(candidate for candidate in times if candidate > now)

    def _point(self, value: Value) -> datetime | None:
        if isinstance(value, datetime):
            return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime.combine(value, time(), self._zone or UTC)
        return None

    def _first(
        self, no: datetime, yes: datetime, arguments: Arguments, turned: Callable[[Arguments], bool]
    ) -> datetime:
        """A whole minute between two times from which the decision is turned, else the later time."""
        while yes - no > _MINUTE:
            middle = no + (yes - no) / 2
            middle = middle.replace(second=0, microsecond=0)
            if middle <= no:
                break
            if turned(self._at(middle, arguments)):
                yes = middle
            else:
                no = middle
        return yes


def _parts(value: Value) -> Iterator[Value]:
    """The single values in a value."""
    if isinstance(value, RecordValue):
        for _, held in value.fields:
            yield from _parts(held)
    elif isinstance(value, tuple):
        for element in value:
            yield from _parts(element)
    else:
        yield value
