"""Doubts about sentences of which the language has two readings."""

from __future__ import annotations

from workbench.author.argument_terms import (
    rendered,
)
from workbench.author.doubts import Excepted, MixedAndOr, OnlyFocus, OnlyIf, SeveralWays
from workbench.author.rules.interview import UNDECIDED
from workbench.author.rules.statements import Way
from workbench.model import Span
from workbench.policy.terms import (
    Term,
)


def focus(requirement: str, action: Term, restriction: Term, quote: str, span: Span) -> OnlyFocus:
    """What “may only send mail to X” forbids: other mail, or everything else."""
    return OnlyFocus(
        id=f"only:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("everything", "object"),
        default="everything",
        requirements=(requirement,),
        action=rendered(action),
        restriction=rendered(restriction),
    )


def only_if(requirement: str, condition: Term, quote: str, span: Span) -> OnlyIf:
    """Whether “may do X if C” forbids X where C does not hold."""
    return OnlyIf(
        id=f"only-if:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("only", "also"),
        default="only",
        requirements=(requirement,),
        condition=rendered(condition),
    )


def spared(requirement: str, action: Term, free: Term, quote: str, span: Span) -> Excepted:
    """Whether “any X but Y may” forbids it to Y."""
    return Excepted(
        id=f"spared:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("forbidden", "open"),
        default="forbidden",
        requirements=(requirement,),
        action=rendered(action),
        excepted=rendered(free),
    )


def mixed(requirement: str, narrow: Term, wide: Term, quote: str, span: Span, *, denying: bool) -> MixedAndOr:
    """How “a or b and c” belongs together; ``denying`` says that the wider reading denies more."""
    return MixedAndOr(
        id=f"mixed:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=("and", "or"),
        default="and" if denying else "or",
        requirements=(requirement,),
        wide=rendered(wide),
        narrow=rendered(narrow),
    )


def parts(requirement: str, ways: list[Way], strictest: int | None, quote: str, span: Span) -> SeveralWays:
    """How a sentence is to be taken apart; ``strictest`` is the way that denies the most, if one does."""
    return SeveralWays(
        id=f"parts:{requirement}",
        kind="reading",
        quote=quote,
        span=span,
        values=tuple(str(place) for place in range(len(ways))),
        default=UNDECIDED if strictest is None else str(strictest),
        requirements=(requirement,),
        ways=tuple(". ".join(f"{each[0].upper()}{each[1:]}" for each in way) for way in ways),
    )
