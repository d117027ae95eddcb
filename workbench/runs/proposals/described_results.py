"""Calls whose results are as the schemas of results describe: what is proposed of them no log has shown.

From such calls records are drafted as from logged ones. Equal ids stand for one thing, of which all results
say the same; a value that a schema does not require is left out of some.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.clean_text import clean, listed, one_line
from workbench.dialect.json_schemas import Plain, Schemas, Untyped
from workbench.dialect.schema_fields import scalar
from workbench.model import ArgumentType, Json, Kind, RecordedCall, Tool
from workbench.runs.extract.propose import fields_of, name_of
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
        own = next((part for key, part in self.parts.items() if _is_own_id(key, self.name)), None)
        return str(own.single(number)) if own is not None else f"{self.name}~{number}"

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
