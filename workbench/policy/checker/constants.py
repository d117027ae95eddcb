"""Literals, annotations and the constants at the top of a policy file."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from workbench.clean_text import clean
from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.checker.scope import File, suggestion
from workbench.policy.checker.syntax_tree import MOST_PLACES as MOST_DIGITS
from workbench.policy.names import IMPORTS, RESERVED
from workbench.policy.terms import ConstantSet, Table
from workbench.policy.types import (
    LONGEST_DURATION,
    NAMED,
    comparable,
    of_value,
)

_PLAIN_DECIMAL = re.compile(r"-?\d{1,30}(\.\d{1,30})?")
_HOME = {name: module for module, names in IMPORTS.items() for name in names}


def is_literal(node: ast.expr) -> bool:
    """Whether the node is meant as a single literal value (which may still be invalid)."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return is_literal(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("Decimal", "date", "time", "datetime", "timedelta")
    return isinstance(node, ast.Constant)


def literal(node: ast.expr, file: File) -> Scalar | None:
    """The value of a literal; None, with a problem, if the dialect does not allow it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand, file)
        if isinstance(value, int | Decimal | timedelta) and not isinstance(value, bool):
            return value.copy_negate() if isinstance(value, Decimal) else -value
        if value is not None:
            file.say(node, "Only a number or a duration can be negative.")
        return None
    if isinstance(node, ast.Call):
        return _constant_of_call(node, file)
    if not isinstance(node, ast.Constant):
        file.say(node, f"`{ast.unparse(node)[:60]}` is not a constant.", "Write the value itself.")
        return None
    return _plain(node, file)


def _plain(node: ast.Constant, file: File) -> Scalar | None:
    value = node.value
    if isinstance(value, float):
        file.say(node, "Float constants are not exact.", f'Write Decimal("{value}").')
    elif isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            file.say(
                node, "This string has half a surrogate pair, which is no character.", "Remove the escape."
            )
            return None
        if (seen := clean(value)) != value:
            hidden = "No text that a policy sees has this character: a sign stands for what cannot be seen."
            file.say(node, hidden, f'Write "{seen}".')
            return None
        return value
    elif isinstance(value, bool):
        return value
    elif isinstance(value, int):
        if abs(value) >= 10**MOST_DIGITS:
            file.say(node, f"This number has more than {MOST_DIGITS} digits.", "Write a smaller number.")
            return None
        return value
    elif value is None:
        file.say(node, "`None` can only be used in `x is None` and `x is not None`.")
    else:
        file.say(node, f"A constant of type {type(value).__name__} is not part of the dialect.",
                 "Use bool, int, Decimal, str, date, time or datetime.")  # fmt: skip
    return None


def _constant_of_call(node: ast.Call, file: File) -> Scalar | None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    need_import(node, name, file)
    if name == "Decimal":
        return _decimal(node, file)
    if name == "timedelta":
        return _duration(node, file)
    parts: list[int] = []
    for argument in node.args:
        if not (isinstance(argument, ast.Constant) and type(argument.value) is int):
            break
        parts.append(argument.value)
    if node.keywords or len(parts) != len(node.args):
        file.say(
            node,
            f"`{name}(...)` takes plain whole numbers here.",
            f"Write it like {_EXAMPLES.get(name, '')}.",
        )
        return None
    try:
        if name == "date":
            return date(*parts)
        if name == "time":
            return _time_of_day(parts)
        if name == "datetime":
            return _moment(parts)
    except (TypeError, ValueError, OverflowError) as error:
        file.say(node, f"This is no {name}: {error}.", f"Write it like {_EXAMPLES[name]}.")
        return None
    file.say(node, f"`{ast.unparse(node)[:60]}` is not a constant.", "Write the value itself.")
    return None


def _time_of_day(parts: list[int]) -> time:
    if not 1 <= len(parts) <= 4:
        raise ValueError("it takes an hour and a minute")
    hour, minute, second, microsecond = [*parts, 0, 0, 0][:4]
    return time(hour, minute, second, microsecond)


def _moment(parts: list[int]) -> datetime:
    if not 3 <= len(parts) <= 7:
        raise ValueError("it takes a year, a month, a day and a time of day")
    year, month, day, hour, minute, second, microsecond = [*parts, 0, 0, 0, 0][:7]
    return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)


def _duration(node: ast.Call, file: File) -> timedelta | None:
    number_by_unit: dict[str, int] = {}
    for keyword in node.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg in _UNITS and type(value) is int and value < 10**MOST_DIGITS:
            number_by_unit[keyword.arg] = value
    if node.args or not number_by_unit or len(number_by_unit) < len(node.keywords):
        file.say(node, "`timedelta(...)` takes whole numbers of named units.", f"Write it like {_DURATION}.")
        return None
    try:
        value = timedelta(**number_by_unit)
    except OverflowError:
        value = timedelta.max
    if value > LONGEST_DURATION:
        file.say(node, f"This is longer than {LONGEST_DURATION.days} days.", "Write a shorter duration.")
        return None
    return value


_UNITS = ("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
_DURATION = "timedelta(hours=24)"
_EXAMPLES = {"date": "date(2026, 1, 31)", "time": "time(9, 0)", "datetime": "datetime(2026, 1, 31, 9, 0)"}


def _decimal(node: ast.Call, file: File) -> Decimal | None:
    argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
    value = argument.value if isinstance(argument, ast.Constant) else None
    if type(value) is int and abs(value) < 10**MOST_DIGITS:
        return Decimal(value)
    if isinstance(value, str) and _PLAIN_DECIMAL.fullmatch(value) and value.isascii():
        return Decimal(value)
    hint = f'Write Decimal("{value}").' if isinstance(value, float) else 'Write it like Decimal("1.50").'
    file.say(
        node, f"`{ast.unparse(node)[:60]}` is not an exact decimal of at most {MOST_DIGITS} digits.", hint
    )
    return None


def need_import(node: ast.AST, name: str, file: File) -> None:
    """Report a name of the dialect that is used without an import."""
    if name in _HOME and name not in file.imported:
        file.say(node, f"`{name}` is not imported.", f"Add `from {_HOME[name]} import {name}` at the top.")


def read_import(node: ast.stmt, file: File) -> None:
    """Check one import statement against the exact list of imports."""
    if not isinstance(node, ast.ImportFrom):
        file.say(node, f"`{ast.unparse(node)[:60]}` is not allowed.", "A policy imports only the contract "
                 "vocabulary, Decimal, date, time, datetime, timedelta and Literal.")  # fmt: skip
        return
    allowed = IMPORTS.get(node.module or "") if node.level == 0 else None
    for alias in node.names:
        if allowed is None or alias.name not in allowed:
            home = _HOME.get(alias.name)
            hint = f"Write `from {home} import {alias.name}`." if home else "Remove the import."
            file.say(node, f"Importing `{alias.name}` from `{node.module or '.'}` is not allowed.", hint)
        elif alias.asname:
            file.say(node, f"`{alias.name}` must keep its name.", f"Remove `as {alias.asname}`.")
        else:
            file.imported.add(alias.name)


def enum_values(node: ast.expr, file: File) -> ArgumentType | None:
    """The enum written as ``Literal["a", "b"]``."""
    assert isinstance(node, ast.Subscript)
    need_import(node, "Literal", file)
    members = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    values: list[str] = []
    for member in members:
        if not (isinstance(member, ast.Constant) and isinstance(member.value, str)):
            file.say(member, "The members of an enum are strings.", 'Write Literal["a", "b"].')
            return None
        value = literal(member, file)
        if not isinstance(value, str):
            return None
        if value in values:
            file.say(member, f'"{value}" appears twice in this enum.', "Remove one.")
            return None
        values.append(value)
    if not values:
        file.say(node, "This enum has no members.", 'Write Literal["a", "b"].')
        return None
    return ArgumentType(Kind.ENUM, tuple(values))


def annotation(node: ast.expr, file: File) -> ArgumentType | None:
    """The type of an annotation; None, with a problem, if it is no type of the dialect."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _optional(node, file)
    if isinstance(node, ast.Name):
        return _named(node, file)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
        return enum_values(node, file)
    known_types = (
        "Use bool, int, Decimal, str, an enum, date, time, datetime, timedelta, a record of the agent, "
        "or one of them | None."
    )
    name = node.value.id if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else ""
    file.say(node, f"`{ast.unparse(node)[:60]}` is not a type of the dialect.", _HINTS.get(name, known_types))
    return None


