"""Fits an extracted value to the argument's type: a single value, a list, a kind or a part of a value."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import AgentSpec, ArgumentType, Json, Kind, Provenance, Value
from workbench.runs.extract.options import Options
from workbench.runs.kinds.kinds_by_name import BadPart, check_part, kind_of, part_named
from workbench.runs.kinds.value_kind import BadOption, ValueKind
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import FoundValue
from workbench.runs.world.record_values import RecordValues


class Fitting:
    """Fits what a method found to the type of one argument."""

    def __init__(self, type_: ArgumentType, spec: AgentSpec, options: Options, values: RecordValues) -> None:
        """Read the options of the argument's kind. Raises WorkbenchError for a wrong one."""
        self.type = type_
        self._values = values
        # If the agent declares no zone, a naive time is taken as UTC.
        self._as_written = type_.kind is Kind.DATETIME and not spec.zone
        self._part = options.text("part")
        kind = self._kind(options)
        self._options: Mapping[str, Json] = {}
        if kind is None:
            return
        self._options = options.given_options([option.name for option in kind.options])
        try:
            values.reader(kind, self._options)
        except BadOption as error:
            raise options.error(str(error)) from None

    def _kind(self, options: Options) -> ValueKind | None:
        if self._part:
            try:
                check_part(self._part, self.type)
            except BadPart as error:
                raise options.error(str(error)) from None
            return part_named(self._part)[0]
        element = self.type.element
        return kind_of(self.type.record or (element.record if element is not None else None))

    def value(self, found_value: FoundValue) -> Value:
        """The value in the argument's type; raises Missing if it does not fit."""
        if found_value.fitted is not None or found_value.state:
            return found_value.fitted
        if self._as_written and not self._part:
            return coerce(found_value.value, self.type)
        return self._values.value(found_value.value, self.type, self._part, self._options)

    def items(self, found_value: FoundValue) -> Mapping[str, tuple[Provenance, ...]]:
        """The places of the elements of a set, also if the elements are parts of the extracted texts."""
        items = found_value.items or {}
        if not self._part or not items:
            return items
        places: dict[str, tuple[Provenance, ...]] = {}
        for text, provenance in items.items():
            members = self._values.value(
                text, ArgumentType(Kind.SET, element=self.type.element), self._part, self._options
            )
            for member in members if isinstance(members, frozenset) else ():
                places[str(member)] = (*places.get(str(member), ()), *provenance)
        return places
