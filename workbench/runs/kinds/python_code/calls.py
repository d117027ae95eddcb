"""The calls of code: of its own functions, of an agent's functions, of builtins, libraries and methods.

The parts of values at an index: elements, columns, rows and characters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from workbench.runs.kinds.python_code.effects import Effects, Place
from workbench.runs.kinds.python_code.library import (
    BUILTINS,
    CONTAINERS,
    EXCEPTIONS,
    NUMBERS,
    TRUTHS,
    check_call,
    result_of,
)
from workbench.runs.kinds.python_code.methods import Methods
from workbench.runs.kinds.python_code.scopes import CodeScopes, Defined, Variable
from workbench.runs.kinds.python_code.store import Store
from workbench.runs.kinds.python_code.tables import Reads
from workbench.runs.kinds.python_code.texts import only_literal, sliced
from workbench.runs.kinds.python_code.values import (
    COMPUTED,
    NOTHING,
    NUMBER,
    PLAIN,
    TRUTH,
    Arguments,
    Bound,
    Container,
    Data,
    Function,
    Getter,
    Origin,
    Outside,
    Piece,
    Row,
    Table,
    Text,
    Value,
    Values,
    data,
)
from workbench.runs.values.found_value import Missing

_CALL_DEPTH = 12
# Numbers, words, dates and arithmetic: no quotes, and no word before a bracket, as in a call.
_HARMLESS = re.compile(r"(?:[\w.,:+*/%= -]|(?<!\w)(?<!\w )\(|\))*")
# Builtins whose result depends on the number or existence of values, not on the values.
_BLIND = frozenset({"len", "bool", "id", "isinstance"})
_OF_NUMBERS = frozenset({"abs", "round", "pow", "divmod"})
_KEYWORDS: Mapping[str, frozenset[str]] = {
    "sorted": frozenset({"key", "reverse"}), "min": frozenset({"key", "default"}),
    "max": frozenset({"key", "default"}), "enumerate": frozenset({"start"}), "zip": frozenset({"strict"}),
    "sum": frozenset({"start"}), "int": frozenset({"base"}), "round": frozenset({"ndigits"}),
    "print": frozenset({"sep", "end", "flush"}),
}  # fmt: skip
_ANY_NUMBER = frozenset({"print", "zip", "map", "min", "max"})

type Run = Callable[[Defined], None]


class Calls:
    """Follows the call of a value."""

    def __init__(self, store: Store, reads: Reads, scopes: CodeScopes, place: Place, run: Run) -> None:
        """Take what the code is followed with, and the function that follows a body."""
        self._store = store
        self._scopes = scopes
        self._run = run
        self.effects = Effects(store, reads, place, self.call)
        self.methods = Methods(store, self.effects, self.call)
        self.parts = Parts(store, self.effects)

    def call(self, value: Value, arguments: Arguments, node: ast.expr) -> Values:
        """The possible return values of a call; raises Missing for a function that nothing describes."""
        self._store.tick()
        match value:
            case Function():
                return self._of_code(value, arguments, node)
            case Bound():
                return self.methods.call(value.owner, value.name, arguments, node)
            case Outside(kind="tool", path=name):
                return self._of_tool(name, arguments, node)
            case Outside(kind="builtin" | "type", path=name):
                return self._of_builtin(name, arguments, node)
            case Outside(kind="method", path=name):
                rest = replace(arguments, positional=arguments.positional[1:])
                owners = arguments.positional[0] if arguments.positional else arguments.more
                return self.call_all(self.methods.bound(owners, name, node), rest, node)
            case Outside(path=path):
                return self._of_library(path, arguments, node)
            case Getter():
                parts = [self.parts.at(arguments.every, key, node) for key in value.keys]
                return parts[0] if len(parts) == 1 else self._store.pair(node, "got", *parts)
            case _:
                raise Missing(f"line {node.lineno} calls what is only known when the code runs")

    def call_all(self, values: Values, arguments: Arguments, node: ast.expr) -> Values:
        """The return values of any of the functions."""
        return NOTHING.union(*(self.call(value, arguments, node) for value in values))

    # --- functions of the code ----------------------------------------------------------

    def _of_code(self, value: Function, arguments: Arguments, node: ast.expr) -> Values:
        """The return values of a function of the code for these arguments, by following its body."""
        store, definition = self._store, self._store.definition(value)
        outer = store.frame
        active = any(caller == value for caller, _ in outer.callers)
        if not active and len(outer.callers) >= _CALL_DEPTH:
            raise Missing(f"the functions of the code call each other too deeply (line {definition.lineno})")
        inner = self._scopes.inner[id(definition)]
        scope = inner.number
        store.frame = store.enter(value, node, scope)
        number = store.frame.number
        for name, values in self._bound(definition, arguments, node).items():
            store.bind(Variable(scope, name, 0), values)
        if not active:
            self._run(definition)
        store.frame = outer
        returned = store.cell("return", number)
        if inner.yields:
            # A call of it only makes an iterator.
            generator = Container(id(definition), number, "iterator", "yielded")
            return store.adopt(generator, store.cell("yield", number))
        return returned | PLAIN if _ends(definition) else returned

    def _bound(self, definition: Defined, arguments: Arguments, node: ast.expr) -> dict[str, Values]:
        """The values of the parameters; raises Missing if the call does not fit them."""
        args = definition.args
        positional = [*args.posonlyargs, *args.args]
        left = dict(arguments.named)
        bound: dict[str, Values] = {}
        fits = len(arguments.positional) <= len(positional) or args.vararg is not None
        for index, parameter in enumerate([*positional, *args.kwonlyargs]):
            name = parameter.arg
            by_place = index < len(positional)
            values = arguments.positional[index] if by_place and index < len(arguments.positional) else None
            if values is None and parameter not in args.posonlyargs:
                values = left.pop(name, None)
            if values is None:
                default = self._store.cell("default", id(definition), name)
                values = default | (arguments.more if by_place else NOTHING) | arguments.more_named
                fits = fits and (bool(values) or name in _with_default(definition) or not arguments.certain)
            bound[name] = values
        if args.vararg is not None:
            rest = list(arguments.positional[len(positional) :])
            container = self._store.container(args.vararg, "tuple")
            if arguments.more:
                self._store.write(container, arguments.more.union(*rest))
            else:
                self._store.fill_parts(container, rest)
            bound[args.vararg.arg] = frozenset({container})
        if args.kwarg is not None:
            bound[args.kwarg.arg] = self._named(args.kwarg, left, arguments.more_named, node)
            left = {}
        if not fits or left:
            name = "a lambda" if isinstance(definition, ast.Lambda) else definition.name
            raise Missing(f"the call of {name} in line {node.lineno} does not fit its parameters")
        return bound

    def _named(self, parameter: ast.arg, named: Mapping[str, Values], more: Values, node: ast.expr) -> Values:
        """The dict of named arguments."""
        container = self._store.container(parameter, "dict")
        place = self.effects.place(node)
        self._store.fill_parts(container, list(named.values()), tuple(named))
        self._store.fill(container, NOTHING, frozenset(Text((Piece(name, *place, False),)) for name in named))
        if more:
            self._store.write(container, more, COMPUTED)
        return frozenset({container})

    # --- functions of the agent -----------------------------------------------------------

    def _of_tool(self, name: str, arguments: Arguments, node: ast.expr) -> Values:
        reads = self.effects.reads
        passed = [*arguments.positional, *(values for _, values in arguments.named)]
        role = reads.tools.functions[name]
        if role == "pure":
            self.effects.lose(arguments.every, node)
            return PLAIN if all(map(self._harmless, arguments.every)) else COMPUTED
        needed = 1 if role in ("table", "sql") else 2
        if len(passed) != needed or not arguments.certain:
            raise Missing(
                f"{name} in line {node.lineno} is given {len(passed)} arguments, but it takes {needed}"
            )
        texts = self._texts(passed[-1], name, node)
        if role == "table":
            return frozenset(self._load(text, name, node) for text in texts)
        if role == "sql":
            for text in texts:
                reads.sql(text)
            return COMPUTED
        tables = self._loaded(passed[0])
        if len(tables) != len(passed[0]) or (self.effects.settled and not tables):
            raise Missing(f"the table that {name} reads in line {node.lineno} is not known")
        reader = reads.conditions if role == "conditions" else reads.column_list
        for text in texts if tables else ():
            reader(tables, text)
        return frozenset(map(Table, tables)) if role == "conditions" else self._store.stored(tables)

    @staticmethod
    def _loaded(values: Values) -> frozenset[str]:
        return frozenset(value.name for value in values if isinstance(value, Table) and value.form == "rows")

    def _harmless(self, value: Value) -> bool:
        """Whether a pure function cannot turn the argument into a text that ends a condition."""
        if isinstance(value, Text):
            return value.origin is not Origin.COMPUTED and bool(_HARMLESS.fullmatch(value.filled("0")))
        return isinstance(value, Data) and value.origin is not Origin.COMPUTED

    def _load(self, text: Text, name: str, node: ast.expr) -> Table:
        literal = text.literal
        if literal is None or not literal.strip():
            raise Missing(
                f"the table that {name} loads in line {node.lineno} is only known when the code runs"
            )
        table = self.effects.reads.spelled(literal.strip())
        self.effects.reads.load(table, text.place(0, len(literal)))
        return Table(table)

    def _texts(self, values: Values, name: str, node: ast.expr) -> list[Text]:
        texts = [value for value in values if isinstance(value, Text)]
        if len(texts) != len(values) or (self.effects.settled and not texts):
            raise Missing(f"what {name} is asked for in line {node.lineno} is only known when the code runs")
        return texts

    # --- builtins -------------------------------------------------------------------------

    def _of_builtin(self, name: str, arguments: Arguments, node: ast.expr) -> Values:
        named = frozenset(key for key, _ in arguments.named)
        if name not in BUILTINS:
            raise Missing(f"the code calls {name} in line {node.lineno}, which is not followed")
        if (name not in ("dict", *EXCEPTIONS) and not named <= _KEYWORDS.get(name, frozenset())) or not (
            arguments.certain or (name in _ANY_NUMBER and not arguments.more_named)
        ):
            raise Missing(f"{name} in line {node.lineno} is called in a way that is not followed")
        if name in EXCEPTIONS:
            self.effects.lose(arguments.every, node)
            return COMPUTED
        if name in CONTAINERS:
            return self._container(CONTAINERS[name], name, arguments, node)
        special = {
            "dict": self._dict, "enumerate": self._pairs, "filter": self._applied, "map": self._applied,
            "max": self._element_of, "min": self._element_of, "next": self._element_of, "range": self._range,
            "str": self._str, "sum": self._sum, "zip": self._pairs,
        }.get(name)  # fmt: skip
        if special is None:
            return self._of_values(name, arguments.every, node)
        return special(name, arguments, node)

    def _of_values(self, name: str, values: Values, node: ast.expr) -> Values:
        if name not in _BLIND:
            self.effects.show(values, node)
        if name in _OF_NUMBERS:
            return self._computed_of(values)
        if name == "print":
            return PLAIN
        return NUMBER if name in NUMBERS else TRUTH if name in TRUTHS else COMPUTED

    def _computed_of(self, values: Values) -> Values:
        """Numbers give a number; dates and durations give a date or a duration."""
        return NUMBER if self._store.origin(values) <= Origin.STORED else PLAIN

    def _str(self, _name: str, arguments: Arguments, node: ast.expr) -> Values:
        if len(arguments.positional) == 1:
            return self.effects.printed(arguments.positional[0], node)
        self.effects.show(arguments.every, node)
        return COMPUTED if arguments.every else frozenset({Text(())})

    def _range(self, name: str, arguments: Arguments, node: ast.expr) -> Values:
        self.effects.show(arguments.every, node)
        return self._store.iterator(node, name, NUMBER)

    def _container(self, kind: str, name: str, arguments: Arguments, node: ast.expr) -> Values:
        if len(arguments.positional) > 1:
            raise Missing(f"{name} in line {node.lineno} is called in a way that is not followed")
        container = self._store.container(node, kind, name)
        for passed in arguments.positional:
            values = self.effects.elements(passed, node)
            self._store.write(container, values)
            if kind == "set":
                self.effects.show(values, node)
            elif name == "sorted":
                self.methods.sorted_by(values, arguments, node)
        return frozenset({container})

    def _dict(self, _name: str, arguments: Arguments, node: ast.expr) -> Values:
        container = self._store.container(node, "dict", "dict")
        for values in arguments.positional:
            held, keys = self.methods.entries(container, values, node)
            self.effects.show(keys, node)
            self._store.write(container, held, keys)
        if arguments.named and not arguments.positional:
            place = self.effects.place(node)
            names = frozenset(Text((Piece(name, *place, False),)) for name, _ in arguments.named)
            self._store.fill_parts(
                container,
                [values for _, values in arguments.named],
                tuple(name for name, _ in arguments.named),
            )
            self._store.fill(container, NOTHING, names)
        elif arguments.named:
            self._store.write(container, NOTHING.union(*(values for _, values in arguments.named)), COMPUTED)
        return frozenset({container})

    def _applied(self, name: str, arguments: Arguments, node: ast.expr) -> Values:
        """Follow ``map`` and ``filter``: the function is called with the elements."""
        if len(arguments.positional) < 2 or arguments.more:
            raise Missing(f"{name} in line {node.lineno} is called in a way that is not followed")
        function, *iterables = arguments.positional
        elements = [self.effects.elements(values, node) for values in iterables]
        if name == "filter" and all(
            isinstance(value, Data) and value.origin is Origin.PLAIN for value in function
        ):
            return self._store.iterator(node, name, elements[0])
        called = self.call_all(function, Arguments(tuple(elements)), node) if all(elements) else NOTHING
        return self._store.iterator(node, name, called if name == "map" else elements[0])

    def _pairs(self, name: str, arguments: Arguments, node: ast.expr) -> Values:
        items = [self.effects.elements(values, node) for values in arguments.positional]
        if name == "enumerate":
            items = [NUMBER, *items[:1]]
        if arguments.more:
            inner = self.effects.elements(self.effects.elements(arguments.more, node), node)
            container = self._store.container(node, "tuple", "several")
            self._store.write(container, inner.union(*items))
            return self._store.iterator(node, name, frozenset({container}))
        return self._store.iterator(node, name, self._store.pair(node, "pair", *items))

    def _element_of(self, name: str, arguments: Arguments, node: ast.expr) -> Values:
        several = len(arguments.positional) > 1 and name != "next"
        elements = NOTHING.union(*arguments.positional, arguments.more) if several else NOTHING
        if not several:
            passed = arguments.positional[0] if arguments.positional else arguments.more
            elements = self.effects.elements(passed, node)
        if name != "next":
            self.methods.sorted_by(elements, Arguments(named=arguments.named), node)
        default = arguments.keyword("default") or NOTHING
        return elements | default.union(*(arguments.positional[1:] if name == "next" else ()))

    def _sum(self, _name: str, arguments: Arguments, node: ast.expr) -> Values:
        """The sum of numbers; with a start value it may join lists."""
        self.effects.show(arguments.every, node)
        if len(arguments.positional) == 1 and not arguments.named:
            return self._computed_of(self.effects.elements(arguments.positional[0], node))
        self.effects.lose(arguments.every, node)
        return COMPUTED

    # --- libraries ------------------------------------------------------------------------

    def _of_library(self, path: str, arguments: Arguments, node: ast.expr) -> Values:
        check_call(path, node)
        match path:
            case "collections.defaultdict" if len(arguments.positional) == 1 and not arguments.named:
                container = self._store.container(node, "dict", "defaultdict")
                made = self.call_all(arguments.positional[0], Arguments(), node)
                self._store.write(container, made)
                return frozenset({container})
            case "functools.reduce" if len(arguments.positional) in (2, 3) and arguments.certain:
                return self._reduced(arguments, node)
            case "operator.itemgetter" if arguments.positional and arguments.certain:
                return frozenset({Getter(arguments.positional)})
            case _:
                pass
        values = arguments.every
        self.effects.lose(values, node)
        if path in ("copy.copy", "copy.deepcopy") and all(isinstance(value, Data | Text) for value in values):
            return values
        if path == "collections.Counter" and self._store.origin(values) is not Origin.COMPUTED:
            return data(max(self._store.origin(values), Origin.STORED))
        return result_of(path)

    def _reduced(self, arguments: Arguments, node: ast.expr) -> Values:
        elements = self.effects.elements(arguments.positional[1], node)
        before = elements.union(*arguments.positional[2:], self._store.cell("reduced", id(node)))
        reduced = self.call_all(arguments.positional[0], Arguments((before, elements)), node)
        self._store.join(("reduced", id(node)), reduced)
        return before | reduced


def _with_default(definition: Defined) -> frozenset[str]:
    return frozenset(name for name, _ in defaults_of(definition.args))


def defaults_of(args: ast.arguments) -> list[tuple[str, ast.expr]]:
    """The parameters with a default, and the defaults."""
    positional = [*args.posonlyargs, *args.args]
    first = len(positional) - len(args.defaults)
    pairs = [
        *zip(positional[first:], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    return [(parameter.arg, default) for parameter, default in pairs if default is not None]


def _ends(definition: Defined) -> bool:
    """Whether the function may reach the end of its body, and so return None."""
    return not isinstance(definition, ast.Lambda) and _reaches_end(definition.body)


def _reaches_end(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return not last.orelse or _reaches_end(last.body) or _reaches_end(last.orelse)
    return not isinstance(last, ast.Return | ast.Raise)


class Parts:
    """Looks up parts of values, and notes the columns that this reads."""

    def __init__(self, store: Store, effects: Effects) -> None:
        """Take the store and the effects."""
        self._store = store
        self._effects = effects

    def at(self, held: Values, index: Values, node: ast.expr, written: ast.expr | None = None) -> Values:
        """The values at an index; ``written`` is the index as the code writes it, if it does."""
        tables = frozenset(value for value in held if isinstance(value, Table))
        rows = frozenset(value for value in held if isinstance(value, Row))
        found = self._of_tables(tables, index, node, written) if tables else NOTHING
        if rows:
            found |= self._effects.columns(frozenset(row.table for row in rows), index, node)
        for value in held - tables - rows:
            found |= self._at(value, index, node, written)
        return found

    def _at(self, value: Value, index: Values, node: ast.expr, written: ast.expr | None) -> Values:
        match value:
            case Container():
                return self._item(value, index, node, written)
            case Text():
                return self._characters(value, written)
            case Data():
                self._effects.show(index, node)
                return frozenset({_part(value, written)})
            case Outside(kind="type" | "library"):
                # A type with its parameters.
                self._effects.lose(index, node)
                return frozenset({value})
            case _:
                # A function has no parts.
                return NOTHING

    def _item(self, container: Container, index: Values, node: ast.expr, written: ast.expr | None) -> Values:
        if isinstance(written, ast.Slice):
            copy = self._store.container(node, container.kind, "slice")
            self._store.write(copy, self._store.held(container), self._store.keys(container))
            return frozenset({copy})
        self._effects.show(index, node)
        parts = self._store.parts(container)
        number = None if written is None else _integer(written)
        if parts is not None and number is not None and -len(parts) <= number < len(parts):
            return parts[number]
        key = only_literal(index)
        part = self._store.part(container, key) if key is not None else None
        return self._store.held(container) if part is None else part

    def _characters(self, text: Text, written: ast.expr | None) -> Values:
        if isinstance(written, ast.Slice):
            bounds = [_bound(part) for part in (written.lower, written.upper, written.step)]
            if all(is_known for is_known, _ in bounds):
                part = sliced(text, *(number for _, number in bounds))
                if part is not None:
                    return frozenset({part})
        number = None if written is None else _integer(written)
        if number is not None and text.literal is not None:
            part = sliced(text, number, number + 1 if number != -1 else None, None)
            return frozenset({part}) if part is not None else COMPUTED
        return COMPUTED

    # --- tables -----------------------------------------------------------------------

    def _of_tables(
        self, tables: frozenset[Table], index: Values, node: ast.expr, written: ast.expr | None
    ) -> Values:
        """The value of ``db["column"]`` or ``db[["a", "b"]]``, a row, or a selection of rows."""
        if isinstance(written, ast.Slice):
            return frozenset(Table(table.name) for table in tables)
        cells = frozenset(table for table in tables if table.form == "cells")
        found = self._cells(cells, index, node) if cells else NOTHING
        whole = tables - cells
        return found | (self._selected(whole, index, node) if whole else NOTHING)

    def _cells(self, tables: frozenset[Table], index: Values, node: ast.expr) -> Values:
        """The value of ``db.loc[rows]`` or of ``db.loc[rows, columns]``."""
        names = frozenset(table.name for table in tables)
        found = NOTHING
        for value in index:
            if not (isinstance(value, Container) and value.kind == "tuple"):
                if isinstance(value, Text):
                    # The label of a row; or, where tables have none, a column.
                    self._effects.columns(names, frozenset({value}), node)
                found |= frozenset(Table(name) for name in names) | frozenset(map(Row, names))
                continue
            parts = self._store.parts(value)
            columns = parts[1] if parts is not None and len(parts) == 2 else COMPUTED
            found |= self._effects.columns(names, columns, node)
        return found

    def _selected(self, tables: frozenset[Table], index: Values, node: ast.expr) -> Values:
        names = frozenset(table.name for table in tables)
        found = NOTHING
        for value in index:
            kinds = self._store.held(value) if isinstance(value, Container) else frozenset({value})
            if kinds == frozenset({Data(Origin.NUMBER)}):
                found |= frozenset(map(Row, names))
            elif kinds == frozenset({Data(Origin.TRUTH)}):
                found |= frozenset(tables) | frozenset(map(Row, names))
            else:
                found |= self._effects.columns(names, frozenset({value}), node)
        return found


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if not isinstance(
            value, bool
        ):
            return -value
        case _:
            return None


def _part(value: Data, written: ast.expr | None) -> Data:
    """An element, or a run of characters; a step changes the order of the characters."""
    if not isinstance(written, ast.Slice) or value.origin is Origin.NUMBER:
        return value
    return Data(Origin.COMPUTED if written.step is not None else max(value.origin, Origin.PLAIN))


def _bound(node: ast.expr | None) -> tuple[bool, int | None]:
    """Whether a bound of a slice is known, and its value."""
    if node is None:
        return True, None
    number = _integer(node)
    return number is not None, number
