"""Questions whether a sentence that gave no rule is context, and their ids."""

from __future__ import annotations

import hashlib

from workbench.model import Doubt, Question, Requirement, Span
from workbench.question_wording import phrase, question_about

CONTEXT = "context"
"""The answer that a sentence states no rule."""
_LONGEST = 120


def short_hash(text: str) -> str:
    """Eight hex digits that identify a sentence whatever its spacing and case."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()[:8]


def unread_id(quote: str) -> str:
    """The id of the question about a sentence in which no requirement was read."""
    return f"unread:{short_hash(quote)}"


def unread_sentence(quote: str, span: Span, why: str) -> Question:
    """A question about a sentence in which no requirement was read; it blocks until it is answered.

    ``why`` is the key of the wording's phrase for the model's reading of the sentence.
    """
    return question_about(
        Doubt(
            id=unread_id(quote),
            kind="model-unread",
            quote=quote,
            span=span,
            values=(CONTEXT,),
            blocking=True,
            free_text=True,
            facts={"why": phrase("model-unread", why)},
        )
    )


def unstated_id(requirement: Requirement) -> str:
    """The id of the question about a requirement that no rule and no clause states."""
    return f"empty:{short_hash(requirement.quote)}"


def unstated_requirement(requirement: Requirement, why: str, *, blocking: bool) -> Question:
    """A question about a requirement that no rule and no clause states.

    ``why`` is the key of the wording's phrase for the model's reading of the requirement.
    """
    return question_about(
        Doubt(
            id=unstated_id(requirement),
            kind="model-unstated",
            quote=requirement.quote,
            span=requirement.span,
            values=(CONTEXT,),
            requirements=(requirement.id,),
            blocking=blocking,
            free_text=True,
            facts={"why": phrase("model-unstated", why), "short": short_quote(requirement)},
        )
    )


def short_quote(requirement: Requirement) -> str:
    """The quote of a requirement in one line, cut where it is long."""
    quote = " ".join(requirement.quote.split())
    return quote if len(quote) <= _LONGEST else f"{quote[: _LONGEST - 1]}…"
