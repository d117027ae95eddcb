"""The expressions of the static data flow: the values they may have, and what they read."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod

from workbench.extract.code_text import Program
from workbench.extract.flow_strings import Strings
from workbench.extract.flow_values import (
    DATA,
    Callable_,
    Data,
    Defined,
    FlowValue,
    FlowValues,
    Many,
    Piece,
    Table,
    Text,
    Undefined,
)
from workbench.extract.found import Missing
from workbench.extract.tool_roles import Reads

_MAX_VALUES = 32
_MAX_STEPS = 100_000
_BUILTINS = frozenset(dir(builtins))
_METADATA = frozenset({"shape", "empty", "columns", "size", "ndim", "index"})


class Expressions(ABC):
    """Evaluates expressions over the possible values of names."""

    def __init__(self, program: Program, reads: Reads) -> None:
        """Take the program, for places, and where to note what is read."""
        self.program = program
        self.reads = reads
        self.names: dict[str, FlowValues] = {}
        # What a function or generator reads of the names around it may be assigned later than it is made.
        self.ever: dict[str, FlowValues] = {}
        self.local: frozenset[str] | None = None
        self.strings = Strings(program)
        self._steps = 0

    @abstractmethod
    def call(self, node: ast.Call) -> FlowValues:
        """Follow a call."""

    @abstractmethod
    def call_defined(
        self, function: Defined, arguments: list[FlowValues], named: dict[str, FlowValues]
    ) -> FlowValues:
        """Follow a function of the code."""

    def tick(self) -> None:
        """Count a step, so that no code can keep the reader busy for long."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Missing("the code is too intricate to be followed")

    def limit(self, values: FlowValues) -> FlowValues:
        """The values, or their kinds only where there are too many of them."""
        if len(values) <= _MAX_VALUES:
            return values
        return frozenset(value for value in values if not isinstance(value, Text | Many)) | DATA

    def outer(self, name: str) -> FlowValues:
        """What a name means that the code has not assigned."""
        if name in self.reads.grammar.functions:
            return frozenset({Callable_("tool", name)})
        if name in _BUILTINS:
            return frozenset({Callable_("builtin", name)})
        return frozenset({Undefined(name)})

    # --- evaluation ---------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> FlowValues:
        """The values that the expression may have."""
        self.tick()
        for kinds in (self._simple, self._composed, self._wrapped):
            values = kinds(node)
            if values is not None:
                return values
        raise Missing(f"line {node.lineno} has a {type(node).__name__}, which is not followed")

    def _simple(self, node: ast.expr) -> FlowValues | None:
        match node:
            case ast.Constant():
                return self.strings.constant(node)
            case ast.JoinedStr():
                return self._joined(node)
            case ast.Name():
                return self._bracketed(node.id) or self._named(node.id)
            case ast.Call():
                return self.call(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Lambda():
                return frozenset({Defined(node)})
            case _:
                return None

    def _composed(self, node: ast.expr) -> FlowValues | None:
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                return self._display(node.elts)
            case ast.Dict():
                for key in node.keys:
                    if key is not None:
                        self.evaluate(key)
                return self._display(node.values, ordered=False)
            case ast.BinOp():
                return self.combine(node.op, self.evaluate(node.left), self.evaluate(node.right), node)
            case ast.BoolOp():
                return self.limit(frozenset(item for value in node.values for item in self.evaluate(value)))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case _:
                return None

    def _wrapped(self, node: ast.expr) -> FlowValues | None:
        match node:
            case ast.IfExp():
                self.evaluate(node.test)
                return self.limit(self.evaluate(node.body) | self.evaluate(node.orelse))
            case ast.Compare() | ast.UnaryOp() | ast.Slice():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.evaluate(child)
                return DATA
            case ast.NamedExpr():
                values = self.evaluate(node.value)
                self.assign(node.target, values)
                return values
            case ast.Starred() | ast.Await() | ast.FormattedValue():
                return self.evaluate(node.value)
            case _:
                return None

    def _named(self, name: str) -> FlowValues:
        values = self.names.get(name) or self.outer(name)
        if self.local is None or name in self.local:
            return values
        return self.limit(values | self.ever.get(name, frozenset()))

    def bind(self, name: str, values: FlowValues) -> None:
        """Give a name its values."""
        self.names[name] = values
        self.ever[name] = self.limit(self.ever.get(name, frozenset()) | values)

    def _bracketed(self, name: str) -> FlowValues | None:
        """The SQL text that stood in brackets where this name now stands."""
        place = self.program.bracketed.get(name)
        if place is None:
            return None
        start, end = place
        base = self.program.base
        return frozenset({Text((Piece(self.program.text[start:end], base + start, base + end, True),))})

    def _display(self, nodes: list[ast.expr], *, ordered: bool = True) -> FlowValues:
        parts: list[FlowValues] = []
        for node in nodes:
            values = self.evaluate(node)
            if isinstance(node, ast.Starred):
                values, ordered = self.elements(values, node), False
            parts.append(values)
        elements = self.limit(frozenset(value for values in parts for value in values))
        return frozenset({Many(elements, tuple(parts) if ordered and len(parts) <= 8 else None)})

    def elements(self, values: FlowValues, node: ast.expr) -> FlowValues:
        """What iterating over the values may yield."""
        found: set[FlowValue] = set()
        for value in values:
            if isinstance(value, Many):
                found |= value.elements
            else:
                self.escape(frozenset({value}), node)
                found.add(Data())
        return self.limit(frozenset(found))

    def escape(self, values: FlowValues, node: ast.AST | None) -> None:
        """The values go where they cannot be followed: tables are read whole, functions are lost."""
        for value in values:
            if isinstance(value, Table):
                place = self.program.place(node) if isinstance(node, ast.expr | ast.stmt) else (0, 0)
                self.reads.read_all(value.name, place)
            elif isinstance(value, Many):
                self.escape(value.elements, node)
            elif isinstance(value, Callable_) and value.kind == "tool":
                raise Missing(f"the function {value.name} is handed on, and its calls cannot be followed")
            elif isinstance(value, Defined):
                count = len(value.node.args.args) + len(value.node.args.posonlyargs)
                self.call_defined(value, [DATA] * count, {})

    def assign(self, target: ast.expr, values: FlowValues) -> None:
        """Bind a target; a container that is written to may hold the values from then on."""
        match target:
            case ast.Name():
                self.bind(target.id, values)
            case ast.Starred():
                self.assign(target.value, frozenset({Many(values)}))
            case ast.Tuple() | ast.List():
                for index, item in enumerate(target.elts):
                    self.assign(item, self._unpacked(values, index, len(target.elts), target))
            case ast.Subscript():
                self.evaluate(target.slice)
                self.put_into(target.value, values, target)
            case ast.Attribute():
                self.put_into(target.value, values, target)
            case _:
                raise Missing(f"line {target.lineno} assigns in a way that is not followed")

    def _unpacked(self, values: FlowValues, index: int, count: int, node: ast.expr) -> FlowValues:
        found: set[FlowValue] = set()
        for value in values:
            if isinstance(value, Many) and value.ordered is not None and len(value.ordered) == count:
                found |= value.ordered[index]
            else:
                found |= self.elements(frozenset({value}), node)
        return frozenset(found)

    def put_into(self, container: ast.expr, values: FlowValues, node: ast.expr) -> None:
        """Put values into a container, which may hold them from then on."""
        held = self.evaluate(container)
        if isinstance(container, ast.Name) and all(isinstance(value, Many | Data) for value in held):
            elements = frozenset(item for value in held if isinstance(value, Many) for item in value.elements)
            extra = DATA if any(isinstance(value, Data) for value in held) else frozenset[FlowValue]()
            self.bind(container.id, frozenset({Many(self.limit(elements | values | extra))}))
        elif not all(isinstance(value, Table) for value in held) or any(isinstance(v, Table) for v in values):
            self.escape(values, node)

    def combine(self, op: ast.operator, left: FlowValues, right: FlowValues, node: ast.AST) -> FlowValues:
        """The values of a binary operation."""
        found: set[FlowValue] = set()
        for one in left:
            for other in right:
                if isinstance(one, Many) and isinstance(other, Many):
                    found.add(Many(self.limit(one.elements | other.elements)))
                elif isinstance(one, Text) and isinstance(op, ast.Mod):
                    place = self.program.place(node) if isinstance(node, ast.expr | ast.stmt) else (0, 0)
                    found.add(self.strings.percent(one, other, place))
                elif isinstance(op, ast.Add) and (isinstance(one, Text) or isinstance(other, Text)):
                    place = self.program.place(node) if isinstance(node, ast.expr | ast.stmt) else (0, 0)
                    found.add(self.strings.add(one, other, place))
                else:
                    self.escape(frozenset({one, other}), node)
                    found.add(Data())
        return self.limit(frozenset(found)) or DATA

    def _joined(self, node: ast.JoinedStr) -> FlowValues:
        parts: list[FlowValues] = []
        for part in node.values:
            values = self.evaluate(part)
            if isinstance(part, ast.FormattedValue):
                self.escape(frozenset(value for value in values if isinstance(value, Table)), part)
                if part.format_spec is not None or part.conversion not in (-1, 115):
                    values = DATA
            parts.append(values)
        return self.limit(self.strings.concatenate(parts, self.program.place(node)))

    def _attribute(self, node: ast.Attribute) -> FlowValues:
        if node.attr.startswith("__"):
            raise Missing(f"the code uses {node.attr} in line {node.lineno}, which cannot be followed")
        found: set[FlowValue] = set()
        for value in self.evaluate(node.value):
            if isinstance(value, Table) and node.attr not in _METADATA:
                columns = self.reads.columns_of(value.name) or ()
                if node.attr in columns:
                    self.reads.read(frozenset({value.name}), node.attr, self.program.place(node))
                else:
                    self.escape(frozenset({value}), node)
            if isinstance(value, Callable_) and value.kind == "module":
                found.add(value)
            else:
                found.add(Data())
        return frozenset(found)

    def _subscript(self, node: ast.Subscript) -> FlowValues:
        held = self.evaluate(node.value)
        index = self.evaluate(node.slice)
        found: set[FlowValue] = set()
        for value in held:
            if isinstance(value, Many):
                found |= value.elements or DATA
            elif isinstance(value, Table):
                found |= self._table_item(value, node, index)
            elif isinstance(value, Callable_ | Defined):
                self.escape(frozenset({value}), node)
                found.add(Data())
            else:
                found.add(Data())
        return self.limit(frozenset(found))

    def _table_item(self, table: Table, node: ast.Subscript, index: FlowValues) -> FlowValues:
        """``db["column"]``, ``db[["a", "b"]]``, or a selection of rows."""
        if isinstance(node.slice, ast.Slice | ast.Compare | ast.UnaryOp) or (
            isinstance(node.slice, ast.BinOp) and isinstance(node.slice.op, ast.BitAnd | ast.BitOr)
        ):
            return frozenset({table})
        names = frozenset(
            item for value in index for item in (value.elements if isinstance(value, Many) else [value])
        )
        for name in names:
            if not isinstance(name, Text) or name.literal is None:
                raise Missing(
                    f"a column of {table.name} is only known when the code runs (line {node.lineno})"
                )
            self.reads.read(frozenset({table.name}), name.literal, name.place(0, len(name.literal)))
        return DATA

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> FlowValues:
        before, local = dict(self.names), self.local
        targets = {
            part.id for one in node.generators for part in ast.walk(one.target) if isinstance(part, ast.Name)
        }
        if isinstance(node, ast.GeneratorExp):
            self.local = (local or frozenset()) | targets
        elif local is not None:
            self.local = local | targets
        for generator in node.generators:
            self.assign(generator.target, self.elements(self.evaluate(generator.iter), generator.iter))
            for condition in generator.ifs:
                self.evaluate(condition)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key)
            elements = self.evaluate(node.value)
        else:
            elements = self.evaluate(node.elt)
        self.names, self.local = before, local
        return frozenset({Many(elements)})
