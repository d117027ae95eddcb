"""Sentences of which the language has two readings: "only", "may if", "any but", "and" with "or"."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Excepted, MixedAndOr, OnlyFocus, OnlyIf, SeveralWays
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Doubt, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such sentence."""
    for doubt in situation.doubts(Doubt, "reading"):
        match doubt:
            case OnlyFocus():
                yield question("reading-only", doubt)
            case OnlyIf():
                yield question("reading-only-if", doubt)
            case Excepted():
                yield question("reading-excepted", doubt)
            case MixedAndOr():
                by_value = {"and": {"meaning": doubt.wide}, "or": {"meaning": doubt.narrow}}
                yield question("reading-mixed", doubt, by_value=by_value)
            case SeveralWays():
                ways = zip(doubt.values, doubt.ways, strict=True)
                by_value = {value: {"meaning": way} for value, way in ways}
                yield question("reading-several", doubt, by_value=by_value)
            case _:
                pass
