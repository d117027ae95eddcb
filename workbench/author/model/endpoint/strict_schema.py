"""JSON schemas as servers with strict schemas accept them: all fields required, no others allowed.

Keywords that such servers do not accept (lengths of texts, defaults) are left out. The reply is always
checked against the whole schema.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import Json

_LEFT_OUT = frozenset({"default", "title", "maxLength", "minLength", "uniqueItems", "examples"})
_REFUSED = frozenset({"oneOf", "allOf", "not", "prefixItems", "patternProperties", "if"})


def strict_schema(schema: Mapping[str, Json]) -> dict[str, Json] | None:
    """The schema in its strict form; None if it has none, such as for a table with free names."""
    try:
        strict = _strict(dict(schema))
    except _NotStrict:
        return None
    return strict if isinstance(strict, dict) and strict.get("type") == "object" else None


class _NotStrict(Exception):
    """A part of a schema that has no strict form."""


def _strict(schema: Json, *, names: bool = False) -> Json:
    """A schema in its strict form; with ``names``, a table of schemas by name."""
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: _strict(part) for name, part in schema.items()}
    if _REFUSED & set(schema) or not schema:
        raise _NotStrict
    strict: dict[str, Json] = {
        name: _strict(part, names=name in ("properties", "$defs"))
        if name not in ("enum", "const", "required")
        else part
        for name, part in schema.items()
        if name not in _LEFT_OUT
    }
    if schema.get("type") == "object":
        properties = schema.get("properties")
        if not isinstance(properties, dict) or schema.get("additionalProperties"):
            raise _NotStrict
        strict["additionalProperties"] = False
        strict["required"] = list[Json](properties)
    return strict
