"""Call arguments checked against the schema of the tool: defaults, and misleading names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.guard.adapters.look_alike_names import folded, hides
from workbench.guard.adapters.strict_json import Unclear
from workbench.model import Json


def checked_arguments(arguments: Mapping[str, Json], schema: Mapping[str, Json] | None) -> dict[str, Json]:
    """The arguments with the schema's defaults; ``schema`` is None if none is known.

    Raises:
        Unclear: an argument is not in the schema, or a reader could mistake its name for another one.
    """
    check_names(arguments, _property_names(dict(schema or {})))
    if schema is None:
        return dict(arguments)
    properties = schema.get("properties")
    if isinstance(properties, dict) and schema.get("additionalProperties", False) is False:
        for key in arguments:
            if key not in properties:
                raise Unclear(f"the tool has no argument {key!a}")
    return with_defaults(arguments, schema)


def with_defaults(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments with the defaults that a JSON schema gives to absent properties.

    A default is an argument of the call although the agent did not write it.
    """
    properties = schema.get("properties")
    filled: dict[str, Json] = {}
    if isinstance(properties, dict):
        for name, property_ in properties.items():
            if isinstance(property_, dict) and "default" in property_:
                filled[name] = property_["default"]
    return {**filled, **arguments}


def _property_names(schema: Json) -> frozenset[str]:
    """The names of all properties anywhere in a schema."""
    names: set[str] = set()
    open_values: list[Json] = [schema]
    while open_values:
        item = open_values.pop()
        if isinstance(item, dict):
            properties = item.get("properties")
            if isinstance(properties, dict):
                names |= properties.keys()
            open_values.extend(item.values())
        elif isinstance(item, list):
            open_values.extend(item)
    return frozenset(names)


def check_names(arguments: Mapping[str, Json], names: Iterable[str] = ()) -> None:
    """Raise Unclear for a key, at any depth, that a careless reader could mistake for another name."""
    names = frozenset(names)
    near = {folded(name): name for name in names}
    open_values: list[Json] = [dict(arguments)]
    while open_values:
        item = open_values.pop()
        if isinstance(item, list):
            open_values.extend(item)
        elif isinstance(item, dict):
            check_distinct(item, "the arguments")
            for key in item:
                if key not in names and (near_name := near.get(folded(key))) is not None:
                    raise Unclear(
                        f"the arguments have the key {key!a}, which is {near_name!r} to some readers"
                    )
            open_values.extend(item.values())


def check_distinct(keys: Iterable[str], where: str) -> None:
    """Raise Unclear if a reader could mistake one key for another, or if a key has hidden characters."""
    key_by_fold: dict[str, str] = {}
    for key in keys:
        earlier_key = key_by_fold.setdefault(folded(key) or key, key)
        if earlier_key != key:
            raise Unclear(f"{where} has the keys {earlier_key!a} and {key!a}, which are one to some readers")
        if hides(key):
            raise Unclear(f"{where} has the key {key!a}, which hides what it is")
