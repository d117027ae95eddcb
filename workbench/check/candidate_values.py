"""Values worth trying for a type, given the constants that a policy compares it with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import time, timedelta
from decimal import Decimal
from typing import cast

from workbench.check.argument_facts import A_DATE, A_MOMENT
from workbench.model import ArgumentType, Element, Kind, RecordType, RecordValue, Scalar, Value

FOREIGN = "something else"
_MOST_RECORDS = 40
_MOST_ELEMENTS = 12
_LONGEST = 50


@dataclass(frozen=True, slots=True)
class NamedValues:
    """The values that a policy names, by path: constants, numbers of elements, the fields that it reads."""

    points: Mapping[str, Sequence[Scalar]]
    sizes: Mapping[str, Sequence[int]]
    paths: Set[str]


def candidates(declared: ArgumentType, path: str, named: NamedValues) -> tuple[Value, ...]:
    """Values of a type, first those that no rule names, so that no rule fires on the first input."""
    if declared.record is not None:
        return tuple(_records(declared.record, path, named))
    if declared.kind is Kind.LIST and declared.element is not None:
        elements = _with_none(declared.element, f"{path}.*", named)[:_MOST_ELEMENTS]
        return tuple(_lists(cast("tuple[Element, ...]", elements), named.sizes.get(path, ())))
    return _single(declared, tuple(named.points.get(path, ())))


def _with_none(declared: ArgumentType, path: str, named: NamedValues) -> tuple[Value, ...]:
    values = candidates(declared, path, named)
    return (*values, None) if declared.optional else values


def _records(record: RecordType, path: str, named: NamedValues) -> Iterator[Value]:
    """Records with the first value of each field, then with others for the fields that the policy reads."""
    names = [name for name, _ in record.fields]
    pools = [_with_none(kind, f"{path}.{name}", named) for name, kind in record.fields]
    pools = [
        pool if f"{path}.{name}" in named.paths else pool[:1] for name, pool in zip(names, pools, strict=True)
    ]
    for values in itertools.islice(diagonal(pools), _MOST_RECORDS):
        yield RecordValue(record.name, tuple(zip(names, values, strict=True)))


def _lists(elements: tuple[Element, ...], sizes: Sequence[int]) -> Iterator[Value]:
    """The empty list, one element, the first one twice, two different ones, and as many as a rule counts."""
    yield ()
    yield from ((element,) for element in elements)
    yield from ((element, element) for element in elements[:1])
    yield from ((elements[0], element) for element in elements[1:])
    for size in dict.fromkeys(sizes):
        yield from ((element,) * size for element in elements if 1 < size <= _LONGEST)


def diagonal(pools: Sequence[Sequence[Value]]) -> Iterator[tuple[Value, ...]]:
    """All combinations, early candidates first."""
    if not pools:
        yield ()
        return
    highest = sum(len(pool) - 1 for pool in pools)
    for total in range(highest + 1):
        yield from _with_total(pools, total)


def _with_total(pools: Sequence[Sequence[Value]], total: int) -> Iterator[tuple[Value, ...]]:
    if not total and all(pools):
        yield tuple(pool[0] for pool in pools)
        return
    first, remaining_pools = pools[0], pools[1:]
    if not remaining_pools:
        if total < len(first):
            yield (first[total],)
        return
    room = sum(len(pool) - 1 for pool in remaining_pools)
    for index in range(max(0, total - room), min(total, len(first) - 1) + 1):
        for remaining_values in _with_total(remaining_pools, total - index):
            yield (first[index], *remaining_values)


def foreign_text(known: Sequence[object]) -> str:
    """A string that differs from the known ones but has their shape (``table.column``)."""
    dotted = bool(known) and all(isinstance(value, str) and value.count(".") == 1 for value in known)
    text = "unlisted.column" if dotted else FOREIGN
    while text in known:
        text += "x"
    return text


def _single(  # noqa: C901 # one case for each kind of argument
    declared: ArgumentType, points: Sequence[Scalar]
) -> tuple[Value, ...]:
    """Candidates of a type, first those that no rule names, so that no rule fires on the first input."""
    match declared.kind:
        case Kind.BOOL:
            return (True, False)
        case Kind.ENUM:
            return tuple(sorted(declared.values, key=lambda value: value in points))
        case Kind.STR:
            known_words = [point for point in points if isinstance(point, str)]
            return (foreign_text([*known_words, *declared.values]), *known_words, *declared.values[:5], "")
        case Kind.SET:
            if declared.element is not None:
                numbers = [point for point in points if isinstance(point, int)] or [0]
                return (frozenset[int](), *(frozenset({number}) for number in numbers), frozenset(numbers))
            known_words = [point for point in points if isinstance(point, str)]
            words = list(dict.fromkeys([*known_words, *declared.values]))
            single = [frozenset({word}) for word in [*words, foreign_text(words)]]
            return (frozenset[str](), *single, frozenset(words))
        case Kind.INT:
            return (*points, 0, 1)
        case Kind.DECIMAL:
            return (*points, Decimal(0), Decimal(1))
        case Kind.DATE:
            return (*points, A_DATE)
        case Kind.TIME:
            return (*points, time(12, 0))
        case Kind.DATETIME:
            return (*points, A_MOMENT)
        case Kind.DURATION:
            return (*points, timedelta(0), timedelta(days=1))
        case Kind.RECORD | Kind.LIST:
            return ()
