"""Points in time with their zone, and the parts of one."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal

from workbench.model import Json, Kind, Scalar
from workbench.runs.values.coerce import check_fineness, shown
from workbench.runs.values.found_value import Missing

_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):(?P<minutes>\d\d)")
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?")
# A year alone and dates without separators, perhaps with a time; seconds since 1970 have ten digits.
_LIKE_A_DATE = (
    r"(?a)(19|20)\d\d((0[1-9]|1[0-2])((0[1-9]|[12]\d|3[01])(([01]\d|2[0-4])[0-5]\d([0-5]\d)?)?)?)?"
    r"|\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])|(19|20)\d\d[0-3]\d\d"
)
_KINDS = {"date": Kind.DATE, "time": Kind.TIME, "weekday": Kind.INT, "day": Kind.INT, "hour": Kind.INT}
PARTS = tuple(_KINDS)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BadZone(ValueError):
    """A text that names no zone."""


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
    from zoneinfo import ZoneInfo  # few agents name a zone

    try:
        return ZoneInfo(name)
    except Exception:  # zone data raises many types of error; the name is no zone
        raise BadZone(f'there is no zone "{name}"; write one such as "Europe/Oslo" or "-05:00"') from None


def moment(value: Json, zone: tzinfo | None, *, is_cut: bool = False) -> datetime:
    """The point in time that a log writes: ISO 8601, or seconds (or finer) since 1970.

    A time without a zone is in ``zone``. Raises Missing if there is neither, if the value is no time, if its
    digits may also be a date, and if the clocks of the zone show the time twice or never. So it does for what
    is finer than a microsecond, unless that ``is_cut``: nothing is rounded.
    """
    text = _written(value)
    if re.fullmatch(_LIKE_A_DATE, text.removesuffix(".0")):
        raise Missing(f"{shown(value)} may be a date as well as seconds since 1970")
    if _NUMBER.fullmatch(text):
        # A binary fraction of a clock has more digits than the clock tells.
        return _since_epoch(Decimal(text), is_cut=is_cut or isinstance(value, float))
    if not is_cut:
        check_fineness(text)
    try:
        parsed_time = datetime.fromisoformat(text)
    except ValueError:
        raise Missing(f"{shown(value)} is no time in ISO 8601 form") from None
    if parsed_time.tzinfo is not None:
        return parsed_time
    if zone is None:
        raise Missing(f'{shown(value)} names no zone; say in agent.toml which it is in: zone = "Europe/Oslo"')
    return _placed(parsed_time, zone)


def _placed(local: datetime, zone: tzinfo) -> datetime:
    """The point in time at which the clocks of a zone show ``local``, with its offset.

    The result has an offset instead of the zone. Python subtracts and compares times of one zone by their
    clocks, even if the clocks were changed in between.
    """
    either = [local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1)]
    if either[0] is None or either[0] != either[1]:
        raise Missing(
            f"{local.isoformat(' ')} is shown twice or never, since the clocks of its zone were put"
        )
    return local.replace(tzinfo=timezone(either[0]))


def _written(value: Json) -> str:
    """The text that a log writes for a time, without an exponent; empty if it is neither text nor number."""
    if isinstance(value, str):
        return value.strip()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return format(Decimal(str(value)), "f") if is_number else ""


def _since_epoch(number: Decimal, *, is_cut: bool) -> datetime:
    """The time of a number of seconds, milliseconds, microseconds or nanoseconds, by the number's size."""
    for limit, scale in ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9)):
        if number < limit:
            if number * 10**6 % scale and not is_cut:
                raise Missing(f"{number} is finer than a microsecond")
            return _EPOCH + timedelta(microseconds=int(number * 10**6) // scale)
    raise Missing(f"{number} is no time")


def part_of(value: datetime, part: str, zone: tzinfo | None) -> Scalar:
    """A part of a point in time, in ``zone`` or else in its own zone. Monday is weekday 1."""
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
