"""What an example shows of a point in time of which parts are read: a day that has its day of the week."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta

from workbench.model import Arguments

_PARTS = frozenset(("date", "time", "weekday"))
_USUAL = date(2026, 1, 5)
"""A Monday, for the days that nothing else says."""
_OLD = 1900
"""Days before this year are those of a solver to which any day will do."""
_DAYS = 7


def on_possible_days(arguments: Arguments, texts: Mapping[str, str]) -> Arguments:
    """An input whose dates fall on their days of the week, as far as one day is known for each date.

    ``texts`` are the expressions that the arguments stand for, by their names: ``call.at.date``.
    """
    names = {text: name for name, text in texts.items() if name in arguments}
    days: dict[date, date] = {}
    for _, day, weekday in _dated(arguments, names):
        first = max(day, _USUAL) if day.year < _OLD else day
        here = first + timedelta(days=(weekday - first.isoweekday()) % _DAYS if weekday else 0)
        if weekday or day not in days:
            days[day] = here
    moved = {name: days[day] for name, day, _ in _dated(arguments, names)}
    return {**arguments, **moved}


def without_moments_told(arguments: Arguments, texts: Mapping[str, str]) -> Arguments:
    """An input without the points in time whose day and time of day are in it."""
    told = {text.rpartition(".")[0] for name, text in texts.items() if name in arguments and _is_part(text)}
    return {
        name: value
        for name, value in arguments.items()
        if not (isinstance(value, datetime) and texts.get(name) in told)
    }


def _is_part(text: str) -> bool:
    return text.rpartition(".")[2] in _PARTS


def _dated(arguments: Arguments, names: Mapping[str, str]) -> Iterator[tuple[str, date, int]]:
    """Yield each date that is read of a point in time: its argument, its value, its weekday (0: any)."""
    for text, name in names.items():
        day, (moment, _, part) = arguments[name], text.rpartition(".")
        if part == "date" and isinstance(day, date):
            weekday = arguments.get(names.get(f"{moment}.weekday", ""))
            yield name, day, weekday if isinstance(weekday, int) else 0
