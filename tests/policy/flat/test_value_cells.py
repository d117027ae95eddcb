"""Cells of values: one element of each combination gives all possible answers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random

from hypothesis import given, settings

from tests.examples import examples
from tests.policy.flat.listed import compared, draws, policy
from workbench.model import ArgumentType, Kind, RecordType, RecordValue, Scalar, Value
from workbench.policy.evaluate import Known, evaluate
from workbench.policy.flat.value_cells import ValueCell, cells_of, combinations, is_enumerable
from workbench.policy.terms import (
    And,
    Attribute,
    Constant,
    ConstantSet,
    IsMissing,
    Member,
    Not,
    Or,
    Term,
    Variable,
)

CONSTANTS: dict[str, tuple[Scalar, ...]] = {
    "amount": (-1, 0, 1, 3),
    "price": tuple(Decimal(price) for price in ("-0.005", "0", "1", "1.005", "1.01")),
    "word": ("a", "b", "other"),
    "kind": ("x", "y", "w"),
    "day": (date.min, date(2026, 1, 1), date(2026, 1, 3)),
    "moment": tuple(datetime(2026, 1, 1, second=n, tzinfo=UTC) for n in (0, 1)),
    "length": (timedelta(0), timedelta(microseconds=2)),
}
VALUES: dict[str, tuple[Scalar, ...]] = {
    "amount": (-5, -1, 0, 1, 2, 3, 9),
    "price": tuple(Decimal(price) for price in ("-1", "-0.01", "0", "0.5", "1", "1.00", "1.01", "1.02", "7")),
    "word": ("a", "b", "other", "another", ""),
    "kind": ("x", "y", "z"),
    "day": (date.min, date(2025, 12, 31), date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 3), date.max),
    "moment": tuple(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) / 2 for n in range(-1, 4)),
    "length": tuple(timedelta(microseconds=n) for n in (-1, 0, 1, 2, 3)),
}
KINDS = {
    "amount": ArgumentType(Kind.INT, optional=True),
    "price": ArgumentType(Kind.DECIMAL, places=2),
    "word": ArgumentType(Kind.STR),
    "kind": ArgumentType(Kind.ENUM, ("x", "y", "z")),
    "day": ArgumentType(Kind.DATE),
    "moment": ArgumentType(Kind.DATETIME),
    "length": ArgumentType(Kind.DURATION),
}
ITEM = Variable("item", ArgumentType(Kind.RECORD, record=RecordType("Thing", tuple(KINDS.items()))))


def body(draw: Random, names: tuple[str, ...]) -> Term:
    """A condition on single fields."""
    name = draw.choice(names)
    field = Attribute(ITEM, name, KINDS[name])
    if draw.random() < 0.2:
        test: Term = Member(field, ConstantSet(tuple(draw.sample(CONSTANTS[name], 2))))
    else:
        constant = Constant(draw.choice(CONSTANTS[name]))
        test = compared(draw, field, constant, ordered=name not in ("word", "kind"))
    if name == "amount":
        test = draw.choice([And((Not(IsMissing(field)), test)), Or((IsMissing(field), test))])
    return And((test, body(draw, names))) if draw.random() < 0.4 else test


@settings(max_examples=examples(150))
@given(draws)
def test_every_element_answers_like_one_of_its_cells(draw: Random) -> None:
    names = tuple(draw.sample(tuple(KINDS), 2))
    bodies = [body(draw, names) for _ in range(3)]
    assert all(is_enumerable(element_body, ITEM) for element_body in bodies)
    listed = combinations(cells_of(bodies, ITEM))
    assert listed is not None
    terms = policy()

    def answers(fields: dict[str, Value]) -> tuple[Known, ...]:
        element = RecordValue("Thing", tuple(fields.items()))
        return tuple(evaluate(terms, element_body, {"item": element}) for element_body in bodies)

    for _ in range(20):
        fields: dict[str, Value] = {name: draw.choice(VALUES[name]) for name in KINDS}
        if draw.random() < 0.2:
            fields["amount"] = None
        alike = (c for c in listed if all(fits(cell, fields[name]) for name, cell in c.items()))
        reached = [answers({name: cell.value for name, cell in cells.items()}) for cells in alike]
        assert answers(fields) in reached, (fields, bodies)


def fits(cell: ValueCell, value: Value) -> bool:
    """Whether a value may be in a cell, as far as the bounds of the cell decide."""
    if cell.value is None or value is None:
        return cell.value is None and value is None
    return not isinstance(value, int | Decimal | timedelta) or cell.holds(value)
