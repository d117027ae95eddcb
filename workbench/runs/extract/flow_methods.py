"""The methods of the static data flow: of texts, containers, tables, rows, and of data."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_strings import (
    DATE_FORMAT,
    compute,
    format_text,
    hole,
    join,
    only_literal,
    split,
)
from workbench.runs.extract.flow_values import (
    COMPUTED,
    NOTHING,
    NUMBER,
    PLAIN,
    STORED,
    Data,
    FlowOrigin,
    FlowRow,
    FlowSite,
    FlowValue,
    FlowValues,
    LoadedTable,
    Text,
    data,
)
from workbench.runs.values.found_value import Missing

_ADDING = frozenset({"append", "add", "appendleft"})
_MERGING = frozenset({"extend", "update", "union", "difference", "intersection", "symmetric_difference"})
_IN_PLACE = frozenset(
    {"intersection_update", "difference_update", "symmetric_difference_update", "extendleft"}
)
_ASKING = frozenset({"index", "count", "remove", "discard", "isdisjoint", "issubset", "issuperset", "sort"})
_QUIET = frozenset({"clear", "reverse"})
_LOOKING = frozenset({"get", "copy", "keys", "values", "items", "index", "count"})
# Methods of data whose result contains only what the data held.
_KEEPING = frozenset(
    [
        "split", "rsplit", "strip", "lstrip", "rstrip", "splitlines", "copy", "get", "pop", "popleft",
        "popitem", "keys", "values", "items", "tolist", "unique", "most_common", "elements",
        "date", "time", "isoformat", "setdefault",
    ]
)  # fmt: skip
_NUMBERS = frozenset({"count", "index", "find", "rfind", "bit_length", "nunique", "start", "end"})
_TRUTHS = frozenset(
    [
        "startswith", "endswith", "isdigit", "isdecimal", "isnumeric", "isalpha", "isalnum", "isspace",
        "islower", "isupper", "istitle", "is_integer", "issubset", "issuperset", "isdisjoint", "weekday",
        "isoweekday", "total_seconds", "timestamp", "toordinal", "year", "month", "day", "hour", "minute",
        "second",
    ]
)  # fmt: skip
_CHANGING = frozenset(
    {
        "append",
        "add",
        "extend",
        "insert",
        "update",
        "appendleft",
        "remove",
        "discard",
        "clear",
        "sort",
        "reverse",
    }
)
_COMPUTING = frozenset(
    [
        "lower", "upper", "title", "capitalize", "casefold", "swapcase", "replace", "removeprefix",
        "removesuffix", "zfill", "center", "ljust", "rjust", "partition", "rpartition", "join", "format",
        "union", "intersection", "difference", "symmetric_difference", "mean", "median", "max", "min",
        "sum", "std", "mode", "isin", "quantize", "search", "match", "fullmatch", "findall", "finditer",
        "group", "groups", "groupdict", "sub", "strftime", "expandtabs",
    ]
)  # fmt: skip
_ROWS_OF_TABLES = frozenset({"head", "tail", "copy"})
_WHOLE_TABLES = frozenset(
    [
        "describe", "info", "to_dict", "to_string", "tolist", "to_list", "items", "values", "itertuples",
        "count", "index", "sort_values", "drop_duplicates", "dropna", "reset_index", "nunique",
    ]
)  # fmt: skip
# Methods of data whose result has the same characters in another case, or with blanks and zeros.
_RESPELLING = frozenset({"lower", "upper", "title", "capitalize", "casefold", "zfill"})
_SEPARATOR = re.compile(r"[ ,'\"\n]+")


class MethodCall(NamedTuple):
    """A call of a method with the values of its arguments."""

    node: ast.Call
    name: str
    positional: list[FlowValues]
    named: Mapping[str, FlowValues]

    @property
    def arguments(self) -> list[FlowValues]:
        """All arguments in order."""
        return [*self.positional, *self.named.values()]


class Methods:
    """The results of methods, the containers that they change, and the columns that they read."""

    def __init__(self, state: FlowState) -> None:
        """Take the state."""
        self._state = state

    def call(self, owner: FlowValue, call: MethodCall) -> FlowValues:
        """The possible return values of a method of this value; raises Missing for an unlisted method."""
        match owner:
            case Text():
                return self._of_text(owner, call)
            case FlowSite():
                return self._of_site(owner, call)
            case LoadedTable():
                return self._of_table(owner, call)
            case FlowRow():
                return self._of_row(owner, call)
            case Data():
                return self._of_data(owner, call)

    def _unlisted(self, call: MethodCall, receiver: str) -> Missing:
        return Missing(
            f"the code calls the method {call.name} of {receiver} in line {call.node.lineno}, "
            "which is not followed"
        )

    def _show(self, call: MethodCall) -> None:
        for values in call.arguments:
            self._state.show(values, call.node)

    # --- texts ----------------------------------------------------------------------

    def _of_text(self, owner: Text, call: MethodCall) -> FlowValues:
        self._show(call)
        place = self._state.place(call.node)
        if call.name == "format":
            return format_text(owner, call.positional, call.named, place)
        if call.name == "join" and len(call.positional) == 1:
            return frozenset(self._joined(owner, value, call) for value in call.positional[0])
        if call.name in _TRUTHS:
            return PLAIN
        if call.name in _NUMBERS:
            return NUMBER
        if call.name not in _COMPUTING | _KEEPING:
            raise self._unlisted(call, "a text")
        literals = [only_literal(values) for values in call.positional]
        known_literals = [item for item in literals if item is not None]
        if call.named or len(known_literals) != len(literals) or owner.literal is None:
            return COMPUTED
        words = split(owner, call.name, known_literals)
        if words is not None:
            site = self._state.site(call.node, "list", owner.literal)
            self._state.fill_parts(site, [frozenset({word}) for word in words])
            return frozenset({site})
        computed = compute(owner, call.name, known_literals)
        return frozenset({computed}) if computed is not None else COMPUTED

    def _joined(self, owner: Text, value: FlowValue, call: MethodCall) -> FlowValue:
        place = self._state.place(call.node)
        parts = self._state.parts(value) if isinstance(value, FlowSite) else None
        if parts is not None and all(len(part) == 1 for part in parts):
            texts: list[Text] = []
            for index, part in enumerate(parts):
                texts.extend([owner] if index else [])
                (item,) = part
                texts.append(item if isinstance(item, Text) else hole(place, _origin(item)))
            return join(tuple(texts), place)
        literal = owner.literal
        if literal is None or not _SEPARATOR.fullmatch(literal):
            return Data(FlowOrigin.COMPUTED)
        held = self._state.elements(frozenset({value}), call.node)
        return Data(max(self._state.origin(held), FlowOrigin.PLAIN))

    # --- containers -----------------------------------------------------------------

    def _of_site(self, site: FlowSite, call: MethodCall) -> FlowValues:
        if call.name not in _LOOKING:
            # The order and number of its elements are unknown from here on.
            self._state.write(site, NOTHING)
        if call.name in _ADDING | _QUIET | _ASKING | _IN_PLACE | _MERGING | {"insert"}:
            return self._written(site, call)
        state, held = self._state, self._state.held(site)
        # The value that get() returns for an absent key.
        absent = PLAIN if call.name == "get" and len(call.arguments) == 1 else NOTHING
        match call.name:
            case "get" | "pop" | "popleft":
                return held | absent | NOTHING.union(*call.arguments[1:])
            case "setdefault":
                keys = call.positional[0] if call.positional else COMPUTED
                values = NOTHING.union(*call.arguments[1:]) if len(call.arguments) > 1 else PLAIN
                state.write(site, values, keys)
                return held | values
            case "copy":
                copy = state.site(call.node, site.kind, "copy")
                state.write(copy, held, state.keys(site))
                return frozenset({copy})
            case "keys" | "values":
                view = state.site(call.node, "iterator", call.name)
                state.write(view, state.keys(site) if call.name == "keys" else held)
                return frozenset({view})
            case "items" | "popitem":
                pair = state.site(call.node, "tuple", "pair")
                state.fill_parts(pair, [state.keys(site), held])
                if call.name == "popitem":
                    return frozenset({pair})
                view = state.site(call.node, "iterator", "items")
                state.write(view, frozenset({pair}))
                return frozenset({view})
            case _:
                raise self._unlisted(call, f"a {site.kind}")

    def _written(self, site: FlowSite, call: MethodCall) -> FlowValues:
        state = self._state
        if call.name in _QUIET:
            return PLAIN
        if call.name in _ASKING:
            if call.name == "sort" and (call.positional or call.named.keys() - {"reverse"}):
                raise self._unlisted(call, "a list, with a key,")
            self._show(call)
            state.show(frozenset({site}), call.node)
            return NUMBER if call.name in ("index", "count") else PLAIN
        if call.name in _ADDING or call.name == "insert":
            state.write(site, call.positional[-1] if call.positional else NOTHING)
            if site.kind == "set":
                state.show(frozenset({site}), call.node)
            return PLAIN
        target = site
        if call.name in _MERGING - {"extend", "update"}:
            target = state.site(call.node, "set", "merged")
            state.write(target, state.held(site))
        for values in call.positional:
            state.write(target, *self._merged(site, values, call))
        for values in call.named.values():
            state.write(target, values, COMPUTED)
        if target.kind == "set":
            state.show(frozenset({target}), call.node)
        return frozenset({target}) if target is not site else PLAIN

    def _merged(self, site: FlowSite, values: FlowValues, call: MethodCall) -> tuple[FlowValues, FlowValues]:
        """The values and keys that another container adds; a dict takes those of another dict, or pairs."""
        elements = self._state.elements(values, call.node)
        if site.kind != "dict":
            return elements, NOTHING
        held: set[FlowValue] = set()
        keys: set[FlowValue] = set()
        for value in values:
            if isinstance(value, FlowSite) and value.kind == "dict":
                held |= self._state.held(value)
                keys |= self._state.keys(value)
            else:
                inside = self._state.elements(elements, call.node)
                held |= inside
                keys |= inside
        return frozenset(held), frozenset(keys)

    # --- tables and rows --------------------------------------------------------------

    def _of_table(self, table: LoadedTable, call: MethodCall) -> FlowValues:
        self._show(call)
        if call.name in _ROWS_OF_TABLES:
            return frozenset({table})
        if call.name == "iterrows":
            pair = self._state.site(call.node, "tuple", "pair")
            self._state.fill_parts(pair, [NUMBER, frozenset({FlowRow(table.name)})])
            rows = self._state.site(call.node, "iterator", "rows")
            self._state.write(rows, frozenset({pair}))
            return frozenset({rows})
        if call.name in _WHOLE_TABLES:
            self._state.show(frozenset({table}), call.node)
            return COMPUTED
        raise self._unlisted(call, "a table")

    def _of_row(self, row: FlowRow, call: MethodCall) -> FlowValues:
        if call.name == "keys":
            return COMPUTED
        if call.name == "get" and call.positional:
            self._state.read_columns(row.table, call.positional[0], call.node)
            return STORED | NOTHING.union(*call.arguments[1:])
        if call.name in ("values", "items", "copy", "to_dict", "tolist"):
            self._state.show(frozenset({row}), call.node)
            return COMPUTED
        raise self._unlisted(call, "a row")

    # --- data -------------------------------------------------------------------------

    def _of_data(self, owner: Data, call: MethodCall) -> FlowValues:
        name = call.name
        arguments = NOTHING.union(*call.arguments)
        if name in _CHANGING:
            self._state.into_data(owner, arguments, call.node)
            return PLAIN
        if name not in _KEEPING | _NUMBERS | _TRUTHS | _COMPUTING:
            raise self._unlisted(call, "a value that is only known when the code runs")
        if name == "setdefault":
            self._state.into_data(owner, arguments, call.node)
        self._state.lose(arguments, call.node)
        if name in _NUMBERS:
            return NUMBER
        if name in _TRUTHS:
            return PLAIN
        if name == "strftime":
            literals = [only_literal(values) for values in call.positional]
            # Only a date has this method.
            safe = len(literals) == 1 and literals[0] is not None and DATE_FORMAT.fullmatch(literals[0])
            return PLAIN if safe else COMPUTED
        if name in _KEEPING:
            default_values = (
                NOTHING.union(*call.arguments[1:]) if name in ("get", "pop", "setdefault") else NOTHING
            )
            spoiled = any(not isinstance(value, Data) for value in default_values)
            return (
                frozenset({owner})
                | frozenset(v for v in default_values if isinstance(v, Data))
                | (COMPUTED if spoiled else NOTHING)
            )
        if name in _RESPELLING:
            return data(max(owner.origin, FlowOrigin.PLAIN))
        return COMPUTED


def _origin(value: FlowValue) -> FlowOrigin:
    return value.origin if isinstance(value, Data) else FlowOrigin.COMPUTED
