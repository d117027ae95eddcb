"""Readings of sentences that were made before, for the same agent and under the same answers.

A request is drafted once for every candidate that is compared, and its candidates differ in the
answer to one question. A sentence that was asked nothing else than before reads as before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.author.rules.interview import Interview
from workbench.author.rules.norm_forms import Reading
from workbench.model import Doubt, Span
from workbench.policy.terms import (
    Term,
)

# Readings that are kept for one agent; when there are more, all are made anew.
MOST = 2048

type Place = tuple[str, str, Span, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class KeptReading:
    """A reading, what was asked for it with the answers, and the arguments that it mentions."""

    reading: Reading
    asked: tuple[tuple[Doubt, str], ...]
    mentioned: tuple[str, ...]


@dataclass(slots=True)
class KeptReadings:
    """The readings of one agent's sentences, by requirement, text, place, and known arguments.

    ``meets`` says of two conditions, over arguments of these names, whether an input satisfies both; None if
    that is not known.
    """

    meets: dict[tuple[tuple[str, ...], Term, Term], bool | None] = field(
        default_factory=dict[tuple[tuple[str, ...], Term, Term], bool | None]
    )
    _kept: dict[Place, list[KeptReading]] = field(default_factory=dict["Place", list[KeptReading]])

    def find(self, place: Place, interview: Interview) -> KeptReading | None:
        """A reading whose questions get the same answers from the interview, which is asked them."""
        for kept in self._kept.get(place, ()):
            mark = interview.mark()
            if all(interview.ask(doubt) == answer for doubt, answer in kept.asked):
                return kept
            interview.forget(mark)
        return None

    def keep(self, place: Place, kept: KeptReading) -> None:
        """Keep a reading."""
        if len(self._kept) >= MOST:
            self._kept.clear()
            self.meets.clear()
        self._kept.setdefault(place, []).append(kept)
