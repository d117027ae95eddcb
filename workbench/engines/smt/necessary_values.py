"""Facts about single arguments that follow from a ground term, to drop rules that cannot fire.

``necessary(term)`` maps arguments to the finite set of values they must have. Two terms whose facts exclude
each other cannot both be true, which makes a query about one clause small: of two hundred rules only those
remain that can fire where the clause applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.model import Arguments, Kind, Scalar
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    IsMissing,
    Member,
    Not,
    Or,
    Term,
    Variable,
)

type Known = tuple[str, Scalar | None]
type Facts = Mapping[str, frozenset[Known]]
"""Possible values by argument. A value carries its type's name, so that 1 and True differ."""


def _known(value: Scalar | None) -> Known:
    return type(value).__name__, value


def necessary(term: Term, positive: bool = True) -> Facts:
    """Return possible values of arguments, given that a ground term is ``positive``.

    Arguments that are not mentioned may have any value. Only equality of words, truth values and None is
    used: numbers of different types may be equal.
    """
    match term:
        case Not(operand):
            return necessary(operand, not positive)
        case And(operands) | Or(operands):
            parts = (necessary(operand, positive) for operand in operands)
            return _all(parts) if isinstance(term, And) == positive else _any(tuple(parts))
        case Variable(name, type) if type.kind is Kind.BOOL and not type.optional:
            return {name: frozenset({_known(positive)})}
        case Compare(Comparison.EQ, Variable(name, type), Constant(value)) if _readable(name, value):
            return _one_of(name, type.values, type.kind, type.optional, frozenset({_known(value)}), positive)
        case Member(Variable(name, type), ConstantSet(values)) if all(_readable(name, v) for v in values):
            known_values = frozenset(_known(value) for value in values)
            return _one_of(name, type.values, type.kind, type.optional, known_values, positive)
        case IsMissing(Variable(name)) if positive:
            return {name: frozenset({_known(None)})}
        case _:
            return {}


def _readable(name: str, value: Scalar | None) -> bool:
    return "@" not in name and (value is None or isinstance(value, str | bool))


def _one_of(
    name: str,
    values: tuple[str, ...],
    kind: Kind,
    optional: bool,
    known_values: frozenset[Known],
    positive: bool,
) -> Facts:
    if positive:
        return {name: known_values}
    if kind is not Kind.ENUM:
        return {}
    every = frozenset(_known(value) for value in values)
    return {name: (every | {_known(None)} if optional else every) - known_values}


def both(one: Facts, other: Facts) -> Facts:
    """Return the facts of inputs that have the facts of two terms."""
    return _all((one, other))


def _all(parts: Iterable[Facts]) -> Facts:
    result: dict[str, frozenset[Known]] = {}
    for part in parts:
        for name, values in part.items():
            result[name] = result[name] & values if name in result else values
    return result


def _any(parts: tuple[Facts, ...]) -> Facts:
    if not parts:
        return {}
    # A part that contradicts itself cannot be the true one.
    possible = [part for part in parts if all(part.values())] or list(parts)
    first, *rest = possible
    result = dict(first)
    for part in rest:
        result = {name: values | part[name] for name, values in result.items() if name in part}
    return result


class FiringIndex:
    """Finds the rules among many that can be true together with given facts, in a few operations each."""

    def __init__(self, bodies: Iterable[Term]) -> None:
        """Read the facts of ground bodies."""
        facts = [necessary(body) for body in bodies]
        self._every = (1 << len(facts)) - 1
        self._masks: dict[str, dict[Known, int]] = {}
        self._free: dict[str, int] = {}
        for index, fact in enumerate(facts):
            for name, values in fact.items():
                masks = self._masks.setdefault(name, {})
                for value in values:
                    masks[value] = masks.get(value, 0) | 1 << index
        for name in self._masks:
            having = sum(1 << index for index, fact in enumerate(facts) if name in fact)
            self._free[name] = self._every & ~having

    def live(self, facts: Facts) -> list[int]:
        """Return the positions of the bodies that the facts do not exclude."""
        mask = self._every
        for name, values in facts.items():
            masks = self._masks.get(name)
            if masks is not None:
                possible = self._free[name]
                for value in values:
                    possible |= masks.get(value, 0)
                mask &= possible
        positions: list[int] = []
        while mask:
            lowest = mask & -mask
            positions.append(lowest.bit_length() - 1)
            mask ^= lowest
        return positions


def facts_of(arguments: Arguments) -> Facts:
    """Return the facts of concrete arguments, of the types that ``necessary`` uses."""
    return {
        name: frozenset({_known(value)})
        for name, value in arguments.items()
        if value is None or isinstance(value, str | bool)
    }
