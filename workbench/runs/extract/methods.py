"""The methods of readings by name. One is imported on first use, so that a guard loads those it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import cast

from workbench.model import Demonstration, TextReading
from workbench.runs.extract.model_method import ModelMethod, Reader
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import ReadsRegion

type Prepare = Callable[[TextReading, Options], ReadsRegion]
# Methods that learn from examples may get the session's memory; it is None without a session.
type PrepareTaught = Callable[[TextReading, Options, Sequence[Demonstration] | None], ReadsRegion]


def _imported(module: str, name: str) -> Callable[..., ReadsRegion]:
    """The method with a name in a module of this package, which is imported when a method is prepared."""

    def prepare(*needed: object) -> ReadsRegion:
        return cast("ReadsRegion", getattr(import_module(f"{__package__}.{module}"), name)(*needed))

    return prepare


MODEL = "model"
"""The only method that needs a reader to ask."""

METHODS: Mapping[str, Prepare] = {
    "field": _imported("simple_methods", "field"),
    "json": _imported("simple_methods", "json_value"),
    "regex": _imported("simple_methods", "regex"),
}

TAUGHT: Mapping[str, PrepareTaught] = {
    "embedding": _imported("embedding", "embedding"),
    "nearest": _imported("nearest", "nearest_example"),
    "phrases": _imported("phrases", "phrases"),
}


def text_method(
    reading: TextReading, options: Options, reader: Reader | None, memory: Sequence[Demonstration] | None
) -> ReadsRegion:
    """The method of a reading."""
    method = reading.extraction.method
    if method == MODEL:
        return ModelMethod(reading, options, reader)
    if method in TAUGHT:
        return TAUGHT[method](reading, options, memory)
    return METHODS[method](reading, options)
