"""A sentence of the request of a policy of calls, and what it is read as."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.author.citations import is_made_up
from workbench.model import Requirement

if TYPE_CHECKING:
    from workbench.language.language import Said

__all__ = ["RequestedSentence", "SentenceState", "is_made_up"]


class SentenceState(StrEnum):
    """What a sentence of the request is."""

    LANGUAGE = "in the language"
    """It is read exactly as it stands."""
    REWORDED = "reworded"
    """Sentences of the language stand beside it."""
    PYTHON = "python"
    """A person wrote a rule or clause that cites it."""
    CONTEXT = "context"
    """It states no rule, by a reason."""
    OPEN = "open"
    """Nothing says what it means."""


@dataclass(frozen=True, slots=True)
class RequestedSentence:
    """A sentence of the request and what it is read as.

    ``under`` is what it stands under: headings, topics, lead-ins. ``readings`` are the rules and clauses that
    cite it, ``by_hand`` the names of those that a person wrote in Python. ``reason`` says why it is context.
    ``exact`` is whether an open sentence is one of the language.
    """

    requirement: Requirement
    state: SentenceState
    under: tuple[str, ...] = ()
    readings: tuple[Said, ...] = ()
    by_hand: tuple[str, ...] = ()
    reason: str = ""
    exact: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences of the language that it is read as, without the clauses that say the same."""
        from workbench.language.own_clauses import OF_RULE

        texts = [one.text for one in self.readings if one.text and not one.name.startswith(OF_RULE)]
        return tuple(dict.fromkeys(texts or [one.text for one in self.readings if one.text]))
