"""The expressions of the static data flow: their possible values, and what they read."""

from __future__ import annotations

import ast

from workbench.runs.extract.flow_calls import CallFlow, Functions
from workbench.runs.extract.flow_items import Items
from workbench.runs.extract.flow_names import FlowNames
from workbench.runs.extract.flow_scopes import Comprehension
from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_strings import concatenate, located, only_literal, percent, with_spec
from workbench.runs.extract.flow_values import (
    COMPUTED,
    NOTHING,
    NUMBER,
    PLAIN,
    Data,
    FlowOrigin,
    FlowRow,
    FlowSite,
    FlowValue,
    FlowValues,
    Piece,
    Text,
    data,
)
from workbench.runs.values.found_value import Missing


class Expressions:
    """Evaluates expressions over the possible values of names."""

    def __init__(self, state: FlowState, names: FlowNames, functions: Functions) -> None:
        """Take the state, the meanings of names, and the object that follows the functions of the code."""
        self._state = state
        self._names = names
        self._calls = CallFlow(state, names, self, functions)
        self._items = Items(state, names, self)

    def evaluate(self, node: ast.expr) -> FlowValues:
        """The possible values of the expression."""
        self._state.tick()
        for kinds in (self._simple, self._composed, self._wrapped):
            values = kinds(node)
            if values is not None:
                return self._state.limit(values)
        raise Missing(f"line {node.lineno} has a {type(node).__name__}, which is not followed")

    def _simple(self, node: ast.expr) -> FlowValues | None:
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.JoinedStr():
                return self._joined(node)
            case ast.Name():
                return self._names.value(node)
            case ast.Call():
                return self._calls.call(node)
            case ast.Attribute():
                return self._items.attribute(node)
            case ast.Subscript():
                return self._items.subscript(node)
            case _:
                return None

    def _composed(self, node: ast.expr) -> FlowValues | None:
        match node:
            case ast.List():
                return self._display(node, node.elts, "list")
            case ast.Tuple():
                return self._display(node, node.elts, "tuple")
            case ast.Set():
                values = self._display(node, node.elts, "set")
                self._state.show(values, node)
                return values
            case ast.Dict():
                return self._dict(node)
            case ast.BinOp():
                return self.combine(node.op, self.evaluate(node.left), self.evaluate(node.right), node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case _:
                return None

    def _wrapped(self, node: ast.expr) -> FlowValues | None:
        match node:
            case ast.BoolOp():
                return NOTHING.union(*map(self.evaluate, node.values))
            case ast.IfExp():
                self.evaluate(node.test)
                return self.evaluate(node.body) | self.evaluate(node.orelse)
            case ast.Compare():
                return self._compare(node)
            case ast.UnaryOp():
                values = self.evaluate(node.operand)
                if isinstance(node.op, ast.Not):
                    return PLAIN
                self._state.show(values, node)
                origin = self._state.origin(values)
                return data(origin if origin is FlowOrigin.NUMBER else max(origin, FlowOrigin.PLAIN))
            case ast.Slice():
                for part in (node.lower, node.upper, node.step):
                    if part is not None:
                        self.evaluate(part)
                return PLAIN
            case ast.NamedExpr():
                values = self.evaluate(node.value)
                self.assign(node.target, values)
                return values
            case _:
                return None

    # --- literals -----------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> FlowValues:
        if isinstance(node.value, str):
            program = self._state.program(node)
            start, end = place = program.place(node)
            return frozenset({located(node.value, place, program.source(start, end))})
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return NUMBER
        return COMPUTED if isinstance(node.value, bytes) else PLAIN

    def _joined(self, node: ast.JoinedStr) -> FlowValues:
        parts: list[FlowValues] = []
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                parts.append(self.evaluate(part))
                continue
            values = self.printed(self.evaluate(part.value), part.value)
            spec = _literal_spec(part.format_spec)
            if spec is None:
                for inner in ast.walk(part.format_spec or part):
                    if isinstance(inner, ast.FormattedValue):
                        self._state.show(self.evaluate(inner.value), inner.value)
                parts.append(COMPUTED)
            else:
                conversion = chr(part.conversion) if part.conversion >= 0 else ""
                parts.append(with_spec(values, spec, conversion))
        return concatenate(parts, self._state.place(node))

    def printed(self, values: FlowValues, node: ast.expr) -> FlowValues:
        """The texts that ``str`` makes of values. A list of known texts is known; a table is read whole."""
        self._state.show(values, node)
        return frozenset(self._printed(value, node) for value in values)

    def _printed(self, value: FlowValue, node: ast.expr) -> FlowValue:
        if isinstance(value, Text | Data):
            return value
        if isinstance(value, FlowSite) and value.kind in ("list", "tuple"):
            parts = self._state.parts(value)
            texts = [only_literal(part) for part in parts or []]
            known_texts = [text for text in texts if text is not None]
            if texts and len(known_texts) == len(texts):
                printed_text = repr(known_texts) if value.kind == "list" else repr(tuple(known_texts))
                return Text((Piece(printed_text, *self._state.place(node), False),))
        if isinstance(value, FlowSite):
            return Data(max(self._state.origin(frozenset({value})), FlowOrigin.PLAIN))
        return Data(FlowOrigin.COMPUTED)

    def _display(self, node: ast.List | ast.Tuple | ast.Set, items: list[ast.expr], kind: str) -> FlowValues:
        site = self._state.site(node, kind)
        if any(isinstance(item, ast.Starred) for item in items) or kind == "set":
            for item in items:
                if isinstance(item, ast.Starred):
                    self._state.write(site, self._state.elements(self.evaluate(item.value), item))
                else:
                    self._state.write(site, self.evaluate(item))
        else:
            self._state.fill_parts(site, [self.evaluate(item) for item in items])
        return frozenset({site})

    def _dict(self, node: ast.Dict) -> FlowValues:
        site = self._state.site(node, "dict")
        for key, value in zip(node.keys, node.values, strict=True):
            values = self.evaluate(value)
            if key is None:
                keys, values = self.entries(values, value)
            else:
                keys = self.evaluate(key)
                self._state.show(keys, key)
            self._state.fill(site, values, keys)
        return frozenset({site})

    def entries(self, values: FlowValues, node: ast.expr) -> tuple[FlowValues, FlowValues]:
        """The keys and values of the argument of ``dict``: another dict, or pairs."""
        keys: set[FlowValue] = set()
        held: set[FlowValue] = set()
        for value in values:
            if isinstance(value, FlowSite) and value.kind == "dict":
                keys |= self._state.keys(value)
                held |= self._state.held(value)
            elif isinstance(value, FlowSite):
                inside = self._state.elements(self._state.held(value), node)
                keys |= inside
                held |= inside
            else:
                self._state.show(frozenset({value}), node)
                keys |= COMPUTED
                held |= COMPUTED
        return frozenset(keys), frozenset(held)

    def _comprehension(self, node: Comprehension) -> FlowValues:
        kinds = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "iterator"}
        site = self._state.site(node, kinds[type(node)])
        for generator in node.generators:
            if generator.is_async:
                raise Missing(f"line {node.lineno} has an async loop, which is not followed")
            self.assign(generator.target, self._state.elements(self.evaluate(generator.iter), generator.iter))
            for condition in generator.ifs:
                self.evaluate(condition)
        if isinstance(node, ast.DictComp):
            keys = self.evaluate(node.key)
            self._state.show(keys, node.key)
            self._state.write(site, self.evaluate(node.value), keys)
        else:
            self._state.write(site, self.evaluate(node.elt))
            if isinstance(node, ast.SetComp):
                self._state.show(frozenset({site}), node)
        return frozenset({site})

    # --- operators ----------------------------------------------------------------

    def _compare(self, node: ast.Compare) -> FlowValues:
        """A comparison reads its operands, but ``is`` reads none, and ``'x' in row`` reads x only."""
        left = self.evaluate(node.left)
        for op, item in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(item)
            if isinstance(op, ast.In | ast.NotIn):
                rows = frozenset(value for value in right if isinstance(value, FlowRow))
                if rows:
                    self._items.row_columns(rows, left, item)
                self._state.show((right - rows) | left, item)
            elif not isinstance(op, ast.Is | ast.IsNot):
                self._state.show(left | right, item)
            left = right
        return PLAIN

    def combine(
        self, op: ast.operator, left: FlowValues, right: FlowValues, node: ast.expr | ast.stmt
    ) -> FlowValues:
        """The values of a binary operation."""
        combined: set[FlowValue] = set()
        for left_value in left:
            for right_value in right:
                combined |= self._pair(op, left_value, right_value, node)
        return self._state.limit(frozenset(combined))

    def _pair(
        self, op: ast.operator, left: FlowValue, right: FlowValue, node: ast.expr | ast.stmt
    ) -> FlowValues:
        place = self._state.place(node)
        if isinstance(left, Text) and isinstance(op, ast.Mod):
            return self._percent(left, right, node)
        if isinstance(left, FlowSite) or isinstance(right, FlowSite):
            return self._combined(op, left, right, node)
        if isinstance(op, ast.Add) and (isinstance(left, Text) or isinstance(right, Text)):
            self._state.show(frozenset({left, right}), node)
            return concatenate([frozenset({left}), frozenset({right})], place)
        self._state.show(frozenset({left, right}), node)
        return data(_arithmetic(op, left, right))

    def _percent(self, pattern: Text, value: FlowValue, node: ast.expr | ast.stmt) -> FlowValues:
        self._state.show(frozenset({value}), node)
        if isinstance(value, FlowSite) and value.kind == "tuple":
            parts = self._state.parts(value)
            if parts is None:
                return COMPUTED
            if isinstance(node, ast.expr):
                parts = [self.printed(part, node) for part in parts]
            return percent(pattern, parts, NOTHING, self._state.place(node))
        if isinstance(value, FlowSite) and isinstance(node, ast.expr):
            value = self._printed(value, node)
        return percent(pattern, None, frozenset({value}), self._state.place(node))

    def _combined(
        self, op: ast.operator, left: FlowValue, right: FlowValue, node: ast.expr | ast.stmt
    ) -> FlowValues:
        """The result of an operation on containers: a new container with the elements of both."""
        first = left if isinstance(left, FlowSite) else right
        assert isinstance(first, FlowSite)
        site = self._state.site(node, first.kind, "combined")
        for value in (left, right):
            if isinstance(value, FlowSite):
                self._state.write(site, self._state.held(value), self._state.keys(value))
            elif not isinstance(op, ast.Mult):
                self._state.show(frozenset({value}), node)
                self._state.write(site, COMPUTED, COMPUTED)
        return frozenset({site})

    # --- assignment -----------------------------------------------------------------

    def assign(self, target: ast.expr, values: FlowValues) -> None:
        """Bind a target; a container that is assigned to may hold the values from then on."""
        match target:
            case ast.Name():
                self._names.bind(target, values)
            case ast.Tuple() | ast.List():
                for index, item in enumerate(target.elts):
                    if isinstance(item, ast.Starred):
                        starred_site = self._state.site(item, "list")
                        self._state.write(starred_site, self._state.elements(values, target))
                        self.assign(item.value, frozenset({starred_site}))
                    else:
                        self.assign(item, self._unpacked(values, index, target))
            case ast.Subscript():
                self._write_item(target, values)
            case _:
                raise Missing(f"line {target.lineno} assigns in a way that is not followed")

    def _unpacked(self, values: FlowValues, index: int, target: ast.Tuple | ast.List) -> FlowValues:
        unpacked: set[FlowValue] = set()
        for value in values:
            parts = self._state.parts(value) if isinstance(value, FlowSite) else None
            has_no_star = not any(isinstance(item, ast.Starred) for item in target.elts)
            if parts is not None and has_no_star and len(parts) == len(target.elts):
                unpacked |= parts[index]
            else:
                unpacked |= self._state.elements(frozenset({value}), target)
        return frozenset(unpacked)

    def _write_item(self, target: ast.Subscript, values: FlowValues) -> None:
        keys = self.evaluate(target.slice)
        self._state.show(keys, target)
        for value in self.evaluate(target.value):
            if isinstance(value, FlowSite):
                if isinstance(target.slice, ast.Slice):
                    self._state.write(value, self._state.elements(values, target))
                else:
                    self._state.write(value, values, keys)
            elif isinstance(value, Data):
                self._state.into_data(value, values | keys, target)
            else:
                raise Missing(f"line {target.lineno} writes into a table, which is not followed")


def _literal_spec(node: ast.expr | None) -> str | None:
    if node is None:
        return ""
    if isinstance(node, ast.JoinedStr) and all(isinstance(part, ast.Constant) for part in node.values):
        return "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    return None


def _arithmetic(op: ast.operator, left: FlowValue, right: FlowValue) -> FlowOrigin:
    """The origin of the result of an operation on data. ``+``, ``*`` and ``%`` may make texts, ``/`` not."""
    if not isinstance(left, Data) or not isinstance(right, Data):
        return FlowOrigin.COMPUTED
    worst = max(left.origin, right.origin)
    if worst is FlowOrigin.NUMBER or isinstance(op, ast.Div | ast.FloorDiv | ast.Pow):
        return min(worst, FlowOrigin.PLAIN)
    if isinstance(op, ast.Add):
        # A text and a number cannot be added, so the other operand is a number too.
        return worst if FlowOrigin.NUMBER in (left.origin, right.origin) else FlowOrigin.COMPUTED
    if isinstance(op, ast.Mult) or (isinstance(op, ast.Mod) and left.origin is not FlowOrigin.NUMBER):
        return FlowOrigin.COMPUTED
    return max(worst, FlowOrigin.PLAIN)
