"""Defaults of a tool's parameters, which are arguments of the call though the agent did not say them."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import Json


def with_defaults(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments with the defaults that a JSON schema gives to absent properties."""
    properties = schema.get("properties")
    filled: dict[str, Json] = {}
    if isinstance(properties, dict):
        for name, property_ in properties.items():
            if isinstance(property_, dict) and "default" in property_:
                filled[name] = property_["default"]
    return {**filled, **arguments}
