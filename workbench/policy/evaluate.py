"""A direct interpreter of terms: slow, plain, and independent of the compiler.

The other interpretations of a policy (the compiled text, the lowered program, the SMT formula) are compared
with it.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from workbench.model import Arguments, Element, Kind, RecordValue, Scalar, Value, field_of
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    FieldSet,
    HelperCall,
    ImpliesTerm,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)

EXACT = decimal.Context(
    prec=6000,
    rounding=decimal.ROUND_HALF_EVEN,
    Emin=decimal.MIN_EMIN,
    Emax=decimal.MAX_EMAX,
    traps=[decimal.Inexact, decimal.InvalidOperation, decimal.DivisionByZero, decimal.FloatOperation],
)


def in_utc(value: datetime) -> datetime:
    """The same instant in UTC; a value without a zone is taken as UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def normalised(value: Value) -> Value:
    """The same value with every datetime in it in UTC."""
    # Called for every field of every input that is tried.
    if isinstance(value, RecordValue):
        return RecordValue(value.type, tuple([(field, normalised(held)) for field, held in value.fields]))
    if isinstance(value, tuple):
        return tuple([cast("Element", normalised(element)) for element in value])
    return in_utc(value) if isinstance(value, datetime) else value


def evaluate(policy: PolicyTerms, term: Term, arguments: Arguments, result: bool | None = None) -> Value:
    """The value of a term of a policy.

    ``arguments`` are the values of its free variables; ``result`` is the value of ``Result()`` in a clause.
    Raises ``TypeError`` or ``KeyError`` if the arguments do not fit their types.
    """
    return evaluate_in(valuation(policy, arguments, result), term)


def valuation(policy: PolicyTerms, arguments: Arguments, result: bool | None = None) -> Valuation:
    """The valuation of a policy in which its free variables have these values."""
    return Valuation(policy, {name: normalised(value) for name, value in arguments.items()}, result)


def evaluate_in(world: Valuation, term: Term) -> Value:
    """The value of a term in a valuation; raises as ``evaluate`` does."""
    with decimal.localcontext(EXACT):
        return value_of(term, world)


def evaluate_decision(policy: PolicyTerms, arguments: Arguments) -> bool:
    """Whether the policy allows well-typed arguments, by its rules' terms."""
    world = valuation(policy, arguments)
    with decimal.localcontext(EXACT):
        fired = {rule.name: value_of(rule.body, world) is True for rule in policy.rules}
    if any(fired[rule.name] for rule in policy.rules if rule.forbids):
        return False
    return policy.default_allow or any(fired[rule.name] for rule in policy.rules if not rule.forbids)


@dataclass(frozen=True, slots=True)
class Valuation:
    """A policy with the values of the variables in scope, and the value of ``Result()``."""

    policy: PolicyTerms
    values: Mapping[str, Value]
    result: bool | None

    def having(self, name: str, value: Value) -> Valuation:
        """The same valuation with an additional variable."""
        return Valuation(self.policy, {**self.values, name: value}, self.result)


def _truth(term: Term, world: Valuation) -> bool:
    value = value_of(term, world)
    if not isinstance(value, bool):
        raise TypeError(f"A condition is not a bool but {value!r}.")
    return value


def value_of(term: Term, world: Valuation) -> Value:  # noqa: C901, PLR0912 # one case for each kind of term
    """The value of a term in a valuation whose datetimes are in UTC, under the caller's decimal context."""
    match term:
        case Constant(value):
            return value
        case Variable(name):
            return world.values[name]
        case Attribute(record, name):
            return _field(record, name, world)
        case ResultTerm():
            return world.result
        case Not(operand):
            return not _truth(operand, world)
        case And(operands):
            return all(_truth(operand, world) for operand in operands)
        case Or(operands):
            return any(_truth(operand, world) for operand in operands)
        case ImpliesTerm(condition, consequence):
            return not _truth(condition, world) or _truth(consequence, world)
        case Compare():
            return _compare(term, world)
        case Member(item, collection):
            return value_of(item, world) in members_of(collection, world)
        case Quantified():
            return _quantified(term, world)
        case Count(variable, collection, condition):
            return len(_chosen(variable, collection, condition, world))
        case Sum():
            return _sum(term, world)
        case CompareFields():
            return _compare_fields(term, world)
        case StringTest():
            return _string_test(term, world)
        case Length(text):
            return len(_text(text, world))
        case Arithmetic():
            return _arithmetic(term, world)
        case Choice(condition, then, otherwise):
            return value_of(then if _truth(condition, world) else otherwise, world)
        case IsMissing(variable):
            return value_of(variable, world) is None
        case Lookup():
            return _lookup(term, world)
        case HelperCall():
            return _call(term, world)


def _text(term: Term, world: Valuation) -> str:
    value = value_of(term, world)
    if not isinstance(value, str):
        raise TypeError(f"A string is expected, not {value!r}.")
    return value


def _compare(term: Compare, world: Valuation) -> bool:
    left, right = value_of(term.left, world), value_of(term.right, world)
    if term.operator is Comparison.EQ:
        return left == right
    if term.operator is Comparison.NE:
        return left != right
    order = _order(left, right)
    return {
        Comparison.LT: order < 0,
        Comparison.LE: order <= 0,
        Comparison.GT: order > 0,
        Comparison.GE: order >= 0,
    }[term.operator]


def _order(left: Value, right: Value) -> int:
    ordered = isinstance(left, int | Decimal | date | time | timedelta) and not isinstance(left, bool)
    if type(left) is not type(right) or not ordered:
        raise TypeError(f"{left!r} and {right!r} have no order.")
    return (left > right) - (left < right)  # type: ignore[operator] # both are of one ordered type


