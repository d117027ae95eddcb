"""JSON of a log or an agent, made safe to show: every text is cleaned, and the depth is bounded.

Every text of a call passes through here once, when it is imported; provenance refers to the result.
"""

from __future__ import annotations

import re

from workbench.clean_text import clean, is_clean
from workbench.model import Json

MAX_DEPTH = 100
_TOO_DEEP = f"the JSON is nested deeper than {MAX_DEPTH} levels"

# The JSON escapes that may encode such a character. Line ends are harmless.
_ESCAPED = re.compile(r"\\[ubfr]")


class TooDeep(ValueError):
    """A JSON value is nested deeper than ``MAX_DEPTH``."""


def is_harmless(json_text: str) -> bool:
    """Whether no string of this JSON text needs cleaning.

    This is a quick check of the text; False only means that the values have to be checked.
    """
    return is_clean(json_text) and _ESCAPED.search(json_text) is None


def not_too_deep(value: Json) -> Json:
    """The value itself; raises TooDeep past ``MAX_DEPTH``."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        held = [item for item in level if isinstance(item, dict | list)]
        if not held:
            return value
        level = [
            item
            for container in held
            for item in (container.values() if isinstance(container, dict) else container)
        ]
    raise TooDeep(_TOO_DEEP)


def clean_json(value: Json, depth: int = 0) -> Json:
    """The value with every string in it, keys too, cleaned; raises TooDeep past ``MAX_DEPTH``."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            raise TooDeep(_TOO_DEEP)
        return {clean(key): clean_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        if depth >= MAX_DEPTH:
            raise TooDeep(_TOO_DEEP)
        return [clean_json(item, depth + 1) for item in value]
    return value
