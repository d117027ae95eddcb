"""Fields of records: ``record.field``, a value or a collection."""

from __future__ import annotations

import ast

from workbench.model import ArgumentType, Kind
from workbench.policy.checker.present_values import is_collection, unguarded
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet, suggestion
from workbench.policy.terms import Attribute, Elements, Variable
from workbench.policy.types import a_type, set_element


def of_record(node: ast.Attribute, scope: Scope, file: File) -> tuple[Typed, ArgumentType] | None:
    """The present record before the dot, and the type of its field; None with a problem."""
    if is_collection(node.value, scope, file):
        file.say(node, f"`{ast.unparse(node.value)[:60]}` has elements, which have the fields.",
                 f"Write any(x.{node.attr} ... for x in ...).")  # fmt: skip
        return None
    record = file.term(node.value, scope)
    if record is None:
        return None
    if record.type.record is None:
        hint = "Use the listed string tests only." if record.type.kind is Kind.STR else "Name a record."
        file.say(node, f"{a_type(record.type, first=True)} has no fields.", hint)
        return None
    if record.type.optional:
        unguarded(node, record, file)
        return None
    kind = record.type.record.field(node.attr)
    if kind is None:
        names = [name for name, _ in record.type.record.fields if "." not in name]
        classes = record.type.record.name.split(" | ")
        left_out = [why for name in classes if (why := file.left_out.get(f"{name}.{node.attr}"))]
        hint = " ".join(left_out) or suggestion(node.attr, names) or f"It has {', '.join(names)}."
        file.say(node, f"{record.type.record.name} has no field `{node.attr}`.", hint)
        return None
    return record, kind


def field_elements(node: ast.Attribute, scope: Scope, file: File) -> TypedSet | None:
    """A set or list that is a field of a record."""
    record_and_type = of_record(node, scope, file)
    if record_and_type is None:
        return None
    record, kind = record_and_type
    assert isinstance(record.term, Variable | Attribute)
    element = set_element(kind) if kind.kind is Kind.SET else kind.element
    return TypedSet(
        Elements(Attribute(record.term, node.attr, kind)), element, record.size + 1, record.depth + 1
    )
