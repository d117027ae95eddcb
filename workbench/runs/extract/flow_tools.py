"""The agent's own functions in the static data flow: what their calls read, by their roles."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_values import (
    COMPUTED,
    NOTHING,
    PLAIN,
    STORED,
    Data,
    FlowOrigin,
    FlowSite,
    FlowValues,
    LoadedTable,
    Text,
)
from workbench.runs.values.found_value import Missing

# Numbers, words, dates and arithmetic: no quotes, and no word before a bracket, as in a call.
_HARMLESS = re.compile(r"(?:[\w.,:+*/%= -]|(?<!\w)(?<!\w )\(|\))*")


class Tools:
    """Follows calls of the functions that the session describes."""

    def __init__(self, state: FlowState) -> None:
        """Take the state."""
        self._state = state

    def call(
        self, name: str, positional: list[FlowValues], named: Mapping[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        """The possible return values of a call of the function; notes what the call reads."""
        arguments = [*positional, *named.values()]
        role = self._state.reads.vocabulary.functions[name]
        if role == "watched":
            self._watch(name, positional, named, node)
        if role in ("pure", "watched"):
            for values in arguments:
                self._state.lose(values, node)
            return PLAIN if all(map(self._harmless, arguments)) else COMPUTED
        needed = 1 if role in ("table", "sql") else 2
        if len(arguments) != needed:
            raise Missing(
                f"{name} in line {node.lineno} is given {len(arguments)} arguments, but it takes {needed}"
            )
        if role == "table":
            return frozenset(self._load(text, name, node) for text in self._texts(arguments[0], name, node))
        if role == "sql":
            for text in self._texts(arguments[0], name, node):
                self._state.reads.sql(text)
            return COMPUTED
        tables = self._tables(arguments[0], name, node)
        reader: Callable[[frozenset[str], Text], None] = (
            self._state.reads.conditions if role == "conditions" else self._state.reads.column_list
        )
        for text in self._texts(arguments[1], name, node):
            if tables:
                reader(tables, text)
        return frozenset(map(LoadedTable, tables)) if role == "conditions" else STORED

    def _watch(
        self, name: str, positional: list[FlowValues], named: Mapping[str, FlowValues], node: ast.Call
    ) -> None:
        if self._state.settled and not all([*positional, *named.values()]):
            raise Missing(f"what {name} is given in line {node.lineno} is only known when the code runs")
        passed = [self._passed(values) for values in positional]
        by_name = {key: self._passed(values) for key, values in named.items()}
        self._state.reads.watched.append((passed, by_name, node.lineno))

    def _passed(self, values: FlowValues) -> FlowValues:
        """The values; a container is replaced by its elements."""
        return NOTHING.union(
            *(
                self._state.held(value) if isinstance(value, FlowSite) else frozenset({value})
                for value in values
            )
        )

    def _harmless(self, values: FlowValues) -> bool:
        """Whether a pure function cannot turn the argument into a text that ends a condition."""
        for value in values:
            if isinstance(value, Text):
                if value.origin is FlowOrigin.COMPUTED or not _HARMLESS.fullmatch(value.filled("0")):
                    return False
            elif not isinstance(value, Data) or value.origin is FlowOrigin.COMPUTED:
                return False
        return True

    def _load(self, text: Text, name: str, node: ast.Call) -> LoadedTable:
        literal = text.literal
        if literal is None or not literal.strip():
            raise Missing(
                f"the table that {name} loads in line {node.lineno} is only known when the code runs"
            )
        table = self._state.reads.spelled(literal.strip())
        self._state.reads.load(table, text.place(0, len(literal)))
        return LoadedTable(table)

    def _texts(self, values: FlowValues, name: str, node: ast.Call) -> list[Text]:
        texts = [value for value in values if isinstance(value, Text)]
        if len(texts) != len(values) or (self._state.settled and not texts):
            raise Missing(f"what {name} is asked for in line {node.lineno} is only known when the code runs")
        return texts

    def _tables(self, values: FlowValues, name: str, node: ast.Call) -> frozenset[str]:
        tables = frozenset(value.name for value in values if isinstance(value, LoadedTable))
        if len(tables) != len(values) or (self._state.settled and not tables):
            raise Missing(f"the table that {name} reads in line {node.lineno} is not known")
        return tables
