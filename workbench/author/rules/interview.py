"""The doubts that drafting meets, and the choices that settle them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.model import Doubt

UNDECIDED = ""


@dataclass(slots=True)
class Interview:
    """Collects doubts while a request is drafted under given choices.

    Reading a sentence may fail half-way: ``mark`` and ``forget`` drop what it asked. ``answers`` is
    every answer given, in order; ``forgotten`` counts how often something was dropped.
    """

    choices: Mapping[str, str]
    asked: dict[str, Doubt] = field(default_factory=dict[str, Doubt])
    answers: list[tuple[Doubt, str]] = field(default_factory=list[tuple[Doubt, str]])
    forgotten: int = 0

    def ask(self, doubt: Doubt) -> str:
        """The value chosen for the doubt: its choice, else its default.

        A choice that is none of the values counts only where free text is welcome. An
        empty answer means that there is no safe default and nobody has decided.
        """
        known = self.asked.get(doubt.id)
        if known is None:
            self.asked[doubt.id] = doubt
        elif known.default != doubt.default:
            # No value is the restrictive one everywhere.
            self.asked[doubt.id] = replace(known, default=UNDECIDED)
        default = self.asked[doubt.id].default
        chosen = self.choices.get(doubt.id, default)
        answer = chosen if doubt.free_text or chosen in doubt.values else default
        self.answers.append((doubt, answer))
        return answer

    def mark(self) -> int:
        """A point to which ``forget`` can go back."""
        return len(self.asked)

    def forget(self, mark: int) -> None:
        """Drop the doubts asked about since the mark."""
        self.forgotten += 1
        for id_ in list(self.asked)[mark:]:
            del self.asked[id_]


def slug(text: str) -> str:
    """A readable part of an identifier: lower case, words joined with hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")[:60] or "text"


def short_hash(text: str) -> str:
    """Eight hex digits that identify a sentence whatever its spacing and case."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()[:8]
