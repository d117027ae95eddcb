"""The calls of the static data flow: tools, builtins, methods, functions of modules and of the code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Protocol

from workbench.runs.extract.flow_builtins import Builtins, Prints
from workbench.runs.extract.flow_items import Evaluates
from workbench.runs.extract.flow_methods import MethodCall, Methods
from workbench.runs.extract.flow_names import FlowNames
from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_subset import (
    BUILTINS,
    CONVERSIONS,
    EXCEPTIONS,
    NUMBER_MODULES,
    PLAIN_MODULES,
    TYPES,
)
from workbench.runs.extract.flow_tools import Tools
from workbench.runs.extract.flow_values import (
    COMPUTED,
    NOTHING,
    NUMBER,
    PLAIN,
    Data,
    FlowValues,
    Text,
)
from workbench.runs.values.found_value import Missing


class EvaluatesAndPrints(Evaluates, Prints, Protocol):
    """An object that evaluates expressions and also gives the texts and the entries of values."""


class Functions(Protocol):
    """An object that follows the functions of the code.

    A protocol, because it follows statements, and their calls are followed here.
    """

    def follow(
        self,
        function: ast.FunctionDef,
        call: ast.Call,
        positional: list[FlowValues],
        named: Mapping[str, FlowValues],
    ) -> FlowValues:
        """The return values of a function for these arguments."""
        ...


class CallFlow:
    """Follows calls of functions and methods given by name; refuses all other calls."""

    def __init__(
        self, state: FlowState, names: FlowNames, expressions: EvaluatesAndPrints, functions: Functions
    ) -> None:
        """Take the state and names, and the objects that follow the parts of a call."""
        self._state = state
        self._names = names
        self._expressions = expressions
        self._functions = functions
        self._methods = Methods(state)
        self._tools = Tools(state)
        self._builtins = Builtins(state, expressions)

    def call(self, node: ast.Call) -> FlowValues:
        """The possible return values of a call; raises Missing for a function without a description."""
        func = node.func
        if isinstance(func, ast.Name):
            return self._by_name(func, node)
        if isinstance(func, ast.Attribute):
            path = self._names.path(func)
            return self._method(func, node) if path is None else self._of_module(path, node)
        raise Missing(f"line {node.lineno} calls what is not a name, which cannot be followed")

    def _by_name(self, func: ast.Name, node: ast.Call) -> FlowValues:
        defined = self._names.functions(func)
        if defined is not None:
            positional, named = self._arguments(node)
            return NOTHING.union(
                *(self._functions.follow(function_def, node, positional, named) for function_def in defined)
            )
        path = self._names.path(func)
        if path is not None:
            return self._of_module(path, node)
        if not self._names.is_free(func):
            raise Missing(f"the code calls {func.id} in line {node.lineno}, which holds a value")
        if func.id in self._state.reads.vocabulary.functions:
            return self._tools.call(func.id, *self._arguments(node), node)
        if func.id in BUILTINS:
            return self._builtin(func.id, node)
        if func.id in EXCEPTIONS:
            self._lose(node)
            return COMPUTED
        raise Missing(f"the code calls {func.id} in line {node.lineno}, which nothing describes")

    def _arguments(self, node: ast.Call) -> tuple[list[FlowValues], dict[str, FlowValues]]:
        positional: list[FlowValues] = []
        for item in node.args:
            if isinstance(item, ast.Starred):
                raise Missing(f"the arguments of the call in line {node.lineno} cannot be followed")
            positional.append(self._expressions.evaluate(item))
        return positional, {
            keyword.arg or "": self._expressions.evaluate(keyword.value) for keyword in node.keywords
        }

    def _lose(self, node: ast.Call) -> FlowValues:
        positional, named = self._arguments(node)
        values = NOTHING.union(*positional, *named.values())
        self._state.lose(values, node)
        return values

    def _method(self, func: ast.Attribute, node: ast.Call) -> FlowValues:
        owners = self._expressions.evaluate(func.value)
        positional, named = self._arguments(node)
        if func.attr == "format" or (func.attr == "join" and positional):
            # A field shows its value as str() does.
            positional = (
                [self._shown(values, node) for values in positional] if func.attr == "format" else positional
            )
            named = {name: self._shown(values, node) for name, values in named.items()}
        call = MethodCall(node, func.attr, positional, named)
        return NOTHING.union(*(self._methods.call(owner, call) for owner in owners))

    def _shown(self, values: FlowValues, node: ast.Call) -> FlowValues:
        return self._expressions.printed(values, node)

    # --- builtins and modules -----------------------------------------------------------

    def _builtin(self, name: str, node: ast.Call) -> FlowValues:
        if name == "print":
            if any(keyword.arg not in ("sep", "end", "flush") for keyword in node.keywords):
                raise Missing(f"print in line {node.lineno} writes elsewhere, which is not followed")
            for item in [*node.args, *(keyword.value for keyword in node.keywords)]:
                value = item.value if isinstance(item, ast.Starred) else item
                self._state.show(self._expressions.evaluate(value), item)
            return PLAIN
        if name == "isinstance":
            if (
                len(node.args) != 2
                or node.keywords
                or not self._names.is_type(node.args[1], TYPES | EXCEPTIONS)
            ):
                raise Missing(f"isinstance in line {node.lineno} is not given types, which is not followed")
            self._expressions.evaluate(node.args[0])
            return PLAIN
        if name == "map":
            return self._map(node)
        return self._builtins.call(name, *self._arguments(node), node)

    def _map(self, node: ast.Call) -> FlowValues:
        """Follow ``map(str, values)``: only conversions of a single value are followed."""
        if len(node.args) != 2 or node.keywords or not self._names.is_type(node.args[0], CONVERSIONS):
            raise Missing(
                f"the code hands a function to map in line {node.lineno}, and its calls cannot be followed"
            )
        function = node.args[0]
        assert isinstance(function, ast.Name)
        items = self._state.elements(self._expressions.evaluate(node.args[1]), node)
        converted = self._builtins.call(function.id, [items], {}, node) if items else NOTHING
        site = self._state.site(node, "iterator", "map")
        self._state.write(site, converted)
        return frozenset({site})

    def _of_module(self, path: str, node: ast.Call) -> FlowValues:
        if not self._names.may_call(path):
            raise Missing(f"the code calls {path} in line {node.lineno}, which is not a listed function")
        if path == "collections.defaultdict":
            return self._defaultdict(node)
        values = self._lose(node)
        module = path.split(".")[0]
        if module in NUMBER_MODULES:
            return NUMBER
        if module in PLAIN_MODULES:
            return PLAIN
        if path in ("copy.copy", "copy.deepcopy") and all(isinstance(value, Data | Text) for value in values):
            return values
        return COMPUTED

    def _defaultdict(self, node: ast.Call) -> FlowValues:
        kinds = {"list": "list", "set": "set", "dict": "dict"}
        if len(node.args) != 1 or node.keywords or not self._names.is_type(node.args[0]):
            raise Missing(f"the code calls defaultdict in line {node.lineno} with more than a type")
        site = self._state.site(node, "dict")
        type_node = node.args[0]
        assert isinstance(type_node, ast.Name)
        kind = kinds.get(type_node.id)
        if kind is not None:
            self._state.write(site, frozenset({self._state.site(node, kind, "default")}))
        else:
            self._state.write(site, NUMBER if type_node.id in ("int", "float") else frozenset({Text(())}))
        return frozenset({site})
