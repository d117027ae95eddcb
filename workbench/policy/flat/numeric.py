"""Types of numeric terms: whole or decimal, and the number of decimal places."""

from __future__ import annotations

from decimal import Decimal
from functools import reduce

from workbench.model import ArgumentType, Kind
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Choice,
    Constant,
    Length,
    Lookup,
    PolicyTerms,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import INT


def number_type(  # noqa: C901 # one case for each kind of number
    term: Term, policy: PolicyTerms
) -> ArgumentType:
    """The type of a number; its places are enough for every value that the term can have.

    Raises:
        FlatLimit: the term is neither a whole number nor a decimal.
    """
    match term:
        case Constant(bool()):
            pass
        case Constant(int()) | Length():
            return INT
        case Constant(Decimal() as value):
            exponent = value.as_tuple().exponent
            return _decimal(max(0, -exponent) if isinstance(exponent, int) else 0)
        case Variable() | Attribute() if term.type.kind is Kind.INT:
            return INT
        case Variable() | Attribute() if term.type.kind is Kind.DECIMAL:
            return _decimal(term.type.places)
        case Arithmetic("//" | "%"):
            return INT
        case Arithmetic(operator, left, right):
            argument_type, other_type = number_type(left, policy), number_type(right, policy)
            return (
                _product(argument_type, other_type) if operator == "*" else _joined(argument_type, other_type)
            )
        case Choice(_, then, otherwise):
            return _joined(number_type(then, policy), number_type(otherwise, policy))
        case Lookup(table, _, default):
            entries = policy.tables[table].entries.values()
            values = [Constant(value) for value in entries if not isinstance(value, frozenset)]
            types = [
                number_type(value, policy) for value in (*values, *([] if default is None else [default]))
            ]
            return reduce(_joined, types, INT)
        case Sum(_, _, value, _):
            return number_type(value, policy)
        case _:
            pass
    raise FlatLimit("Only whole numbers and decimals of a list can be added up in a proof.")


def _decimal(places: int) -> ArgumentType:
    return ArgumentType(Kind.DECIMAL, places=places)


def _places(type: ArgumentType) -> int:
    return type.places if type.kind is Kind.DECIMAL else 0


def _joined(left: ArgumentType, right: ArgumentType) -> ArgumentType:
    """The type that holds the values of both types."""
    if Kind.DECIMAL not in (left.kind, right.kind):
        return INT
    return _decimal(max(_places(left), _places(right)))


def _product(left: ArgumentType, right: ArgumentType) -> ArgumentType:
    if Kind.DECIMAL not in (left.kind, right.kind):
        return INT
    return _decimal(_places(left) + _places(right))
