"""JSON schemas of tools, made plain: without references, unions with null, and parts to be merged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import unquote

from workbench.model import Json

MOST_STEPS = 20_000
"""The most schemas that are looked at for one tool, each reference followed."""
MOST_DEPTH = 60
"""The most references and unions within one another."""
_WHOLE = "#"
_TEXTS = frozenset({"title", "description", "default", "examples", "deprecated", "$comment", "required"})
"""The keys of a schema that say nothing about its type."""
_UNIONS = ("anyOf", "oneOf")
_LEVELS = "Write out as many levels of it as the policy reads, the last with additionalProperties = true,"
_ONE_OBJECT = "Write one object with the properties of all, of which it requires what all of them require,"
"""What to write in the place of a schema that no note makes readable."""
_WIDER = {"string": {"string"}, "integer": {"integer"}, "number": {"integer", "number"}}
"""A type, and the types whose values are all of it."""


class Untyped(Exception):
    """A value has no type of the dialect; the text is the reason, as the end of a sentence about it.

    ``remedy`` is what a note has to say, on the value or on what is ``below`` it; empty if no note helps.
    With ``in_schema`` it is what the schema has to say.
    """

    def __init__(
        self, reason: str, remedy: str = "Say its type", below: str = "", *, in_schema: bool = False
    ) -> None:
        """Keep the reason and the remedy."""
        super().__init__(reason)
        self.remedy = remedy
        self.below = below
        self.in_schema = in_schema


@dataclass(frozen=True, slots=True)
class Plain:
    """A schema of one type: its keys, whether null is a value too, and the references that led to it."""

    keys: Mapping[str, Json]
    nullable: bool
    references: frozenset[str] = frozenset()

    @property
    def type(self) -> str:
        """The type of its values, also where only its other keys tell; empty if nothing does."""
        if isinstance(stated := self.keys.get("type"), str):
            return stated
        if self.keys.get("properties") or self.keys.get("additionalProperties"):
            return "object"
        return "array" if "items" in self.keys else ""


class Schemas:
    """The schemas within one schema, which its references name."""

    def __init__(self, whole: Mapping[str, Json]) -> None:
        """Take the whole schema."""
        self._whole = cast("Json", dict(whole))
        self._steps = 0
        self._depth = 0

    def plain(self, schema: Json, references: frozenset[str] = frozenset({_WHOLE})) -> Plain:
        """The schema in its plain form. Raises Untyped."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Untyped(f"is one of more than {MOST_STEPS:,} parts of its tool's schema")
        if self._depth > MOST_DEPTH:
            raise Untyped(f"has more than {MOST_DEPTH} schemas within one another")
        self._depth += 1
        try:
            return self._plain(schema, references)
        finally:
            self._depth -= 1

    def _plain(self, schema: Json, references: frozenset[str]) -> Plain:
        if not isinstance(schema, dict):
            raise Untyped("has no type in its schema")
        if "$ref" in schema:
            without = {key: item for key, item in schema.items() if key != "$ref"}
            if not without.keys() <= _TEXTS:
                own = _list(without.pop("allOf", None))
                return self.plain({**without, "allOf": [{"$ref": schema["$ref"]}, *own]}, references)
            reference, target = self._target(schema["$ref"], references)
            return self.plain({**target, **without}, references | {reference})
        if "allOf" in schema:
            return self._merged(schema, references)
        for union in _UNIONS:
            if union in schema:
                return self._only(schema, union, references)
        return _of_one_type(schema, references)

    def _target(self, reference: Json, references: frozenset[str]) -> tuple[str, dict[str, Json]]:
        """The schema that a reference names."""
        if not isinstance(reference, str) or not reference.startswith(_WHOLE):
            raise Untyped(f'has a schema outside of its tool\'s ("$ref" is "{str(reference)[:80]}")')
        if reference in references:
            raise Untyped(
                f'has a recursive schema ("{reference[:80]}" contains itself)', _LEVELS, in_schema=True
            )
        target = self._whole
        for step in reference[1:].split("/")[1:]:
            step = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and step in target:
                target = target[step]
            elif isinstance(target, list) and step.isdecimal() and int(step) < len(target):
                target = target[int(step)]
            else:
                raise Untyped(f'has a schema that its tool\'s lacks ("$ref" is "{reference[:80]}")')
        if not isinstance(target, dict) or (reference != _WHOLE and not reference.startswith("#/")):
            raise Untyped(f'has a schema that its tool\'s lacks ("$ref" is "{reference[:80]}")')
        return reference, target

    def _merged(self, schema: Mapping[str, Json], references: frozenset[str]) -> Plain:
        """The parts of an ``allOf`` as one schema: objects with all properties, or one type for all."""
        parts = schema["allOf"]
        if not isinstance(parts, list) or not parts:
            raise Untyped('has an "allOf" without parts')
        rest = {key: item for key, item in schema.items() if key != "allOf"}
        plain = [self.plain(part, references) for part in (*parts, rest) if not _says_no_type(part)]
        if not plain:
            raise Untyped("has no type in its schema")
        keys: dict[str, Json] = {}
        for part in plain:
            for key, item in part.keys.items():
                keys[key] = _both(key, keys[key], item) if key in keys and key not in _TEXTS else item
        keys |= {key: item for key, item in rest.items() if key in _TEXTS}
        keys["allOf"] = [dict(part.keys) for part in plain]
        required = [
            name
            for part in (*(part.keys for part in plain), *parts)
            if isinstance(part, Mapping)
            for name in _list(cast("Mapping[str, Json]", part).get("required"))
        ]
        found = frozenset[str]().union(*(part.references for part in plain))
        return Plain({**keys, "required": required}, all(part.nullable for part in plain), found)

    def _only(self, schema: Mapping[str, Json], union: str, references: frozenset[str]) -> Plain:
        """The one alternative of a union that is not null, or the enum of alternatives that are constants."""
        alternatives = _list(schema[union])
        rest = {key: item for key, item in schema.items() if key != union}
        if alternatives and all(_says_no_type(alternative) for alternative in alternatives):
            return self.plain(rest, references)
        others = [alternative for alternative in alternatives if not _is_null(alternative)]
        nullable = len(others) < len(alternatives)
        if len(others) == 1 and isinstance(others[0], dict):
            differs = any(rest[key] != others[0].get(key, rest[key]) for key in rest.keys() - _TEXTS)
            whole: Json = {"allOf": [rest, others[0]]} if differs else {**rest, **others[0]}
            only = self.plain(whole, references)
            return Plain(only.keys, nullable or only.nullable, only.references)
        if (widest := self._widest(others, references)) is not None:
            parts: list[Json] = [dict(self.plain(other, references).keys) for other in others]
            return Plain({**rest, "type": widest, "anyOf": parts}, nullable, references)
        constants = [_constants(alternative) for alternative in others]
        if others and all(constants):
            values = [value for listed in constants for value in listed]
            only = self.plain({**rest, "enum": values}, references)
            return Plain(only.keys, nullable or only.nullable, only.references)
        raise self._several(f'may have one of {len(others)} types ("{union}")', others, references)

    def _several(self, reason: str, others: list[Json], references: frozenset[str]) -> Untyped:
        """Why a value of several types has none, and what to write: no note can choose among objects."""
        if all(self.plain(other, references).type == "object" for other in others):
            return Untyped(reason, _ONE_OBJECT, in_schema=True)
        return Untyped(reason)

    def _widest(self, alternatives: list[Json], references: frozenset[str]) -> str | None:
        """The type with the values of all alternatives, if all are texts or all are numbers."""
        plain = [self.plain(alternative, references) for alternative in alternatives]
        if not plain or any(part.nullable for part in plain) or all("enum" in part.keys for part in plain):
            return None
        types = {part.type for part in plain}
        return next((wide for wide, parts in _WIDER.items() if types <= parts), None)


