"""The questions that drafting raises, and the choices that answer them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.model import Question

UNDECIDED = ""


@dataclass(slots=True)
class Interview:
    """Collects questions while a request is drafted under given choices.

    Reading a sentence may fail half-way: ``mark`` and ``forget`` drop what it asked.
    """

    choices: Mapping[str, str]
    asked: dict[str, Question] = field(default_factory=dict[str, Question])

    def ask(self, question: Question) -> str:
        """The value chosen for the question: its choice, else its default.

        A choice that is none of the options counts only where free text is welcome. An
        empty answer means that there is no safe default and nobody has decided.
        """
        known = self.asked.get(question.id)
        if known is None:
            self.asked[question.id] = question
        elif known.default != question.default:
            self.asked[question.id] = known = _without_default(known)
        default = self.asked[question.id].default
        chosen = self.choices.get(question.id, default)
        fits = question.free_text or any(option.value == chosen for option in question.options)
        return chosen if fits else default

    def mark(self) -> int:
        """A point to which ``forget`` can go back."""
        return len(self.asked)

    def forget(self, mark: int) -> None:
        """Drop the questions asked since the mark."""
        for id_ in list(self.asked)[mark:]:
            del self.asked[id_]


def _without_default(question: Question) -> Question:
    """The question when no option is the restrictive one everywhere."""
    return replace(question, default=UNDECIDED)


def slug(text: str) -> str:
    """A readable part of an identifier: lower case, words joined with hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")[:60] or "text"


def short_hash(text: str) -> str:
    """Eight hex digits that identify a sentence whatever its spacing and case."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()[:8]
