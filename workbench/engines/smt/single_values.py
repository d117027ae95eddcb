"""Arguments taken apart: the single values in records and lists, and smaller lists and records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import is_
from typing import cast

from workbench.model import Arguments, ArgumentType, Element, RecordValue, Value
from workbench.policy.terms import Parameter

_ABSENT = object()


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
        self._wholes: dict[str, tuple[tuple[object, ...], Value]] = {}
        self._within = {
            parameter.name: tuple(
                leaf.name for leaf, _ in _leaves(parameter.name, parameter.type, arguments[parameter.name])
            )
            for parameter in self._parameters
        }
        self.parameters = tuple(parameter for parameter, _ in leaves)
        self.values = {parameter.name: value for parameter, value in leaves}

    def whole(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """The arguments with other single values."""
        return {
            **self._arguments,
            **{parameter.name: self._whole(parameter, values) for parameter in self._parameters},
        }

    def _whole(self, parameter: Parameter, values: Mapping[str, Value]) -> Value:
        """One argument; the same object as before if its single values are the same."""
        name = parameter.name
        leaf_values = tuple([values.get(leaf, _ABSENT) for leaf in self._within[name]])
        known_whole = self._wholes.get(name)
        if known_whole is None or not all(map(is_, known_whole[0], leaf_values)):
            argument = _whole(name, parameter.type, self._arguments[name], values)
            known_whole = self._wholes[name] = leaf_values, argument
        return known_whole[1]


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


def smaller(type: ArgumentType, value: Value) -> Iterator[Value]:
    """Yield the value with fewer elements in one of its lists, or without one of its optional records."""
    if value is None:
        return
    if type.optional and (type.record is not None or isinstance(value, tuple)):
        yield None
    if isinstance(value, RecordValue):
        for name, field, held in _fields(type, value):
            for less in smaller(field, held):
                yield replace(value, fields=tuple((n, less if n == name else v) for n, v in value.fields))
    elif isinstance(value, tuple) and type.element is not None:
        yield from _shorter(type.element, value)


def _shorter(type: ArgumentType, value: tuple[Element, ...]) -> Iterator[tuple[Element, ...]]:
    """Yield half of a list, then all but one of its elements, then the list with less in one element."""
    half = len(value) // 2
    if half > 1:
        yield from (value[half:], value[:half])
    for place in range(len(value)):
        yield (*value[:place], *value[place + 1 :])
    for place, element in enumerate(value):
        for less in smaller(type, element):
            yield (*value[:place], cast("Element", less), *value[place + 1 :])
