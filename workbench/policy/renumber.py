"""Requirement ids of a policy text under other ids: in the messages of rules and above clauses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.policy.checker.syntax_tree import REQUIREMENT

_LIST = rf"{REQUIREMENT}(?:\s*,\s*{REQUIREMENT})*"
_HEAD = re.compile(rf'^(?P<before>\s*(?:#|""")\s*)(?P<ids>{_LIST})(?P<after>\s*:)', re.MULTILINE)
_ID = re.compile(REQUIREMENT)


def renumber(source: str, ids: Mapping[str, str]) -> str:
    """The text with the ids that begin a comment or a docstring replaced; unknown ids stay."""
    if all(old == new for old, new in ids.items()):
        return source
    return _HEAD.sub(
        lambda match: (
            match["before"]
            + _ID.sub(lambda match: ids.get(match.group(), match.group()), match["ids"])
            + match["after"]
        ),
        source,
    )
