"""Which policies speak of calls; it loads nothing, since every session asks."""

from __future__ import annotations

AGENT = "agent"
"""The module that a policy of calls imports the classes of its agent from."""


def speaks_of_calls(source: str) -> bool:
    """Whether a text is a policy of calls: it imports from ``agent``."""
    return any(line.startswith(f"from {AGENT} import ") for line in source.split("\n"))
