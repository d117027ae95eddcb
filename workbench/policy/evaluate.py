"""A direct interpreter of terms: slow, plain, and independent of the compiler.

Everything else that gives a policy a meaning (the compiled text, the lowered program, the
SMT formula) is compared with it.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal

from workbench.model import Arguments, Scalar, Value
from workbench.policy.terms import (
    And,
    Arithmetic,
    Call,
    Choice,
    Collection,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
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
    """The same instant in UTC; a value without a zone is UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def evaluate(policy: PolicyTerms, term: Term, arguments: Arguments, result: bool | None = None) -> Value:
    """The value of a term of a policy.

    ``arguments`` are the values of its free variables; ``result`` is what ``Result()``
    stands for in a clause. Arguments must fit their types; raises ``TypeError`` or
    ``KeyError`` where they do not.
    """
    values = {
        name: in_utc(value) if isinstance(value, datetime) else value for name, value in arguments.items()
    }
    with decimal.localcontext(EXACT):
        return value_of(term, World(policy, values, result))


def evaluate_decision(policy: PolicyTerms, arguments: Arguments) -> bool:
    """Whether the policy allows well-typed arguments, by its rules' terms."""
    fired = {rule.name: evaluate(policy, rule.body, arguments) is True for rule in policy.rules}
    if any(fired[rule.name] for rule in policy.rules if rule.forbids):
        return False
    return policy.default_allow or any(fired[rule.name] for rule in policy.rules if not rule.forbids)


@dataclass(frozen=True, slots=True)
class World:
    """A policy with the values of the variables in scope, and what ``Result()`` stands for."""

    policy: PolicyTerms
    values: Mapping[str, Value]
    result: bool | None

    def having(self, name: str, value: Value) -> World:
        """The same world with one more variable."""
        return replace(self, values={**self.values, name: value})


def _truth(term: Term, world: World) -> bool:
    value = value_of(term, world)
    if not isinstance(value, bool):
        raise TypeError(f"A condition is not a bool but {value!r}.")
    return value


def value_of(term: Term, world: World) -> Value:  # noqa: C901, PLR0912 # one case for each kind of term
    """The value of a term in a world whose datetimes are in UTC, under the caller's decimal context."""
    match term:
        case Constant(value):
            return value
        case Variable(name):
            return world.values[name]
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
        case Quantified(quantifier, variable, collection, body):
            truths = (_truth(body, world.having(variable.name, one)) for one in members_of(collection, world))
            return any(truths) if quantifier is Quantifier.ANY else all(truths)
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
        case Call():
            return _call(term, world)


def _text(term: Term, world: World) -> str:
    value = value_of(term, world)
    if not isinstance(value, str):
        raise TypeError(f"A string is expected, not {value!r}.")
    return value


def _compare(term: Compare, world: World) -> bool:
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
    if type(left) is not type(right) or left is None or isinstance(left, bool | str | frozenset):
        raise TypeError(f"{left!r} and {right!r} have no order.")
    return (left > right) - (left < right)  # type: ignore[operator] # both are of one ordered type


def members_of(collection: Collection, world: World) -> frozenset[Scalar]:
    """The elements of a collection in a world."""
    match collection:
        case ConstantSet(values):
            return frozenset(values)
        case SetVariable(name):
            value = world.values[name]
            if not isinstance(value, frozenset):
                raise TypeError(f"`{name}` is not a set.")
            return _EMPTY | value
        case _:
            key = value_of(collection.key, world)
            if key is None or isinstance(key, frozenset):
                raise TypeError(f"{key!r} is no key.")
            entry = world.policy.tables[collection.table].entries.get(key, _EMPTY)
            if not isinstance(entry, frozenset):
                raise TypeError(f"`{collection.table}` holds no set for {key!r}.")
            return entry


def _string_test(term: StringTest, world: World) -> bool:
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


def _arithmetic(term: Arithmetic, world: World) -> Value:
    left, right = value_of(term.left, world), value_of(term.right, world)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return _NUMBERS[term.operator](left, right)
    if type(left) is not int or type(right) is not int:
        raise TypeError(f"{left!r} and {right!r} are not numbers of one type.")
    if term.operator in ("//", "%"):
        quotient, remainder = divmod(left, right)
        return quotient if term.operator == "//" else remainder
    return {"+": left + right, "-": left - right, "*": left * right}[term.operator]


def _lookup(term: Lookup, world: World) -> Value:
    key = value_of(term.key, world)
    entries = world.policy.tables[term.table].entries
    if key is None or isinstance(key, frozenset):
        raise TypeError(f"{key!r} is no key.")
    found = entries[key] if term.default is None else entries.get(key, term.default.value)
    if isinstance(found, frozenset):
        raise TypeError(f"`{term.table}` holds a set for {key!r}.")
    return found


def _call(term: Call, world: World) -> Value:
    helper = world.policy.helpers[term.function]
    operands = (value_of(operand, world) for operand in term.operands)
    names = (parameter.name for parameter in helper.parameters)
    values = dict(zip(names, operands, strict=True))
    return value_of(helper.body, World(world.policy, values, None))
