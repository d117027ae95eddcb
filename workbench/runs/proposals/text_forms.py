"""Fields of records by whose values two spellings are equal: kinds of values, and account numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.model import ArgumentType, Json, Kind, RecordField
from workbench.runs.extract.propose import name_of
from workbench.runs.proposals.parameter_notes import is_account_number, recognised_kind
from workbench.runs.proposals.result_shapes import ShapePart


def in_form(
    field: RecordField, part: ShapePart, objects: Sequence[Mapping[str, Json]], unsure: list[str]
) -> RecordField:
    """A field with the kind of its texts, or their normal form; ``unsure`` takes the doubts."""
    element = field.type.element or field.type
    many = field.type.kind in (Kind.SET, Kind.LIST)
    if field.type.values or (element.kind is not Kind.STR and field.type.kind is not Kind.SET):
        return field
    texts = list(_texts(objects, part.path))
    if not texts:
        return field
    if is_account_number(name_of((part.path[-1],)), texts):
        return replace(field, normal="code")
    recognised = recognised_kind(part.path[-1], "", texts)
    if recognised is None or element.kind is Kind.INT:
        return field
    unsure += recognised.unsure
    options = {key: value for key, value in recognised.options.items() if key != "schema"}
    if not many:
        return replace(field, kind=recognised.kind.name, options=options)
    of_kind = ArgumentType(Kind.RECORD, record=recognised.kind.type_in_calls)
    type_ = replace(field.type, kind=Kind.LIST, element=of_kind)
    return replace(field, type=type_, options=options)


def _texts(objects: Sequence[Mapping[str, Json]], path: Sequence[str]) -> Iterator[str]:
    for item in objects:
        value: Json = dict(item)
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