def _of_one_type(schema: Mapping[str, Json], references: frozenset[str]) -> Plain:
    """A schema without references and combinations, of one type besides null."""
    stated, nullable = schema.get("type"), schema.get("nullable") is True
    if isinstance(stated, list):
        others = [name for name in stated if name != "null"]
        nullable |= len(others) < len(stated)
        if len(others) != 1:
            raise Untyped(f'may have one of {len(others)} types ("type" is a list)')
        schema = {**schema, "type": others[0]}
    if "enum" in schema or "const" in schema:
        values = _constants(schema)
        nullable |= None in values
        schema = {**schema, "enum": [value for value in values if value is not None]}
    return Plain(schema, nullable, references)


def _constants(schema: Json | Mapping[str, Json]) -> list[Json]:
    """The values that a schema lists; none if it lists none."""
    if not isinstance(schema, Mapping):
        return []
    if "const" not in schema:
        return _list(schema.get("enum"))
    return [schema["const"]] if schema["const"] in _list(schema.get("enum", [schema["const"]])) else []


def _says_no_type(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.keys() <= _TEXTS


def _is_null(schema: Json) -> bool:
    return isinstance(schema, dict) and (
        schema.get("type") == "null" or (_constants(schema) == [None] and "type" not in schema)
    )


def _both(key: str, first: Json, second: Json) -> Json:
    """What two parts of one schema say together under a key."""
    if key == "properties" and isinstance(first, dict) and isinstance(second, dict):
        return {
            name: first[name] if name not in second or first.get(name) == second[name] else _different(name)
            for name in first
        } | {name: item for name, item in second.items() if name not in first}
    if key == "enum" and isinstance(first, list) and isinstance(second, list):
        return [value for value in first if value in second]
    if first == second or key not in ("type", "enum", "const", "items", "format", "additionalProperties"):
        return second
    return _different(key)


def _different(name: str) -> Json:
    raise Untyped(f'has parts that say different things about "{name}" ("allOf")')


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
