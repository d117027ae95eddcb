"""The words that stand for each other in a foreign sentence and in the one that a person chose for it."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import everyday
from workbench.language.foreign.tokens import ForeignWord


def confirmed(foreign: str, chosen: str) -> Mapping[str, str]:
    """Each word of a foreign sentence that a choice gives a meaning to, with the word of the language for it.

    A word is confirmed for another that stands for it in everyday business, and where each side has only one
    word that the other does not have.
    """
    own, other = _content(foreign), _content(chosen)
    left = {key: word for key, word in own.items() if key not in other}
    right = {key: word for key, word in other.items() if key not in own}
    found: dict[str, str] = {}
    for key in list(left):
        meant = sorted(everyday().get(key, frozenset()) & right.keys())
        if len(meant) == 1:
            found[left.pop(key).low] = right.pop(meant[0]).low
    if len(left) == len(right) == 1:
        found[next(iter(left.values())).low] = next(iter(right.values())).low
    return found


def _content(text: str) -> Mapping[str, ForeignWord]:
    """The words of content of a sentence by their stems, without numbers and quoted texts."""
    return {
        word.stem: word for word in ForeignSentence(text).content if word.literal is None and word.weight == 1
    }
