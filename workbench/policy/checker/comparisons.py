"""Comparisons, membership, subset and ``is None``."""

from __future__ import annotations

import ast

from workbench.model import ArgumentType, Kind
from workbench.policy.checker.field_sets import compare_fields
from workbench.policy.checker.present_values import (
    fresh,
    is_collection,
    meaning,
    present,
    promoted,
    unguarded,
)
from workbench.policy.checker.scope import File, Meaning, Scope, Typed, TypedSet
from workbench.policy.terms import (
    And,
    Attribute,
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Member,
    Not,
    Quantified,
    Quantifier,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, ORDERED, a_type, comparable, disjoint, is_text, show
from workbench.policy.walk import path_of

SEARCHED = "A string can only be searched for a constant string."
"""The problem of a text that is searched for another value."""

_OPERATORS: dict[type[ast.cmpop], Comparison] = {
    ast.Eq: Comparison.EQ,
    ast.NotEq: Comparison.NE,
    ast.Lt: Comparison.LT,
    ast.LtE: Comparison.LE,
    ast.Gt: Comparison.GT,
    ast.GtE: Comparison.GE,
}


def compare(node: ast.Compare, scope: Scope, file: File) -> Typed | None:
    """A comparison, which may be chained."""
    sides = [node.left, *node.comparators]
    parts = [
        _comparison(node, left, operator, right, scope, file)
        for left, operator, right in zip(sides[:-1], node.ops, node.comparators, strict=True)
    ]
    typed_parts = [part for part in parts if part is not None]
    if len(typed_parts) < len(parts):
        return None
    return (
        typed_parts[0]
        if len(typed_parts) == 1
        else file.typed(node, And(tuple(p.term for p in typed_parts)), BOOL, *typed_parts)
    )


def _comparison(
    node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr, scope: Scope, file: File
) -> Typed | None:
    if isinstance(operator, ast.Is | ast.IsNot):
        return _missing(node, left, right, isinstance(operator, ast.IsNot), scope, file)
    if isinstance(operator, ast.In | ast.NotIn):
        typed = _member(node, left, right, scope, file)
        if typed is None or isinstance(operator, ast.In):
            return typed
        return file.typed(node, Not(typed.term), BOOL, typed)
    if isinstance(left, ast.SetComp) or isinstance(right, ast.SetComp):
        return compare_fields(node, left, _OPERATORS[type(operator)], right, scope, file)
    left_side, right_side = meaning(left, scope, file), meaning(right, scope, file)
    if left_side is None or right_side is None:
        return None
    kind = _OPERATORS[type(operator)]
    if isinstance(left_side, TypedSet) or isinstance(right_side, TypedSet):
        return _sets(node, left_side, kind, right_side, scope, file)
    return _values(node, left_side, kind, right_side, file)


def _values(node: ast.Compare, left: Typed, operator: Comparison, right: Typed, file: File) -> Typed | None:
    left, right = promoted(left, right), promoted(right, left)
    if not comparable(left.type, right.type):
        hint = "Compare values of one type."
        if {left.type.kind, right.type.kind} == {Kind.INT, Kind.DECIMAL}:
            hint = "Make both of them Decimal or both int."
        if Kind.RECORD in (left.type.kind, right.type.kind):
            hint = "Compare their fields."
        file.say(node, f"{a_type(left.type, first=True)} cannot be compared with {a_type(right.type)}.", hint)
        return None
    if operator in (Comparison.EQ, Comparison.NE):
        if disjoint(left.type, right.type):
            message = (
                f"{show(left.type)} and {show(right.type)} have no value in common, so they are never equal."
            )
            file.say(node, message, "Check the spelling.")
            return None
    elif left.type.kind not in ORDERED:
        file.say(node, f"Values of type {show(left.type)} have no order.", "Compare them with == or !=.")
        return None
    elif left.type.optional or right.type.optional:
        unguarded(node, left if left.type.optional else right, file)
        return None
    return file.typed(node, Compare(operator, left.term, right.term), BOOL, left, right)


def _missing(
    node: ast.Compare, left: ast.expr, right: ast.expr, negated: bool, scope: Scope, file: File
) -> Typed | None:
    if not (isinstance(right, ast.Constant) and right.value is None):
        file.say(node, "`is` can only be used with None.", "Write == or !=.")
        return None
    value = file.term(left, scope)
    if value is None:
        return None
    if not isinstance(value.term, Variable | Attribute):
        file.say(left, "Only an argument or a field can be tested for None.", "Name the argument itself.")
        return None
    if not value.term.type.optional:
        file.say(left, f"`{path_of(value.term)}` is never None.", "Remove the test, or declare it `| None`.")
        return None
    missing = IsMissing(value.term)
    return file.typed(node, Not(missing) if negated else missing, BOOL, value)


def _member(node: ast.Compare, left: ast.expr, right: ast.expr, scope: Scope, file: File) -> Typed | None:
    if is_collection(right, scope, file):
        item, among = file.term(left, scope), file.collection(right, scope)
        item = present(left, item, file)
        if among is not None and among.element is not None and among.element.kind is Kind.RECORD:
            message = "`in` does not look for an element in a list of records."
            file.say(node, message, "Compare a field: any(item.field == value for item in list).")
            return None
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
    return file.typed(node, StringTest(StringTestKind.CONTAINS, whole.term, constant), BOOL, whole)


def text_constant(node: ast.expr, part: Typed, file: File) -> str | None:
    """The constant string that a string test looks for; None, with a problem, if it is no constant string."""
    if isinstance(part.term, Constant) and isinstance(part.term.value, str):
        return part.term.value
    if isinstance(part.term, Variable) and part.term.name in file.unroll:
        file.unroll.add(f"{part.term.name}!")
        return ""
    file.say(node, SEARCHED, "Write the text itself in quotes.")
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
    return file.typed(node, Member(item.term, among.collection), BOOL, item, among)


def _listed(node: ast.Compare, item: ArgumentType, element: ArgumentType, file: File) -> bool:
    """Whether an enum can be in a set; all members of a set written in place must be values of the enum."""
    if item.kind is not Kind.ENUM or element.kind is not Kind.ENUM:
        return True
    stray = sorted(set(element.values) - set(item.values))
    if not stray or not (disjoint(item, element) or isinstance(node.comparators[-1], ast.Set)):
        return True
    file.say(node, f'"{stray[0]}" is not a value of {show(item)}.', "Check the spelling.")
    return False


def _sets(
    node: ast.Compare, left: Meaning, operator: Comparison, right: Meaning, scope: Scope, file: File
) -> Typed | None:
    if not isinstance(left, TypedSet) or not isinstance(right, TypedSet):
        called = left.is_called if isinstance(left, TypedSet) else "a set"
        called = right.is_called if isinstance(right, TypedSet) else called
        message = f"{called.capitalize()} cannot be compared with a single value."
        file.say(node, message, "Use `in`, any(...) or all(...).")
        return None
    if left.is_list or right.is_list:
        file.say(node, "A list has an order, which a policy does not see.",
                 "Compare sets of elements: {x.field for x in one} == {y.field for y in other}.")  # fmt: skip
        return None
    if operator is Comparison.GE:
        return _subset(node, right, left, scope, file)
    if operator is Comparison.LE:
        return _subset(node, left, right, scope, file)
    if operator not in (Comparison.EQ, Comparison.NE):
        file.say(node, f"Sets cannot be compared with {operator}.", "Use <= for a subset.")
        return None
    first, second = _subset(node, left, right, scope, file), _subset(node, right, left, scope, file)
    if first is None or second is None:
        return None
    equal = And((first.term, second.term))
    return file.typed(node, equal if operator is Comparison.EQ else Not(equal), BOOL, first, second)


def _subset(node: ast.Compare, part: TypedSet, whole: TypedSet, scope: Scope, file: File) -> Typed | None:
    if part.element is None:
        return Typed(Constant(True), BOOL)
    if whole.element is not None and not comparable(part.element, whole.element):
        file.say(
            node,
            f"A set of {show(part.element)} has nothing in common with a set of {show(whole.element)}.",
        )
        return None
    variable = Variable(fresh("item", {*scope.names, *file.defined()}), part.element)
    body: Term = Member(variable, whole.collection)
    return file.typed(node, Quantified(Quantifier.ALL, variable, part.collection, body), BOOL, part, whole)
