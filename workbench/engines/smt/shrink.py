"""The smallest readable counterexample: from any input with a property to a plain one.

Every candidate is tested by running the property on it. An argument on which the property does not depend
gets a plain value; a number on which it does gets the value nearest to the boundary where the property ends.
Words are taken from the policy's vocabulary before any is invented. A set or list loses every element that it
can, an optional record is removed if it can be, and the fields of the remaining records are treated like
arguments.

Arguments taken apart: the single values in records and lists, and smaller lists and records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from itertools import compress
from operator import is_not
from typing import cast

from workbench.engines.smt.ground_parts import constants_of, tested_words
from workbench.model import Arguments, ArgumentType, Element, Kind, RecordValue, Scalar, Value
from workbench.policy.boundary_values import neighbours
from workbench.policy.evaluate import in_utc
from workbench.policy.flat.opening import WIDE
from workbench.policy.flat.plainest_value import plain_present, plain_value
from workbench.policy.terms import Parameter, Term

type Property = Callable[[Arguments], bool]

_PLAIN_WORDS = ("other", "a", "")
_MOST_WORDS = 80
_PLAIN_MOMENT = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
_MOST_SPAN = timedelta(days=365_000)
_UNORDERED = (Kind.BOOL, Kind.STR, Kind.ENUM)


@dataclass(frozen=True, slots=True)
class Hints:
    """Constants of a policy: words in the order of the file, and values with an order."""

    words: tuple[str, ...]
    ordered: tuple[Scalar, ...]


type Constants = tuple[tuple[str, ...], tuple[Scalar, ...]]
"""The words that a term tests, and its constants."""


def hints(*terms: Term) -> Hints:
    """Return the constants of ground terms, for use as candidates."""
    return joined(map(constants, terms))


def constants(term: Term) -> Constants:
    """The words that a ground term tests, and all its constants."""
    return tuple(tested_words(term)), tuple(constants_of(term))


_MOST_WORK = 100_000
"""How many values are read at most while an input is shrunk: each try reads those of all parameters."""


def joined(some: Iterable[Constants]) -> Hints:
    """The constants of several terms, without repetition."""
    every = list(some)
    words = dict.fromkeys(word for tested, _ in every for word in tested)
    distinct_values = dict.fromkeys(value for _, values in every for value in values)
    return Hints(tuple(words), tuple(value for value in distinct_values if not isinstance(value, str | bool)))


def shrink(
    start: Arguments,
    parameters: Sequence[Parameter],
    holds: Property,
    hints: Hints,
    *,
    focus: frozenset[str] = frozenset(),
) -> dict[str, Value]:
    """Return an input with the property that is as plain as found; ``start`` must have it.

    ``focus`` names the arguments that the question is about: a number among them is shown at its boundary
    even if zero would do. Fields have their names from ground terms.
    """
    wide = [parameter for parameter in parameters if parameter.type.kind in WIDE]
    if not wide:
        return _shrunk(start, parameters, holds, hints, focus)
    current = _shorter_lists(dict(start), wide, holds)
    leaves = Leaves(parameters, current)
    in_focus = {parameter.name for parameter in leaves.parameters if _path(parameter.name) & focus}
    values = _shrunk(
        leaves.values,
        leaves.parameters,
        lambda values: holds(leaves.whole(values)),
        hints,
        frozenset(in_focus),
    )
    return _shorter_lists(leaves.whole(values), wide, holds)


def _path(leaf: str) -> set[str]:
    """The names that a ground term may use for a single value: its own, or that of its list."""
    return {leaf, leaf.partition("[")[0]}


def _shorter_lists(
    current: dict[str, Value], parameters: Sequence[Parameter], holds: Property
) -> dict[str, Value]:
    """The arguments with as few list elements and records as the property permits."""
    for parameter in parameters:
        shorter: dict[str, Value] | None = current
        while shorter is not None:
            current = shorter
            less = _smaller(parameter.type, current[parameter.name])
            candidates: Iterator[dict[str, Value]] = ({**shorter, parameter.name: value} for value in less)
            shorter = next((candidate for candidate in candidates if holds(candidate)), None)
    return current


def _shrunk(
    start: Arguments, parameters: Sequence[Parameter], holds: Property, hints: Hints, focus: frozenset[str]
) -> dict[str, Value]:
    """Shrink arguments that are single values."""
    current, holds = dict(start), _limited(holds, _MOST_WORK // max(len(parameters), 1))
    _move_moments(current, holds)
    for _ in range(3):
        before = dict(current)
        _share_words(current, parameters, holds, hints)
        for parameter in parameters:
            _shrink_one(current, parameter, holds, hints, parameter.name in focus)
        if current == before:
            break
    return current


def _limited(holds: Property, most: int) -> Property:
    """The property, which no further input has once as many were tried: what was found by then stays."""
    left = iter(range(most))
    return lambda values: next(left, None) is not None and holds(values)


def _try(current: dict[str, Value], name: str, value: Value, holds: Property) -> bool:
    """Whether the property holds with one value changed."""
    return holds({**current, name: value})


def _shrink_one(
    current: dict[str, Value], parameter: Parameter, holds: Property, hints: Hints, in_focus: bool
) -> None:
    name, type = parameter.name, parameter.type
    value = current[name]
    if type.kind is Kind.SET:
        if isinstance(value, frozenset):
            current[name] = _smaller_set(current, name, value, type, holds, hints)
        return
    plain_candidate = plain_value(type)
    plain_works = _try(current, name, plain_candidate, holds)
    if plain_works and (not in_focus or type.kind in _UNORDERED):
        current[name] = plain_candidate
        return
    candidates = [c for c in _candidates(value, type, hints) if c != plain_candidate]

    @cache
    def works(candidate: Value) -> bool:
        return _try(current, name, candidate, holds)

    if type.kind in _UNORDERED:
        current[name] = next(filter(works, candidates), value)
        return
    if plain_works and all(map(works, candidates)):
        current[name] = plain_candidate
        return
    nearest = _nearest(candidates, type, works)
    if nearest is not None:
        current[name] = nearest
    elif plain_works:
        current[name] = plain_candidate


def _nearest(candidates: Sequence[Value], type: ArgumentType, works: Callable[[Value], bool]) -> Value:
    """The first candidate that works and has a neighbour that does not, else the first that works."""
    first: Value = None
    for candidate in candidates:
        if candidate is None or not works(candidate):
            continue
        if not all(map(works, neighbours(cast("Scalar", candidate), type.places))):
            return candidate
        first = candidate if first is None else first
    return first


def _size(value: Value) -> tuple[object, ...]:
    """A sort key: numbers by distance from zero, positive first; moments by that from the plain one."""
    if isinstance(value, int | Decimal):
        return abs(value), value < 0
    if isinstance(value, timedelta):
        return abs(value), value < timedelta(0)
    if isinstance(value, datetime):
        return abs(in_utc(value) - _PLAIN_MOMENT), in_utc(value)
    return (value,)


def _candidates(value: Value, type: ArgumentType, hints: Hints) -> list[Value]:
    match type.kind:
        case Kind.BOOL:
            return [False, True]
        case Kind.ENUM:
            return [*type.values]
        case Kind.STR:
            words = list(dict.fromkeys((*type.values, *hints.words)))[:_MOST_WORDS]
            return [*words, *_PLAIN_WORDS, *_shorter(value), value]
        case _:
            alike = [c for c in hints.ordered if _fits(c, type)]
            if type.kind is Kind.DECIMAL:
                alike = [Decimal(c) for c in alike if isinstance(c, int | Decimal)]
            alike += _so_long_from_plain(type, hints)
            around = [n for c in alike for n in (c, *neighbours(c, type.places))]
            near_values: dict[Value, None] = dict.fromkeys(v for v in (*around, value) if v is not None)
            return sorted(near_values, key=_size)[:_MOST_WORDS]


def _so_long_from_plain(type: ArgumentType, hints: Hints) -> list[Scalar]:
    """The times before and after the plain one by a duration that the policy names."""
    plain_time = plain_present(type)
    if not isinstance(plain_time, date):
        return []
    spans = [span for span in hints.ordered if isinstance(span, timedelta) and abs(span) < _MOST_SPAN]
    return [plain_time + sign * span for span in spans for sign in (-1, 1)]


def _fits(constant: Scalar, type: ArgumentType) -> bool:
    match type.kind:
        case Kind.INT:
            return isinstance(constant, int)
        case Kind.DECIMAL:
            return isinstance(constant, int | Decimal)
        case Kind.DATE:
            return isinstance(constant, date) and not isinstance(constant, datetime)
        case Kind.TIME:
            return isinstance(constant, time)
        case Kind.DURATION:
            return isinstance(constant, timedelta)
        case _:
            return isinstance(constant, datetime)


def _shorter(value: Value) -> Iterator[str]:
    """Yield plainer words made from an invented one."""
    if isinstance(value, str):
        for length in range(1, min(len(value), 12)):
            yield value[:length]
            yield value[-length:]


def _smaller_set(
    current: dict[str, Value],
    name: str,
    value: frozenset[str] | frozenset[int],
    type: ArgumentType,
    holds: Property,
    hints: Hints,
) -> frozenset[str] | frozenset[int]:
    # Elements are words or numbers; both are removed one by one, and only words are replaced by plainer ones.
    remaining = cast("frozenset[str]", value)
    for item in sorted(remaining):
        if _try(current, name, remaining - {item}, holds):
            remaining = remaining - {item}
    if type.element is not None:
        return remaining
    words = list(dict.fromkeys((*type.values, *hints.words)))[:_MOST_WORDS]
    for item in sorted(remaining):
        if item in type.values:
            continue
        for word in (*words, *_PLAIN_WORDS, *_shorter(item)):
            if word == item:
                break
            if word not in remaining and _try(current, name, (remaining - {item}) | {word}, holds):
                remaining = (remaining - {item}) | {word}
                break
    return remaining


def _move_moments(current: dict[str, Value], holds: Property) -> None:
    """Move all times to the plain one, as far apart as they are; else by whole weeks to its week."""
    moments = {name: value for name, value in current.items() if isinstance(value, datetime)}
    if not moments:
        return
    to_plain = _PLAIN_MOMENT - max(map(in_utc, moments.values()))
    week = timedelta(weeks=1)
    for by in dict.fromkeys((to_plain, to_plain // week * week)):
        try:
            moved = {**current, **{name: value + by for name, value in moments.items()}}
        except OverflowError:
            continue
        if holds(moved):
            current.update(moved)
            return


def _share_words(
    current: dict[str, Value], parameters: Sequence[Parameter], holds: Property, hints: Hints
) -> None:
    """Replace a word everywhere it occurs: for properties that need two equal words."""
    open_types = [p.type for p in parameters if p.type.kind is not Kind.ENUM]
    vocabulary = tuple(dict.fromkeys((*(word for type in open_types for word in type.values), *hints.words)))
    words = sorted(
        {word for p in parameters if p.type.kind is not Kind.ENUM for word in _words_in(current[p.name])}
    )
    for word in words:
        places = sum(word in _words_in(value) for value in current.values())
        if places < 2 or word in vocabulary:
            continue
        for other_word in (*vocabulary[:_MOST_WORDS], *_PLAIN_WORDS):
            renamed = {name: _renamed(value, word, other_word) for name, value in current.items()}
            if holds(renamed):
                current.update(renamed)
                break


def _words_in(value: Value) -> frozenset[str]:
    if isinstance(value, frozenset):
        return frozenset(item for item in value if isinstance(item, str))
    return frozenset({value}) if isinstance(value, str) else frozenset()


def _renamed(value: Value, old: str, new: str) -> Value:
    if isinstance(value, frozenset):
        return frozenset(new if item == old else item for item in cast("frozenset[str]", value))
    return new if value == old else value


class Leaves:
    """The single values of arguments, by names like ``payments[2].amount``.

    The presence of records and the lengths of lists do not change.
    """

    def __init__(self, parameters: Iterable[Parameter], arguments: Arguments) -> None:
        """Take arguments apart."""
        self._parameters = tuple(parameters)
        self._arguments = arguments
        leaves = [
            leaf
            for parameter in self._parameters
            for leaf in _leaves(parameter.name, parameter.type, arguments[parameter.name])
        ]
        self._owners = tuple(
            parameter
            for parameter in self._parameters
            for _ in _leaves(parameter.name, parameter.type, arguments[parameter.name])
        )
        self.parameters = tuple(parameter for parameter, _ in leaves)
        self.values = {parameter.name: value for parameter, value in leaves}
        self._last = [*self.values.values()], dict(arguments)

    def whole(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """The arguments with other single values; those without a change are the same objects."""
        before, arguments = self._last
        now = [values.get(name) for name in self.values]
        for owner in dict.fromkeys(compress(self._owners, map(is_not, now, before))):
            arguments[owner.name] = _whole(owner.name, owner.type, self._arguments[owner.name], values)
        self._last = now, arguments
        return dict(arguments)


def _leaves(path: str, type: ArgumentType, value: Value) -> Iterator[tuple[Parameter, Value]]:
    if type.record is not None:
        for name, field, held in _fields(type, value):
            yield from _leaves(f"{path}.{name}", field, held)
    elif isinstance(value, tuple) and type.element is not None:
        for place, element in enumerate(value):
            yield from _leaves(f"{path}[{place}]", type.element, element)
    elif type.element is None or isinstance(value, frozenset):
        yield Parameter(path, type), value


def _fields(type: ArgumentType, value: Value) -> Iterator[tuple[str, ArgumentType, Value]]:
    """The fields of a record with their types; none for a missing record."""
    if type.record is not None and isinstance(value, RecordValue):
        value_by_name = dict(value.fields)
        yield from ((name, field, value_by_name[name]) for name, field in type.record.fields)


def _whole(path: str, type: ArgumentType, value: Value, values: Mapping[str, Value]) -> Value:
    if isinstance(value, RecordValue):
        fields = (
            (name, _whole(f"{path}.{name}", field, held, values))
            for name, field, held in _fields(type, value)
        )
        return RecordValue(value.type, tuple(fields))
    if isinstance(value, tuple) and type.element is not None:
        inner = type.element
        return tuple(
            cast("Element", _whole(f"{path}[{place}]", inner, element, values))
            for place, element in enumerate(value)
        )
    return values.get(path, value)


def _smaller(type: ArgumentType, value: Value) -> Iterator[Value]:
    """Yield the value with fewer elements in one of its lists, or without one of its optional records."""
    if value is None:
        return
    if type.optional and (type.record is not None or isinstance(value, tuple)):
        yield None
    if isinstance(value, RecordValue):
        for name, field, held in _fields(type, value):
            for less in _smaller(field, held):
                yield replace(value, fields=tuple((n, less if n == name else v) for n, v in value.fields))
    elif isinstance(value, tuple) and type.element is not None:
        yield from _shorter_list(type.element, value)


def _shorter_list(type: ArgumentType, value: tuple[Element, ...]) -> Iterator[tuple[Element, ...]]:
    """Yield half of a list, then it without a smaller part, then without one element or with less in one."""
    size = max(len(value) // 2, 2)
    if size < len(value) - 1:
        yield from (value[size:], value[:size])
    while size > 1:
        size //= 2
        # without either of two equal parts it is the same list
        yield from dict.fromkeys((*value[:at], *value[at + size :]) for at in range(0, len(value), size))
    for place, element in enumerate(value):
        for less in _smaller(type, element):
            yield (*value[:place], cast("Element", less), *value[place + 1 :])
