"""The plainest value of a type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from workbench.model import ArgumentType, Kind, RecordValue, Value

_PLAIN: Mapping[Kind, Value] = {
    Kind.BOOL: False,
    Kind.INT: 0,
    Kind.DECIMAL: Decimal(0),
    Kind.STR: "other",
    Kind.SET: frozenset(),
    Kind.DATE: date(2026, 1, 1),
    Kind.TIME: time(12, 0),
    Kind.DATETIME: datetime(2026, 1, 1, 12, 0, tzinfo=UTC),
    Kind.DURATION: timedelta(0),
    Kind.LIST: (),
}


def plain_value(type: ArgumentType) -> Value:
    """Return the plainest value of a type, to be shown where any value would do."""
    return None if type.optional else plain_present(type)


def plain_present(type: ArgumentType) -> Value:
    """Return the plainest value of a type that is not None."""
    if type.kind in (Kind.STR, Kind.ENUM) and type.values:
        return type.values[0]
    if type.record is not None:
        fields = tuple((name, plain_value(field)) for name, field in type.record.fields)
        return RecordValue(type.record.name, fields)
    return _PLAIN[type.kind]
