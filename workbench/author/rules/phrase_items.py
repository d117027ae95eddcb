"""The items of a phrase: single words, and sequences of words that the lexicon knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from workbench.author.rules.lexicon import Meaning, key
from workbench.author.rules.sentences import SentenceWord
from workbench.author.rules.words import ARTICLES, LIGHT, stem
from workbench.policy.terms import (
    Term,
)

WORDS = frozenset(["WORD", "QUOTED", "CODE", "ADDRESS", "PATH"])


class Position(StrEnum):
    """The place of a phrase in its sentence; it decides the meaning of "and" and filler words."""

    SUBJECT = "subject"
    ACTION = "action"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Words of a phrase that the lexicon knows."""

    meaning: Meaning
    words: tuple[str, ...]


type Item = SentenceWord | KnownWords
type NearMiss = Callable[[str, bool, Position], Term | None]


def bare(text: str) -> str:
    """A literal without its quotation marks."""
    return text.strip('"“”‘’`')


def texts_of(item: Item) -> tuple[str, ...]:
    """The words of an item, unchanged."""
    return item.words if isinstance(item, KnownWords) else (item.text,)


def stems_of(item: Item | None) -> frozenset[str]:
    """The stems of a noun: of known words, or of a single other word that is no filler."""
    if isinstance(item, KnownWords):
        return key(" ".join(item.words))
    if isinstance(item, SentenceWord) and item.kind == "WORD" and item.text.lower() not in ARTICLES | LIGHT:
        return frozenset([stem(item.text.lower())])
    return frozenset()
