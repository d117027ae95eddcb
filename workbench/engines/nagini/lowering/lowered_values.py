"""Values of a lowered program as arguments of its policy."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from workbench.engines.nagini.lowering.lowered_pieces import ranges, scale_of
from workbench.engines.nagini.lowering.numbers import ordinal
from workbench.engines.nagini.lowering.string_codes import StringFamilies, StringFamily
from workbench.model import ArgumentType, Kind, Value
from workbench.policy.terms import Parameter, PolicyTerms
from workbench.policy.types import LONGEST_DURATION

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXTS = {Kind.STR, Kind.ENUM, Kind.SET}
_MICROSECOND = timedelta(microseconds=1)
_DAY = 24 * 60 * 60 * 1_000_000
_FIRST = int(ordinal(datetime.min))
_LAST = int(ordinal(datetime.max))
LIMITS: Mapping[Kind, tuple[int, int]] = {
    Kind.DATE: (date.min.toordinal(), date.max.toordinal()),
    Kind.TIME: (0, 24 * 60 * 60 * 1_000_000 - 1),
    Kind.DATETIME: (_FIRST, _LAST),
    Kind.DURATION: (-(LONGEST_DURATION // _MICROSECOND), LONGEST_DURATION // _MICROSECOND),
}


class Values:
    """Decodes the arguments of one program.

    The arguments are flat (``policy.flat``); ``names`` maps those that the program has to their names in it.
    """

    def __init__(
        self,
        terms: PolicyTerms,
        arguments: tuple[Parameter, ...],
        strings: StringFamilies,
        names: Mapping[str, str],
    ) -> None:
        self.terms = terms
        self.arguments = arguments
        self.strings = strings
        self.names = names

    def domain(self, argument: Parameter) -> str:
        """The condition that every encoded value of an argument meets; ``True`` if there is none."""
        text = self.names[argument.name]
        kind = argument.type.kind
        if kind in LIMITS:
            low, high = LIMITS[kind]
            if kind is Kind.DATETIME:  # the first and last moments of other zones lie up to a day beyond
                low, high = low - _DAY, high + _DAY
            return f"({low}) <= {text} and {text} <= {high}"
        if kind is Kind.ENUM:
            family = self.strings.family(("", argument.name))
            return ranges((family.codes[value] for value in argument.type.values), text)
        if kind in {Kind.STR, Kind.SET}:
            return self._codes_of(argument, text)
        return "True"

    def _codes_of(self, argument: Parameter, text: str) -> str:
        """The condition that a parameter has only codes of its family.

        If strings of the family are only compared with each other, every number is the code of some string.
        """
        family = self.strings.family(("", argument.name))
        if family.alike:
            return "True"
        every = range(1, len(family.words) + 1)
        if argument.type.kind is Kind.STR:
            return ranges(every, text)
        return f"Forall(int, lambda element: Implies(element in {text}, {ranges(every, 'element')}))"

    def codes(self, name: str) -> int:
        """The number of codes of a parameter of the program; 0 if it carries no string."""
        for argument in self.arguments:
            if self.names.get(argument.name) == name and argument.type.kind in _TEXTS:
                return len(self.strings.family(("", argument.name)).words)
        return 0

    def decode(self, model: Mapping[str, int | bool | frozenset[int] | None]) -> dict[str, Value]:
        """Arguments for the program's values; values missing in the model are replaced by plain ones."""
        return {
            argument.name: self._value(argument, self.names.get(argument.name, ""), model)
            for argument in self.arguments
        }

    def _value(
        self, argument: Parameter, name: str, model: Mapping[str, int | bool | frozenset[int] | None]
    ) -> Value:
        model_value = model.get(name)
        if argument.type.optional and model.get(f"{name}_missing", model_value is None):
            return None
        if argument.type.kind is Kind.SET:
            elements = model_value if isinstance(model_value, frozenset) else frozenset[int]()
            return frozenset(self._word(argument, element) for element in elements)
        if argument.type.kind is Kind.BOOL:
            return bool(model_value)
        if argument.type.kind in {Kind.STR, Kind.ENUM}:
            return self._word(argument, model_value if isinstance(model_value, int) else None)
        number = model_value if isinstance(model_value, int) else None
        return _decoded(argument.type, scale_of(self.terms, argument.type), number)

    def _word(self, argument: Parameter, code: int | None) -> str:
        family = self.strings.family(("", argument.name)) if argument.name in self.names else StringFamily()
        allowed = argument.type.values if argument.type.kind is Kind.ENUM else family.words
        if code is not None and 1 <= code <= len(family.words) and family.words[code - 1] in allowed:
            return family.words[code - 1]
        return next(iter((*argument.type.values, *reversed(allowed))), "other")


def _decoded(kind: ArgumentType, scale: int, model_number: int | None) -> Value:
    number = model_number or 0
    match kind.kind:
        case Kind.DECIMAL:
            return Decimal((1 if number < 0 else 0, tuple(map(int, str(abs(number)))), -scale))
        case Kind.DATE:
            return date(2026, 1, 1) if model_number is None else date.fromordinal(_clamp(kind.kind, number))
        case Kind.TIME:
            return (_EPOCH + _clamp(kind.kind, number) * _MICROSECOND).time()
        case Kind.DATETIME:
            moment = datetime(2026, 1, 1, tzinfo=UTC)
            return moment if model_number is None else _EPOCH + _clamp(kind.kind, number) * _MICROSECOND
        case Kind.DURATION:
            return _clamp(kind.kind, number) * _MICROSECOND
        case _:
            return number


def _clamp(kind: Kind, number: int) -> int:
    low, high = LIMITS[kind]
    return min(max(number, low), high)
