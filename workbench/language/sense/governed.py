"""What governs the clause that a rule is made of has to be known: "note that", not "it is a myth that"."""

from __future__ import annotations

from workbench.language.foreign.cues import NORMS, Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import (
    ALL,
    ARTICLES,
    ENDS_OF_CLAUSE,
    MODALS,
    PAST,
    PRESENT,
    PRONOUNS,
)
from workbench.language.vocabulary import words_named

_INTRODUCING = words_named("introducing")
_BEGINNING_CLAUSE = frozenset(("that", "when"))
_VERBS = PRESENT | PAST | MODALS | {"do", "does", "don't", "doesn't", "not", "would", "will", "cannot"}
_SUBJECTS = PRONOUNS | {"i", "nobody", "people", "there"}


def is_governed(sentence: ForeignSentence, used: frozenset[int]) -> bool:
    """Whether a main clause whose words are unknown, or deny something, says what holds of all that is used.

    The clause that it governs begins at a "that" whose verb does not follow at once: "customers that have
    paid" tells of customers, "it is a myth that customers must pay" of nothing that a rule may say.
    """
    at = next((at for at in range(2, len(sentence.words)) if _begins_clause(sentence, at)), 0)
    before = sentence.words[:at]
    known = {place for one in sentence.cues for place in one.places}
    content = [word for word in before if word.weight and word.low not in _INTRODUCING]
    if not at or any(word.number in used and word.number not in known for word in content):
        return False  # "lessons are given when the instructor is free"
    unknown = any(word.number not in known for word in content)
    demands = sentence.places_of(Cue.REQUIRE)  # "do not forget that"
    denying = [one for one in sentence.at(Cue.NOT, Cue.FORBID) if one.first < at and one.first not in demands]
    bare = any(one.after - one.first == 1 for one in denying)
    decided = any(one.first > at for one in sentence.at(*NORMS, Cue.ONLY, Cue.ASK, Cue.UNLESS))
    return unknown or bare or (bool(denying) and decided)


def _begins_clause(sentence: ForeignSentence, at: int) -> bool:
    """Whether a main clause ends before a word, and another begins with it."""
    lows = sentence.lows
    if lows[at] not in _BEGINNING_CLAUSE or not ENDS_OF_CLAUSE.isdisjoint(lows[:at]):
        return False
    if lows[at] == "that" and (lows[at + 1 : at + 2] == () or lows[at + 1] in _VERBS):
        return False
    commands = lows[0] not in ARTICLES | ALL and not ARTICLES.isdisjoint(lows[1:at])
    return commands or not _VERBS.isdisjoint(lows[:at]) or not _SUBJECTS.isdisjoint(lows[:at])
