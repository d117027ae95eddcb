"""Comparisons, differences and sums of values that may be undetermined numbers between bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, time, timedelta
from decimal import Decimal

from workbench.model import Bounds, Value
from workbench.policy.terms import Comparison
from workbench.policy.undetermined import Undetermined, undetermined

type Known = Value | Undetermined
"""The value of a term, or that it is undetermined."""

UNBOUNDED: Bounds = (None, None)
_NUMBERS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}


def bounds_of(value: Known) -> Bounds:
    """The bounds that a number lies between; those of a known number are the number."""
    if isinstance(value, Undetermined):
        return value.between if isinstance(value.between, tuple) else UNBOUNDED
    return (value, value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else UNBOUNDED


def within(bounds: Bounds, values: Iterable[Known]) -> Undetermined | int | Decimal:
    """The number between these bounds: undetermined for the names of ``values`` unless the bounds are one."""
    low, high = bounds
    if low is not None and low == high:
        return low
    return Undetermined(undetermined(*values).names, None if bounds == UNBOUNDED else bounds)


def added(left: Bounds, right: Bounds) -> Bounds:
    """The bounds of the sum of two numbers between these bounds."""
    low = None if left[0] is None or right[0] is None else left[0] + right[0]
    return low, None if left[1] is None or right[1] is None else left[1] + right[1]


def if_counted(bounds: Bounds) -> Bounds:
    """The bounds of what a number between these bounds adds to a sum if it is not known whether it counts."""
    low, high = bounds
    return None if low is None else min(low, 0), None if high is None else max(high, 0)


def compared(operator: Comparison, left: Known, right: Known) -> bool | Undetermined:
    """The comparison of two values; that of an undetermined number is known if its bounds decide it."""
    if isinstance(left, Undetermined) or isinstance(right, Undetermined):
        if operator in (Comparison.EQ, Comparison.NE) and _differ(left, right):
            return operator is Comparison.NE
        return _compared_bounds(operator, left, right)
    if operator is Comparison.EQ:
        return left == right
    if operator is Comparison.NE:
        return left != right
    order = _order(left, right)
    match operator:
        case Comparison.LT:
            return order < 0
        case Comparison.LE:
            return order <= 0
        case Comparison.GT:
            return order > 0
        case Comparison.GE:
            return order >= 0


def _differ(left: Known, right: Known) -> bool:
    """Whether one value is a text of a pattern that the other does not fit."""
    fitting, other = (left, right) if isinstance(left, Undetermined) else (right, left)
    patterns = fitting.fitting if isinstance(fitting, Undetermined) else None
    return patterns is not None and isinstance(other, str) and not patterns.fits(other)


def _compared_bounds(operator: Comparison, left: Known, right: Known) -> bool | Undetermined:
    (low, high), (other_low, other_high) = bounds_of(left), bounds_of(right)
    below = high is not None and other_low is not None and high < other_low
    above = low is not None and other_high is not None and low > other_high
    not_above = high is not None and other_low is not None and high <= other_low
    not_below = low is not None and other_high is not None and low >= other_high
    holds, fails = {
        Comparison.LT: (below, not_below),
        Comparison.LE: (not_above, above),
        Comparison.GT: (above, not_above),
        Comparison.GE: (not_below, below),
        Comparison.EQ: (False, below or above),
        Comparison.NE: (below or above, False),
    }[operator]
    return holds if holds or fails else undetermined(left, right)


def _order(left: Value, right: Value) -> int:
    ordered = isinstance(left, int | Decimal | date | time | timedelta) and not isinstance(left, bool)
    if type(left) is not type(right) or not ordered:
        raise TypeError(f"{left!r} and {right!r} have no order.")
    return (left > right) - (left < right)  # type: ignore[operator] # both are of one ordered type


def computed(operator: str, left: Known, right: Known) -> Known:
    """``+``, ``-``, ``*``, ``//`` or ``%`` of two values; bounds are those of a sum or difference."""
    if isinstance(left, Undetermined) or isinstance(right, Undetermined):
        if operator not in ("+", "-"):
            return undetermined(left, right)
        low, high = bounds_of(right)
        if operator == "-":
            low, high = None if high is None else -high, None if low is None else -low
        return within(added(bounds_of(left), (low, high)), (left, right))
    if operator == "*" and {type(left), type(right)} == {int, Decimal}:
        left, right = Decimal(left), Decimal(right)  # type: ignore[arg-type] # one is an int, the other a Decimal
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return _NUMBERS[operator](left, right)
    if type(left) is int and type(right) is int:
        return _of_ints(operator, left, right)
    if isinstance(left, timedelta) and isinstance(right, timedelta) and operator in ("+", "-"):
        return left + right if operator == "+" else left - right
    if operator == "-" and type(left) is type(right) and isinstance(left, date):
        return left - right  # type: ignore[operator] # both are dates, or both are datetimes
    raise TypeError(f"{left!r} and {right!r} cannot be joined by {operator}.")


def _of_ints(operator: str, left: int, right: int) -> int:
    if operator in ("//", "%"):
        quotient, remainder = divmod(left, right)
        return quotient if operator == "//" else remainder
    return {"+": left + right, "-": left - right, "*": left * right}[operator]
