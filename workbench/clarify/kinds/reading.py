"""Sentences of which the language has two readings: "only", "may if", "any but", "and" with "or"."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Excepted, MixedAndOr, OnlyFocus, OnlyIf, SeveralWays
from workbench.clarify.situation import Situation
from workbench.clarify.wording import one_line, question
from workbench.model import Doubt, Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such sentence."""
    for doubt in situation.doubts(Doubt, "reading"):
        match doubt:
            case OnlyFocus():
                yield _only(doubt)
            case OnlyIf():
                yield _only_if(doubt)
            case Excepted():
                yield _excepted(doubt)
            case MixedAndOr():
                yield _mixed(doubt)
            case SeveralWays():
                yield _several(doubt)
            case _:
                pass


def _about(doubt: Doubt) -> str:
    return ", ".join(doubt.requirements)


def _only(doubt: OnlyFocus) -> Question:
    text = "What does “only” restrict here: this action alone, or everything the agent does?"
    options = (
        Option(
            "everything",
            "Everything else is forbidden",
            f"Denied unless {doubt.action} and {doubt.restriction}.",
            f"In {_about(doubt)}, “only” forbids every other action as well.",
        ),
        Option(
            "object",
            "Other actions are not meant",
            f"Where {doubt.action}: denied unless {doubt.restriction}.",
            f"In {_about(doubt)}, “only” restricts this action and no other.",
        ),
    )
    return question(doubt, text, options)


def _only_if(doubt: OnlyIf) -> Question:
    options = (
        Option(
            "only",
            "Yes, only if",
            f"Denied unless {doubt.condition}.",
            f"In {_about(doubt)}, “if” means “only if”.",
        ),
        Option(
            "also",
            "No, it may be allowed otherwise too",
            "The sentence permits and forbids nothing.",
            f"In {_about(doubt)}, “if” does not mean “only if”.",
        ),
    )
    return question(doubt, "Does “if” mean “only if” here?", options)


def _excepted(doubt: Excepted) -> Question:
    options = (
        Option(
            "forbidden",
            "Yes, it is forbidden to them",
            f"Where {doubt.action}: denied if {doubt.excepted}.",
            f"{_about(doubt)} forbids it to those whom it excepts.",
        ),
        Option(
            "open",
            "No, the sentence says nothing of them",
            "The sentence permits, and forbids nothing.",
            f"{_about(doubt)} says nothing of those whom it excepts.",
        ),
    )
    return question(doubt, "Are those who are excepted here forbidden to do it?", options)


def _mixed(doubt: MixedAndOr) -> Question:
    text = "The sentence mixes “and” with “or”. Which belongs together?"
    return question(doubt, text, [_meaning(doubt, "and", doubt.wide), _meaning(doubt, "or", doubt.narrow)])


def _meaning(doubt: MixedAndOr, value: str, held: str) -> Option:
    return Option(
        value,
        f"It means: {held}",
        f"The sentence holds where {held}.",
        f"In {_about(doubt)}, “{one_line(doubt.quote)}” means {held}.",
    )


def _several(doubt: SeveralWays) -> Question:
    options = [
        Option(
            value,
            f"{said}.",
            f"The sentence means: {said}.",
            f"In {_about(doubt)}, “{one_line(doubt.quote)}” means: {said}.",
        )
        for value, said in zip(doubt.values, doubt.ways, strict=True)
    ]
    return question(doubt, "The sentence can be taken in more than one way. Which is meant?", options)
