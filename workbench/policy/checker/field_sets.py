"""Lists compared as sets of some of their fields: ``{(x.a, x.b) for x in xs} == {...}``."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from workbench.model import ArgumentType
from workbench.policy.checker.present_values import element_is_free, is_collection, promoted
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet
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
    Member,
    Not,
    Quantified,
    Quantifier,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, comparable, holds_many, show

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


def compare_fields(
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
