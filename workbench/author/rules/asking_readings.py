"""The questions about sentences of which the language has two readings."""

from __future__ import annotations

from workbench.author.rules.conditions import Condition, render
from workbench.model import Option, Question, Span


def focus(requirement: str, action: Condition, restriction: Condition, quote: str, span: Span) -> Question:
    """Ask what “may only send mail to X” forbids: other mail, or everything else."""
    return Question(
        id=f"only:{requirement}",
        kind="reading",
        text="What does “only” restrict here: this action alone, or everything the agent does?",
        quote=quote,
        span=span,
        options=(
            Option(
                "everything",
                "Everything else is forbidden",
                f"Denied unless {render(action)} and {render(restriction)}.",
                f"In {requirement}, “only” forbids every other action as well.",
            ),
            Option(
                "object",
                "Other actions are not meant",
                f"Where {render(action)}: denied unless {render(restriction)}.",
                f"In {requirement}, “only” restricts this action and no other.",
            ),
        ),
        default="everything",
        requirements=(requirement,),
    )


def only_if(requirement: str, condition: Condition, quote: str, span: Span) -> Question:
    """Ask whether “may do X if C” forbids X where C does not hold."""
    return Question(
        id=f"only-if:{requirement}",
        kind="reading",
        text="Does “if” mean “only if” here?",
        quote=quote,
        span=span,
        options=(
            Option(
                "only",
                "Yes, only if",
                f"Denied unless {render(condition)}.",
                f"In {requirement}, “if” means “only if”.",
            ),
            Option(
                "also",
                "No, it may be allowed otherwise too",
                "The sentence permits and forbids nothing.",
                f"In {requirement}, “if” does not mean “only if”.",
            ),
        ),
        default="only",
        requirements=(requirement,),
    )


def spared(requirement: str, action: Condition, free: Condition, quote: str, span: Span) -> Question:
    """Ask whether “any X but Y may” forbids it to Y."""
    return Question(
        id=f"spared:{requirement}",
        kind="reading",
        text="Are those who are excepted here forbidden to do it?",
        quote=quote,
        span=span,
        options=(
            Option(
                "forbidden",
                "Yes, it is forbidden to them",
                f"Where {render(action)}: denied if {render(free)}.",
                f"{requirement} forbids it to those whom it excepts.",
            ),
            Option(
                "open",
                "No, the sentence says nothing of them",
                "The sentence permits, and forbids nothing.",
                f"{requirement} says nothing of those whom it excepts.",
            ),
        ),
        default="forbidden",
        requirements=(requirement,),
    )


def mixed(
    requirement: str, narrow: Condition, wide: Condition, quote: str, span: Span, *, denying: bool
) -> Question:
    """Ask how “a or b and c” belongs together; ``denying`` says that the wider reading denies more."""

    def option(value: str, held: Condition) -> Option:
        return Option(
            value,
            f"It means: {render(held)}",
            f"The sentence holds where {render(held)}.",
            f"In {requirement}, “{' '.join(quote.split())}” means {render(held)}.",
        )

    return Question(
        id=f"mixed:{requirement}",
        kind="reading",
        text="The sentence mixes “and” with “or”. Which belongs together?",
        quote=quote,
        span=span,
        options=(option("and", wide), option("or", narrow)),
        default="and" if denying else "or",
        requirements=(requirement,),
    )
