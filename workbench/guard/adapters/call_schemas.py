"""Call arguments checked against the schema of the tool: defaults, and misleading names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.guard.adapters.strict_json import Unclear
from workbench.guard.look_alike_names import property_names, unclear_keys
from workbench.model import Json


def checked_arguments(arguments: Mapping[str, Json], schema: Mapping[str, Json] | None) -> dict[str, Json]:
    """The arguments with the schema's defaults; ``schema`` is None if none is known.

    Raises:
        Unclear: an argument is not in the schema, or a reader could mistake its name for another one.
    """
    check_names(arguments, property_names(dict(schema or {})))
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


def check_names(arguments: Mapping[str, Json], names: Iterable[str] = ()) -> None:
    """Raise Unclear for a key, at any depth, that a careless reader could mistake for another name."""
    if why := unclear_keys(arguments, names):
        raise Unclear(why)
