"""The draft that a session's policy was last merged with: what the next merge starts from.

It stands in the hidden folder, and changes and is undone with the policy. Without it (in a fresh clone) a
merge starts from what the present request drafts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from workbench.model import Requirement

NAME = ".workbench/draft.json"


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft's policy file, and the request's words that each of its requirements comes from."""

    policy: str
    quotes: Mapping[str, str]


def drafted_of(policy: str, requirements: Iterable[Requirement]) -> Drafted:
    """What is kept of a draft."""
    return Drafted(policy, {each.id: " ".join(each.quote.split()) for each in requirements})


def read_drafted(text: str) -> Drafted | None:
    """The kept draft; None if there is none, or if it cannot be read."""
    try:
        value = cast("object", json.loads(text)) if text.strip() else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, object]", value)
    policy, quotes = found.get("policy"), found.get("quotes")
    if not isinstance(policy, str) or not isinstance(quotes, dict):
        return None
    texts = cast("dict[str, object]", quotes)
    return Drafted(policy, {id_: quote for id_, quote in texts.items() if isinstance(quote, str)})


def write_drafted(drafted: Drafted) -> str:
    """The text that ``read_drafted`` reads."""
    return json.dumps({"policy": drafted.policy, "quotes": dict(drafted.quotes)}, ensure_ascii=False) + "\n"
