"""Meanings of expressions, values or collections, and the conditions under which a value is present."""

from __future__ import annotations

import ast
import re
from decimal import Decimal

from workbench.model import ArgumentType, Kind, Problem, Scalar
from workbench.policy.checker.scope import File, Meaning, Scope, Typed, TypedSet
from workbench.policy.names import RESERVED
from workbench.policy.terms import Attribute, Constant, Table, Variable
from workbench.policy.types import a_type, holds_many, joined, of_value
from workbench.policy.walk import path_of

_DISPLAYS = (ast.Set, ast.Dict, ast.List, ast.Tuple)
_SAYS_NONE = "`{}` may be None here."
_MAY_BE_NONE = re.compile("`(.+)` may be None here\\.")


def is_collection(node: ast.expr, scope: Scope, file: File) -> bool:
    """Whether an expression is meant as a set or list (which may still be invalid)."""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.Name):
        return (
            isinstance(scope.names.get(node.id), TypedSet) or node.id in file.sets or node.id in file.tables
        )
    if isinstance(node, _DISPLAYS) or file.is_many(node, scope):
        return True
    if isinstance(node, ast.Attribute):
        field = field_type(node, scope)
        return field is not None and holds_many(field)
    table: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        table = node.value
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id == "frozenset"
        table = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "get" else None
    if not isinstance(table, ast.Name) or table.id not in file.tables:
        return False
    return any(isinstance(value, frozenset) for value in file.tables[table.id].entries.values())


def field_type(node: ast.Attribute, scope: Scope) -> ArgumentType | None:
    """The declared type of ``record.field``; None if the name is no record or has no such field."""
    named = scope.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    record = named.type.record if isinstance(named, Typed) else None
    return None if record is None else record.field(node.attr)


def meaning(node: ast.expr, scope: Scope, file: File) -> Meaning | None:
    """The meaning of an expression, a value or a set."""
    if is_collection(node, scope, file):
        return file.collection(node, scope)
    value = file.term(node, scope)
    return None if value is None else file.single(value)


def promoted(typed: Typed, other: Typed) -> Typed:
    """``typed`` as a decimal if it is an int constant compared or combined with a decimal."""
    if typed.type.kind is Kind.INT and other.type.kind is Kind.DECIMAL and isinstance(typed.term, Constant):
        value = typed.term.value
        assert isinstance(value, int)
        return Typed(Constant(Decimal(value)), other.type, typed.size, typed.depth)
    return typed


def unguarded(node: ast.AST, value: Typed, file: File) -> None:
    """Report that an optional value is used where it may be None."""
    name = path_of(value.term) if isinstance(value.term, Variable | Attribute) else "The value"
    file.say(node, _SAYS_NONE.format(name), f"Guard it: `{name} is not None and ...`.")


def absent_in(problem: Problem) -> str:
    """The value that a problem says may be None, as the policy writes it; empty for any other problem."""
    found = _MAY_BE_NONE.fullmatch(problem.message)
    return found[1] if found else ""


def present(node: ast.AST, value: Typed | None, file: File) -> Typed | None:
    """The value if it cannot be None here; else None, with a problem."""
    if value is not None and value.type.optional:
        unguarded(node, value, file)
        return None
    return None if value is None else file.single(value)


def condition(node: ast.expr, scope: Scope, file: File) -> Typed | None:
    """The term of an expression that must be a bool and present."""
    typed = present(node, file.term(node, scope), file)
    if typed is not None and typed.type.kind is not Kind.BOOL:
        file.say(
            node,
            f"A condition is expected here, but this is {a_type(typed.type)}.",
            "Compare it with something.",
        )
        return None
    return typed


def element_is_free(target: ast.Name, scope: Scope, file: File) -> bool:
    """Whether the variable of a collection may have this name; if not, report why."""
    if target.id in scope.names or target.id in file.defined() or target.id in RESERVED:
        file.say(target, f"`{target.id}` already has a meaning here.", "Choose another name for the element.")
        return False
    if target.id.startswith("_"):
        file.say(target, f"The name `{target.id}` begins with an underscore.", "Begin names with a letter.")
        return False
    return True


def constant(value: Scalar) -> Typed:
    """A typed constant term."""
    return Typed(Constant(value), of_value(value))


def single_entries(node: ast.AST, table: Table, file: File) -> ArgumentType | None:
    """The type of the entries of a table of single values; None, with a problem, for a table of sets."""
    scalars = [value for value in table.entries.values() if not isinstance(value, frozenset)]
    kind = joined([of_value(value) for value in scalars])
    if kind is None or len(scalars) < len(table.entries):
        file.say(
            node,
            f"An entry of `{table.name}` is a set, not a single value.",
            "Use `in`, any(...) or all(...).",
        )
        return None
    return kind
