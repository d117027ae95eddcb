"""Doubts about sentences of which the language has two readings."""

from __future__ import annotations

from workbench.author.doubts import Excepted, MixedAndOr, OnlyFocus, OnlyIf
from workbench.author.rules.conditions import Condition, render
from workbench.model import Span


def focus(requirement: str, action: Condition, restriction: Condition, quote: str, span: Span) -> OnlyFocus:
    """What “may only send mail to X” forbids: other mail, or everything else."""
    return OnlyFocus(
        id=f"only:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("everything", "object"),
        default="everything",
        requirements=(requirement,),
        action=render(action),
        restriction=render(restriction),
    )


def only_if(requirement: str, condition: Condition, quote: str, span: Span) -> OnlyIf:
    """Whether “may do X if C” forbids X where C does not hold."""
    return OnlyIf(
        id=f"only-if:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("only", "also"),
        default="only",
        requirements=(requirement,),
        condition=render(condition),
    )


def spared(requirement: str, action: Condition, free: Condition, quote: str, span: Span) -> Excepted:
    """Whether “any X but Y may” forbids it to Y."""
    return Excepted(
        id=f"spared:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("forbidden", "open"),
        default="forbidden",
        requirements=(requirement,),
        action=render(action),
        excepted=render(free),
    )


def mixed(
    requirement: str, narrow: Condition, wide: Condition, quote: str, span: Span, *, denying: bool
) -> MixedAndOr:
    """How “a or b and c” belongs together; ``denying`` says that the wider reading denies more."""
    return MixedAndOr(
        id=f"mixed:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("and", "or"),
        default="and" if denying else "or",
        requirements=(requirement,),
        wide=render(wide),
        narrow=render(narrow),
    )
