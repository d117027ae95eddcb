"""Fields about the members of a list of things: their ids, and those of each kind of member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.model import ArgumentType, Json, Kind, RecordField
from workbench.runs.extract.propose import path_part
from workbench.runs.proposals.list_elements import ListElements, path_of
from workbench.runs.proposals.proposed_names import free_field_name, is_id, singular, stem_of
from workbench.runs.proposals.result_shapes import ShapePart

_MOST_KINDS = 6
_SAYS_KIND = re.compile(r"(^|_)(source|type|kind)$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{0,30}")


@dataclass(frozen=True, slots=True)
class _Members:
    """The members of a list: where they are, their singular, and the field that has the id of each."""

    path: tuple[str, ...]
    objects: Sequence[Mapping[str, Json]]
    name: str
    id: str


def member_fields(
    record: str, part: ShapePart, elements: ListElements, taken_names: set[str]
) -> Iterator[RecordField]:
    """Yield a set of the ids of all members, and for each kind of member a set of the ids of these.

    Members of a kind that have fields of their own (the balance of gift cards) are a list besides. The kind
    of a member is a word that every one of them has in a field such as ``type`` or ``source``.
    """
    found = _id_of(part)
    if not found or part.optional:
        return
    members = _Members(part.path, part.members, singular(part.path[-1]), found)
    yield _ids(members, members.name, {}, taken_names)
    for field, kinds in _kinds(members.objects):
        for kind in kinds:
            own = [item for item in members.objects if item.get(field) == kind]
            name = re.sub(r"[^a-z0-9]+", "_", kind.lower()).strip("_")
            yield _ids(members, name, {field: kind}, taken_names)
            if set(own[0]) & _fields_of_all(own) - _fields_of_all(members.objects) - {field}:
                yield from _of_kind(record, members, own, name, {field: kind}, elements, taken_names)


def _id_of(part: ShapePart) -> str:
    """The field with the id of each member itself, not of a thing that it names; empty if there is none."""
    name = singular(part.path[-1])
    ids = [
        field
        for field in (part.members[0] if part.members else ())
        if is_id(field) and all(isinstance(item.get(field), str) and item.get(field) for item in part.members)
    ]
    if part.every and len(ids) == 1:
        return ids[0]
    return next((field for field in ids if field == "id" or stem_of(field) == name), "")


def _kinds(objects: Sequence[Mapping[str, Json]]) -> Iterator[tuple[str, Sequence[str]]]:
    """The first field that says of which kind a member is, with the kinds that were seen."""
    for field in objects[0]:
        values = [item.get(field) for item in objects]
        kinds = sorted({value for value in values if isinstance(value, str)})
        if (
            _SAYS_KIND.search(field)
            and len(kinds) <= _MOST_KINDS
            and len(kinds) * 2 <= len(values)
            and all(isinstance(value, str) and _WORD.fullmatch(value) for value in values)
        ):
            yield field, kinds
            return


def _fields_of_all(objects: Sequence[Mapping[str, Json]]) -> set[str]:
    return set[str].intersection(*(set(item) for item in objects))


def _ids(members: _Members, name: str, where: Mapping[str, Json], taken_names: set[str]) -> RecordField:
    """The set of the ids of the members that ``where`` keeps."""
    many = f"{name}_{members.id}s" if where or members.id == "id" else f"{members.id}s"
    path = "".join(path_part(part) for part in members.path) + "[*]" + path_part(members.id)
    return RecordField(
        free_field_name((many,), taken_names), ArgumentType(Kind.SET), path.removeprefix("."), dict(where)
    )


def _of_kind(
    record: str,
    members: _Members,
    own: Sequence[Mapping[str, Json]],
    name: str,
    where: Mapping[str, Json],
    elements: ListElements,
    taken_names: set[str],
) -> Iterator[RecordField]:
    """The list of the members of one kind, with the fields that all of them have."""
    (kind_field,) = where
    without_kind = [{key: value for key, value in item.items() if key != kind_field} for item in own]
    element, _ = elements.of_objects(name, f"{record}_{name}", without_kind, share=False)
    if element is None:
        return
    type_ = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=element.type))
    field_name = free_field_name((f"{name.removesuffix('s')}s",), taken_names)
    path = path_of(members.path, "", "[*]")
    yield RecordField(field_name, type_, path, dict(where), of=element.name)
