"""Exact values: decimals as scaled ints, dates and times as ints."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from workbench.engines.nagini.lowering.string_regions import LoweringLimit
from workbench.model import Scalar

_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def ordinal(value: Scalar) -> bool | int | Decimal | str:
    """A value that Python compares as the dialect does: dates, times and durations become ints."""
    match value:
        case datetime():
            aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
            span = aware - _EPOCH
            return (span.days * 86_400 + span.seconds) * 1_000_000 + span.microseconds
        case timedelta():
            return value // _MICROSECOND
        case date():
            return value.toordinal()
        case time():
            return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
        case _:
            return value


def same(left: Scalar | None, right: Scalar | None) -> bool:
    """Equality of constants of one type; a bool never equals an int."""
    if left is None or right is None:
        return left is right
    return isinstance(left, bool) == isinstance(right, bool) and ordinal(left) == ordinal(right)


def exact(operator: str, left: int | Decimal, right: int | Decimal) -> int | Decimal | None:
    """``+``, ``-`` or ``*`` without the rounding of the decimal context; None for another operator."""
    scaled_left, scaled_right = scaled(left), scaled(right)
    places = max(scaled_left[1], scaled_right[1])
    low, high = (
        scaled_left[0] * 10 ** (places - scaled_left[1]),
        scaled_right[0] * 10 ** (places - scaled_right[1]),
    )
    match operator:
        case "+":
            number, places = low + high, places
        case "-":
            number, places = low - high, places
        case "*":
            number, places = scaled_left[0] * scaled_right[0], scaled_left[1] + scaled_right[1]
        case _:
            return None
    if isinstance(left, int) and isinstance(right, int):
        return number
    sign = 1 if number < 0 else 0
    return Decimal((sign, tuple(int(digit) for digit in str(abs(number))), -places))


def scaled(value: int | Decimal) -> tuple[int, int]:
    """A number as ``(n, p)`` with value ``n / 10**p`` exactly, with the least ``p`` that is at least 0."""
    if isinstance(value, int):
        return int(value), 0
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise LoweringLimit(f"{value} is not a number that can be compared.")
    number = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    if exponent >= 0:
        return number * 10**exponent, 0
    while exponent < 0 and number % 10 == 0:
        number //= 10
        exponent += 1
    return number, -exponent
