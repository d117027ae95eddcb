"""A text that looks like the other one of the two files that a person edits: a policy, or an agent spec."""

from __future__ import annotations

import re

POLICY, AGENT = "policy.py", "agent.toml"
_TABLE = re.compile(r"^\[{1,2}[\w.\"' -]+\]{1,2}\s*$", re.MULTILINE)
_STATEMENT = re.compile(r"^(def \w+\(|class \w+|from [\w.]+ import |import \w)", re.MULTILINE)


def other_file(text: str, name: str) -> str:
    """The name of the other file, if a text for the file with this name looks like it; else empty."""
    has_tables, has_statements = _TABLE.search(text) is not None, _STATEMENT.search(text) is not None
    if has_tables == has_statements:
        return ""
    looks_like = AGENT if has_tables else POLICY
    return looks_like if looks_like != name else ""