def _named(node: ast.Name, file: File) -> ArgumentType | None:
    if node.id in NAMED:
        need_import(node, node.id, file)
        argument_type = NAMED[node.id]
        return (
            replace(argument_type, places=file.places)
            if argument_type.kind is Kind.DECIMAL
            else argument_type
        )
    if node.id in file.enums:
        return file.enums[node.id]
    hint = (
        _HINTS.get(node.id)
        or suggestion(node.id, {*NAMED, *file.enums})
        or "Use bool, int, Decimal, str, an enum, or a record of the agent."
    )
    file.say(node, f"`{node.id}` is not a type of the dialect.", hint)
    return None


_HINTS = {
    "float": "Floats are not exact: use Decimal.",
    **dict.fromkeys(
        ("set", "frozenset", "Set", "list", "tuple", "List"),
        "A function takes the call, and reads its set or list itself.",
    ),
}


def _optional(node: ast.BinOp, file: File) -> ArgumentType | None:
    if not (isinstance(node.right, ast.Constant) and node.right.value is None):
        file.say(node, "Only `| None` can follow a type.", "Use one type for each argument.")
        return None
    inner = annotation(node.left, file)
    return replace(inner, optional=True) if inner is not None else None


def constant_set(node: ast.expr, file: File, name: str | None = None) -> ConstantSet | None:
    """The set written as ``{...}``, ``frozenset({...})`` or ``frozenset()``."""
    if isinstance(node, ast.Call):
        if node.keywords or len(node.args) > 1 or (node.args and not isinstance(node.args[0], ast.Set)):
            file.say(node, "`frozenset(...)` takes one set in braces, or nothing.", 'Write {"a", "b"}.')
            return None
        if not node.args:
            return ConstantSet((), name)
        node = node.args[0]
    assert isinstance(node, ast.Set)
    values = [_member(element, file) for element in node.elts]
    known_values = [value for value in values if value is not None]
    if len(known_values) != len(values):
        return None
    for element, value in zip(node.elts, known_values, strict=True):
        if not comparable(of_value(value), of_value(known_values[0])):
            file.say(element, "The members of a set have one type.", "Split the set.")
            return None
    return ConstantSet(tuple(dict.fromkeys(known_values)), name)


