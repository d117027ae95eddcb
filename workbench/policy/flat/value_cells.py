"""Cells of values: how far tests against constants can distinguish the elements of a list.

A test of one field against constants is true or false on whole cells of its values: a single constant, the
values between two constants, or all other values. Elements whose fields are in the same cells give the same
answers to all tests. So one element of each combination of cells shows every possible answer. This is exact
for the tests that ``is_enumerable`` accepts, and for no others.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import product
from math import prod

from workbench.model import ArgumentType, Kind, RecordValue, Scalar
from workbench.policy.boundary_values import just_over, just_under
from workbench.policy.evaluate import in_utc
from workbench.policy.flat.plainest_value import plain_present
from workbench.policy.flat.traverse import walk
from workbench.policy.terms import (
    And,
    Attribute,
    Choice,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    ImpliesTerm,
    IsMissing,
    Member,
    Not,
    Or,
    Term,
    Variable,
)
from workbench.policy.types import ORDERED

MOST_COMBINATIONS = 3000

_ZERO: Mapping[Kind, Scalar] = {Kind.INT: 0, Kind.DECIMAL: Decimal(0), Kind.DURATION: timedelta(0)}
_WHOLE = (Kind.SET, Kind.LIST, Kind.RECORD)
_EXACT = decimal.Context(prec=6000, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


@dataclass(frozen=True, slots=True)
class ValueCell:
    """Values of one field that no test distinguishes: one of them, and their bounds.

    ``low`` and ``high`` are the bounds of a number or duration; None for a missing bound.
    """

    value: Scalar | None
    low: Scalar | None = None
    high: Scalar | None = None

    def holds(self, value: Scalar) -> bool:
        """Whether a number or duration lies in the cell."""
        above = self.low is None or self.low <= value  # type: ignore[operator] # both are of one ordered type
        return above and (self.high is None or value <= self.high)  # type: ignore[operator] # as above


def field_name(term: Term, item: Variable) -> str | None:
    """The field of the element that a term reads; ``""`` for the element of a list of scalars."""
    match term:
        case Attribute(record, name) if record == item:
            return name
        case Variable() if term == item:
            return ""
        case _:
            return None


def is_enumerable(term: Term, item: Variable) -> bool:
    """Whether a condition only compares single fields of the element with constants."""
    match term:
        case Constant(value):
            return isinstance(value, bool)
        case Not(operand):
            return is_enumerable(operand, item)
        case And(operands) | Or(operands):
            return all(is_enumerable(operand, item) for operand in operands)
        case ImpliesTerm(condition, consequence):
            return is_enumerable(condition, item) and is_enumerable(consequence, item)
        case Choice(condition, then, otherwise):
            return all(is_enumerable(part, item) for part in (condition, then, otherwise))
        case Compare(operator, left, right):
            if isinstance(left, Constant):
                left, right = right, left
            if isinstance(right, Constant):
                equal = operator in (Comparison.EQ, Comparison.NE)
                return _is_field(left, item) or (equal and is_enumerable(left, item))
            return False
        case Member(tested, ConstantSet()) | IsMissing(tested):
            return _is_field(tested, item)
        case _:
            is_bool = isinstance(term, Variable | Attribute) and term.type.kind is Kind.BOOL
            return is_bool and _is_field(term, item)


def _is_field(term: Term, item: Variable) -> bool:
    """Whether a term is a field of the element with a single value."""
    if not isinstance(term, Variable | Attribute) or term.type.kind in _WHOLE:
        return False
    return field_name(term, item) is not None


def cells_of(bodies: Iterable[Term], item: Variable) -> dict[str, tuple[ValueCell, ...]]:
    """The cells of every field that the enumerable conditions test, by field."""
    types: dict[str, ArgumentType] = {}
    constants: dict[str, dict[Scalar, None]] = {}

    def met(term: Term, values: Iterable[Scalar | None]) -> None:
        field = field_name(term, item)
        if field is not None and isinstance(term, Variable | Attribute) and _is_field(term, item):
            types[field] = term.type
            constants.setdefault(field, {}).update(dict.fromkeys(v for v in values if v is not None))

    for body in bodies:
        for term in walk(body):
            match term:
                case Compare(_, tested, Constant(value)) | Compare(_, Constant(value), tested):
                    met(tested, (value,))
                case Member(tested, ConstantSet(values)):
                    met(tested, values)
                case Attribute() | Variable():
                    met(term, ())
                case _:
                    pass
    with decimal.localcontext(_EXACT):
        return {field: tuple(_cells(type, tuple(constants[field]))) for field, type in types.items()}


def _cells(type: ArgumentType, constants: tuple[Scalar, ...]) -> Iterator[ValueCell]:
    if type.optional:
        yield ValueCell(None)
    match type.kind:
        case Kind.BOOL:
            yield from (ValueCell(False), ValueCell(True))
        case Kind.ENUM:
            yield from (ValueCell(value) for value in type.values)
        case Kind.STR:
            words = tuple(constant for constant in constants if isinstance(constant, str))
            yield from (ValueCell(word) for word in words)
            yield ValueCell(_other(type, words))
        case _:
            yield from _ranges(type, constants)


def _other(type: ArgumentType, words: tuple[str, ...]) -> str:
    """A string that is not among the words."""
    for word in (*type.values, "other", "another", "a"):
        if word not in words:
            return word
    return next(word for number in range(len(words) + 1) if (word := f"other {number}") not in words)


def _ranges(type: ArgumentType, constants: tuple[Scalar, ...]) -> Iterator[ValueCell]:
    if type.kind is Kind.DECIMAL:
        # A constant may be an int, or finer than any value of the field: then only its neighbours matter.
        constants = tuple(Decimal(constant) for constant in constants if isinstance(constant, int | Decimal))
    constants = tuple(
        in_utc(constant) if isinstance(constant, datetime) else constant for constant in constants
    )
    ordered = sorted(set(constants))  # type: ignore[type-var] # all are of one ordered type
    if not ordered or type.kind not in (*ORDERED, Kind.DURATION):
        value = plain_present(type)
        assert not isinstance(value, frozenset | tuple | RecordValue)
        yield ValueCell(value)
        return
    yield from _open_end(type, ordered[0], down=True)
    for place, constant in enumerate(ordered):
        if _has(type, constant):
            yield ValueCell(constant, constant, constant)
        if place + 1 < len(ordered):
            low, high = _over(type, constant), _under(type, ordered[place + 1])
            if low is not None and high is not None and low <= high:  # type: ignore[operator] # as above
                yield ValueCell(low, low, high)
    yield from _open_end(type, ordered[-1], down=False)


def _open_end(type: ArgumentType, constant: Scalar, *, down: bool) -> Iterator[ValueCell]:
    bound = _under(type, constant) if down else _over(type, constant)
    if bound is not None:
        zero = _ZERO.get(type.kind)
        fits = zero is not None and (zero <= bound if down else zero >= bound)  # type: ignore[operator] # as above
        yield ValueCell(zero if fits else bound, None if down else bound, bound if down else None)


def _has(type: ArgumentType, constant: Scalar) -> bool:
    """Whether a field of the type can have the constant as its value."""
    if type.kind is Kind.DECIMAL and isinstance(constant, Decimal):
        return constant == _rounded(constant, type.places, "ROUND_FLOOR")
    return True


def _rounded(constant: Decimal, places: int, how: str) -> Decimal:
    return constant.quantize(Decimal(1).scaleb(-places), rounding=how)


def _under(type: ArgumentType, constant: Scalar) -> Scalar | None:
    if not _has(type, constant) and isinstance(constant, Decimal):
        return _rounded(constant, type.places, "ROUND_FLOOR")
    return just_under(constant, type.places)


def _over(type: ArgumentType, constant: Scalar) -> Scalar | None:
    if not _has(type, constant) and isinstance(constant, Decimal):
        return _rounded(constant, type.places, "ROUND_CEILING")
    return just_over(constant, type.places)


type Combination = Mapping[str, ValueCell]
"""One cell for each tested field."""


def combinations(cells: Mapping[str, tuple[ValueCell, ...]]) -> list[Combination] | None:
    """All combinations of cells; None if there are too many."""
    if prod(len(cell) for cell in cells.values()) > MOST_COMBINATIONS:
        return None
    names = tuple(cells)
    return [dict(zip(names, chosen, strict=True)) for chosen in product(*cells.values())]
