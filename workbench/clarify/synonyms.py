"""Lists of everyday verbs and nouns with the same sense: “borrow” and lend, “meeting” and event.

The lists are in ``synonyms.toml``.
"""

from __future__ import annotations

from workbench.author.rules.words import stem
from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "synonyms.toml")
_FILE.check_keys("any_action", "verbs", "nouns")


def _stems_by_sense(table: str) -> tuple[frozenset[str], ...]:
    words_by_first = _FILE.table(table).texts_by_key()
    return tuple(frozenset(map(stem, (first, *other_words))) for first, other_words in words_by_first.items())


_BY_SENSE = _stems_by_sense("verbs")
_SAME_NOUNS = _stems_by_sense("nouns")
_ANY_SENSE = frozenset(map(stem, _FILE.texts("any_action")))


def in_any_sense(verb: str) -> bool:
    """Whether a verb means the action of a tool for any object: “refunds may happen”."""
    return stem(verb) in _ANY_SENSE


def of_same_sense(verb: str, other: str) -> bool:
    """Whether two verbs have the same sense according to the lists."""
    return any(stem(verb) in sense and stem(other) in sense for sense in _BY_SENSE)


def names_the_same(word: str, other: str) -> bool:
    """Whether two words name the same thing according to the lists: “meetings” and events."""
    return stem(word) == stem(other) or any({stem(word), stem(other)} <= nouns for nouns in _SAME_NOUNS)


def with_same_nouns(stems: frozenset[str]) -> frozenset[str]:
    """The stems of words, and of all nouns with the same sense as one of them."""
    return stems.union(*(nouns for nouns in _SAME_NOUNS if nouns & stems))
