"""The calls of the static data flow: the agent's functions, builtins, methods, and its own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.extract.flow_expressions import Expressions
from workbench.extract.flow_values import (
    DATA,
    Callable_,
    Data,
    Defined,
    FlowValue,
    FlowValues,
    Many,
    Table,
    Text,
    Undefined,
)
from workbench.extract.found import Missing

# Builtins that run text, reach other names by text, or read files.
_FORBIDDEN = frozenset(
    [
        "exec", "eval", "compile", "open", "input", "globals", "locals", "vars", "getattr", "setattr",
        "delattr", "breakpoint", "memoryview", "super",
    ]
)  # fmt: skip
# Builtins that look at a table without showing what is in it.
_BLIND = frozenset({"len", "bool", "isinstance", "type", "id", "callable", "hasattr"})
_ELEMENTWISE = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"})


class Calls(Expressions):
    """Follows calls."""

    def call(self, node: ast.Call) -> FlowValues:
        """What a call may return; raises Missing for a call of what nothing describes."""
        if isinstance(node.func, ast.Attribute):
            method = self._method(node, node.func)
            if method is not None:
                return method
        functions = self.evaluate(node.func)
        arguments, named, certain = self._arguments(node)
        found: set[FlowValue] = set()
        for function in functions:
            if isinstance(function, Callable_) and function.kind == "tool":
                if not certain:
                    raise Missing(
                        f"the arguments of {function.name} in line {node.lineno} cannot be followed"
                    )
                found |= self._tool(function.name, arguments, named, node)
            elif isinstance(function, Callable_) and function.kind == "builtin":
                found |= self._builtin(function.name, arguments, named, node)
            elif isinstance(function, Defined):
                if not certain:
                    raise Missing(f"the arguments of the call in line {node.lineno} cannot be followed")
                found |= self.call_defined(function, arguments, named)
            elif isinstance(function, Callable_ | Data):
                self._escape_all(arguments, named, node)
                found.add(Data())
            else:
                name = function.name if isinstance(function, Undefined) else ast.unparse(node.func)[:40]
                raise Missing(f"the code calls {name} in line {node.lineno}, which nothing describes")
        return self.limit(frozenset(found))

    def _arguments(self, node: ast.Call) -> tuple[list[FlowValues], dict[str, FlowValues], bool]:
        arguments: list[FlowValues] = []
        certain = True
        for item in node.args:
            values = self.evaluate(item)
            if isinstance(item, ast.Starred):
                certain = False
                values = self.elements(values, item)
            arguments.append(values)
        named: dict[str, FlowValues] = {}
        for keyword in node.keywords:
            certain = certain and keyword.arg is not None
            named[keyword.arg or "**"] = self.evaluate(keyword.value)
        return arguments, named, certain

    def _escape_all(self, arguments: list[FlowValues], named: dict[str, FlowValues], node: ast.expr) -> None:
        for values in [*arguments, *named.values()]:
            self.escape(values, node)

    def _builtin(
        self, name: str, arguments: list[FlowValues], named: dict[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        if name in _FORBIDDEN or name.startswith("__"):
            raise Missing(f"the code calls {name} in line {node.lineno}, whose effect cannot be followed")
        if name in _BLIND:
            return DATA
        if name == "str" and len(arguments) == 1:
            self.escape(frozenset(value for value in arguments[0] if not isinstance(value, Text)), node)
            return frozenset(value if isinstance(value, Text) else Data() for value in arguments[0])
        if name in _ELEMENTWISE and len(arguments) == 1:
            return frozenset({Many(self.elements(arguments[0], node))})
        if name == "enumerate" and arguments:
            items = self.elements(arguments[0], node)
            return frozenset({Many(frozenset({Many(items | DATA, (DATA, items))}))})
        if name == "zip":
            parts = tuple(self.elements(values, node) for values in arguments)
            return frozenset({Many(frozenset({Many(frozenset[FlowValue]().union(*parts), parts)}))})
        if name in ("map", "filter") and len(arguments) >= 2:
            items = [self.elements(values, node) for values in arguments[1:]]
            results = frozenset(value for one in arguments[0] for value in self._applied(one, items, node))
            return frozenset({Many(items[0] if name == "filter" else results)})
        self._escape_all(arguments, named, node)
        return DATA

    def _applied(self, function: FlowValue, items: list[FlowValues], node: ast.Call) -> FlowValues:
        if isinstance(function, Defined):
            return self.call_defined(function, items, {})
        if isinstance(function, Callable_) and function.kind == "tool":
            return self._tool(function.name, items, {}, node)
        return DATA

    def _method(self, node: ast.Call, func: ast.Attribute) -> FlowValues | None:
        """A method of a string or a list; None for anything else."""
        owners = self.evaluate(func.value)
        if not owners or not all(isinstance(owner, Text | Many) for owner in owners):
            return None
        arguments, named, certain = self._arguments(node)
        if func.attr in ("append", "add", "extend", "insert", "update") and arguments:
            values = arguments[-1]
            if func.attr in ("extend", "update"):
                values = self.elements(values, node)
            self.put_into(func.value, values, node)
            return DATA
        found: set[FlowValue] = set()
        for owner in owners:
            if isinstance(owner, Text) and certain:
                place = self.program.place(node)
                for values in [*arguments, *named.values()]:
                    self.escape(frozenset(v for v in values if isinstance(v, Table)), node)
                found |= self.strings.method(owner, func.attr, arguments, named, place)
            elif isinstance(owner, Many):
                found |= owner.elements | DATA
                found.add(Many(owner.elements))
            else:
                found.add(Data())
        return self.limit(frozenset(found))

    # --- the agent's own functions ------------------------------------------------

    def _tool(
        self, name: str, positional: list[FlowValues], named: dict[str, FlowValues], node: ast.Call
    ) -> FlowValues:
        arguments = [*positional, *named.values()]
        role = self.reads.grammar.functions[name]
        if role == "watched":
            self.reads.watched.append((positional, named, node.lineno))
        if role in ("pure", "watched"):
            for values in arguments:
                self.escape(frozenset(v for v in values if not isinstance(v, Callable_)), node)
            return DATA
        needed = 1 if role in ("table", "sql") else 2
        if len(arguments) < needed:
            raise Missing(f"{name} in line {node.lineno} has too few arguments")
        if role == "table":
            return frozenset(self._load(text, name, node) for text in self._texts(arguments[0], name, node))
        if role == "sql":
            for text in self._texts(arguments[0], name, node):
                self.reads.sql(text)
            return DATA
        tables = self._tables(arguments[0], name, node)
        reader: Callable[[frozenset[str], Text], None] = (
            self.reads.conditions if role == "conditions" else self.reads.column_list
        )
        for text in self._texts(arguments[1], name, node):
            reader(tables, text)
        return frozenset(map(Table, tables)) if role == "conditions" else DATA

    def _load(self, text: Text, name: str, node: ast.Call) -> Table:
        literal = text.literal
        if literal is None or not literal.strip():
            raise Missing(
                f"the table that {name} loads in line {node.lineno} is only known when the code runs"
            )
        table = self.reads.spelled(literal.strip())
        self.reads.load(table, text.place(0, len(literal)))
        return Table(table)

    def _texts(self, values: FlowValues, name: str, node: ast.Call) -> list[Text]:
        texts = [value for value in values if isinstance(value, Text)]
        if len(texts) != len(values) or not texts:
            raise Missing(f"what {name} is asked for in line {node.lineno} is only known when the code runs")
        return texts

    def _tables(self, values: FlowValues, name: str, node: ast.Call) -> frozenset[str]:
        tables = frozenset(value.name for value in values if isinstance(value, Table))
        if len(tables) != len(values) or not tables:
            raise Missing(f"the table that {name} reads in line {node.lineno} is not known")
        return tables