def _member(node: ast.expr, file: File) -> Scalar | None:
    if isinstance(node, ast.Name) and node.id in file.constants:
        return file.constants[node.id]
    return literal(node, file)


def is_set(node: ast.expr) -> bool:
    """Whether the node is meant as a constant set."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "frozenset"
    return called or isinstance(node, ast.Set)


def read_table(name: str, node: ast.Dict, file: File) -> Table | None:
    """The table written as ``{key: value}``; values are all sets or all scalars of one type."""
    entries: dict[Scalar, frozenset[Scalar] | Scalar] = {}
    sound = True
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            file.say(value_node, "`**` is not allowed in a table.", "Write the entries out.")
            return None
        key = _member(key_node, file)
        value: frozenset[Scalar] | Scalar | None
        if is_set(value_node):
            members = constant_set(value_node, file)
            value = None if members is None else frozenset(members.values)
        else:
            value = _member(value_node, file)
        if key is None or value is None:
            sound = False
        elif key in entries:
            file.say(key_node, f"The key {key!r} appears twice in `{name}`.", "Join the two entries.")
            sound = False
        else:
            entries[key] = value
    if not sound:
        return None
    if not entries:
        file.say(node, f"The table `{name}` is empty.", "For an empty set write frozenset().")
        return None
    return Table(name, entries, node.lineno) if _uniform(name, node, entries, file) else None


def _uniform(
    name: str, node: ast.Dict, entries: dict[Scalar, frozenset[Scalar] | Scalar], file: File
) -> bool:
    keys = [of_value(key) for key in entries]
    sets = [value for value in entries.values() if isinstance(value, frozenset)]
    scalars = [of_value(value) for value in entries.values() if not isinstance(value, frozenset)]
    inner = [of_value(member) for members in sets for member in members]
    if sets and scalars:
        file.say(node, f"`{name}` mixes sets and single values.", "Make every value a set.")
    elif not all(comparable(keys[0], key) for key in keys):
        file.say(node, f"The keys of `{name}` have several types.", "Use keys of one type.")
    elif not all(
        comparable(argument_type, other_type)
        for kinds in (scalars, inner)
        for argument_type in kinds[:1]
        for other_type in kinds
    ):
        file.say(node, f"The values of `{name}` have several types.", "Use values of one type.")
    else:
        return True
    return False


def read_constant(node: ast.Assign, file: File) -> None:
    """Read one ``NAME = ...`` at the top of the file."""
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Name):
        file.say(node, "A constant is written as `NAME = value`.", "Give each constant its own line.")
    elif name_is_free(target, target.id, file):
        _define(target.id, node.value, file)


def _define(name: str, value: ast.expr, file: File) -> None:
    if isinstance(value, ast.Dict):
        table = read_table(name, value, file)
        if table is not None:
            file.tables[name] = table
    elif (
        isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id == "Literal"
    ):
        enum = enum_values(value, file)
        if enum is not None:
            file.enums[name] = enum
    elif is_set(value):
        members = constant_set(value, file, name)
        if members is not None:
            file.sets[name] = members
    elif isinstance(value, ast.List | ast.Tuple):
        file.say(value, "A constant cannot be a list or tuple.", 'Write a set: {"a", "b"}.')
    else:
        scalar = literal(value, file)
        if scalar is not None:
            file.constants[name] = scalar


def name_is_free(node: ast.AST, name: str, file: File) -> bool:
    """Whether a name may be defined here; if not, report why."""
    if name in RESERVED:
        file.say(node, f"`{name}` is a word of the dialect.", "Choose another name.")
    elif name.startswith("_"):
        file.say(node, f"The name `{name}` begins with an underscore.", "Begin names with a letter.")
    elif name in file.defined():
        file.say(node, f"`{name}` is defined twice.", "Remove or rename one definition.")
    else:
        return True
    return False
