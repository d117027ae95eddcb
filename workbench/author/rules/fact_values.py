"""Values in conditions over facts: their types, the values that an element may lack, and words as values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import cast

from workbench.author.rules.condition_words import NoConditionError
from workbench.author.rules.quantities import read_quantity
from workbench.author.rules.sentences import SentenceWord
from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.terms import Arithmetic, Attribute, Constant, Count, Length, Term, Variable
from workbench.policy.types import MOMENTS


def type_of(term: Term) -> ArgumentType:
    """The type of a value; raises NoConditionError if conditions do not compare that type."""
    match term:
        case Variable(_, type_) | Attribute(_, _, type_):
            return type_
        case Count() | Length() | Constant(int()):
            return ArgumentType(Kind.INT)
        case Constant(Decimal()):
            return ArgumentType(Kind.DECIMAL)
        case Arithmetic("-", left, _) if type_of(left).kind in MOMENTS:
            return ArgumentType(Kind.DURATION)
        case Arithmetic(_, left, right):
            kinds = [type_of(left), type_of(right)]
            return next((kind for kind in kinds if kind.kind is Kind.DECIMAL), kinds[0])
        case _:
            raise NoConditionError


def lacking_inside(noun: Term) -> Iterator[Attribute]:
    """The fields of elements in a value that may be missing."""
    match noun:
        case Attribute(Variable(name), _, type_) if type_.optional and "." not in name:
            yield noun
        case Arithmetic(_, left, right):
            yield from lacking_inside(left)
            yield from lacking_inside(right)
        case Length(text):
            yield from lacking_inside(text)
        case _:
            return


def with_decimal(term: Term) -> Term:
    """A product, with its whole number constant as a decimal, for use next to a decimal."""
    match term:
        case Arithmetic("*", Constant(int(value)), right) if type_of(right).kind is Kind.INT:
            return Arithmetic("*", Constant(Decimal(value)), right)
        case Arithmetic("*", left, Constant(int(value))) if type_of(left).kind is Kind.INT:
            return Arithmetic("*", left, Constant(Decimal(value)))
        case _:
            return term


def fitting(kind: str, value: object, type_: ArgumentType) -> Scalar:
    """A value of the type; raises NoConditionError if the words give none."""
    match kind, type_.kind:
        case "VALUE", Kind.ENUM:
            fitting = [option for option in cast("tuple[str, ...]", value) if option in type_.values]
            if len(fitting) == 1:
                return fitting[0]
        case "TEXT", Kind.ENUM if value in type_.values:
            return str(value)
        case "TEXT", Kind.STR:
            return str(value)
        case "TRUTH", Kind.BOOL:
            return bool(value)
        case "DURATION", Kind.DURATION:
            assert isinstance(value, timedelta)
            return value
        case (("NUMBER" | "MONEY" | "DATE" | "TIME"), _) if isinstance(value, SentenceWord):
            quantity = read_quantity(value)
            scalar = quantity.value if quantity is not None else None
            if type_.kind is Kind.DECIMAL and isinstance(scalar, int | Decimal):
                return Decimal(scalar)
            if type(scalar).__name__ == {"date": "date", "time": "time", "int": "int"}.get(type_.kind.value):
                assert scalar is not None
                return scalar
        case _:
            pass
    raise NoConditionError
