"""Whether two conditions differ: sample inputs first, then the solver. Equal is proved, or it is not equal.

The samples of an ordered argument are its constants and their neighbours. Two conditions over truths,
enums, whole numbers and days agree everywhere if they agree on all samples, as long as all were tried.
Of texts, sets and times the samples are some of many; a difference found is always a real one. Where the
samples show none and cannot show that there is none, the solver decides, and what it does not know counts
as different, so that a person is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice, product
from math import prod

from workbench.author.rules.condition_terms import Types, differing, satisfying
from workbench.author.rules.conditions import (
    AllOf,
    Among,
    AnyOf,
    Atom,
    ComparisonCondition,
    Condition,
    Elements,
    Present,
    TextTest,
    TruthCondition,
    atoms,
    names,
)
from workbench.model import Argument, Arguments, Kind, Scalar, Value, WorkbenchError
from workbench.policy.boundary_values import neighbours

_LIMIT = 20000
_UNKNOWN = "anything else"


def holds(condition: Condition, arguments: Arguments) -> bool:
    """Whether the condition holds on the arguments."""
    match condition:
        case AllOf():
            return all(holds(part, arguments) for part in condition.parts)
        case AnyOf():
            return any(holds(part, arguments) for part in condition.parts)
        case _:
            return _atom_holds(condition, arguments[condition.argument])


def _atom_holds(atom: Atom, value: Value) -> bool:
    match atom:
        case Present():
            return (value is not None) == atom.value
        case _ if value is None:
            return False
        case TruthCondition():
            return value is atom.value
        case Among():
            return (value in atom.values) != atom.negated
        case ComparisonCondition():
            return _compares(atom.operator, value, atom.value)
        case TextTest():
            return _text_holds(atom, str(value)) != atom.negated
        case Elements():
            elements = value if isinstance(value, frozenset) else frozenset[str]()
            inside = [element in atom.values for element in elements]
            return (all(inside) if atom.quantifier == "all" else any(inside)) != atom.negated


def _text_holds(atom: TextTest, value: str) -> bool:
    if atom.test == "contains":
        return atom.constant in value
    return value.startswith(atom.constant) if atom.test == "startswith" else value.endswith(atom.constant)


def _compares(operator: str, left: Value, right: Scalar) -> bool:
    same = left == right
    low = not same and min((left, right), key=_rank) is left
    return {
        "<": low,
        "<=": low or same,
        ">": not low and not same,
        ">=": not low,
        "==": same,
        "!=": not same,
    }[operator]


def _rank(value: Value) -> Decimal:
    """The place of an ordered value among the values of its type."""
    match value:
        case int() | Decimal():
            return Decimal(value)
        case datetime():
            return Decimal((value.replace(tzinfo=None) - datetime.min) // timedelta(microseconds=1))
        case date():
            return Decimal(value.toordinal())
        case time():
            return Decimal((value.hour * 60 + value.minute) * 60 + value.second)
        case _:
            return Decimal(0)


def differ(left: Condition, right: Condition, arguments: tuple[Argument, ...]) -> bool:
    """Whether the two conditions differ on some input; true also where that is not known."""
    if left == right:
        return False
    if any(holds(left, sample) != holds(right, sample) for sample in samples(arguments, left, right)):
        return True
    if _exact(arguments, left, right):
        return False
    try:
        return differing(left, right, _types(arguments, left, right)) is not None
    except WorkbenchError:
        return True


def satisfiable(condition: Condition, arguments: tuple[Argument, ...]) -> bool | None:
    """Whether the condition holds on some input; None if that is not known."""
    if any(holds(condition, sample) for sample in samples(arguments, condition)):
        return True
    if _exact(arguments, condition):
        return False
    try:
        return satisfying(condition, _types(arguments, condition)) is not None
    except WorkbenchError:
        return None


def samples(arguments: tuple[Argument, ...], *conditions: Condition) -> Iterator[Arguments]:
    """Inputs over the arguments that the conditions mention, at and around their constants; of many, some."""
    pools = _pools(arguments, conditions)
    for values in islice(product(*pools.values()), _LIMIT):
        yield dict(zip(pools, values, strict=True))


def _pools(arguments: tuple[Argument, ...], conditions: Sequence[Condition]) -> dict[str, list[Value]]:
    """The values to try for each argument that the conditions mention."""
    mentioned = names(*conditions)
    return {
        argument.name: _pool(argument, _about(argument, conditions))
        for argument in arguments
        if argument.name in mentioned
    }


def _about(argument: Argument, conditions: Sequence[Condition]) -> list[Atom]:
    return [atom for part in conditions for atom in atoms(part) if atom.argument == argument.name]


def _types(arguments: tuple[Argument, ...], *conditions: Condition) -> Types:
    mentioned = names(*conditions)
    return tuple((argument.name, argument.type) for argument in arguments if argument.name in mentioned)


def _exact(arguments: tuple[Argument, ...], *conditions: Condition) -> bool:
    """Whether the samples are all tried, and stand for every input."""
    if prod(map(len, _pools(arguments, conditions).values())) > _LIMIT:
        return False
    mentioned = names(*conditions)
    return all(
        _stands_for_all(argument, _about(argument, conditions))
        for argument in arguments
        if argument.name in mentioned
    )


def _stands_for_all(argument: Argument, about: list[Atom]) -> bool:
    match argument.type.kind:
        case Kind.BOOL | Kind.ENUM:
            return True
        case Kind.INT | Kind.DATE:
            return any(isinstance(atom, ComparisonCondition) for atom in about)
        case _:
            return False


def _pool(argument: Argument, about: list[Atom]) -> list[Value]:
    pool: list[Value] = [None] if argument.type.optional else []
    match argument.type.kind:
        case Kind.BOOL:
            pool += [False, True]
        case Kind.ENUM:
            pool += argument.type.values
        case Kind.STR:
            pool += _texts(about)
        case Kind.SET:
            listed = [value for atom in about if isinstance(atom, Elements) for value in atom.values]
            pool += [
                frozenset(),
                *(frozenset([value]) for value in dict.fromkeys(listed)),
                frozenset([_UNKNOWN]),
            ]
        case _:
            bounds = [atom.value for atom in about if isinstance(atom, ComparisonCondition)]
            places = argument.type.places
            pool += dict.fromkeys(near for bound in bounds for near in (bound, *neighbours(bound, places)))
    return pool or [None]


def _texts(about: list[Atom]) -> list[Value]:
    pool: list[Value] = [_UNKNOWN]
    for atom in about:
        if isinstance(atom, Among):
            pool += atom.values
        elif isinstance(atom, TextTest):
            pool += [atom.constant, f"{atom.constant}x", f"x{atom.constant}"]
    return list(dict.fromkeys(pool))
