"""The extraction methods by name. Methods that need further packages are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.model import AgentSpec, Argument, Demonstration, RecordedCall
from workbench.runs.extract.history import history
from workbench.runs.extract.jsonpath import jsonpath
from workbench.runs.extract.model_method import ModelMethod, Reader
from workbench.runs.extract.nearest import nearest_example
from workbench.runs.extract.options import Options
from workbench.runs.extract.phrases import phrases
from workbench.runs.extract.records import difference, now, record, record_state, records
from workbench.runs.extract.simple_methods import constant, field, json_value, regex
from workbench.runs.extract.source import source
from workbench.runs.extract.vocabulary import vocabulary
from workbench.runs.values.found_value import FoundValue, Method, Missing
from workbench.runs.world.record_of_call import RecordFinder

if TYPE_CHECKING:
    from workbench.runs.expressions.evaluator import Evaluator

type Prepare = Callable[[Argument, AgentSpec, Options], Method]
# Methods that learn from examples may get the session's memory; it is None without a session. Methods that
# read the world of a run get the finder of its records.
type PrepareFinding = Callable[[Argument, AgentSpec, Options, RecordFinder], Method]
type PrepareTaught = Callable[[Argument, AgentSpec, Options, Sequence[Demonstration] | None], Method]

# Methods that evaluate expressions over calls and runs share the reader of the agent's calls.
type PrepareOfCalls = Callable[[Argument, Options, Evaluator], Method]


def _code_columns(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.code_columns import code_columns

    return code_columns(argument, spec, options)


def _python(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.code_calls import python

    return python(argument, spec, options)


def _sql(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.code_columns import sql

    return sql(argument, spec, options)


def _embedding(
    argument: Argument, spec: AgentSpec, options: Options, memory: Sequence[Demonstration] | None
) -> Method:
    from workbench.runs.extract.embedding import embedding

    return embedding(argument, spec, options, memory)


MODEL = "model"
"""The only method that needs a reader to ask."""

METHODS: Mapping[str, Prepare] = {
    "code_columns": _code_columns,
    "constant": constant,
    "field": field,
    "now": now,
    "python": _python,
    "json": json_value,
    "regex": regex,
    "source": source,
    "sql": _sql,
    "vocabulary": vocabulary,
}

TAUGHT: Mapping[str, PrepareTaught] = {
    "embedding": _embedding,
    "nearest": nearest_example,
    "phrases": phrases,
}


def _expression(argument: Argument, options: Options, agent: Evaluator) -> Method:
    from workbench.runs.extract.expression import expression

    return expression(argument, options, agent)


OF_CALLS: Mapping[str, PrepareOfCalls] = {"expression": _expression}

FINDING: Mapping[str, PrepareFinding] = {
    "difference": difference,
    "history": history,
    "jsonpath": jsonpath,
    "record": record,
    "record_state": record_state,
    "records": records,
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
