"""Validation of arguments against their types: a value that does not fit cannot be evaluated.

``policy.fitting`` has the conversions, which are the same in extraction from a log and in an exported policy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple, cast

from workbench.model import Arguments, ArgumentType, Between, Kind, RecordValue, Value
from workbench.policy.evaluate import in_utc
from workbench.policy.fitting import FITTING, LARGEST_EXPONENT, LONGEST_DURATION
from workbench.policy.terms import Parameter
from workbench.policy.types import set_element
from workbench.policy.written import OWN_NAMES, ArgumentWords

__all__ = ["LARGEST_EXPONENT", "LONGEST_DURATION", "Fit", "Read", "Validator", "described_type"]

# Takes a value and returns it as the policy reads it; raises _MISFIT with the reason if it does not fit.
type Fit = Callable[[object], Value]
type Described = tuple[object, ...]

_FIT = cast("Callable[[Described, type[_Nouns]], Fit]", FITTING["fit"])
_KNOWN_FIELDS = cast("Callable[[Described, type[_Nouns]], Fit]", FITTING["known_fields"])
_SHOWN = cast("Callable[[object], str]", FITTING["shown"])
_MISFIT = cast("type[Exception]", FITTING["misfit"])
_NONE = frozenset[str]()
_WITH_PARTS = (Kind.RECORD, Kind.LIST, Kind.SET)


class _Nouns:
    """Records and instants as nouns: their form in the workbench, for policies and for callers."""

    in_utc = staticmethod(in_utc)

    @staticmethod
    def fields_of(value: object, name: str) -> tuple[tuple[str, Value], ...]:
        """The fields of a record of a type."""
        if type(value) is not RecordValue:
            raise _MISFIT(f"{_SHOWN(value)}, not a record of type {name}")
        if value.type != name:
            raise _MISFIT(f"is a record of type {value.type}, not {name}")
        return value.fields

    @staticmethod
    def record(name: str, fields: Mapping[str, Value]) -> RecordValue:
        """A record of its type and its fields, in the order of the type."""
        return RecordValue(name, tuple(fields.items()))

    part = record


def described_type(kind: ArgumentType) -> Described:
    """A type as a tuple: kind, values, whether optional, places, and its element or record."""
    inner: object = None
    if kind.record is not None:
        inner = (
            kind.record.name,
            tuple((name, described_type(argument_type)) for name, argument_type in kind.record.fields),
        )
    elif kind.kind is Kind.LIST and kind.element is not None:
        inner = described_type(kind.element)
    elif kind.kind is Kind.SET:
        inner = set_element(kind).kind.value
    values = kind.values if kind.kind is Kind.ENUM else ()
    return (kind.kind.value, values, kind.optional, kind.places, inner)


class Read(NamedTuple):
    """An input as a policy reads it: the values that fit their types, and why each other argument has none.

    ``outside`` names the arguments whose value is none of their enum: the policy speaks of no such input.
    """

    values: dict[str, Value]
    why: Mapping[str, str]
    outside: frozenset[str]


class Validator:
    """Checks a mapping of arguments against the parameters of a policy."""

    def __init__(self, parameters: tuple[Parameter, ...], words: ArgumentWords = OWN_NAMES) -> None:
        """Prepare one test for each parameter; ``words`` are for the reasons."""
        self._words = words
        self._types = {parameter.name: parameter.type for parameter in parameters}
        self._fits = [
            (
                parameter.name,
                parameter.type.optional,
                parameter.type.kind in _WITH_PARTS,
                _FIT(described_type(parameter.type), _Nouns),
            )
            for parameter in parameters
        ]
        self._enums = frozenset(
            parameter.name for parameter in parameters if parameter.type.kind is Kind.ENUM
        )
        # A value that fits cannot be changed, so the same object fits again: tried inputs differ in little.
        # For values without parts that costs more than it saves.
        self._fitted: dict[str, tuple[object, Value]] = {}

    @cached_property
    def _known_fields(self) -> Mapping[str, Fit]:
        return {
            name: _KNOWN_FIELDS(described_type(kind), _Nouns)
            for name, kind in self._types.items()
            if kind.kind is Kind.RECORD
        }

    def what_is_known(self, name: str, between: Between | None) -> Between | None:
        """What is known of an argument without a value: of a record, the fields that fit their types."""
        if not isinstance(between, RecordValue):
            return between
        try:
            return cast("RecordValue", self._known_fields[name](between))
        except (_MISFIT, KeyError):
            return None

    @property
    def fits(self) -> dict[str, Fit]:
        """The test of each argument, which raises if a value other than None does not fit."""
        return {name: fit for name, _, _, fit in self._fits}

    def __call__(self, arguments: Arguments) -> tuple[list[Value], list[str]]:
        """The values in the order of the parameters, and the reasons why values do not fit."""
        read = self.read(arguments)
        return list(read.values.values()), list(read.why.values())

    def read(self, arguments: Arguments) -> Read:
        """The arguments that have a value of their type, and the reasons why others have none."""
        values: dict[str, Value] = {}
        why: dict[str, str] = {}
        for name, optional, has_parts, fit in self._fits:
            if name not in arguments:
                why[name] = f"The argument `{self._words.of(name)}` is missing."
                continue
            value = arguments[name]
            if value is None and optional:
                values[name] = None
                continue
            if has_parts and (known_fit := self._fitted.get(name)) is not None and known_fit[0] is value:
                values[name] = known_fit[1]
                continue
            try:
                values[name] = fitted = fit(value)
            except _MISFIT as misfit:
                why[name] = f"The argument `{self._words.of(name)}` {misfit}."
            else:
                if has_parts:
                    self._fitted[name] = (value, fitted)
        if not why:
            return Read(values, why, _NONE)
        return Read(values, why, self._enums & {name for name in why if arguments.get(name) is not None})
