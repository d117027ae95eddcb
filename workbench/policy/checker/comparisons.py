"""Comparisons, membership, subset and ``is None``.

Lists compared as sets of some of their fields: ``{(x.a, x.b) for x in xs} == {...}``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from workbench.model import ArgumentType, Kind
from workbench.policy.checker.present_values import (
    element_is_free,
    is_collection,
    meaning,
    present,
    promoted,
    unguarded,
)
from workbench.policy.checker.scope import File, Meaning, Scope, Typed, TypedSet
from workbench.policy.names import free_name
from workbench.policy.terms import (
    And,
    Attribute,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Elements,
    FieldSet,
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
from workbench.policy.types import BOOL, ORDERED, a_type, comparable, disjoint, holds_many, is_text, show
from workbench.policy.walk import path_of

WITH_ORDER = "A list has an order, which a policy does not see."
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
    if len(node.ops) == 1:
        return _comparison(node, node.left, node.ops[0], node.comparators[0], scope, file)
    sides = [node.left, *node.comparators]
    parts = [
        _comparison(node, left, operator, right, scope, file)
        for left, operator, right in zip(sides[:-1], node.ops, node.comparators, strict=True)
    ]
    typed_parts = [part for part in parts if part is not None]
    if len(typed_parts) < len(parts):
        return None
    return file.typed(node, And(tuple(p.term for p in typed_parts)), BOOL, *typed_parts)


def _comparison(
    node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr, scope: Scope, file: File
) -> Typed | None:
    if isinstance(operator, (ast.Is, ast.IsNot)):
        return _missing(node, left, right, isinstance(operator, ast.IsNot), scope, file)
    if isinstance(operator, (ast.In, ast.NotIn)):
        typed = _member(node, left, right, scope, file)
        if typed is None or isinstance(operator, ast.In):
            return typed
        return file.typed(node, Not(typed.term), BOOL, typed)
    if isinstance(left, ast.SetComp) or isinstance(right, ast.SetComp):
        return _compare_fields(node, left, _OPERATORS[type(operator)], right, scope, file)
    kind = _OPERATORS[type(operator)]
    if (counted := _counted_to_none(left, kind, right)) is not None and is_collection(counted, scope, file):
        among = file.collection(counted, scope)
        if among is not None and not among.is_list:
            equal = Comparison.EQ if kind in (Comparison.EQ, Comparison.LE, Comparison.LT) else Comparison.NE
            return _sets(node, among, equal, TypedSet(ConstantSet(()), None), scope, file)
    left_side, right_side = meaning(left, scope, file), meaning(right, scope, file)
    if left_side is None or right_side is None:
        return None
    if isinstance(left_side, TypedSet) or isinstance(right_side, TypedSet):
        return _sets(node, left_side, kind, right_side, scope, file)
    return _values(node, left_side, kind, right_side, file)


_NONE = {
    (Comparison.EQ, 0), (Comparison.LE, 0), (Comparison.LT, 1),
    (Comparison.NE, 0), (Comparison.GT, 0), (Comparison.GE, 1),
}  # fmt: skip


def _counted_to_none(left: ast.expr, operator: Comparison, right: ast.expr) -> ast.expr | None:
    """What is counted by ``len(x) == 0`` and the like, which ask of a set whether it has a member."""
    match left, right:
        case (
            ast.Call(func=ast.Name("len"), args=[counted], keywords=[]),
            ast.Constant(value=int() as number),
        ) if (operator, number) in _NONE and not isinstance(number, bool):
            return counted
        case _:
            return None


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
            names = [name for name, _ in among.element.record.fields] if among.element.record else []
            hint = f"Compare a field ({', '.join(names)}): any(item.field == value for item in list)."
            file.say(node, message, hint)
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
        file.say(node, WITH_ORDER,
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
    variable = Variable(free_name("item", {*scope.names, *file.defined()}), part.element)
    body: Term = Member(variable, whole.collection)
    return file.typed(node, Quantified(Quantifier.ALL, variable, part.collection, body), BOOL, part, whole)


_SHAPE = "Write {x.field for x in list}, or {(x.one, x.other) for x in list}."


@dataclass(frozen=True, slots=True)
class _Keys:
    """A list as a set of keys: its variable, the fields of a key with their types, and its size."""

    elements: Elements
    variable: Variable
    fields: tuple[str, ...]
    types: tuple[ArgumentType, ...]
    among: TypedSet

    @property
    def key(self) -> Term:
        """The only part of a key, as a term over the variable for the element."""
        return Attribute(self.variable, self.fields[0], self.types[0]) if self.fields else self.variable


def _compare_fields(
    node: ast.Compare, left: ast.expr, operator: Comparison, right: ast.expr, scope: Scope, file: File
) -> Typed | None:
    """A comparison with a set of fields on at least one side."""
    if operator in (Comparison.LT, Comparison.GT):
        file.say(node, f"Sets cannot be compared with {operator}.", "Use <= for a subset.")
        return None
    if operator is Comparison.GE:
        left, operator, right = right, Comparison.LE, left
    left_side, right_side = _side(left, scope, file), _side(right, scope, file)
    if left_side is None or right_side is None:
        return None
    if isinstance(left_side, _Keys) and isinstance(right_side, _Keys):
        return _lists(node, left_side, operator, right_side, file)
    within = _within(node, left_side, right_side, file)
    if within is None or operator is Comparison.LE:
        return within
    back = _within(node, right_side, left_side, file)
    if back is None:
        return None
    equal = And((within.term, back.term))
    return file.typed(node, equal if operator is Comparison.EQ else Not(equal), BOOL, within, back)


def _side(node: ast.expr, scope: Scope, file: File) -> _Keys | TypedSet | None:
    if isinstance(node, ast.SetComp):
        return _keys(node, scope, file)
    if is_collection(node, scope, file):
        typed_set = file.collection(node, scope)
        if typed_set is None or not typed_set.is_list:
            return typed_set
        file.say(node, "A list is no set.", _SHAPE)
    elif file.term(node, scope) is not None:
        file.say(node, "A set cannot be compared with a single value.", "Use `in`, any(...) or all(...).")
    return None


def _keys(node: ast.SetComp, scope: Scope, file: File) -> _Keys | None:
    clause = node.generators[0]
    target = clause.target
    if len(node.generators) != 1 or not isinstance(target, ast.Name) or clause.is_async:
        file.say(node, "A set of fields runs over one list.", _SHAPE)
        return None
    if clause.ifs:
        file.say(clause.ifs[0], "A set of fields has no condition.", "Use any(...) or all(...) instead.")
        return None
    among = file.collection(clause.iter, scope) if is_collection(clause.iter, scope, file) else None
    if among is None:
        if not is_collection(clause.iter, scope, file):
            file.say(clause.iter, "A set of fields runs over one list.", _SHAPE)
        return None
    if not among.is_list or among.element is None or not isinstance(among.collection, Elements):
        file.say(clause.iter, "This is a set already.", "Compare it itself.")
        return None
    if not element_is_free(target, scope, file):
        return None
    fields = _fields(node.elt, target.id, among.element, file)
    if fields is None:
        return None
    variable = Variable(target.id, among.element)
    return _Keys(among.collection, variable, tuple(fields), tuple(fields.values()) or (among.element,), among)


def _fields(node: ast.expr, name: str, element: ArgumentType, file: File) -> dict[str, ArgumentType] | None:
    """The fields of a key by name; none if the element is its own key."""
    if isinstance(node, ast.Name) and node.id == name:
        if element.record is None:
            return {}
        file.say(node, "Records are compared by their fields.", _SHAPE)
        return None
    type_by_field: dict[str, ArgumentType] = {}
    for part in node.elts if isinstance(node, ast.Tuple) else [node]:
        kind = _field(part, name, element, file)
        if kind is None or not isinstance(part, ast.Attribute):
            return None
        if part.attr in type_by_field:
            file.say(part, f"The field `{part.attr}` appears twice.", "Remove one.")
            return None
        type_by_field[part.attr] = kind
    return type_by_field


def _field(node: ast.expr, name: str, element: ArgumentType, file: File) -> ArgumentType | None:
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != name:
        file.say(node, f"A key is made of fields of `{name}`.", _SHAPE)
        return None
    kind = element.record.field(node.attr) if element.record is not None else None
    if kind is None:
        file.say(node, f"{show(element)} has no field `{node.attr}`.", "Name one of its fields.")
        return None
    if kind.optional or holds_many(kind):
        file.say(node, f"`{node.attr}` is {show(kind)}, which is no part of a key.",
                 "Name fields that are single values and never None.")  # fmt: skip
        return None
    return kind


def _lists(
    node: ast.Compare, left_keys: _Keys, operator: Comparison, right_keys: _Keys, file: File
) -> Typed | None:
    pairs = list(zip(left_keys.types, right_keys.types, strict=False))
    if len(left_keys.types) != len(right_keys.types) or not all(
        comparable(left, right) for left, right in pairs
    ):
        message = f"Keys of {_shown(left_keys)} are never keys of {_shown(right_keys)}."
        file.say(node, message, "Name fields of the same types, in the same order.")
        return None
    left, right = (
        FieldSet(left_keys.elements, left_keys.fields),
        FieldSet(right_keys.elements, right_keys.fields),
    )
    kind = Comparison.LE if operator is Comparison.LE else Comparison.EQ
    term: Term = CompareFields(kind, left, right)
    return file.typed(
        node, Not(term) if operator is Comparison.NE else term, BOOL, left_keys.among, right_keys.among
    )


def _shown(keys: _Keys) -> str:
    return f"({', '.join(show(kind) for kind in keys.types)})"


def _within(node: ast.Compare, left: _Keys | TypedSet, right: _Keys | TypedSet, file: File) -> Typed | None:
    """Whether one side contains all of the other, where one side is a set of fields and the other a set."""
    if isinstance(left, _Keys) and isinstance(right, TypedSet):
        return _all_in(node, left, right, file)
    if isinstance(right, _Keys) and isinstance(left, TypedSet):
        return _all_named(node, left, right, file)
    return None


def _alike(node: ast.Compare, keys: _Keys, among: TypedSet, file: File) -> bool:
    alike = len(keys.types) == 1 and (among.element is None or comparable(keys.types[0], among.element))
    if not alike:
        element_text = show(among.element) if among.element is not None else "nothing"
        file.say(node, f"Keys of {_shown(keys)} are never in a set of {element_text}.", "Check both sides.")
    return alike


def _all_in(node: ast.Compare, keys: _Keys, among: TypedSet, file: File) -> Typed | None:
    if not _alike(node, keys, among, file):
        return None
    body = Member(keys.key, among.collection)
    term = Quantified(Quantifier.ALL, keys.variable, keys.elements, body)
    return file.typed(node, term, BOOL, keys.among, among)


def _all_named(node: ast.Compare, among: TypedSet, keys: _Keys, file: File) -> Typed | None:
    if not _alike(node, keys, among, file):
        return None
    if not isinstance(among.collection, ConstantSet):
        file.say(node, "Whether a list names all of a set can only be asked of a constant set.",
                 "Write the set at the top of the file, or turn the comparison round.")  # fmt: skip
        return None
    members: list[Typed] = []
    for value in among.collection.values:
        constant = promoted(
            Typed(Constant(value), among.element or keys.types[0]), Typed(keys.key, keys.types[0])
        )
        body = Compare(Comparison.EQ, keys.key, constant.term)
        term = Quantified(Quantifier.ANY, keys.variable, keys.elements, body)
        members += [typed for typed in [file.typed(node, term, BOOL, keys.among)] if typed is not None]
    if len(members) < len(among.collection.values):
        return None
    if len(members) == 1:
        return members[0]
    return file.typed(
        node, And(tuple(typed.term for typed in members)) if members else Constant(True), BOOL, *members
    )
