"""The kind ``moment``: a point in time with its date, time, weekday, day and hour in a declared zone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from workbench.model import ArgumentType, Json, Kind
from workbench.runs.kinds.value_kind import Parts, Read, ValueKind, text_option
from workbench.runs.values.described_option import BadOption, DescribedOption, OptionKind
from workbench.runs.values.found_value import Missing
from workbench.runs.values.zones import ISO_DATE, PARTS, BadZone, moment, part_of, type_of_part, zone_named

_OF_DATES = frozenset({"date", "weekday", "day"})
_OF_DAY = ("time", "hour")
_NO_TIME = Missing("a date alone does not say the time of the day")
_ALL = ("at", *PARTS)
_ZONE = DescribedOption(
    "zone", OptionKind.TEXT, "the zone of its parts, and of a time that names none; the agent's if not given"
)


def _prepare(options: Mapping[str, Json]) -> Read:
    name = text_option(options, "zone")
    try:
        zone = zone_named(name) if name else None
    except BadZone as error:
        raise BadOption("zone", str(error)) from None

    def read(text: str) -> Parts:
        is_date = ISO_DATE.fullmatch(text.strip()) is not None
        try:
            at = moment(text, zone)
        except Missing as missing:
            if not is_date:
                raise
            # The date needs no zone; the time at which it begins does.
            day = datetime.fromisoformat(text.strip())
            return {part: part_of(day, part, None) if part in _OF_DATES else missing for part in _ALL}
        parts = {"at": at, **{part: part_of(at, part, zone) for part in PARTS}}
        return {**parts, **dict.fromkeys(_OF_DAY, _NO_TIME)} if is_date else parts

    return read


MOMENT = ValueKind(
    name="moment",
    meaning="a point in time, and its parts in a declared zone; Monday is weekday 1",
    parts=(
        ("at", ArgumentType(Kind.DATETIME)),
        *((part, ArgumentType(type_of_part(part))) for part in PARTS),
    ),
    prepare=_prepare,
    options=(_ZONE,),
    numbers=True,
)
