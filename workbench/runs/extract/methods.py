"""The extraction methods by name. A method is imported on first use, so that a guard loads those it needs.

Only ``jsonpath``, by which the other methods find their texts too, is always there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

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


def _code_columns(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.columns_of_code import code_columns

    return code_columns(argument, spec, options)


def _constant(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.simple_methods import constant

    return constant(argument, spec, options)


def _field(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.simple_methods import field

    return field(argument, spec, options)


def _json(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.simple_methods import json_value

    return json_value(argument, spec, options)


def _now(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.records import now

    return now(argument, spec, options)


def _regex(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.simple_methods import regex

    return regex(argument, spec, options)


def _source(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.source import source

    return source(argument, spec, options)


def _sql(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.columns_of_code import sql

    return sql(argument, spec, options)


def _vocabulary(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.vocabulary import vocabulary

    return vocabulary(argument, spec, options)


def _embedding(
    argument: Argument, spec: AgentSpec, options: Options, memory: Sequence[Demonstration] | None
) -> Method:
    from workbench.runs.extract.embedding import embedding

    return embedding(argument, spec, options, memory)


def _nearest(
    argument: Argument, spec: AgentSpec, options: Options, memory: Sequence[Demonstration] | None
) -> Method:
    from workbench.runs.extract.nearest import nearest_example

    return nearest_example(argument, spec, options, memory)


def _phrases(
    argument: Argument, spec: AgentSpec, options: Options, memory: Sequence[Demonstration] | None
) -> Method:
    from workbench.runs.extract.phrases import phrases

    return phrases(argument, spec, options, memory)


def _difference(argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    from workbench.runs.extract.records import difference

    return difference(argument, spec, options, finder)


def _history(argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    from workbench.runs.extract.history import history

    return history(argument, spec, options, finder)


def _record(argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    from workbench.runs.extract.records import record

    return record(argument, spec, options, finder)


def _record_state(argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    from workbench.runs.extract.records import record_state

    return record_state(argument, spec, options, finder)


def _records(argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    from workbench.runs.extract.records import records

    return records(argument, spec, options, finder)


def _expression(argument: Argument, options: Options, agent: ExpressionsOfAgent) -> Method:
    from workbench.runs.extract.expression import expression

    return expression(argument, options, agent)


MODEL = "model"
"""The only method that needs a reader to ask."""

METHODS: Mapping[str, Prepare] = {
    "code_columns": _code_columns,
    "constant": _constant,
    "field": _field,
    "json": _json,
    "now": _now,
    "regex": _regex,
    "source": _source,
    "sql": _sql,
    "vocabulary": _vocabulary,
}

TAUGHT: Mapping[str, PrepareTaught] = {
    "embedding": _embedding,
    "nearest": _nearest,
    "phrases": _phrases,
}

OF_CALLS: Mapping[str, PrepareOfCalls] = {"expression": _expression}

FINDING: Mapping[str, PrepareFinding] = {
    "difference": _difference,
    "history": _history,
    "jsonpath": jsonpath,
    "record": _record,
    "record_state": _record_state,
    "records": _records,
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
