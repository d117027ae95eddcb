"""The builtins of the static data flow."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Protocol

from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_subset import CONTAINER_BUILTINS, NUMBER_BUILTINS, TRUTH_BUILTINS
from workbench.runs.extract.flow_values import COMPUTED, NOTHING, NUMBER, PLAIN, FlowOrigin, FlowValues, Text
from workbench.runs.values.found_value import Missing

# Builtins whose result depends on the number or existence of values, not on the values.
_BLIND = frozenset({"len", "bool", "id"})
_OF_NUMBERS = frozenset({"abs", "round", "pow", "divmod"})
_KEYWORDS: Mapping[str, frozenset[str]] = {
    "sorted": frozenset({"reverse"}), "min": frozenset({"default"}), "max": frozenset({"default"}),
    "enumerate": frozenset({"start"}), "zip": frozenset({"strict"}), "sum": frozenset({"start"}),
    "int": frozenset({"base"}), "round": frozenset({"ndigits"}),
}  # fmt: skip


class Prints(Protocol):
    """An object that converts values to text.

    A protocol, because the object follows calls, and follows those of builtins with this module.
    """

    def printed(self, values: FlowValues, node: ast.expr) -> FlowValues:
        """The texts that ``str`` makes of the values."""
        ...

    def entries(self, values: FlowValues, node: ast.expr) -> tuple[FlowValues, FlowValues]:
        """The keys and values of the argument of ``dict``."""
        ...


class Builtins:
    """The results of builtins, and the columns that they read."""

    def __init__(self, state: FlowState, prints: Prints) -> None:
        """Take the state, and the object that converts values to text."""
        self._state = state
        self._prints = prints

    def call(
        self, name: str, positional: list[FlowValues], named: Mapping[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        """The possible return values of a call of a builtin."""
        if name != "dict" and not named.keys() <= _KEYWORDS.get(name, frozenset()):
            raise Missing(f"{name} in line {node.lineno} is called in a way that is not followed")
        values = NOTHING.union(*positional, *named.values())
        if name in CONTAINER_BUILTINS:
            return self._container(CONTAINER_BUILTINS[name], name, positional, node)
        match name:
            case "str" if len(positional) == 1:
                return self._prints.printed(positional[0], node)
            case "str":
                return self._shown(values, node)
            case "dict":
                return self._dict(positional, named, node)
            case "enumerate" | "zip":
                return self._pairs(name, positional, node)
            case "next" | "min" | "max":
                return self._element_of(name, positional, named, node)
            case "range":
                self._state.show(values, node)
                site = self._state.site(node, "iterator", "range")
                self._state.write(site, NUMBER)
                return frozenset({site})
            case "sum":
                return self._sum(positional, named, node)
            case _:
                return self._of_values(name, values, node)

    def _of_values(self, name: str, values: FlowValues, node: ast.Call) -> FlowValues:
        if name not in _BLIND:
            self._state.show(values, node)
        if name in _OF_NUMBERS:
            return self._computed_of(values)
        return NUMBER if name in NUMBER_BUILTINS else PLAIN if name in TRUTH_BUILTINS else COMPUTED

    def _computed_of(self, values: FlowValues) -> FlowValues:
        """Numbers give a number; dates and durations give a date or a duration."""
        return NUMBER if self._state.origin(values) <= FlowOrigin.STORED else PLAIN

    def _shown(self, values: FlowValues, node: ast.Call) -> FlowValues:
        self._state.show(values, node)
        return COMPUTED if values else frozenset({Text(())})

    def _container(self, kind: str, name: str, positional: list[FlowValues], node: ast.Call) -> FlowValues:
        if len(positional) > 1:
            raise Missing(f"{name} in line {node.lineno} is called in a way that is not followed")
        site = self._state.site(node, kind)
        if positional:
            values = self._state.elements(positional[0], node)
            self._state.write(site, values)
            if kind == "set" or name == "sorted":
                self._state.show(values, node)
        return frozenset({site})

    def _dict(
        self, positional: list[FlowValues], named: Mapping[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        site = self._state.site(node, "dict")
        for values in positional:
            keys, held = self._prints.entries(values, node)
            self._state.show(keys, node)
            self._state.write(site, held, keys)
        for values in named.values():
            self._state.write(site, values, COMPUTED)
        return frozenset({site})

    def _pairs(self, name: str, positional: list[FlowValues], node: ast.Call) -> FlowValues:
        items = [self._state.elements(values, node) for values in positional]
        if name == "enumerate":
            items = [NUMBER, *items[:1]]
        pair = self._state.site(node, "tuple", "pair")
        self._state.fill_parts(pair, items)
        site = self._state.site(node, "iterator", name)
        self._state.write(site, frozenset({pair}))
        return frozenset({site})

    def _element_of(
        self, name: str, positional: list[FlowValues], named: Mapping[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        other_values = NOTHING.union(*named.values())
        if name != "next":
            self._state.show(NOTHING.union(*positional), node)
        if name == "next" or len(positional) == 1:
            other_values |= NOTHING.union(*positional[1:])
            return self._state.elements(positional[0], node) | other_values if positional else other_values
        return NOTHING.union(*positional) | other_values

    def _sum(
        self, positional: list[FlowValues], named: Mapping[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        """The sum of numbers; with a start value it may join lists."""
        self._state.show(NOTHING.union(*positional), node)
        if len(positional) == 1 and not named:
            return self._computed_of(self._state.elements(positional[0], node))
        self._state.lose(NOTHING.union(*positional, *named.values()), node)
        return COMPUTED
