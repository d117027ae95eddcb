"""Readings of texts by the methods of extraction, ready to be applied to any text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from workbench.model import (
    AgentSpec,
    Argument,
    Demonstration,
    RecordedCall,
    TextReading,
    Value,
)
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.texts import ReadText
from workbench.runs.extract.fitting import Fitting
from workbench.runs.extract.methods import needs_package, text_method, without_package
from workbench.runs.extract.model_method import ModelMethod, Reader, WantedValue
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Missing
from workbench.runs.world.record_values import RecordValues

LONGEST = 1_000_000
"""The most characters of a text that is read."""
_TEXT = "the text"
"""The name of the text that is read, in reasons."""
_SHORT = 20_000
_NOT_OF_READINGS = ("text", "tools", "when", "elsewhere")
"""Options that say which text is meant, which a policy says."""


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
        extraction, argument = reading.extraction, Argument(reading.name, reading.type, reading.description)
        options = Options(
            reading.name, extraction.method, {**extraction.options, "text": _TEXT}, of="reading"
        )
        for name in _NOT_OF_READINGS:
            if name in extraction.options:
                raise options.error(
                    f"{name!r} is no option of a reading; the policy says which text it reads"
                )
        self._minimum = options.number("confidence")
        self._fitting = Fitting(reading.type, spec, options, values)
        try:
            self._method = text_method(argument, spec, options, reader, memory, alone=True)
            options.done()
        except ModuleNotFoundError as error:
            self._method = without_package(error.name or "")
        short, long = lru_cache(maxsize=512)(self._read), lru_cache(maxsize=8)(self._read)
        self._kept: Callable[[str], ReadText] = lambda text: (short if len(text) <= _SHORT else long)(text)

    def of(self, text: str) -> ReadText:
        """What the reading gives for a text; undetermined, with the reason, if it gives nothing."""
        if len(text) > LONGEST:
            return _nothing(f"the text is longer than {LONGEST:,} characters")
        return self._read(text) if isinstance(self._method, ModelMethod) else self._kept(text)

    def wanted(self, text: str) -> WantedValue | None:
        """The request to the model about a text; None if no model reads it."""
        if not isinstance(self._method, ModelMethod):
            return None
        try:
            return self._method.wanted_values(_call(text))[0]
        except Missing:
            return None

    @property
    def asks_model(self) -> bool:
        """Whether a model reads the texts."""
        return isinstance(self._method, ModelMethod)

    def _read(self, text: str) -> ReadText:
        try:
            found = self._method(_call(text), ())
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


def _call(text: str) -> RecordedCall:
    """A call whose only text this is, for methods that read the texts of calls."""
    return RecordedCall("", 0, None, None, {_TEXT: text})


def _nothing(reason: str) -> ReadText:
    return ReadText(Undetermined(frozenset({reason})))


def prepared_readings(
    spec: AgentSpec,
    reader: Reader | None,
    memory: Sequence[Demonstration] | None,
    values: RecordValues,
) -> Mapping[str, PreparedReading]:
    """The readings of an agent by name; raises WorkbenchError for a wrong option."""
    return {one.name: PreparedReading(one, spec, reader, memory, values) for one in spec.readings}
