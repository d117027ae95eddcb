"""Tools that only read, recognised by their names."""

from __future__ import annotations

import re

_READING = re.compile(r"(?:get|read|list|search|find|view|show|check|fetch|lookup|count)(?:_|$)")


def only_reads(tool: str) -> bool:
    """Whether the name of the tool begins with a word for reading, so that a call of it changes nothing."""
    return _READING.match(tool) is not None
