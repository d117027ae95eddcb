"""Readings of texts by their methods, ready to be applied to any text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import cast

from workbench.model import AgentSpec, ArgumentType, Demonstration, Json, Kind, Provenance, TextReading, Value
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.texts import ReadText
from workbench.runs.extract.model_method import ModelMethod, Reader, WantedText
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import ReadsRegion, TextRegion
from workbench.runs.kinds.kinds_by_name import BadPart, check_part, kind_of, part_named
from workbench.runs.kinds.value_kind import ValueKind
from workbench.runs.values.coerce import coerce
from workbench.runs.values.described_option import BadOption
from workbench.runs.values.found_value import FoundValue, Missing, needs_package
from workbench.runs.world.record_values import RecordValues

LONGEST = 1_000_000
"""The most characters of a text that is read."""
_SHORT = 20_000


class _Fitting:
    """Fits what a method found to the type of the reading."""

    def __init__(self, type_: ArgumentType, spec: AgentSpec, options: Options, values: RecordValues) -> None:
        """Read the options of the type's kind. Raises WorkbenchError for a wrong one."""
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
        """The value in the reading's type; raises Missing if it does not fit."""
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


class PreparedReading:
    """A reading with its method. What a method other than a model gives for the latest texts is kept."""

    def __init__(
        self,
        reading: TextReading,
        spec: AgentSpec,
        reader: Reader | None,
        memory: Sequence[Demonstration] | None,
        values: RecordValues,
    ) -> None:
        """Prepare the method; raises WorkbenchError for a wrong option."""
        options = Options(reading.name, reading.extraction)
        self._minimum = options.number("confidence")
        self._fitting = _Fitting(reading.type, spec, options, values)
        try:
            self._method = text_method(reading, options, reader, memory)
            options.done()
        except ModuleNotFoundError as error:
            self._method = _without_package(error.name or "")
        short, long = lru_cache(maxsize=512)(self._read), lru_cache(maxsize=8)(self._read)
        self._kept: Callable[[str], ReadText] = lambda text: (short if len(text) <= _SHORT else long)(text)

    def of(self, text: str) -> ReadText:
        """What the reading gives for a text; undetermined, with the reason, if it gives nothing."""
        if len(text) > LONGEST:
            return _nothing(f"the text is longer than {LONGEST:,} characters")
        return self._read(text) if isinstance(self._method, ModelMethod) else self._kept(text)

    def wanted(self, text: str) -> WantedText | None:
        """The request to the model about a text; None if no model reads it."""
        if not isinstance(self._method, ModelMethod):
            return None
        try:
            return self._method.wanted(TextRegion.of_whole(text))
        except Missing:
            return None

    @property
    def by_model(self) -> ModelMethod | None:
        """The method, if a model reads the texts."""
        return self._method if isinstance(self._method, ModelMethod) else None

    def _read(self, text: str) -> ReadText:
        try:
            found = self._method(TextRegion.of_whole(text))
            confidence = min((place.confidence for place in found.provenance), default=1.0)
            if confidence < self._minimum:
                return _nothing(f"it is not sure enough ({confidence:.2f} of {self._minimum:.2f} needed)")
            value: Value = self._fitting.value(found)
        except Missing as missing:
            return _nothing(str(missing))
        except ModuleNotFoundError as error:
            return _nothing(needs_package(error.name or ""))
        except Exception as error:
            # A text is hostile: an error in a parser of it must neither stop the replay nor allow the call.
            return _nothing(f"it could not be read ({type(error).__name__})")
        return ReadText(value, found.provenance, self._fitting.items(found))


def _without_package(package: str) -> ReadsRegion:
    """What reads a text if a needed package is not installed: it raises Missing for every text."""

    def read(_text: TextRegion) -> FoundValue:
        raise Missing(needs_package(package))

    return read


def _nothing(reason: str) -> ReadText:
    return ReadText(Undetermined(frozenset({reason})))


def prepared_readings(
    spec: AgentSpec,
    reader: Reader | None,
    memory: Sequence[Demonstration] | None,
    values: RecordValues,
) -> Mapping[str, PreparedReading]:
    """The readings of an agent by name; raises WorkbenchError for a wrong option."""
    prepared = {one.name: PreparedReading(one, spec, reader, memory, values) for one in spec.readings}
    together: dict[object, list[ModelMethod]] = {}
    for one in spec.readings:
        method = prepared[one.name].by_model
        if method is not None:
            together.setdefault((frozenset(one.texts), method.region), []).append(method)
    for methods in together.values():
        ModelMethod.ask_together(methods)
    return prepared


def check_readings(spec: AgentSpec) -> None:
    """Raise WorkbenchError for a reading with a wrong option."""
    prepared_readings(spec, None, None, RecordValues(spec.records, spec.zone, spec.schema))


# --- the methods of readings by name; one is imported on first use, so that a guard loads those it needs

MODEL = "model"
"""The only method that needs a reader to ask."""
_SIMPLE = {"field": "field", "json": "json_value", "regex": "regex"}
"""The functions that prepare the simple methods."""
_TAUGHT = {"embedding": "embedding", "nearest": "nearest_example", "phrases": "phrases"}
"""Those of methods that learn from examples, each in a module of its name.

They get the session's memory too; it is None without a session.
"""


def text_method(
    reading: TextReading, options: Options, reader: Reader | None, memory: Sequence[Demonstration] | None
) -> ReadsRegion:
    """The method of a reading."""
    method = reading.extraction.method
    if method == MODEL:
        return ModelMethod(reading, options, reader)
    if method in _TAUGHT:
        taught = getattr(import_module(f"{__package__}.{method}"), _TAUGHT[method])
        return cast("ReadsRegion", taught(reading, options, memory))
    simple = getattr(import_module(f"{__package__}.simple_methods"), _SIMPLE[method])
    return cast("ReadsRegion", simple(reading, options))
