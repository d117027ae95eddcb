"""From a doubt of the author to a question: what every kind shares."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.model import Argument, Doubt, Kind, Option, Question

_MOST_VALUES = 6
_MOST_ARGUMENTS = 12


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


def known_words(arguments: Iterable[Argument]) -> str:
    """The words that a request may use: each argument, with its first values where it has some."""
    said = [_named(argument) for argument in arguments]
    more = ", …" if len(said) > _MOST_ARGUMENTS else ""
    return ", ".join(said[:_MOST_ARGUMENTS]) + more


def _named(argument: Argument) -> str:
    if argument.type.kind not in (Kind.ENUM, Kind.STR) or not argument.type.values:
        return argument.name
    more = ", …" if len(argument.type.values) > _MOST_VALUES else ""
    return f"{argument.name} ({', '.join(argument.type.values[:_MOST_VALUES])}{more})"
