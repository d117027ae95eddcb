"""The doubts of the author; ``questions.toml`` words them.

This module has the doubts about words and about the whole request; ``SentenceDoubts.either`` makes the doubts
between readings of a form. If no answer is safe, the default is ``UNDECIDED`` and the doubt is blocking. A
question that needs code has a file with ``find(situation)`` in ``workbench.clarify.kinds``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time

from workbench.author.argument_terms import (
    OpenCompare,
    argument_of,
    rendered,
)
from workbench.author.doubts import (
    ALLOW,
    BOTH,
    BY_HAND,
    CONTEXT,
    DENY,
    DIFFERENT,
    EXCLUDED,
    FALSE,
    FIRST,
    FORBID,
    IGNORE,
    INCLUDED,
    IS_RULE,
    KEEP,
    NOTHING,
    PERMIT,
    SECOND,
    TRUE,
    UNDECIDED,
    short_hash,
    slug,
)
from workbench.model import Argument, Doubt, Scalar, Span
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    Term,
)

__all__ = [
    "ALLOW", "BY_HAND", "CONTEXT", "DENY", "DIFFERENT", "FALSE", "FIRST", "KEEP", "PERMIT",
    "SECOND", "TRUE",
]  # fmt: skip

_UNREAD_KINDS = ("unreadable", "undefined", "unit", "stateful", "presupposition")


def unreadable_id(quote: str) -> str:
    """The id of the doubt about a sentence that cannot be read."""
    return f"unreadable:{short_hash(quote)}"


def unreadable(quote: str, span: Span, reason: str, kind: str = "unreadable") -> Doubt:
    """The doubt about an unreadable sentence: it is context, is written by hand, or must be reworded."""
    return Doubt(
        id=unreadable_id(quote),
        kind=kind if kind in _UNREAD_KINDS else "unreadable",
        quote=quote,
        span=span,
        values=(CONTEXT, BY_HAND),
        default=UNDECIDED,
        blocking=True,
        free_text=True,
        facts={"reason": reason},
    )


def context_id(quote: str) -> str:
    """The id of the doubt whether a sentence that is read as context states a rule."""
    return f"context:{short_hash(quote)}"


def context(quote: str, span: Span) -> Doubt:
    """The doubt whether a sentence that is read as context states a rule."""
    return Doubt(
        id=context_id(quote),
        kind="context",
        quote=quote,
        span=span,
        values=(CONTEXT, IS_RULE),
        default=CONTEXT,
    )


def idle_word_id(word: str, quote: str) -> str:
    """The id of the doubt whether a word adds something to a sentence."""
    return f"word:{short_hash(quote)}:{'+'.join(word.lower().split())}"


def idle_words(quote: str, choices: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a sentence that add nothing to it, by a person's answers."""
    start = f"word:{short_hash(quote)}:"
    return tuple(
        " ".join(id_.removeprefix(start).split("+"))
        for id_, value in choices.items()
        if id_.startswith(start) and value == NOTHING
    )


def idle_word(word: str, quote: str, span: Span) -> Doubt:
    """The doubt whether a word adds something to a sentence."""
    return Doubt(
        id=idle_word_id(word, quote),
        kind="word",
        quote=quote,
        span=span,
        values=(NOTHING,),
        default=NOTHING,
        facts={"word": word},
    )


def presupposition(words: str, argument: Argument, quote: str, span: Span) -> Doubt:
    """The doubt what words mean for which the agent spec only has a boolean argument."""
    return Doubt(
        id=f"presupposition:{slug(words)}",
        kind="presupposed",
        quote=quote,
        span=span,
        values=(TRUE, FALSE),
        default=UNDECIDED,
        blocking=True,
        facts={"words": words, "argument": argument.name, "description": argument.description},
    )


def vocabulary(word: str, near: tuple[str, ...], of: str, quote: str, span: Span, *, denying: bool) -> Doubt:
    """The doubt whether a word means a similar word of the agent; ``denying``: if so, more is denied."""
    return Doubt(
        id=f"vocabulary:{slug(word)}",
        kind="vocabulary",
        quote=quote,
        span=span,
        values=(*near, DIFFERENT),
        default=near[0] if denying else DIFFERENT,
        facts={
            "word": word,
            "of": of,
            "nearest": near[0],
            "listed": ", ".join(f"“{near_word}”" for near_word in near),
        },
    )


