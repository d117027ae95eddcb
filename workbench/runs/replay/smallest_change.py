"""Make one changed argument of a counterfactual as small a change as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, islice
from typing import cast

from workbench.engines.smt.encode import number_of, value_of
from workbench.likeness import edit_distance
from workbench.model import Arguments, ArgumentType, Element, Kind, RecordValue, Scalar, Value
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Not,
    Parameter,
    Term,
    Variable,
)

type Turned = Callable[[Arguments], bool]
type Closer = Callable[[str, Arguments, Term], Value]

_ROUNDS = 24
_UNORDERED = (Kind.BOOL, Kind.STR, Kind.ENUM, Kind.RECORD, Kind.LIST)
_DAY = 86_400_000_000
_MOST_SHORTER = 100
_ROUND_TIMES = (60_000_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Ranges:
    """``closer(name, current, bound)`` asks the solver for a value of one argument within a bound."""

    closer: Closer


def smaller(
    parameter: Parameter,
    base: Value,
    current: Mapping[str, Value],
    turned: Turned,
    words: Iterable[str],
    ranges: Ranges,
) -> Value:
    """The value of one argument that is nearest to ``base``, with the others as in ``current``.

    Numbers and times: the nearest value that the solver can find. Words: the known word with the fewest
    edits. Sets: no part of the change can be left out. Lists and records: if it suffices, the call's own list
    without one or two elements, or its own record with one field changed.
    """
    name, kind = parameter.name, parameter.type.kind
    value = current[name]

    def works(candidate: Value) -> bool:
        return turned({**current, name: candidate})

    if kind is Kind.SET and isinstance(base, frozenset) and isinstance(value, frozenset):
        return _set(base, value, works, tuple(words) if parameter.type.element is None else ())
    if isinstance(base, tuple) and isinstance(value, tuple):
        return next((shorter_list for shorter_list in shorter(base) if works(shorter_list)), value)
    if isinstance(base, RecordValue) and isinstance(value, RecordValue):
        return next((near for near in _with_one_field(base, value) if works(near)), value)
    if kind is Kind.ENUM:
        return next((choice for choice in parameter.type.values if choice != base and works(choice)), value)
    if kind is Kind.STR:
        return _word(base, value, works, words)
    if kind in _UNORDERED or base is None:
        return value
    return _number(parameter, base, current, works, ranges)


def _word(base: Value, value: Value, works: Callable[[Value], bool], words: Iterable[str]) -> Value:
    fitting = [word for word in dict.fromkeys(words) if word != base and works(word)]
    start = base if isinstance(base, str) else ""
    return min(fitting, key=lambda word: edit_distance(start, word), default=value)


def _set(
    base: frozenset[str] | frozenset[int],
    value: frozenset[str] | frozenset[int],
    works: Callable[[Value], bool],
    words: tuple[str, ...],
) -> Value:
    base, smallest = cast("frozenset[str]", base), cast("frozenset[str]", value)  # or both of ints
    while True:
        before = smallest
        for element in sorted(smallest ^ base):
            without = smallest ^ {element}
            if without != base and works(without):
                smallest = without
        if smallest == before:
            break
    for element in sorted(smallest - base):
        if element not in words:
            for word in words:
                if word not in smallest and word not in base and works((smallest - {element}) | {word}):
                    smallest = (smallest - {element}) | {word}
                    break
    return smallest


def shorter(base: tuple[Element, ...]) -> Iterator[tuple[Element, ...]]:
    """The list without one or two of its elements."""
    for count in (1, 2):
        for left_out in islice(combinations(range(len(base)), count), _MOST_SHORTER):
            yield tuple(element for index, element in enumerate(base) if index not in left_out)


def moved_together(
    parameter: Parameter, base: Arguments, current: Arguments, changed_list: str, turned: Turned
) -> Arguments:
    """``current`` with a number nearest to its base, and one element of a list moved by the same amount.

    A total and the lines that add up to it can only change together: the list is the base's own, with one
    number of one element moved. Returns ``current`` if no such change turns the decision.
    """
    name, type_, own_elements = parameter.name, parameter.type, base[changed_list]
    start, best = _as_number(base[name], type_), _as_number(current[name], type_)
    if start is None or best is None or not isinstance(own_elements, tuple):
        return current

    def moved(value: Value) -> Arguments | None:
        candidates = (
            {**current, name: value, changed_list: elements}
            for elements in _moved(own_elements, base[name], value)
        )
        return next((candidate for candidate in candidates if turned(candidate)), None)

    nearest = _halved(start, best, type_, lambda value: moved(value) is not None)
    value = _as_value(nearest, type_)
    return (None if value is None else moved(value)) or current


def _moved(own_elements: tuple[Element, ...], old: Value, new: Value) -> Iterator[tuple[Element, ...]]:
    """The lists with one number of one element moved by the difference of the two values."""
    for index, element in enumerate(own_elements[:_MOST_SHORTER]):
        if isinstance(element, RecordValue):
            for field, value in element.fields:
                if (shifted := _shifted(value, old, new)) is not None:
                    fields = tuple(
                        (name, shifted if name == field else own_value) for name, own_value in element.fields
                    )
                    yield (
                        *own_elements[:index],
                        RecordValue(element.type, fields),
                        *own_elements[index + 1 :],
                    )


def _shifted(value: Value, old: Value, new: Value) -> Value:
    """A number moved by the difference of two others of its type; None if one of them is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Decimal) and isinstance(old, Decimal) and isinstance(new, Decimal):
        return value + (new - old)
    if isinstance(value, int) and isinstance(old, int) and isinstance(new, int):
        return value + (new - old)
    return None


