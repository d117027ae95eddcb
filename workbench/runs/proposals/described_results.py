"""Calls whose results are as the schemas of results describe: what is proposed of them no log has shown.

From such calls records are drafted as from logged ones. Equal ids stand for one thing, of which all results
say the same; a value that a schema does not require is left out of some. What is drafted of both stands
together: a log is believed, a schema adds to it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.clean_text import clean, listed, one_line
from workbench.dialect.call_fields import type_of_record
from workbench.dialect.json_schemas import Plain, Schemas, Untyped
from workbench.dialect.schema_fields import scalar
from workbench.model import ArgumentType, Json, Kind, Proposal, Record, RecordedCall, RecordField, Tool
from workbench.runs.extract.propose import fields_of, name_of, take_name
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.proposals.list_elements import left_out_words
from workbench.runs.proposals.proposed_names import is_id, noun_of, singular, stem_of
from workbench.runs.proposals.result_shapes import shown_path

type ResultSchemas = Mapping[str, Mapping[str, Json]]
"""The JSON schemas of results by the names of the tools."""

_THINGS = 6
"""The number of different things: a half of them tells what is seldom there from what never is."""
_MEMBERS = 2
_OF_INNER_LISTS = 1_000
"""What is within a thing is none of the things that other results are: equal names would make it one."""
_MOST_PARTS = 400
_DEEPEST = 4
_MOST_APART = 6
_LACKS = 3
"""Of so many things one lacks what it need not have."""


@dataclass(frozen=True, slots=True)
class DescribedCalls:
    """The calls, the words that values have by the names of their fields, and sentences about the rest."""

    calls: tuple[RecordedCall, ...] = ()
    members: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    unread: tuple[str, ...] = ()


def described_calls(tools: Sequence[Tool], results: ResultSchemas) -> DescribedCalls:
    """Calls of the tools whose results have schemas; a schema that says no object or list has a sentence."""
    calls: list[RecordedCall] = []
    members: dict[str, Sequence[str]] = {}
    unread: list[str] = []
    left_out: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for tool in tools:
        if tool.name not in results:
            continue
        reading = _Reading(Schemas(results[tool.name]), noun_of(tool), members)
        try:
            form = reading.form(dict(results[tool.name]), ())
        except Untyped as untyped:
            why = f"Of the results of {one_line(tool.name, 40)} nothing is proposed: their schema {untyped}."
            unread.append(one_line(why, 240))
            continue
        left_out[tuple(reading.left_out)].append(one_line(tool.name, 40))
        if form.holds_objects and not form.wraps_one:
            calls += _calls(tool, form, len(calls))
    for parts, names in left_out.items():
        unread += map(one_line, left_out_words(f"the results of {listed(names)}", parts))
    return DescribedCalls(tuple(calls), members, tuple(unread))


@dataclass(frozen=True, slots=True)
class _Form:
    """What values have at one place: ``name`` and ``owner`` are the words for it and for what has it.

    ``parts`` are those of an object; ``element`` is that of a list, or of an object ``keyed`` by ids.
    """

    name: str
    owner: str
    plain: Plain
    optional: bool = False
    parts: Mapping[str, _Form] = field(default_factory=dict[str, "_Form"])
    element: _Form | None = None
    keyed: bool = False

    @property
    def holds_objects(self) -> bool:
        """Whether it is an object, or holds objects."""
        return bool(self.parts) or (self.element is not None and self.element.holds_objects)

    @property
    def wraps_one(self) -> bool:
        """Whether it is one value that a server put into an object, as no guard sees it."""
        return [*self.parts] == ["result"] and not self.parts["result"].holds_objects

    def value(self, number: int, said: Mapping[str, Json], depth: int = 0) -> Json:
        """The value that the thing of this number has; the call that asks for it has ``said`` some of it."""
        if self.element is not None:
            members = [self.element.numbered(number, place, depth) for place in range(_MEMBERS)]
            values = [self.element.value(one, {}, depth + 1) for one in members]
            return dict(zip(map(self.element.key, members), values, strict=True)) if self.keyed else values
        if not self.parts:
            return self.single(number)
        is_envelope = len(self.parts) == 1
        return {
            key: said[key]
            if key in said and not (part.parts or part.element)
            else part.value(number, said if is_envelope else {}, depth + (part.element is None or depth > 0))
            for key, part in self.parts.items()
            if not part.optional or key in said or number % _LACKS < _LACKS - 1
        }

    def numbered(self, holder: int, place: int, depth: int) -> int:
        """The number of a member: those of results are the things, those within a thing are others."""
        return (holder + place) % _THINGS if depth == 0 else (holder + 1) * _OF_INNER_LISTS + place

    def key(self, number: int) -> str:
        """The id under which the thing of this number stands."""
        own = (part for key, part in self.parts.items() if _is_own_id(key, self.name))
        single = next((part for part in own if not part.parts and part.element is None), None)
        return str(single.single(number)) if single is not None else f"{self.name}~{number}"

    def single(self, number: int) -> Json:
        """One value of its type."""
        return _single(scalar(self.plain).type, self.name, self.owner, number, self.plain.keys.get("format"))


def _single(type_: ArgumentType, name: str, owner: str, number: int, stated: Json = None) -> Json:
    """A value of a type: equal names and numbers give equal values."""
    year = 2000 + number % 1000
    values: dict[Kind, Json] = {
        Kind.BOOL: number % 2 == 0,
        Kind.INT: number + 1,
        Kind.DECIMAL: number + 0.25,
        Kind.DATE: f"{year}-01-31",
        Kind.DATETIME: f"{year}-01-31T09:00:00Z",
        Kind.TIME: f"09:{number % 60:02}:00",
    }
    match type_.kind:
        case Kind.ENUM:
            return type_.values[number % len(type_.values)]
        case Kind.SET | Kind.LIST:
            return [_text(singular(name), owner, number)]
        case _:
            return values.get(type_.kind, _text(name, owner, number, stated))


def _text(name: str, owner: str, number: int, stated: Json = None) -> str:
    if stated in ("email", "idn-email"):
        return f"ann{number}@mail.example"
    if stated in ("uri", "url", "iri"):
        return f"https://site.example/{name}/{number}"
    return f"{stem_of(name) or owner}~{number}" if is_id(name) else f"~ {name} {number}"


def _is_own_id(key: str, owner: str) -> bool:
    return is_id(key) and stem_of(key) in ("", owner)


@dataclass(slots=True)
class _Reading:
    """The forms in one schema; ``left_out`` are the places that have none, with the reasons."""

    schemas: Schemas
    noun: str
    members: dict[str, Sequence[str]]
    left_out: list[str] = field(default_factory=list[str])
    parts: int = 0

    def form(self, schema: Json, path: tuple[str, ...], references: frozenset[str] | None = None) -> _Form:
        """The form of the values at a path. Raises Untyped."""
        self.parts += 1
        if self.parts > _MOST_PARTS:
            raise Untyped(f"has more than {_MOST_PARTS} parts")
        if len(path) > _DEEPEST:
            raise Untyped("is too deep")
        plain = self.schemas.plain(schema) if references is None else self.schemas.plain(schema, references)
        name = name_of((path[-1],)) if path else self.noun
        properties = plain.keys.get("properties")
        if plain.type == "object" and isinstance(properties, dict) and properties:
            return self.object(plain, path, name, properties)
        if plain.type in ("array", "object"):
            keyed = plain.type == "object"
            held = plain.keys.get("additionalProperties" if keyed else "items")
            if not isinstance(held, dict):
                raise Untyped("says no fields" if keyed else "is a list of anything")
            one = self.form(held, (*path[:-1], singular(name)) if path else (), plain.references)
            if keyed and not one.parts:
                raise Untyped("is an object whose keys are no names of fields")
            if one.plain.nullable or (one.element is not None):
                raise Untyped("is a list whose elements may be null, or are lists")
            return _Form(name, name, plain, plain.nullable, element=one, keyed=keyed)
        type_ = scalar(plain).type
        if path and type_.kind is Kind.ENUM:
            self.members[path[-1]] = tuple(dict.fromkeys((*self.members.get(path[-1], ()), *type_.values)))
        return _Form(name, self.noun, plain, plain.nullable)

    def object(self, plain: Plain, path: tuple[str, ...], name: str, properties: Mapping[str, Json]) -> _Form:
        """The form of an object: a part that has no type is left out."""
        required = plain.keys.get("required")
        needed = set(required) if isinstance(required, list) and all(map(_is_text, required)) else set[Json]()
        parts: dict[str, _Form] = {}
        outer, self.noun = self.noun, singular(name) if path else self.noun
        for key, schema in properties.items():
            try:
                part = self.form(schema, (*path, key), plain.references)
            except Untyped as untyped:
                self.left_out.append(f"{clean(shown_path((*path, key)))} {untyped}")
                continue
            optional = part.optional or key not in needed
            parts[key] = replace(part, owner=self.noun, optional=optional)
        own = [key for key, part in parts.items() if _is_own_id(key, self.noun) and not part.plain.nullable]
        if own and not needed & {*own}:  # what is known by an id has one, whether or not the schema says so
            parts[own[0]] = replace(parts[own[0]], optional=False)
        owner, self.noun = self.noun, outer
        if not parts:
            raise Untyped("has no field with a type")
        return _Form(singular(name) if path else name, owner, plain, plain.nullable, parts)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _calls(tool: Tool, form: _Form, before: int) -> Iterator[RecordedCall]:
    """Calls of a tool for each thing; where a tool reads by several values, each of them varies by itself."""
    needed = [one for one in fields_of(tool) if one.needed and len(one.path) == 1]
    apart = len(needed) > 1 and effect_of(tool).reads
    for number in range(max(2 ** min(len(needed), _MOST_APART), _THINGS) if apart else _THINGS):
        said = {
            one.path[0]: _single(
                one.type,
                name_of(one.path),
                noun_of(tool),
                number // 2 ** min(place, _MOST_APART - 1) % 2 if apart else number,
            )
            for place, one in enumerate(needed)
        }
        result = json.dumps(form.value(number, said))
        yield RecordedCall("described", before + number, tool.name, said, result=result)


def with_described(
    seen: Sequence[Proposal],
    said: Sequence[Proposal],
    logged: Collection[str],
    classes: Mapping[str, str],
) -> list[Proposal]:
    """The proposals that logs show, with what schemas say besides.

    A record of both keeps what the log shows, and has the fields that no result showed, which may be absent.
    What a tool with ``logged`` results tells is none if they do not show it. ``classes`` are the tools by
    their classes.
    """
    grown = list(seen)
    elements = {one.name: one for proposal in said for one in proposal.records}
    for proposal in said:
        tools = _tools(proposal, classes)
        place = next((place for place, one in enumerate(grown) if _tell_one(one, proposal)), None)
        if place is not None:
            grown[place] = _grown(grown[place], proposal, elements, logged)
        elif not tools & set(logged):
            sentence = (
                f"The {'schema' if len(tools) == 1 else 'schemas'} of the results of {listed(sorted(tools))}"
            )
            evidence = (f"{sentence} say{'s' if len(tools) == 1 else ''} so; no log shows it.",)
            evidence += proposal.evidence[1:]
            grown.append(replace(proposal, evidence=evidence, described=tuple(sorted(tools))))
    return _of_one_element_each(grown)


def _tools(proposal: Proposal, classes: Mapping[str, str]) -> set[str]:
    """The tools whose results tell a record or have a reading."""
    record = proposal.record
    if record is None:
        places = [place for reading in proposal.readings for place in reading.texts]
        return {classes[place.removesuffix(".result")] for place in places}
    return _told_by(record)


def _told_by(record: Record) -> set[str]:
    return {one.tool for one in record.results} | ({record.look_up.tool} if record.look_up else set())


def _tell_one(seen: Proposal, said: Proposal) -> bool:
    first, second = seen.record, said.record
    return (
        first is not None
        and second is not None
        and set(first.keys) == set(second.keys)
        and bool(_told_by(first) & _told_by(second))
    )


def _grown(
    proposal: Proposal, said: Proposal, elements: Mapping[str, Record], logged: Collection[str]
) -> Proposal:
    """A record that a log shows, with the further fields and results of its schemas."""
    record, other = proposal.record, said.record
    assert record is not None
    assert other is not None
    inner = {one.name: one for one in proposal.records if one is not record}
    own = {each.path or each.name: each for each in record.fields}
    for each in other.fields:
        known = own.get(each.path or each.name)
        if known is not None and known.of in inner and each.of in elements:
            inner[known.of] = _with_fields(inner[known.of], elements[each.of].fields)
    whole = _with_fields(record, other.fields)
    for each in whole.fields:
        if each.of and each.of not in inner:
            inner[each.of] = elements[each.of]
    unlogged = tuple(one for one in other.results if one.tool not in logged)
    look_up = other.look_up if other.look_up is not None and other.look_up.tool not in logged else None
    further = {one.tool for one in unlogged} | ({look_up.tool} if look_up else set[str]())
    whole = replace(
        whole,
        results=(*record.results, *unlogged),
        look_up=record.look_up or look_up,
        changed_by={tool: path for tool, path in record.changed_by.items() if tool not in further},
    )
    if record.look_up is None and look_up is not None:
        whole = replace(whole, results=tuple(one for one in whole.results if one.tool != look_up.tool))
    if whole == record and all(inner[one.name] == one for one in proposal.records if one is not record):
        return proposal
    added = [each.name for each in whole.fields[len(record.fields) :]]
    words = f": {listed(added)}" if added else ""
    evidence = f"The schemas of results say more of it than the logged ones show{words}."
    return replace(
        proposal,
        records=(*inner.values(), whole),
        evidence=(*proposal.evidence, evidence),
        presumed=tuple(tool for tool in proposal.presumed if tool not in further),
        described=tuple(sorted(_told_by(other))),
    )


def _with_fields(record: Record, others: Iterable[RecordField]) -> Record:
    """A record with the fields at further paths: no result showed them, so they may be absent."""
    paths = {each.path or each.name for each in record.fields}
    taken = {each.name for each in record.fields}
    keys = {*record.keys}
    added: list[RecordField] = []
    for each in others:
        path = each.path or each.name
        if path in paths or path in keys or each.where:
            continue
        if not record.key and each.type.kind in (Kind.SET, Kind.LIST):
            continue  # an element of a list has no list, and no set that may be absent
        name = take_name(each.name, taken)
        added.append(replace(each, name=name, path="" if path == name else path, type=_absent(each.type)))
    return replace(record, fields=(*record.fields, *added))


def _absent(type_: ArgumentType) -> ArgumentType:
    """The type with None; a set, which has no None, is a list."""
    if type_.kind is not Kind.SET:
        return replace(type_, optional=True)
    return ArgumentType(Kind.LIST, optional=True, element=type_.element or ArgumentType(Kind.STR))


def _of_one_element_each(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals, in which each element of lists has all fields that any of them gave it."""
    whole: dict[str, Record] = {}
    for record in (record for proposal in proposals for record in proposal.records if not record.key):
        before = whole.setdefault(record.name, record)
        if len(record.fields) > len(before.fields):
            whole[record.name] = record
    return [
        replace(
            proposal,
            records=tuple(
                _with_elements(whole.get(record.name, record), whole) for record in proposal.records
            ),
        )
        for proposal in proposals
    ]


def _with_elements(record: Record, elements: Mapping[str, Record]) -> Record:
    fields = tuple(
        replace(field, type=replace(field.type, element=_element_type(elements[field.of])))
        if field.of in elements
        else field
        for field in record.fields
    )
    return record if fields == record.fields else replace(record, fields=fields)


def _element_type(element: Record) -> ArgumentType:
    return ArgumentType(Kind.RECORD, record=type_of_record(element))
