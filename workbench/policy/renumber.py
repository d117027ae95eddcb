"""New requirement ids in a policy text: in the messages of rules and in the comments above clauses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.policy.checker.syntax_tree import REQUIREMENT

_LIST = rf"{REQUIREMENT}(?:\s*,\s*{REQUIREMENT})*"
_HEAD = re.compile(rf'^(?P<before>\s*(?:#|""")\s*)(?P<ids>{_LIST})(?P<after>\s*:)', re.MULTILINE)
_ID = re.compile(REQUIREMENT)


def renumber(source: str, ids: Mapping[str, str]) -> str:
    """The text with the ids at the start of comments and docstrings replaced; unknown ids stay."""
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
