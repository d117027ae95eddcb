"""Questions whether words that a model made nothing of are context, and the ids of these questions."""

from __future__ import annotations

from workbench.author.doubts import CONTEXT, short_hash
from workbench.model import Option, Question, Requirement, Span

_LONGEST = 120


def unread_id(quote: str) -> str:
    """The id of the question about a sentence in which no requirement was read."""
    return f"unread:{short_hash(quote)}"


def unread_sentence(quote: str, span: Span, text: str) -> Question:
    """A question about a sentence in which no requirement was read; it blocks until it is answered."""
    return Question(
        id=unread_id(quote),
        kind="unreadable",
        text=text,
        quote=quote,
        span=span,
        options=(
            Option(
                CONTEXT,
                "It is context, not a rule",
                "The sentence changes no decision.",
                f"“{' '.join(quote.split())}” is context and states no rule.",
            ),
        ),
        default="",
        blocking=True,
        free_text=True,
    )


def unstated_id(requirement: Requirement) -> str:
    """The id of the question about a requirement that no rule and no clause states."""
    return f"empty:{short_hash(requirement.quote)}"


def unstated_requirement(requirement: Requirement, text: str, *, blocking: bool) -> Question:
    """A question about a requirement that no rule and no clause states."""
    quote = " ".join(requirement.quote.split())
    shown = quote if len(quote) <= _LONGEST else f"{quote[: _LONGEST - 1]}…"
    return Question(
        id=unstated_id(requirement),
        kind="unreadable",
        text=text,
        quote=requirement.quote,
        span=requirement.span,
        options=(
            Option(
                CONTEXT,
                "It decides nothing by itself",
                "Nothing changes.",
                f"“{shown}” decides nothing that other sentences do not.",
            ),
        ),
        default="",
        requirements=(requirement.id,),
        blocking=blocking,
        free_text=True,
    )
