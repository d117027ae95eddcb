"""The static reading of Python, to find the tables and columns that it reads. The code is never run.

All code is assumed to run, in any order and any number of times: branches, loops, ``break``, ``return``,
``try`` and unreachable code make no difference. A variable holds every value that is ever bound to it. A
container holds every value put into it under any of its names. Bindings of a name count separately only if a
scope's own statements make them one after the other. What is not followed raises Missing with the reason.

The results of operators on values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from workbench.runs.kinds.python_code.calls import Calls, defaults_of
from workbench.runs.kinds.python_code.effects import Effects
from workbench.runs.kinds.python_code.library import BUILTINS, TYPES, check_import, value_at
from workbench.runs.kinds.python_code.parse import Program
from workbench.runs.kinds.python_code.scopes import (
    BUILTIN_NAMES,
    CodeScopes,
    Comprehension,
    Defined,
    Variable,
    imported,
    parameters_of,
)
from workbench.runs.kinds.python_code.store import Frame, Store
from workbench.runs.kinds.python_code.tables import Reads
from workbench.runs.kinds.python_code.texts import concatenate, cut, located, percent, with_spec
from workbench.runs.kinds.python_code.values import (
    COMPUTED,
    NOTHING,
    NUMBER,
    PLAIN,
    TRUTH,
    Arguments,
    Container,
    Data,
    Origin,
    Outside,
    Piece,
    Row,
    Table,
    Text,
    Value,
    Values,
    data,
    is_only_called,
)
from workbench.runs.values.found_value import Missing

_MOST_ROUNDS = 60
_REFUSED: Mapping[type[ast.stmt], str] = {
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "an async function",
    ast.Match: "a match statement",
}


def follow_programs(programs: Sequence[Program], reads: Reads) -> None:
    """Note in ``reads`` what the programs read, run one after the other in any order; raises Missing."""
    try:
        _Follower(programs, reads).run()
    except RecursionError:
        raise Missing("the code is nested too deeply") from None


class _Follower:
    """Follows the statements of programs that share their variables."""

    def __init__(self, programs: Sequence[Program], reads: Reads) -> None:
        self._programs = programs
        self._reads = reads
        # With one program every node is of it.
        self._program_of = (
            {id(node): program for program in programs for node in ast.walk(program.tree)}
            if len(programs) > 1
            else {}
        )
        ordered = len(programs) == 1 and not programs[0].guessed
        self._scopes = CodeScopes([program.tree for program in programs], ordered=ordered)
        self._check_names()
        self._literals: dict[int, Values] = {}
        self._store = Store()
        calls = Calls(self._store, reads, self._scopes, self._place, self._run)
        self._calls, self._effects = calls, calls.effects
        self._methods, self._parts = calls.methods, calls.parts
        self._operators = Operators(self._store, self._effects)

    def run(self) -> None:
        """Follow the programs until no value is added, and once more to note what they read."""
        for number in range(_MOST_ROUNDS):
            self._store.grown = False
            self._store.round = number
            self._effects.reads = Reads(self._reads.tools)
            self._round()
            if not self._store.grown:
                break
        else:
            raise Missing("the code is too intricate to be followed")
        self._effects.settled = True
        self._effects.reads = self._reads
        self._round()

    def _round(self) -> None:
        for program in self._programs:
            self._store.frame = Frame(0, {0: 0})
            self._block(program.tree.body)
        for program in self._programs:
            self._outputs(program.tree.body)

    def _outputs(self, body: list[ast.stmt]) -> None:
        """Note the output of a run: the variables that leave the code, and the value of its last line."""
        if not body:
            return
        for name in self._reads.tools.outputs:
            if name in self._scopes.module.bound:
                self._effects.show(self._store.value(Variable(0, name, None)), body[-1])
        if isinstance(body[-1], ast.Expr):
            self._effects.show(self._evaluate(body[-1].value), body[-1])

    def _check_names(self) -> None:
        """Refuse to give names with two underscores a meaning: they belong to the interpreter."""
        for scope in self._scopes.all:
            for name in (*scope.bound, *scope.declared):
                if name.startswith("__"):
                    raise Missing(f"the code gives {name} a meaning, which cannot be followed")

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self._program(node).place(node)

    def _program(self, node: ast.AST) -> Program:
        return self._program_of.get(id(node), self._programs[0])

    # --- statements ---------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._store.tick()
            follow = self._STATEMENTS.get(type(statement))
            if follow is None:
                kind = _REFUSED.get(type(statement), f"a {type(statement).__name__}")
                raise Missing(f"the code has {kind} in line {statement.lineno}, which is not followed")
            follow(self, statement)

    def _assign(self, node: ast.Assign) -> None:
        values = self._evaluate(node.value)
        for target in node.targets:
            self._bind(target, values)

    def _ann_assign(self, node: ast.AnnAssign) -> None:
        self._effects.lose(self._evaluate(node.annotation), node.annotation)
        if node.value is not None:
            self._bind(node.target, self._evaluate(node.value))
        elif not isinstance(node.target, ast.Name):
            self._evaluate(node.target)

    def _augment(self, node: ast.AugAssign) -> None:
        """Follow ``x += y``: a container changes under all of its names; otherwise the name is bound anew."""
        store, target = self._store, node.target
        added = self._evaluate(node.value)
        if isinstance(target, ast.Name):
            before = self._name(target, before=True)
        elif isinstance(target, ast.Subscript):
            before = self._evaluate(target)
        else:
            raise Missing(f"line {node.lineno} assigns in a way that is not followed")
        changed = frozenset(
            value for value in before if isinstance(value, Container) and value.kind != "tuple"
        )
        for container in changed:
            assert isinstance(container, Container)
            if container.kind == "dict" or not isinstance(node.op, ast.Mult):
                store.write(container, *self._methods.entries(container, added, node.value))
            else:
                store.write(container, NOTHING)
        for value in before:
            if isinstance(value, Data) and value.origin is not Origin.NUMBER:
                # The value may be a list that has other names too. A text adds its letters at most.
                texts = frozenset(item for item in added if isinstance(item, Text))
                self._effects.into_data(value, self._effects.elements(added - texts, node.value), node.value)
        combined = self._operators.binary(node.op, before - changed, added, node)
        self._bind(target, combined | changed)

    def _define(self, node: ast.FunctionDef) -> None:
        if node.decorator_list or getattr(node, "type_params", None):
            what = "decorates a function" if node.decorator_list else "has type parameters"
            raise Missing(f"the code {what} in line {node.lineno}, which is not followed")
        annotations = [node.returns, *(parameter.annotation for parameter in parameters_of(node.args))]
        for annotation in annotations:
            if annotation is not None:
                self._effects.lose(self._evaluate(annotation), annotation)
        self._bind_name(node, node.name, self._function(node))

    def _function(self, node: Defined) -> Values:
        for parameter, default in defaults_of(node.args):
            # A default value is created once and shared by all calls without the argument.
            self._store.join(("default", id(node), parameter), self._evaluate(default))
        return frozenset({self._store.function(node)})

    def _run(self, definition: Defined) -> None:
        """Follow the body of a function in the current frame."""
        if isinstance(definition, ast.Lambda):
            self._store.join(("return", self._store.frame.number), self._evaluate(definition.body))
        else:
            self._block(definition.body)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        check_import(node)
        for alias in node.names:
            path, name = imported(node, alias)
            self._bind_name(alias, name, value_at(path, node))

    def _if(self, node: ast.If | ast.While) -> None:
        self._evaluate(node.test)
        self._block([*node.body, *node.orelse])

    def _for(self, node: ast.For) -> None:
        self._bind(node.target, self._effects.elements(self._evaluate(node.iter), node.iter))
        self._block([*node.body, *node.orelse])

    def _try(self, node: ast.Try) -> None:
        self._block([*node.body, *node.orelse, *node.finalbody])
        for handler in node.handlers:
            if handler.type is not None and not self._is_type(handler.type):
                raise Missing(f"line {handler.lineno} catches what is no exception, which is not followed")
            if handler.name is not None:
                self._bind_name(handler, handler.name, COMPUTED)
            self._block(handler.body)

    def _is_type(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Tuple):
            return all(map(self._is_type, node.elts))
        return all(
            isinstance(value, Outside) and value.kind in ("type", "library") for value in self._evaluate(node)
        )

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            values = self._evaluate(item.context_expr)
            if not all(isinstance(value, Data) for value in values):
                raise Missing(f"line {node.lineno} enters a context that is not followed")
            if item.optional_vars is not None:
                self._bind(item.optional_vars, values)
        self._block(node.body)

    def _return(self, node: ast.Return) -> None:
        values = self._evaluate(node.value) if node.value else PLAIN
        self._store.join(("return", self._store.frame.number), values)

    def _assert(self, node: ast.Assert) -> None:
        self._evaluate(node.test)
        if node.msg is not None:
            self._effects.lose(self._evaluate(node.msg), node.msg)

    def _raise(self, node: ast.Raise) -> None:
        for part in (node.exc, node.cause):
            if part is not None:
                self._effects.lose(self._evaluate(part), part)

    def _delete(self, node: ast.Delete) -> None:
        """Follow ``del``: a name keeps its values, a container changes."""
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self._effects.show(self._evaluate(target.slice), target)
                for value in self._evaluate(target.value):
                    if isinstance(value, Container):
                        self._store.write(value, NOTHING)
                    elif not isinstance(value, Data):
                        raise Missing(f"line {node.lineno} deletes a part of a table, which is not followed")
            elif not isinstance(target, ast.Name):
                raise Missing(f"line {node.lineno} deletes in a way that is not followed")

    def _expression(self, node: ast.Expr) -> None:
        self._evaluate(node.value)

    def _nothing(self, _node: ast.stmt) -> None:
        """A statement that neither binds nor reads."""

    # --- names --------------------------------------------------------------------

    def _name(self, node: ast.Name, *, before: bool = False) -> Values:
        """The possible values of a name: what is bound to it, and a builtin or function of the agent."""
        program = self._program(node)
        bracketed = program.bracketed.get(node.id)
        if bracketed is not None:
            start, end = bracketed
            text = Text((Piece(program.text[start:end], program.base + start, program.base + end, True),))
            return frozenset({cut(text, 0, end - start)})
        variable = self._scopes.variable(node, node.id, before=before)
        if variable is not None and (variable.scope != 0 or (variable.version or 0) > 0):
            return self._store.value(variable)
        outside = self._outside(node.id)
        if variable is not None:
            return self._store.value(variable) | outside
        if not outside:
            why = "is not followed" if node.id in BUILTIN_NAMES else "nothing defines"
            raise Missing(f"the code uses {node.id} in line {node.lineno}, which {why}")
        return outside

    def _outside(self, name: str) -> Values:
        if name in self._reads.tools.functions:
            return frozenset({Outside("tool", name)})
        if name in BUILTINS:
            kind = "type" if name in TYPES else "builtin"
            return frozenset({Outside(kind, name)})
        return PLAIN if name == "__name__" else NOTHING

    def _bind_name(self, node: Any, name: str, values: Values) -> None:
        variable = self._scopes.variable(node, name)
        if variable is None:
            raise Missing(f"the code binds {name} in line {node.lineno} in a way that is not followed")
        self._store.bind(variable, values)

    def _bind(self, target: ast.expr, values: Values) -> None:
        """Bind a target; a container that is assigned to may hold the values from then on."""
        match target:
            case ast.Name():
                self._bind_name(target, target.id, values)
            case ast.Tuple() | ast.List():
                for index, item in enumerate(target.elts):
                    if isinstance(item, ast.Starred):
                        starred = self._store.container(item, "list")
                        self._store.write(starred, self._effects.elements(values, target))
                        self._bind(item.value, frozenset({starred}))
                    else:
                        self._bind(item, self._unpacked(values, index, target))
            case ast.Subscript():
                self._write_item(target, values)
            case _:
                raise Missing(f"line {target.lineno} assigns in a way that is not followed")

    def _unpacked(self, values: Values, index: int, target: ast.Tuple | ast.List) -> Values:
        has_no_star = not any(isinstance(item, ast.Starred) for item in target.elts)
        unpacked = NOTHING
        for value in values:
            parts = self._store.parts(value) if isinstance(value, Container) else None
            if parts is not None and has_no_star and len(parts) == len(target.elts):
                unpacked |= parts[index]
            else:
                unpacked |= self._effects.elements(frozenset({value}), target)
        return unpacked

    def _write_item(self, target: ast.Subscript, values: Values) -> None:
        keys = self._evaluate(target.slice)
        self._effects.show(keys, target)
        for value in self._evaluate(target.value):
            match value:
                case Container() if isinstance(target.slice, ast.Slice):
                    self._store.write(value, self._effects.elements(values, target))
                case Container():
                    self._store.write(value, values, keys)
                case Data():
                    self._effects.into_data(value, values | keys, target)
                case Table(name=table) | Row(table=table):
                    self._store.write_table(table, self._effects.as_data(values, target))
                case _:
                    raise Missing(f"line {target.lineno} writes into a function, which is not followed")

    # --- expressions ----------------------------------------------------------------

    def _evaluate(self, node: ast.expr) -> Values:
        """The possible values of the expression."""
        self._store.tick()
        follow = self._EXPRESSIONS.get(type(node))
        if follow is None:
            raise Missing(f"line {node.lineno} has a {type(node).__name__}, which is not followed")
        return self._store.limit(follow(self, node))

    def _constant(self, node: ast.Constant) -> Values:
        if isinstance(node.value, str):
            known = self._literals.get(id(node))
            if known is None:
                program = self._program(node)
                start, end = place = program.place(node)
                known = frozenset({located(node.value, place, program.source(start, end))})
                self._literals[id(node)] = known
            return known
        if isinstance(node.value, bool):
            return TRUTH
        if isinstance(node.value, int | float):
            return NUMBER
        return COMPUTED if isinstance(node.value, bytes) else PLAIN

    def _joined(self, node: ast.JoinedStr) -> Values:
        parts: list[Values] = []
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                parts.append(self._evaluate(part))
                continue
            values = self._effects.printed(self._evaluate(part.value), part.value)
            spec = _literal_spec(part.format_spec)
            if spec is None:
                for inner in ast.walk(part.format_spec or part):
                    if isinstance(inner, ast.FormattedValue):
                        self._effects.show(self._evaluate(inner.value), inner.value)
                parts.append(COMPUTED)
            else:
                parts.append(with_spec(values, spec, chr(part.conversion) if part.conversion >= 0 else ""))
        return concatenate(parts, self._place(node))

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Values:
        kind = type(node).__name__.lower()
        container = self._store.container(node, kind)
        if kind != "set" and not any(isinstance(item, ast.Starred) for item in node.elts):
            self._store.fill_parts(container, list(map(self._evaluate, node.elts)))
            return frozenset({container})
        for item in node.elts:
            if isinstance(item, ast.Starred):
                self._store.write(container, self._effects.elements(self._evaluate(item.value), item))
            else:
                self._store.write(container, self._evaluate(item))
        if kind == "set":
            self._effects.show(frozenset({container}), node)
        return frozenset({container})

    def _dict(self, node: ast.Dict) -> Values:
        container = self._store.container(node, "dict")
        literals = [
            key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
        held: list[Values] = []
        for key, value in zip(node.keys, node.values, strict=True):
            values = self._evaluate(value)
            if key is None:
                self._store.write(container, *self._methods.entries(container, values, value))
                continue
            keys = self._evaluate(key)
            self._effects.show(keys, key)
            self._store.fill(container, values, keys)
            held.append(values)
        if len(set(literals)) == len(node.keys):
            self._store.fill_parts(container, held, tuple(literals))
        return frozenset({container})

    def _comprehension(self, node: Comprehension) -> Values:
        kinds = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "iterator"}
        container = self._store.container(node, kinds[type(node)])
        self._store.enclose(self._scopes.inner[id(node)].number)
        for generator in node.generators:
            if generator.is_async:
                raise Missing(f"line {node.lineno} has an async loop, which is not followed")
            self._bind(
                generator.target, self._effects.elements(self._evaluate(generator.iter), generator.iter)
            )
            for condition in generator.ifs:
                self._evaluate(condition)
        if isinstance(node, ast.DictComp):
            keys = self._evaluate(node.key)
            self._effects.show(keys, node.key)
            self._store.write(container, self._evaluate(node.value), keys)
        else:
            self._store.write(container, self._evaluate(node.elt))
            if isinstance(node, ast.SetComp):
                self._effects.show(frozenset({container}), node)
        return frozenset({container})

    def _attribute(self, node: ast.Attribute, *, called: bool = False) -> Values:
        owners = self._evaluate(node.value)
        modules = [value for value in owners if isinstance(value, Outside) and value.kind == "library"]
        found = NOTHING.union(*(value_at(f"{module.path}.{node.attr}", node) for module in modules))
        return found | self._methods.attribute(owners.difference(modules), node.attr, node, called=called)

    def _subscript(self, node: ast.Subscript) -> Values:
        held = self._evaluate(node.value)
        return self._parts.at(held, self._evaluate(node.slice), node, node.slice)

    def _slice(self, node: ast.Slice) -> Values:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self._evaluate(part)
        return PLAIN

    def _call(self, node: ast.Call) -> Values:
        func = node.func
        called = (
            self._attribute(func, called=True) if isinstance(func, ast.Attribute) else self._evaluate(func)
        )
        return self._calls.call_all(called, self._arguments(node), node)

    def _arguments(self, node: ast.Call) -> Arguments:
        positional: list[Values] = []
        more, more_named = NOTHING, NOTHING
        for item in node.args:
            if isinstance(item, ast.Starred):
                values = self._evaluate(item.value)
                parts = self._known_parts(values)
                if parts is not None and not more:
                    positional += parts
                else:
                    more |= self._effects.elements(values, item)
            elif more:
                more |= self._evaluate(item)
            else:
                positional.append(self._evaluate(item))
        named: list[tuple[str, Values]] = []
        for keyword in node.keywords:
            values = self._evaluate(keyword.value)
            if keyword.arg is not None:
                named.append((keyword.arg, values))
            else:
                for value in values:
                    self._effects.show(
                        frozenset({value} if not isinstance(value, Container) else ()), keyword.value
                    )
                    more_named |= self._store.held(value) if isinstance(value, Container) else COMPUTED
        return Arguments(tuple(positional), tuple(named), more, more_named)

    def _known_parts(self, values: Values) -> list[Values] | None:
        if len(values) != 1:
            return None
        (value,) = values
        return self._store.parts(value) if isinstance(value, Container) else None

    def _compare(self, node: ast.Compare) -> Values:
        left = self._evaluate(node.left)
        for op, item in zip(node.ops, node.comparators, strict=True):
            right = self._evaluate(item)
            self._operators.compare(op, left, right, item)
            left = right
        return TRUTH

    def _if_else(self, node: ast.IfExp) -> Values:
        self._evaluate(node.test)
        return self._evaluate(node.body) | self._evaluate(node.orelse)

    def _named(self, node: ast.NamedExpr) -> Values:
        values = self._evaluate(node.value)
        self._bind(node.target, values)
        return values

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Values:
        values = self._evaluate(node.value) if node.value is not None else PLAIN
        if isinstance(node, ast.YieldFrom):
            values = self._effects.elements(values, node)
        self._store.join(("yield", self._store.frame.number), values)
        return PLAIN if isinstance(node, ast.Yield) else COMPUTED

    def _bool(self, node: ast.BoolOp) -> Values:
        return NOTHING.union(*map(self._evaluate, node.values))

    def _binary(self, node: ast.BinOp) -> Values:
        return self._operators.binary(node.op, self._evaluate(node.left), self._evaluate(node.right), node)

    def _unary(self, node: ast.UnaryOp) -> Values:
        return self._operators.unary(node.op, self._evaluate(node.operand), node)

    # The statements and expressions that are followed. Any other is refused, with its line.
    _STATEMENTS: ClassVar[Mapping[type[ast.stmt], Callable[[Any, Any], None]]] = {
        ast.Assign: _assign, ast.AnnAssign: _ann_assign, ast.AugAssign: _augment,
        ast.FunctionDef: _define, ast.Import: _import, ast.ImportFrom: _import,
        ast.If: _if, ast.While: _if, ast.For: _for, ast.Try: _try,
        ast.With: _with, ast.Return: _return, ast.Assert: _assert,
        ast.Raise: _raise, ast.Delete: _delete, ast.Expr: _expression,
        ast.Pass: _nothing, ast.Break: _nothing, ast.Continue: _nothing,
        ast.Global: _nothing, ast.Nonlocal: _nothing,
    }  # fmt: skip
    _EXPRESSIONS: ClassVar[Mapping[type[ast.expr], Callable[[Any, Any], Values]]] = {
        ast.Constant: _constant, ast.JoinedStr: _joined, ast.Name: _name,
        ast.Call: _call, ast.Attribute: _attribute, ast.Subscript: _subscript,
        ast.Slice: _slice, ast.List: _display, ast.Tuple: _display,
        ast.Set: _display, ast.Dict: _dict, ast.ListComp: _comprehension,
        ast.SetComp: _comprehension, ast.DictComp: _comprehension,
        ast.GeneratorExp: _comprehension, ast.BinOp: _binary, ast.BoolOp: _bool,
        ast.UnaryOp: _unary, ast.Compare: _compare, ast.IfExp: _if_else,
        ast.NamedExpr: _named, ast.Lambda: _function, ast.Yield: _yield,
        ast.YieldFrom: _yield,
    }  # fmt: skip


def _literal_spec(node: ast.expr | None) -> str | None:
    if node is None:
        return ""
    if isinstance(node, ast.JoinedStr) and all(isinstance(part, ast.Constant) for part in node.values):
        return "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    return None


class Operators:
    """Combines the possible values of operands, and notes what this reads."""

    def __init__(self, store: Store, effects: Effects) -> None:
        """Take the store and the effects."""
        self._store = store
        self._effects = effects

    def unary(self, op: ast.unaryop, values: Values, node: ast.expr) -> Values:
        """The values of ``-x``, ``~x`` or ``not x``."""
        if isinstance(op, ast.Not):
            return TRUTH
        self._effects.show(values, node)
        origin = self._store.origin(values)
        return data(origin if origin <= Origin.TRUTH else max(origin, Origin.PLAIN))

    def compare(self, op: ast.cmpop, left: Values, right: Values, node: ast.expr) -> Values:
        """A comparison reads its operands, but ``is`` reads none, and ``'x' in row`` reads x only."""
        if isinstance(op, ast.In | ast.NotIn):
            rows = frozenset(value for value in right if isinstance(value, Row))
            if rows:
                tables = frozenset(row.table for row in rows)
                self._effects.columns(tables, left, node)
            self._effects.show((right - rows) | left, node)
        elif not isinstance(op, ast.Is | ast.IsNot):
            self._effects.show(left | right, node)
        return TRUTH

    def binary(self, op: ast.operator, left: Values, right: Values, node: ast.expr | ast.stmt) -> Values:
        """The values of a binary operation."""
        combined: set[Value] = set()
        for left_value in left:
            for right_value in right:
                combined |= self._pair(op, left_value, right_value, node)
        return self._store.limit(frozenset(combined))

    def _pair(self, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Values:
        if isinstance(left, Text) and isinstance(op, ast.Mod):
            return self._percent(left, right, node)
        if isinstance(left, Container) or isinstance(right, Container):
            return self._joined(op, left, right, node)
        if is_only_called(left) or is_only_called(right):
            return NOTHING
        self._effects.show(frozenset({left, right}), node)
        if isinstance(op, ast.Add) and (isinstance(left, Text) or isinstance(right, Text)):
            return concatenate([frozenset({left}), frozenset({right})], self._effects.place(node))
        return data(_arithmetic(op, left, right))

    def _percent(self, pattern: Text, value: Value, node: ast.expr | ast.stmt) -> Values:
        self._effects.show(frozenset({value}), node)
        place = self._effects.place(node)
        if isinstance(value, Container) and value.kind == "tuple":
            parts = self._store.parts(value)
            if parts is None:
                return COMPUTED
            return percent(pattern, [self._effects.printed(part, node) for part in parts], NOTHING, place)
        return percent(pattern, None, self._effects.printed(frozenset({value}), node), place)

    def _joined(self, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Values:
        """The result of an operation on containers: a new container with the elements of both."""
        first = left if isinstance(left, Container) else right
        assert isinstance(first, Container)
        joined = self._store.container(node, first.kind, "combined")
        for value in (left, right):
            if isinstance(value, Container):
                self._store.write(joined, self._store.held(value), self._store.keys(value))
            elif not isinstance(op, ast.Mult):
                self._effects.show(frozenset({value}), node)
                self._store.write(joined, COMPUTED, COMPUTED)
        return frozenset({joined})


def _arithmetic(op: ast.operator, left: Value, right: Value) -> Origin:
    """The origin of the result of an operation on data. ``+``, ``*`` and ``%`` may make texts, ``/`` not."""
    if not isinstance(left, Data) or not isinstance(right, Data):
        return Origin.COMPUTED
    worst = max(left.origin, right.origin)
    if worst <= Origin.TRUTH and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return worst
    if worst is Origin.NUMBER or isinstance(op, ast.Div | ast.FloorDiv | ast.Pow):
        return min(worst, Origin.PLAIN)
    if isinstance(op, ast.Add):
        # A text and a number cannot be added, so the other operand is a number too.
        return worst if Origin.NUMBER in (left.origin, right.origin) else Origin.COMPUTED
    if isinstance(op, ast.Mult) or (isinstance(op, ast.Mod) and left.origin is not Origin.NUMBER):
        return Origin.COMPUTED
    return max(worst, Origin.PLAIN)
