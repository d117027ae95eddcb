"""What governs the clause that a rule is made of has to be known: "note that", not "it is a myth that"."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.language.foreign.cues import NORMS, Cue, inside
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
from workbench.language.sense.rule_parts import is_counted
from workbench.language.sense.spoken import Spoken
from workbench.language.vocabulary import words_named

_INTRODUCING = words_named("introducing")
_COPULAS = words_named("copulas")
_TIMES = frozenset(("once", "twice"))
_BEGINNING_CLAUSE = frozenset(("that", "when"))
_VERBS = PRESENT | PAST | MODALS | {"do", "does", "don't", "doesn't", "would", "will", "cannot"}
_SUBJECTS = PRONOUNS | {"i", "nobody", "people", "there"}


def is_governed(spoken: Spoken, used: frozenset[int]) -> bool:
    """Whether a word that is not known governs the sentence, what is done in it, or a number of it."""
    sentence = spoken.sentence
    return (
        _is_in_another(sentence, used)
        or any(_is_unknown(sentence, at, used) for at in _before_acts(spoken))
        or any(
            _is_unknown(sentence, word.number - 1, used)
            for word in sentence.words
            if word.number in used and word.number and is_counted(word.literal) and word.low not in _TIMES
        )
    )


def _before_acts(spoken: Spoken) -> Iterator[int]:
    """Yield the words that say how it stands with what is done: "they hesitate to open it"."""
    sentence = spoken.sentence
    verbs = {words[0] for words in spoken.doing.values() if words}
    for at in range(1, len(sentence.words) - 1):
        follows = sentence.words[at + 1]
        if sentence.lows[at] == "to" and (follows.low == "be" or follows.stem in verbs):
            yield at - 1


def _is_unknown(sentence: ForeignSentence, at: int, used: frozenset[int]) -> bool:
    """Whether a word says something that no rule says, and tells of nothing."""
    word = sentence.words[at]
    known = at in used or at in sentence.told or any(at in one.places for one in sentence.cues)
    return word.low == "yet" or (
        word.weight > 0 and not known and word.literal is None and word.low not in _INTRODUCING | _COPULAS
    )


def _is_in_another(sentence: ForeignSentence, used: frozenset[int]) -> bool:
    """Whether a main clause whose words are unknown, or deny something, says what holds of all that is used.

    The clause that it governs begins at a "that" whose verb does not follow at once: "customers that have
    paid" tells of customers, "it is a myth that customers must pay" of nothing that a rule may say.
    """
    at = next((at for at in range(2, len(sentence.words)) if _begins_clause(sentence, at)), 0)
    before = sentence.words[:at]
    known = {place for one in sentence.cues for place in one.places}
    content = [word for word in before if word.weight and word.low not in _INTRODUCING | _SUBJECTS]
    says = before[:1] and at == 2 and before[0].low in _SUBJECTS and sentence.lows[at] == "that"
    uses = any(word.number in used and word.number not in known for word in content)
    if not at or (
        uses and not says
    ):  # "lessons are given when the instructor is free", not "nobody claims that"
        return False
    unknown = any(word.number not in known for word in content)
    demands = sentence.places_of(Cue.REQUIRE)  # "do not forget that"
    denying = [
        one for one in sentence.at(Cue.NOT, Cue.FORBID)
        if one.first < at and one.first not in demands
        and not any(inside(one, other) for other in sentence.cues)  # "not acceptable"
    ]  # fmt: skip
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
