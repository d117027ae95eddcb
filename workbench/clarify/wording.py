"""From a doubt of the author to a question: what every kind shares."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.model import Doubt, Option, Question


def one_line(quote: str) -> str:
    """A quote without line breaks."""
    return " ".join(quote.split())


def question(doubt: Doubt, text: str, options: Iterable[Option]) -> Question:
    """The question that words a doubt; its options are the doubt's values, in their order."""
    return Question(
        id=doubt.id,
        kind=doubt.kind,
        text=text,
        quote=doubt.quote,
        span=doubt.span,
        options=tuple(options),
        default=doubt.default,
        requirements=doubt.requirements,
        blocking=doubt.blocking,
        free_text=doubt.free_text,
    )


def context_option(quote: str) -> Option:
    """The answer that a sentence states no rule."""
    return Option(
        "context",
        "It is context, not a rule",
        "The sentence changes no decision.",
        f"“{one_line(quote)}” is context and states no rule.",
    )
