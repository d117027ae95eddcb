"""Comparisons, membership, subset and ``is None``."""

from __future__ import annotations

import ast
from decimal import Decimal

from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.checker.scope import File, Meaning, Scope, Typed, TypedSet
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Member,
    Not,
    Quantified,
    Quantifier,
    SetVariable,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, ORDERED, STR, a_type, comparable, disjoint, is_text, of_value, show

_OPERATORS: dict[type[ast.cmpop], Comparison] = {
    ast.Eq: Comparison.EQ,
    ast.NotEq: Comparison.NE,
    ast.Lt: Comparison.LT,
    ast.LtE: Comparison.LE,
    ast.Gt: Comparison.GT,
    ast.GtE: Comparison.GE,
}


def compare(node: ast.Compare, scope: Scope, file: File) -> Typed | None:
    """A comparison, chained or not."""
    sides = [node.left, *node.comparators]
    parts = [
        _one(node, left, operator, right, scope, file)
        for left, operator, right in zip(sides[:-1], node.ops, node.comparators, strict=True)
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return known[0] if len(known) == 1 else file.made(node, And(tuple(p.term for p in known)), BOOL, *known)


def _one(
    node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr, scope: Scope, file: File
) -> Typed | None:
    if isinstance(operator, ast.Is | ast.IsNot):
        return _missing(node, left, right, isinstance(operator, ast.IsNot), scope, file)
    if isinstance(operator, ast.In | ast.NotIn):
        found = _member(node, left, right, scope, file)
        if found is None or isinstance(operator, ast.In):
            return found
        return file.made(node, Not(found.term), BOOL, found)
    one, other = meaning(left, scope, file), meaning(right, scope, file)
    if one is None or other is None:
        return None
    kind = _OPERATORS[type(operator)]
    if isinstance(one, TypedSet) or isinstance(other, TypedSet):
        return _sets(node, one, kind, other, scope, file)
    return _values(node, one, kind, other, file)


def is_collection(node: ast.expr, scope: Scope, file: File) -> bool:
    """Whether an expression is meant as a set (which may still be a wrong one)."""
    if isinstance(node, ast.Set | ast.Dict | ast.List | ast.Tuple):
        return True
    if isinstance(node, ast.Name):
        return (
            isinstance(scope.names.get(node.id), TypedSet) or node.id in file.sets or node.id in file.tables
        )
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


def meaning(node: ast.expr, scope: Scope, file: File) -> Meaning | None:
    """What an expression means, value or set."""
    return file.collection(node, scope) if is_collection(node, scope, file) else file.term(node, scope)


def promoted(one: Typed, other: Typed) -> Typed:
    """``one`` as a decimal if it is an int constant beside a decimal."""
    if one.type.kind is Kind.INT and other.type.kind is Kind.DECIMAL and isinstance(one.term, Constant):
        value = one.term.value
        assert isinstance(value, int)
        return Typed(Constant(Decimal(value)), other.type, one.size, one.depth)
    return one


def _values(node: ast.Compare, one: Typed, operator: Comparison, other: Typed, file: File) -> Typed | None:
    one, other = promoted(one, other), promoted(other, one)
    if not comparable(one.type, other.type):
        hint = "Compare values of one type."
        if {one.type.kind, other.type.kind} == {Kind.INT, Kind.DECIMAL}:
            hint = "Make both of them Decimal or both int."
        file.say(node, f"{a_type(one.type, first=True)} cannot be compared with {a_type(other.type)}.", hint)
        return None
    if operator in (Comparison.EQ, Comparison.NE):
        if disjoint(one.type, other.type):
            what = (
                f"{show(one.type)} and {show(other.type)} have no value in common, so they are never equal."
            )
            file.say(node, what, "Check the spelling.")
            return None
    elif one.type.kind not in ORDERED:
        file.say(node, f"Values of type {show(one.type)} have no order.", "Compare them with == or !=.")
        return None
    elif one.type.optional or other.type.optional:
        unguarded(node, one if one.type.optional else other, file)
        return None
    return file.made(node, Compare(operator, one.term, other.term), BOOL, one, other)


def unguarded(node: ast.AST, value: Typed, file: File) -> None:
    """Say that an optional value is used where it may be None."""
    name = value.term.name if isinstance(value.term, Variable) else "The value"
    file.say(node, f"`{name}` may be None here.", f"Guard it: `{name} is not None and ...`.")


def present(node: ast.AST, value: Typed | None, file: File) -> Typed | None:
    """The value if it cannot be None here; else None, with a problem."""
    if value is not None and value.type.optional:
        unguarded(node, value, file)
        return None
    return value


def _missing(
    node: ast.Compare, left: ast.expr, right: ast.expr, negated: bool, scope: Scope, file: File
) -> Typed | None:
    if not (isinstance(right, ast.Constant) and right.value is None):
        file.say(node, "`is` can only be used with None.", "Write == or !=.")
        return None
    value = file.term(left, scope)
    if value is None:
        return None
    if not isinstance(value.term, Variable):
        file.say(left, "Only an argument can be tested for None.", "Name the argument itself.")
        return None
    if not value.term.type.optional:
        file.say(left, f"`{value.term.name}` is never None.", "Remove the test, or declare it `| None`.")
        return None
    missing = IsMissing(value.term)
    return file.made(node, Not(missing) if negated else missing, BOOL, value)


def _member(node: ast.Compare, left: ast.expr, right: ast.expr, scope: Scope, file: File) -> Typed | None:
    if is_collection(right, scope, file):
        item, among = file.term(left, scope), file.collection(right, scope)
        item = present(left, item, file)
        return None if item is None or among is None else _in_set(node, item, among, file)
    whole = present(right, file.term(right, scope), file)
    part = file.term(left, scope)
    if whole is None or part is None:
        return None
    if not is_text(whole.type):
        file.say(right, f"`in` needs a set or a string on its right, not {a_type(whole.type)}.", "Use ==.")
        return None
    constant = text_constant(left, part, file)
    if constant is None:
        return None
    return file.made(node, StringTest(StringTestKind.CONTAINS, whole.term, constant), BOOL, whole)


def text_constant(node: ast.expr, part: Typed, file: File) -> str | None:
    """The constant string that a string test looks for; else None, with a problem."""
    if isinstance(part.term, Constant) and isinstance(part.term.value, str):
        return part.term.value
    if isinstance(part.term, Variable) and part.term.name in file.unroll:
        file.unroll.add(f"{part.term.name}!")
        return ""
    file.say(node, "A string can only be searched for a constant string.", "Write the text itself in quotes.")
    return None


def _in_set(node: ast.Compare, item: Typed, among: TypedSet, file: File) -> Typed | None:
    if among.element is not None:
        item = promoted(item, Typed(Constant(None), among.element))
        if not comparable(item.type, among.element):
            file.say(
                node,
                f"{a_type(item.type, first=True)} is never in a set of {show(among.element)}.",
                "Check both sides.",
            )
            return None
        if not isinstance(item.term, Constant) and not _listed(node, item.type, among.element, file):
            return None
    return file.made(node, Member(item.term, among.collection), BOOL, item, among)


def _listed(node: ast.Compare, item: ArgumentType, element: ArgumentType, file: File) -> bool:
    """Whether an enum can be in a set: in one written in place, every member must be a value of it."""
    if item.kind is not Kind.ENUM or element.kind is not Kind.ENUM:
        return True
    stray = sorted(set(element.values) - set(item.values))
    if not stray or not (disjoint(item, element) or isinstance(node.comparators[-1], ast.Set)):
        return True
    file.say(node, f'"{stray[0]}" is not a value of {show(item)}.', "Check the spelling.")
    return False


def _sets(
    node: ast.Compare, one: Meaning, operator: Comparison, other: Meaning, scope: Scope, file: File
) -> Typed | None:
    if not isinstance(one, TypedSet) or not isinstance(other, TypedSet):
        file.say(node, "A set cannot be compared with a single value.", "Use `in`, any(...) or all(...).")
        return None
    if operator is Comparison.GE:
        return _subset(node, other, one, scope, file)
    if operator is Comparison.LE:
        return _subset(node, one, other, scope, file)
    if operator not in (Comparison.EQ, Comparison.NE):
        file.say(node, f"Sets cannot be compared with {operator}.", "Use <= for a subset.")
        return None
    first, second = _subset(node, one, other, scope, file), _subset(node, other, one, scope, file)
    if first is None or second is None:
        return None
    equal = And((first.term, second.term))
    return file.made(node, equal if operator is Comparison.EQ else Not(equal), BOOL, first, second)


def _subset(node: ast.Compare, one: TypedSet, other: TypedSet, scope: Scope, file: File) -> Typed | None:
    if one.element is None:
        return Typed(Constant(True), BOOL)
    if other.element is not None and not comparable(one.element, other.element):
        file.say(
            node, f"A set of {show(one.element)} has nothing in common with a set of {show(other.element)}."
        )
        return None
    kind = STR if isinstance(one.collection, SetVariable) else one.element
    variable = Variable(fresh("item", {*scope.names, *file.defined()}), kind)
    body: Term = Member(variable, other.collection)
    return file.made(node, Quantified(Quantifier.ALL, variable, one.collection, body), BOOL, one, other)


def fresh(name: str, taken: set[str]) -> str:
    """A name like the given one that is not taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def constant(value: Scalar) -> Typed:
    """A typed constant term."""
    return Typed(Constant(value), of_value(value))
