"""The extraction methods by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from workbench.extract.code_calls import python
from workbench.extract.code_columns import code_columns, sql
from workbench.extract.embedding import embedding
from workbench.extract.found import Method
from workbench.extract.history import history
from workbench.extract.jsonpath import jsonpath
from workbench.extract.nearest import nearest
from workbench.extract.options import Options
from workbench.extract.phrases import phrases
from workbench.extract.plain import constant, field, regex
from workbench.extract.vocabulary import vocabulary
from workbench.model import AgentSpec, Argument, Demonstration

type Prepare = Callable[[Argument, AgentSpec, Options], Method]
# Methods that learn from examples may be given the session's memory; None where there is no session.
type PrepareTaught = Callable[[Argument, AgentSpec, Options, Sequence[Demonstration] | None], Method]

METHODS: Mapping[str, Prepare] = {
    "code_columns": code_columns,
    "constant": constant,
    "field": field,
    "history": history,
    "jsonpath": jsonpath,
    "phrases": phrases,
    "python": python,
    "regex": regex,
    "sql": sql,
    "vocabulary": vocabulary,
}

TAUGHT: Mapping[str, PrepareTaught] = {
    "embedding": embedding,
    "nearest": nearest,
}
