"""The attributes and methods of values: of texts, containers, tables, rows, and of data."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from workbench.runs.kinds.python_code.effects import CallValue, Effects
from workbench.runs.kinds.python_code.store import Store
from workbench.runs.kinds.python_code.texts import (
    DATE_FORMAT,
    compute,
    format_fields,
    format_text,
    hole,
    join,
    only_literal,
    split,
)
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
    Origin,
    Outside,
    Row,
    Table,
    Text,
    Value,
    Values,
    data,
    is_only_called,
)
from workbench.runs.values.data_file import read_data
from workbench.runs.values.found_value import Missing

_FILE = read_data(__name__, "known_methods.toml")
_CONTAINERS = _FILE.table("containers").names_by_key()
_DATA = _FILE.table("data").names_by_key()
_TABLES = _FILE.table("tables").names_by_key()
_BY_COLUMNS = _FILE.table("tables_by_columns").text_by_key()
_PLACES = {"nlargest": 1, "nsmallest": 1, "dropna": 9}

_OF_CONTAINERS = frozenset[str]().union(*_CONTAINERS.values())
_OF_DATA = _DATA["keeping"].union(
    *(_DATA[name] for name in ("numbers", "truths", "parts_of_dates", "changing", "computing"))
)
_OF_TEXTS = _OF_DATA - _DATA["changing"] - _DATA["parts_of_dates"]
_OF_ROWS = _FILE.names("rows")
_OF_TABLES = _TABLES["rows"].union(_TABLES["whole"], _TABLES["others"], _DATA["truths"], _BY_COLUMNS)
_OF_TABLES_ALONE = _OF_TABLES.union(_TABLES["cells"], _TABLES["metadata"], ["columns"]) - _OF_ROWS - {"index"}
_TYPES_WITH_METHODS = frozenset({"str", "list", "dict", "set"})
_METHODS: Mapping[type, frozenset[str]] = {
    Text: _OF_TEXTS, Container: _OF_CONTAINERS, Table: _OF_TABLES, Row: _OF_ROWS, Data: _OF_DATA,
}  # fmt: skip
_NOUNS: Mapping[type, str] = {
    Text: "a text", Table: "a table", Row: "a row", Data: "a value that is only known when the code runs",
}  # fmt: skip
_SEPARATOR = re.compile(r"[ ,'\"\n]+")


class Methods:
    """The attributes of values, the results of methods, and what they change and read."""

    def __init__(self, store: Store, effects: Effects, call: CallValue) -> None:
        """Take the store, the effects, and the function that follows a call."""
        self._store = store
        self._effects = effects
        self._call = call

    # --- attributes -----------------------------------------------------------------

    def attribute(self, owners: Values, name: str, node: ast.Attribute, *, called: bool) -> Values:
        """The values of an attribute: a column, a part of a value, or a method."""
        found = NOTHING
        tables = frozenset(
            value.name if isinstance(value, Table) else value.table
            for value in owners
            if isinstance(value, Table | Row)
        )
        having = frozenset(table for table in tables if name in (self._effects.reads.columns_of(table) or ()))
        if having and not called:
            self._effects.reads.read(having, name, self._effects.place(node))
            found = self._store.stored(having)
            owners = frozenset(value for value in owners if not isinstance(value, Table | Row))
        if name in _OF_TABLES_ALONE and any(isinstance(value, Table) for value in owners):
            # Where a row is meant, this is an error.
            owners = frozenset(value for value in owners if not isinstance(value, Row))
        return found.union(*(self._attribute(owner, name, node, called=called) for owner in owners))

    def _attribute(self, owner: Value, name: str, node: ast.Attribute, *, called: bool) -> Values:
        read = None if called else self._part(owner, name, node)
        return self.bound(frozenset({owner}), name, node) if read is None else read

    def bound(self, owners: Values, name: str, node: ast.expr) -> Values:
        """A listed method of any of the values; raises Missing for another attribute."""
        found = NOTHING
        for owner in owners:
            if name in _METHODS.get(type(owner), ()):
                found |= {Bound(owner, name)}
            elif (
                isinstance(owner, Outside)
                and owner.path in _TYPES_WITH_METHODS
                and name in _OF_TEXTS | _OF_CONTAINERS
            ):
                found |= {Outside("method", name)}
            elif not (is_only_called(owner) and name in _OF_DATA | _OF_TABLES):
                raise Missing(
                    f"the code uses {name} of {_noun(owner)} in line {node.lineno}, which is not followed"
                )
        return found

    def _part(self, owner: Value, name: str, node: ast.expr) -> Values | None:
        """What an attribute is that is no method; None if it is not known."""
        match owner:
            case Table() if name in _TABLES["cells"]:
                return frozenset({Table(owner.name, "cells")})
            case Table() if name in _TABLES["metadata"]:
                return TRUTH if name == "empty" else NUMBER
            case Table() if name in ("columns", "index"):
                return PLAIN
            case Table() | Row() if name == "values":
                self._effects.show(frozenset({owner}), node)
                return self._store.stored(
                    frozenset({owner.name if isinstance(owner, Table) else owner.table})
                )
            case Row() if name in ("name", "Index", "index"):
                return PLAIN
            case Data() if name in _DATA["keeping_attributes"]:
                return _kept(owner, name)
            case Data() if name in _DATA["plain_attributes"] | _DATA["parts_of_dates"]:
                return PLAIN
            case _:
                return None

    # --- methods --------------------------------------------------------------------

    def call(self, owner: Value, name: str, arguments: Arguments, node: ast.expr) -> Values:
        """The possible return values of a listed method of this value."""
        match owner:
            case Text():
                return self._of_text(owner, name, arguments, node)
            case Container():
                return self._of_container(owner, name, arguments, node)
            case Table():
                return self._of_table(owner, name, arguments, node)
            case Row():
                return self._of_row(owner, name, arguments, node)
            case Data():
                return self._of_data(owner, name, arguments, node)
            case _:
                raise _not_followed(name, owner, node)

    def _of_text(self, owner: Text, name: str, arguments: Arguments, node: ast.expr) -> Values:
        self._effects.show(arguments.every, node)
        place = self._effects.place(node)
        if name in _DATA["truths"]:
            return TRUTH
        if name in _DATA["numbers"]:
            return NUMBER
        if name == "format":
            self._check_format(owner.literal, arguments.every, node)
        if not arguments.certain:
            return COMPUTED
        if name == "format":
            # A field shows its value as str() does.
            positional = [self._effects.printed(values, node) for values in arguments.positional]
            named = {key: self._effects.printed(values, node) for key, values in arguments.named}
            return format_text(owner, positional, named, place)
        if name == "join" and len(arguments.positional) == 1:
            return frozenset(self._joined(owner, value, node) for value in arguments.positional[0])
        literals = [only_literal(values) for values in arguments.positional]
        known_literals = [item for item in literals if item is not None]
        if arguments.named or len(known_literals) != len(literals) or owner.literal is None:
            return COMPUTED
        words = split(owner, name, known_literals)
        if words is not None:
            container = self._store.container(node, "list", owner.literal)
            self._store.fill_parts(container, [frozenset({word}) for word in words])
            return frozenset({container})
        computed = compute(owner, name, known_literals)
        return frozenset({computed}) if computed is not None else COMPUTED

    def _check_format(self, text: str | None, values: Values, node: ast.expr) -> None:
        """Refuse a format text whose fields may reach through a value to what it does not hold."""
        fields = None if text is None else [field for field in format_fields(text) if "." in field]
        if fields == []:
            return
        plain = fields is not None and not any("._" in field for field in fields)
        for value in values:
            known = isinstance(value, Text) or value == Data(Origin.NUMBER)
            if not (known or (plain and isinstance(value, Table | Row | Data) and value != Data())):
                raise Missing(f"line {node.lineno} fills in a text whose fields may reach into a value")

    def _joined(self, owner: Text, value: Value, node: ast.expr) -> Value:
        place = self._effects.place(node)
        parts = self._store.parts(value) if isinstance(value, Container) else None
        if parts is not None and all(len(part) == 1 for part in parts):
            texts: list[Text] = []
            for index, part in enumerate(parts):
                texts.extend([owner] if index else [])
                (item,) = part
                texts.append(item if isinstance(item, Text) else hole(place, _origin(item)))
            return join(tuple(texts), place)
        literal = owner.literal
        if literal is None or not _SEPARATOR.fullmatch(literal):
            return Data(Origin.COMPUTED)
        held = self._effects.elements(frozenset({value}), node)
        return Data(max(self._store.origin(held), Origin.PLAIN))

    # --- containers -----------------------------------------------------------------

    def _of_container(self, owner: Container, name: str, arguments: Arguments, node: ast.expr) -> Values:
        if name not in _CONTAINERS["looking"]:
            # The order and number of its elements are unknown from here on.
            self._store.write(owner, NOTHING)
        if name in _CONTAINERS["taking"]:
            return self._taken(owner, name, arguments, node)
        if name in _CONTAINERS["quiet"]:
            return PLAIN
        if name in _CONTAINERS["asking"]:
            self._effects.show(arguments.every | {owner}, node)
            return NUMBER if name in ("index", "count") else PLAIN
        if name in _CONTAINERS["adding"]:
            self._store.write(
                owner, (arguments.positional[-1] if arguments.positional else NOTHING) | arguments.more
            )
            self._show_set(owner, node)
            return PLAIN
        target = owner
        if name in _CONTAINERS["merging"] - {"extend", "update"}:
            target = self._store.container(node, "set", "merged")
            self._store.write(target, self._store.held(owner))
        for values in (*arguments.positional, arguments.more):
            self._store.write(target, *self.entries(owner, values, node))
        for values in (*(values for _, values in arguments.named), arguments.more_named):
            self._store.write(target, values, COMPUTED if values else NOTHING)
        self._show_set(target, node)
        return frozenset({target}) if target is not owner else PLAIN

    def _show_set(self, container: Container, node: ast.expr) -> None:
        if container.kind == "set":
            self._effects.show(frozenset({container}), node)

    def entries(self, owner: Container, values: Values, node: ast.expr | ast.stmt) -> tuple[Values, Values]:
        """The values and keys that another container adds; a dict takes those of another dict, or pairs."""
        if owner.kind != "dict":
            return self._effects.elements(values, node), NOTHING
        held, keys = NOTHING, NOTHING
        for value in values:
            if isinstance(value, Container) and value.kind == "dict":
                held |= self._store.held(value)
                keys |= self._store.keys(value)
            elif isinstance(value, Container):
                inside = self._store.elements(self._store.held(value))
                held |= inside
                keys |= inside
            else:
                self._effects.show(frozenset({value}), node)
                held |= COMPUTED
                keys |= COMPUTED
        return held, keys

    def _taken(self, owner: Container, name: str, arguments: Arguments, node: ast.expr) -> Values:
        store, held = self._store, self._store.held(owner)
        others = NOTHING.union(*arguments.positional[1:], *(values for _, values in arguments.named))
        match name:
            case "get" | "pop" | "popleft":
                key = only_literal(arguments.positional[0]) if arguments.positional else None
                part = store.part(owner, key) if key is not None and name == "get" else None
                self._effects.show(NOTHING.union(*arguments.positional[:1]), node)
                # The value that get() returns for an absent key.
                absent = PLAIN if name == "get" and part is None and not others else NOTHING
                return (held if part is None else part) | absent | others | arguments.more
            case "setdefault":
                keys = arguments.positional[0] if arguments.positional else COMPUTED
                values = others | arguments.more or PLAIN
                store.write(owner, values, keys)
                return held | values
            case "copy":
                copy = store.container(node, owner.kind, "copy")
                store.write(copy, held, store.keys(owner))
                return frozenset({copy})
            case "keys" | "values":
                return store.iterator(node, name, store.keys(owner) if name == "keys" else held)
            case "sort":
                self.sorted_by(held, arguments, node)
                return PLAIN
            case _:
                pair = store.pair(node, "pair", store.keys(owner), held)
                return pair if name == "popitem" else store.iterator(node, "items", pair)

    def sorted_by(self, elements: Values, arguments: Arguments, node: ast.expr) -> None:
        """Follow a comparison of elements, by their keys if a key is passed."""
        if not arguments.certain or {name for name, _ in arguments.named} - {"key", "reverse", "default"}:
            raise Missing(f"the elements in line {node.lineno} are ordered in a way that is not followed")
        keys = arguments.keyword("key") or PLAIN
        if all(isinstance(key, Data) and key.origin is not Origin.COMPUTED for key in keys):
            self._effects.show(elements, node)
            return
        for key in keys:
            self._effects.show(self._call(key, Arguments((elements,)), node), node)

    # --- tables and rows --------------------------------------------------------------

    def _of_table(self, owner: Table, name: str, arguments: Arguments, node: ast.expr) -> Values:
        if name in _BY_COLUMNS:
            return self._by_columns(owner, name, arguments, node)
        if name in ("merge", "join"):
            return self._merged(owner, arguments, node)
        if name == "apply":
            return self._applied(owner, arguments, node)
        if name == "agg":
            self._check_aggregates(arguments, node)
        if name == "fillna":
            self._store.write_table(owner.name, self._effects.as_data(arguments.every, node))
        self._effects.give(arguments.every, node)
        rows = self._rows(owner, name, arguments, node)
        if rows is not None:
            return rows
        if name != "size":
            self._effects.show(frozenset({owner}), node)
        if name in _DATA["truths"]:
            return TRUTH
        counted = owner.form != "rows" or name == "size"
        return self._store.stored(frozenset({owner.name})) if counted else COMPUTED

    def _rows(self, owner: Table, name: str, arguments: Arguments, node: ast.expr) -> Values | None:
        """The rows of a table, by methods that read no column; None for other methods."""
        row = frozenset({Row(owner.name)})
        if name in _TABLES["rows"]:
            return frozenset({owner})
        if name == "iterrows":
            return self._store.iterator(node, "rows", self._store.pair(node, "pair", NUMBER, row))
        if name == "itertuples":
            return self._store.iterator(node, "rows", row)
        if name == "to_dict" and only_literal(arguments.at(0, "orient") or NOTHING) == "records":
            container = self._store.container(node, "list", "records")
            self._store.write(container, row)
            return frozenset({container})
        return None

    def _by_columns(self, owner: Table, name: str, arguments: Arguments, node: ast.expr) -> Values:
        names = arguments.at(_PLACES.get(name, 0), _BY_COLUMNS[name])
        if names is None or not arguments.certain:
            self._effects.show(frozenset({owner}), node)
        else:
            self._effects.columns(frozenset({owner.name}), names, node)
        for key in arguments.keyword("key") or NOTHING:
            # Of sort_values: it gets each column as a whole.
            self._effects.lose(
                self._call(key, Arguments((self._store.stored(frozenset({owner.name})),)), node), node
            )
        self._effects.give(arguments.every, node)
        return frozenset({Table(owner.name, "groups" if name == "groupby" else owner.form)})

    def _merged(self, owner: Table, arguments: Arguments, node: ast.expr) -> Values:
        """The rows of both tables; without the columns that they are merged by both are read whole."""
        right = arguments.at(0, "right") or NOTHING
        tables = frozenset(value for value in right if isinstance(value, Table)) | {owner}
        names = frozenset(table.name for table in tables)
        given = [values for key, values in arguments.named if key in ("on", "left_on", "right_on")]
        self._effects.lose(right - tables, node)
        if (
            given
            and arguments.certain
            and len(arguments.positional) < 2
            and len(tables) == len(right | {owner})
        ):
            for values in given:
                self._effects.columns(names, values, node)
        else:
            self._effects.show(tables, node)
            self._effects.lose(arguments.every - tables, node)
        return tables | (COMPUTED if right - tables else NOTHING)

    def _applied(self, owner: Table, arguments: Arguments, node: ast.expr) -> Values:
        """What a function gives for each row, or for each group."""
        functions = arguments.at(0, "func") or NOTHING
        by_row = isinstance(node, ast.Call) and any(
            keyword.arg == "axis"
            and isinstance(keyword.value, ast.Constant)
            and keyword.value.value in (1, "columns")
            for keyword in node.keywords
        )
        if owner.form == "groups":
            passed: Values = frozenset({Table(owner.name)})
        else:
            passed = frozenset({Row(owner.name)}) if by_row else self._store.stored(frozenset({owner.name}))
            if not by_row:
                self._effects.show(frozenset({owner}), node)
        self._effects.lose(arguments.every - functions, node)
        results = NOTHING.union(*(self._call(function, Arguments((passed,)), node) for function in functions))
        return self._effects.as_data(results, node)

    def _check_aggregates(self, arguments: Arguments, node: ast.expr) -> None:
        """Refuse the name of any method instead of a function, but for those that compute a value."""
        for value in NOTHING.union(
            *arguments.positional[:1], arguments.more, arguments.keyword("func") or ()
        ):
            inside = self._store.held(value) if isinstance(value, Container) else frozenset({value})
            for function in inside:
                listed = isinstance(function, Text) and function.literal in _DATA["aggregates"]
                if not (listed or is_only_called(function) or isinstance(function, Outside | Bound)):
                    raise _not_followed("agg", value, node)

    def _of_row(self, owner: Row, name: str, arguments: Arguments, node: ast.expr) -> Values:
        if name == "keys":
            return COMPUTED
        if name == "_asdict":
            return frozenset({owner})
        if name == "get" and arguments.positional:
            read = self._effects.columns(frozenset({owner.table}), arguments.positional[0], node)
            return read.union(
                *arguments.positional[1:], *(values for _, values in arguments.named), arguments.more
            )
        self._effects.show(frozenset({owner}), node)
        return COMPUTED

    # --- data -------------------------------------------------------------------------

    def _of_data(self, owner: Data, name: str, arguments: Arguments, node: ast.expr) -> Values:
        passed = arguments.every
        if name in _DATA["changing"]:
            self._effects.into_data(owner, passed, node)
            return PLAIN
        if name == "setdefault":
            self._effects.into_data(owner, passed, node)
        if name == "format":
            self._check_format(None, passed, node)
        if name in ("agg", "apply", "transform"):
            self._check_aggregates(arguments, node)
        if name in _DATA["numbers"] | _DATA["truths"] | _DATA["parts_of_dates"]:
            self._effects.give(passed, node)
            return self._asked(name, arguments)
        self._effects.lose(passed, node)
        if name == "strftime":
            literals = [only_literal(values) for values in arguments.positional]
            # Only a date has this method.
            safe = len(literals) == 1 and literals[0] is not None and DATE_FORMAT.fullmatch(literals[0])
            return PLAIN if safe else COMPUTED
        if name in ("get", "pop", "setdefault"):
            defaults = NOTHING.union(*arguments.positional[1:], arguments.more)
            plain = frozenset(value for value in defaults if isinstance(value, Data))
            return plain | {owner} | (COMPUTED if defaults - plain else NOTHING)
        if name in _DATA["keeping"]:
            return _kept(owner, name)
        return data(max(owner.origin, Origin.PLAIN)) if name in _DATA["respelling"] else COMPUTED

    def _asked(self, name: str, arguments: Arguments) -> Values:
        """A number, truth values or a part of a date."""
        if name not in _DATA["truths"]:
            return NUMBER if name in _DATA["numbers"] else PLAIN
        filling = arguments.keyword("na") or NOTHING
        if name in _DATA["with_filling"]:
            filling = filling.union(*arguments.positional[1:], arguments.more, arguments.more_named)
        return TRUTH if self._store.origin(filling) <= Origin.TRUTH else COMPUTED


def _kept(owner: Data, name: str) -> Values:
    return data(max(owner.origin, Origin.STORED)) if name in _DATA["labels"] else frozenset({owner})


def _origin(value: Value) -> Origin:
    return value.origin if isinstance(value, Data) else Origin.COMPUTED


def _noun(value: Value) -> str:
    return f"a {value.kind}" if isinstance(value, Container) else _NOUNS.get(type(value), "a function")


def _not_followed(name: str, value: Value, node: ast.expr) -> Missing:
    return Missing(f"the code calls {name} of {_noun(value)} in line {node.lineno}, which is not followed")
