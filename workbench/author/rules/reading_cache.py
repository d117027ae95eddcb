"""Stored readings of sentences, for the same agent and under the same answers.

A request is drafted once for every candidate that is compared, and its candidates differ in the answer to one
question. The reading of a sentence that does not consult this answer is reused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.norm_builder import StatementNorms
from workbench.author.rules.parsing import Parsed
from workbench.model import Draft, Span
from workbench.policy.terms import (
    Term,
)

# The most readings stored for one agent; beyond that, the cache is cleared.
MOST = 2048

type Place = tuple[str, str, Span, tuple[str, ...]]


@dataclass(slots=True)
class KeptReadings:
    """The readings of one agent's sentences, by requirement, text, place, and known arguments.

    ``meets`` stores whether an input satisfies both of two conditions over arguments of these names; None if
    that is not known. ``drafts`` are the last drafts, by request and choices.
    """

    drafts: dict[tuple[str, frozenset[tuple[str, str]]], Draft] = field(
        default_factory=dict[tuple[str, frozenset[tuple[str, str]]], Draft]
    )
    meets: dict[tuple[tuple[str, ...], Term, Term], bool | None] = field(
        default_factory=dict[tuple[tuple[str, ...], Term, Term], bool | None]
    )
    _parsed: dict[Place, list[Parsed[StatementNorms]]] = field(
        default_factory=dict["Place", list[Parsed[StatementNorms]]]
    )
    _unread: dict[Place, list[UnreadableError]] = field(default_factory=dict["Place", list[UnreadableError]])

    def parsed(
        self,
        place: Place,
        answers: Mapping[str, str],
        parse: Callable[[Mapping[str, str]], Parsed[StatementNorms]],
    ) -> Parsed[StatementNorms]:
        """The result of ``parse`` under the answers, reused if the answers that it consults are the same.

        Raises UnreadableError if ``parse`` does.
        """
        for earlier in self._parsed.get(place, ()):
            if _agree(answers, earlier.consulted):
                return earlier
        for error in self._unread.get(place, ()):
            if error.consulted is not None and _agree(answers, error.consulted):
                raise error.with_traceback(None)
        if len(self._parsed) + len(self._unread) >= MOST:
            self._parsed.clear()
            self._unread.clear()
            self.meets.clear()
        try:
            parsed = parse(answers)
        except UnreadableError as error:
            if error.consulted is not None:
                self._unread.setdefault(place, []).append(error)
            raise
        self._parsed.setdefault(place, []).append(parsed)
        return parsed


def _agree(answers: Mapping[str, str], consulted: Mapping[str, str | None]) -> bool:
    return all(answers.get(id_) == answer for id_, answer in consulted.items())