def _with_one_field(base: RecordValue, value: RecordValue) -> Iterator[RecordValue]:
    """The records with one field of ``base`` replaced by that of ``value``."""
    for name, new in value.fields:
        fields = tuple((field, new if field == name else old) for field, old in base.fields)
        if fields != base.fields:
            yield RecordValue(base.type, fields)


def _number(
    parameter: Parameter,
    base: Value,
    current: Mapping[str, Value],
    works: Callable[[Value], bool],
    ranges: Ranges,
) -> Value:
    """Halve the distance to the base, and ask the solver whether a nearer value is left."""
    type_ = parameter.type
    start = _as_number(base, type_)
    variable = Variable(parameter.name, type_)
    value = current[parameter.name]
    if value is None:
        value = ranges.closer(parameter.name, current, Not(IsMissing(variable)))
    if value is None or start is None:
        return current[parameter.name]
    best = _as_number(value, type_)
    for _ in range(_ROUNDS):
        if best is None:
            return value
        best = _halved(start, best, type_, works)
        distance = abs(best - start) - 1
        if distance < 1:
            break
        low, high = (_as_value(start + way * distance, type_) for way in (-1, 1))
        nearer = ranges.closer(parameter.name, current, _between(variable, low, high))
        if nearer is None:
            break
        best = _as_number(nearer, type_)
    return value if best is None else _rounded(start, best, type_, works)


def _between(variable: Variable, low: Value, high: Value) -> Term:
    parts: list[Term] = [Not(IsMissing(variable))] if variable.type.optional else []
    for operator, bound in ((Comparison.GE, low), (Comparison.LE, high)):
        if bound is not None and not isinstance(bound, frozenset | tuple | RecordValue):
            parts.append(Compare(operator, variable, Constant(bound)))
    return And(tuple(parts))


def _halved(start: int, best: int, type_: ArgumentType, works: Callable[[Value], bool]) -> int:
    """A working number whose neighbour towards the start does not work."""
    bad, good = start, best
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        value = _as_value(middle, type_)
        if value is not None and works(value):
            good = middle
        else:
            bad = middle
    return good


def _rounded(start: int, best: int, type_: ArgumentType, works: Callable[[Value], bool]) -> Value:
    """The value of ``best``; a time is rounded to the minute or second if that works as well."""
    if type_.kind in (Kind.TIME, Kind.DATETIME):
        for unit in _ROUND_TIMES:
            down = best // unit * unit
            away = down if best <= start else down + (unit if best % unit else 0)
            value = _as_value(away, type_)
            if value is not None and works(value):
                return value
    return _as_value(best, type_)


def _as_number(value: Value, type_: ArgumentType) -> int | None:
    """The solver's number for a value; None if the type has no order or the number is not exact."""
    if value is None or isinstance(value, bool | str | frozenset | tuple | RecordValue):
        return None
    number, scale = number_of(value)
    if type_.kind is not Kind.DECIMAL:
        return number
    if scale <= type_.places:
        return number * 10 ** (type_.places - scale)
    whole, remainder = divmod(number, 10 ** (scale - type_.places))
    return None if remainder else whole


def _as_value(number: int, type_: ArgumentType) -> Scalar | None:
    """The value that a number encodes; None outside the range of the type."""
    if type_.kind is Kind.TIME and not 0 <= number < _DAY:
        return None
    try:
        return value_of(number, type_)
    except (ValueError, OverflowError):
        return None