def _readable(value: Scalar | None) -> str:
    """A value as people write it."""
    return f"{value:%H:%M}" if isinstance(value, time) else str(value)


def boundary(about: str, requirement: str, atom: OpenCompare, quote: str, span: Span, *, wide: bool) -> Doubt:
    """The doubt whether "under 18" includes 18; ``wide``: the rule denies more if ``atom`` holds."""
    assert isinstance(atom.right, Constant)
    name, value = argument_of(atom), _readable(atom.right.value)
    wide = wide != atom.flipped
    return Doubt(
        id=f"boundary:{about}:{name}{f':{value}' if atom.word == 'between' else ''}",
        kind="boundary",
        quote=quote,
        span=span,
        values=(INCLUDED, EXCLUDED),
        default=INCLUDED if wide else EXCLUDED,
        requirements=(requirement,),
        facts={
            "argument": name,
            "word": atom.word,
            "bound": value,
            "if_included": DENY if wide else ALLOW,
            "if_excluded": ALLOW if wide else DENY,
        },
    )


def with_bound(atom: OpenCompare, included: bool) -> Compare:
    """The comparison with its open bound decided: ``included`` by the word, or not."""
    has_bound = atom.operator in (Comparison.LE, Comparison.GE)
    operator = atom.operator if has_bound == (included != atom.flipped) else atom.operator.other_bound
    return Compare(operator, atom.left, atom.right)


def contradiction(
    about: str, requirement: str, condition: str, message: str, span: Span, sides: tuple[Term, Term]
) -> Doubt:
    """The doubt about a card whose condition denies other calls than its own message."""
    by_condition, by_message = (rendered(side) for side in sides)
    return Doubt(
        id=f"contradiction:{about}",
        kind="card",
        quote=f"{condition} / {message}",
        span=span,
        values=("condition", "message"),
        default=UNDECIDED,
        requirements=(requirement,),
        blocking=True,
        facts={
            "condition": condition,
            "message": message,
            "condition_denies": by_condition,
            "message_denies": by_message,
        },
    )


def default_decision() -> Doubt:
    """The doubt about the default decision, if no sentence of the request states one."""
    return Doubt(
        id="default-decision",
        kind="default-decision",
        quote="",
        span=Span(0, 0),
        values=(DENY, ALLOW),
        default=DENY,
        requirements=("R0",),
    )


def missing(argument: str, requirements: tuple[str, ...], quote: str, span: Span) -> Doubt:
    """The doubt what a rule decides if the argument that it reads has no value."""
    return Doubt(
        id=f"missing:{argument}",
        kind="missing",
        quote=quote,
        span=span,
        values=(DENY, IGNORE),
        default=DENY,
        requirements=requirements,
        facts={"argument": argument},
    )


def conflict(about: tuple[str, str], permit: str, forbid: str, texts: tuple[str, str], span: Span) -> Doubt:
    """The doubt which of two sentences wins if one permits what the other forbids."""
    return Doubt(
        id=f"conflict:{':'.join(about)}",
        kind="conflict",
        quote=f"{texts[0]} / {texts[1]}",
        span=span,
        values=(FORBID, PERMIT),
        default=FORBID,
        requirements=(permit, forbid),
        facts={"permit": permit, "forbid": forbid, "allowed": texts[0], "denied": texts[1]},
    )


def incompatible(
    about: tuple[str, str], first: str, second: str, texts: tuple[str, str], span: Span
) -> Doubt:
    """The doubt which of two rules is meant if together they leave nothing allowed."""
    return Doubt(
        id=f"contradiction:{':'.join(about)}",
        kind="incompatible",
        quote=f"{texts[0]} / {texts[1]}",
        span=span,
        values=(BOTH, FIRST, SECOND),
        default=BOTH,
        requirements=(first, second),
        facts={"first": texts[0], "second": texts[1]},
    )
