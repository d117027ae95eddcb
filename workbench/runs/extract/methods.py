"""The extraction methods by name. A method is imported on first use, so that a guard loads those it needs.

Only ``jsonpath``, by which the other methods find their texts too, is always there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

from workbench.model import AgentSpec, Argument, Demonstration, RecordedCall
from workbench.runs.extract.jsonpath import jsonpath
from workbench.runs.extract.model_method import ModelMethod, Reader
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import FoundValue, Method, Missing
from workbench.runs.world.record_of_call import RecordFinder

if TYPE_CHECKING:
    from workbench.runs.extract.expression import ExpressionsOfAgent

type Prepare = Callable[[Argument, AgentSpec, Options], Method]
# Methods that learn from examples may get the session's memory; it is None without a session. Methods that
# read the world of a run get the finder of its records.
type PrepareFinding = Callable[[Argument, AgentSpec, Options, RecordFinder], Method]
type PrepareTaught = Callable[[Argument, AgentSpec, Options, Sequence[Demonstration] | None], Method]

# Methods that evaluate expressions over calls and runs share the reader of the agent's calls.
type PrepareOfCalls = Callable[[Argument, Options, ExpressionsOfAgent], Method]


def _imported(module: str, name: str) -> Callable[..., Method]:
    """The method with a name in a module of this package, which is imported when a method is prepared."""

    def prepare(*needed: object) -> Method:
        return cast("Method", getattr(import_module(f"{__package__}.{module}"), name)(*needed))

    return prepare


MODEL = "model"
"""The only method that needs a reader to ask."""

METHODS: Mapping[str, Prepare] = {
    "code_columns": _imported("columns_of_code", "code_columns"),
    "constant": _imported("simple_methods", "constant"),
    "field": _imported("simple_methods", "field"),
    "json": _imported("simple_methods", "json_value"),
    "now": _imported("records", "now"),
    "regex": _imported("simple_methods", "regex"),
}

TAUGHT: Mapping[str, PrepareTaught] = {
    "embedding": _imported("embedding", "embedding"),
    "nearest": _imported("nearest", "nearest_example"),
    "phrases": _imported("phrases", "phrases"),
}

OF_CALLS: Mapping[str, PrepareOfCalls] = {"expression": _imported("expression", "expression")}

FINDING: Mapping[str, PrepareFinding] = {
    "difference": _imported("records", "difference"),
    "history": _imported("history", "history"),
    "jsonpath": jsonpath,
    "record": _imported("records", "record"),
    "records": _imported("records", "records"),
}


def text_method(
    argument: Argument,
    spec: AgentSpec,
    options: Options,
    reader: Reader | None,
    memory: Sequence[Demonstration] | None,
    *,
    alone: bool = False,
) -> Method:
    """The method that the options are of, which reads a call without its run.

    With ``alone`` a model is asked for this value alone, whatever else is read of the same text.
    """
    if options.method == MODEL:
        return ModelMethod(argument, spec, options, reader, alone=alone)
    if options.method in TAUGHT:
        return TAUGHT[options.method](argument, spec, options, memory)
    return METHODS[options.method](argument, spec, options)


def without_package(package: str) -> Method:
    """The method if a needed package is not installed: it raises Missing for every call."""

    def extract(_call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        raise Missing(needs_package(package))

    return extract


def needs_package(package: str) -> str:
    """The reason why a value cannot be read without the package."""
    return f"reading it needs the package {package.partition('.')[0]}, which is not installed here"
