"""Records of the elements of lists, one for each set of fields, used for all lists with these fields.

Fields of records by whose values two spellings are equal: kinds of values, and account numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.model import AgentSpec, ArgumentType, Json, Kind, Record, RecordField
from workbench.runs.extract.propose import name_of, path_part, take_name
from workbench.runs.proposals.parameter_notes import is_account_number, recognised_kind
from workbench.runs.proposals.proposed_names import clean_name, free_field_name
from workbench.runs.proposals.result_shapes import Members, ResultShape, ShapePart, shape_of


def field_of_part(part: ShapePart, taken_names: set[str]) -> RecordField | None:
    """A field for a single value, or for a list of single values."""
    if part.type is None:
        return None
    name = free_field_name(part.path, taken_names)
    type_ = part.type
    if part.is_list:
        # A set cannot be absent, a list can: it is empty then.
        many = Kind.LIST if part.optional or type_.kind not in (Kind.STR, Kind.ENUM, Kind.INT) else Kind.SET
        is_text = type_.kind in (Kind.STR, Kind.ENUM)
        element = ArgumentType(Kind.STR) if is_text else replace(type_, optional=False)
        whole = many is Kind.SET and element.kind is Kind.STR
        type_ = ArgumentType(
            many, optional=part.optional and many is Kind.LIST, element=None if whole else element
        )
    else:
        type_ = replace(type_, optional=part.optional)
    return RecordField(name, type_, path_of(part.path, name))


def path_of(path: Sequence[str], name: str, ending: str = "") -> str:
    """The path of a field; empty if it equals the field's name."""
    written = "".join(path_part(part) for part in path) + ending
    if any("[" in path_part(part) for part in path):
        return f"${written}"
    return "" if written == f".{name}" else written.removeprefix(".")


@dataclass(slots=True)
class ListElements:
    """The records without a key: those that the spec declares, and the additional proposed ones."""

    known: Members
    records: dict[str, Record]
    taken_names: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, spec: AgentSpec, known: Members, taken_names: Iterable[str]) -> ListElements:
        """Begin with the records that a spec declares."""
        declared = {record.name: record for record in spec.records}
        return cls(
            known,
            {name: record for name, record in declared.items() if not record.key},
            {*declared, *taken_names, *(clean_name(tool.name) for tool in spec.tools)},
        )

    def of_objects(
        self, name: str, other_name: str, objects: Sequence[Mapping[str, Json]], *, share: bool = True
    ) -> tuple[Record | None, ResultShape]:
        """The record of such objects, with the first free one of the names."""
        shape = shape_of(objects, self.known, lists=False)
        taken_names: set[str] = set()
        fields = [
            in_form(record_field, part, objects, [])
            for part in shape.parts
            if (record_field := field_of_part(part, taken_names)) is not None
            and record_field.type.kind is not Kind.LIST  # an element of a list has none
        ]
        return (self.of_fields(name, other_name, fields, share=share) if fields else None), shape

    def of_fields(
        self, name: str, other_name: str, fields: Sequence[RecordField], *, share: bool = True
    ) -> Record:
        """The record with these fields; with ``share`` an existing record with the same fields is reused."""
        record_fields = tuple(fields)
        by_name = {record_field.name: record_field for record_field in record_fields}
        same_record = next(
            (record for record in self.records.values() if {it.name: it for it in record.fields} == by_name),
            None,
        )
        if same_record is not None and share:
            return same_record
        first = clean_name(name)
        record = Record(
            take_name(first if first not in self.taken_names else clean_name(other_name), self.taken_names),
            record_fields,
        )
        self.records[record.name] = record
        return record


def left_out_words(holder: str, left_out: Sequence[str]) -> list[str]:
    """A sentence about the fields that are left out; none if no field is."""
    if not left_out:
        return []
    shown_fields = "; ".join(left_out[:3]) + (f"; and {len(left_out) - 3} more" if len(left_out) > 3 else "")
    return [f"Left out of {holder}: {shown_fields}."]


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
