"""Two lists compared as sets of fields: the keys of their elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model import ArgumentType
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.traverse import fields_used, inner_parts, outer_parts, with_parts
from workbench.policy.terms import Attribute, FieldSet, Term, Variable
from workbench.policy.types import is_text


@dataclass(slots=True)
class ListPair:
    """Two lists whose fields are compared.

    ``bodies`` are the conditions on keys that apply to both lists, as their positions in the left and in the
    right list. Elements with equal keys give the same answers.
    """

    left: FieldSet
    right: FieldSet
    bodies: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def keys_of(side: FieldSet, item: Variable) -> list[Variable | Attribute]:
    """The key of an element as terms."""
    if not side.fields:
        return [item]
    return [Attribute(item, name, _type(item, name)) for name in side.fields]


def _type(item: Variable, name: str) -> ArgumentType:
    argument_type = item.type.record.field(name) if item.type.record is not None else None
    if argument_type is None:
        raise FlatLimit(f"Lists are compared by the field {name}, which their elements do not have.")
    return argument_type


def moved(
    body: Term, item: Variable, own: Sequence[Variable | Attribute], other: Sequence[Variable | Attribute]
) -> Term | None:
    """The condition on a key of one list as a condition on a key of the other; None if it reads more."""
    other_part_by_own: dict[Term, Term] = {
        own_part: other_part
        for own_part, other_part in zip(own, other, strict=True)
        if own_part.type.optional is other_part.type.optional
        and (
            own_part.type.kind is other_part.type.kind
            or (is_text(own_part.type) and is_text(other_part.type))
        )
    }
    term = _moved(body, other_part_by_own)
    return None if fields_used(term, item) else term


def _moved(term: Term, other_part_by_own: Mapping[Term, Term]) -> Term:
    if term in other_part_by_own:
        return other_part_by_own[term]
    outer = tuple(_moved(part, other_part_by_own) for part in outer_parts(term))
    inner = tuple(_moved(part, other_part_by_own) for part in inner_parts(term))
    return with_parts(term, outer, inner)
