"""The extraction methods by name. Methods that need further packages are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.model import AgentSpec, Argument, Demonstration
from workbench.runs.extract.history import history
from workbench.runs.extract.jsonpath import jsonpath
from workbench.runs.extract.nearest import nearest_example
from workbench.runs.extract.options import Options
from workbench.runs.extract.phrases import phrases
from workbench.runs.extract.records import difference, now, record, record_state, records
from workbench.runs.extract.simple_methods import constant, field, regex
from workbench.runs.extract.source import source
from workbench.runs.extract.vocabulary import vocabulary
from workbench.runs.values.found_value import Method
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
    from workbench.runs.extract.columns_of_code import code_columns

    return code_columns(argument, spec, options)


def _sql(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    from workbench.runs.extract.columns_of_code import sql

    return sql(argument, spec, options)


def _embedding(
    argument: Argument, spec: AgentSpec, options: Options, memory: Sequence[Demonstration] | None
) -> Method:
    from workbench.runs.extract.embedding import embedding

    return embedding(argument, spec, options, memory)


METHODS: Mapping[str, Prepare] = {
    "code_columns": _code_columns,
    "constant": constant,
    "field": field,
    "now": now,
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