def members_of(collection: Collection, world: Valuation) -> frozenset[Scalar] | tuple[Element, ...]:
    """The elements of a collection in a valuation; those of a list are in their order."""
    match collection:
        case ConstantSet(values):
            return frozenset(values)
        case SetVariable(name):
            value = world.values[name]
            if not isinstance(value, frozenset):
                raise TypeError(f"`{name}` is not a set.")
            return _EMPTY | value
        case Elements(term):
            held = value_of(term, world)
            if isinstance(held, frozenset):
                return _EMPTY | held
            if not isinstance(held, tuple):
                raise TypeError(f"{held!r} has no elements.")
            return held
        case _:
            entry = world.policy.tables[collection.table].entries.get(_key(collection.key, world), _EMPTY)
            if not isinstance(entry, frozenset):
                raise TypeError(f"`{collection.table}` holds no such set.")
            return entry


def _key(term: Term, world: Valuation) -> Scalar:
    key = value_of(term, world)
    if key is None or isinstance(key, frozenset | tuple | RecordValue):
        raise TypeError(f"{key!r} is no key.")
    return key


def _field(record: Term, name: str, world: Valuation) -> Value:
    value = value_of(record, world)
    if not isinstance(value, RecordValue):
        raise TypeError(f"{value!r} has no fields.")
    return field_of(value, name)


def _quantified(term: Quantified, world: Valuation) -> bool:
    truths = (
        _truth(term.body, world.having(term.variable.name, element))
        for element in members_of(term.collection, world)
    )
    return any(truths) if term.quantifier is Quantifier.ANY else all(truths)


def _chosen(variable: Variable, collection: Elements, condition: Term, world: Valuation) -> list[Valuation]:
    """The valuations in which the variable is an element that meets a condition, one per such element."""
    worlds = (world.having(variable.name, element) for element in members_of(collection, world))
    return [inner for inner in worlds if _truth(condition, inner)]


def _sum(term: Sum, world: Valuation) -> Value:
    worlds = _chosen(term.variable, term.collection, term.condition, world)
    values = [value_of(term.value, inner) for inner in worlds]
    if term.type.kind is Kind.DECIMAL:
        return sum((_decimal(value) for value in values), Decimal(0))
    return sum(_int(value) for value in values)


def _decimal(value: Value) -> Decimal:
    if not isinstance(value, Decimal):
        raise TypeError(f"{value!r} is not a decimal.")
    return value


def _int(value: Value) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not an int.")
    return value


def _compare_fields(term: CompareFields, world: Valuation) -> bool:
    left, right = _keys(term.left, world), _keys(term.right, world)
    return left == right if term.operator is Comparison.EQ else left <= right


def _keys(side: FieldSet, world: Valuation) -> set[tuple[Value, ...]]:
    """The elements of a list as a set of some of their fields."""
    elements = members_of(side.collection, world)
    if not side.fields:
        return {(element,) for element in elements}
    records = [element for element in elements if isinstance(element, RecordValue)]
    if len(records) < len(elements):
        raise TypeError("An element has no fields.")
    return {tuple(field_of(record, name) for name in side.fields) for record in records}


def _string_test(term: StringTest, world: Valuation) -> bool:
    text = _text(term.text, world)
    if term.kind is StringTestKind.PREFIX:
        return text[: len(term.constant)] == term.constant
    if term.kind is StringTestKind.SUFFIX:
        return text[max(len(text) - len(term.constant), 0) :] == term.constant
    return term.constant in text


_EMPTY: frozenset[Scalar] = frozenset()
_NUMBERS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}


def _arithmetic(term: Arithmetic, world: Valuation) -> Value:
    left, right = value_of(term.left, world), value_of(term.right, world)
    if term.operator == "*" and {type(left), type(right)} == {int, Decimal}:
        left, right = Decimal(left), Decimal(right)  # type: ignore[arg-type] # one is an int, the other a Decimal
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return _NUMBERS[term.operator](left, right)
    if type(left) is int and type(right) is int:
        return _of_ints(term.operator, left, right)
    if isinstance(left, timedelta) and isinstance(right, timedelta) and term.operator in ("+", "-"):
        return left + right if term.operator == "+" else left - right
    if term.operator == "-" and type(left) is type(right) and isinstance(left, date):
        return left - right  # type: ignore[operator] # both are dates, or both are datetimes
    raise TypeError(f"{left!r} and {right!r} cannot be joined by {term.operator}.")


def _of_ints(operator: str, left: int, right: int) -> int:
    if operator in ("//", "%"):
        quotient, remainder = divmod(left, right)
        return quotient if operator == "//" else remainder
    return {"+": left + right, "-": left - right, "*": left * right}[operator]


def _lookup(term: Lookup, world: Valuation) -> Value:
    key = _key(term.key, world)
    entries = world.policy.tables[term.table].entries
    entry = entries[key] if term.default is None else entries.get(key, term.default.value)
    if isinstance(entry, frozenset):
        raise TypeError(f"`{term.table}` holds a set for {key!r}.")
    return entry


def _call(term: HelperCall, world: Valuation) -> Value:
    helper = world.policy.helpers[term.function]
    operands = (value_of(operand, world) for operand in term.operands)
    names = (parameter.name for parameter in helper.parameters)
    values = dict(zip(names, operands, strict=True))
    return value_of(helper.body, Valuation(world.policy, values, None))
