"""Points in time with their zone, and the parts of one."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from workbench.model import Json, Kind, Scalar
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing

_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):(?P<minutes>\d\d)")
_NUMBER = re.compile(r"\d{1,20}(\.\d{1,9})?")
_KINDS = {"date": Kind.DATE, "time": Kind.TIME, "weekday": Kind.INT, "day": Kind.INT, "hour": Kind.INT}
PARTS = tuple(_KINDS)


class BadZone(ValueError):
    """A text that names no zone; its text says so."""


def type_of_part(part: str) -> Kind:
    """The kind of a part of a point in time."""
    return _KINDS[part]


def zone_named(name: str) -> tzinfo:
    """The zone of a name such as ``Europe/Oslo`` or ``-05:00``. Raises BadZone."""
    if name in ("UTC", "Z"):
        return UTC
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
        if offset < timedelta(hours=24):
            return timezone(-offset if match["sign"] == "-" else offset)
    try:
        return ZoneInfo(name)
    except Exception:  # whatever the zone data trips over, the name is none
        raise BadZone(f'there is no zone "{name}"; write one such as "Europe/Oslo" or "-05:00"') from None


def moment(value: Json, zone: tzinfo | None) -> datetime:
    """The point in time that a log writes: ISO 8601, or seconds (or finer) since 1970.

    A time without a zone is in ``zone``. Raises Missing without one, and for what is no time.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_epoch(value)
    text = value.strip() if isinstance(value, str) else ""
    if _NUMBER.fullmatch(text):
        return _since_epoch(float(text) if "." in text else int(text))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Missing(f"{shown(value)} is no time in ISO 8601 form") from None
    if found.tzinfo is not None:
        return found
    if zone is None:
        raise Missing(f'{shown(value)} names no zone; say in agent.toml which it is in: zone = "Europe/Oslo"')
    return found.replace(tzinfo=zone)


def _since_epoch(number: float) -> datetime:
    """Seconds, milliseconds, microseconds or nanoseconds, by how large the number is."""
    for limit, scale in ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9)):
        if 0 <= number < limit:
            whole, rest = divmod(number, scale)
            microseconds = int(rest * 10**6 // scale) if scale > 1 else 0
            return datetime.fromtimestamp(whole, UTC) + timedelta(microseconds=microseconds)
    raise Missing(f"{shown(number)} is no time")


def part_of(value: datetime, part: str, zone: tzinfo | None) -> Scalar:
    """A part of a point in time, in ``zone``, else in its own. Monday is weekday 1."""
    local = value if zone is None else value.astimezone(zone)
    match part:
        case "date":
            return local.date()
        case "time":
            return local.time()
        case "weekday":
            return local.isoweekday()
        case "day":
            return local.day
        case "hour":
            return local.hour
        case _:
            return local
