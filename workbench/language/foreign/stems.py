"""The stems of words, and the words that stand for each other in everyday business."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from workbench.language.vocabulary import EVERYDAY, GENERAL, GENERAL_WORDS, IRREGULAR, OPPOSITES

_SPELT = re.compile(r"(?<=[a-z]{3})is(e|ed|er|ing|ation)$")
"""British endings of words that have a z elsewhere."""
_SHORTEST_VERY = 6
_ENDINGS = ("ation", "ment", "able", "ing", "ied", "ed", "ion", "al", "ly", "er", "or")
_DOUBLED = re.compile(r"([^\W\d_])\1")
_LONG = 6
_DENYING_PREFIXES = ("non-", "un", "dis", "not-yet-")
_LEAST_DENIED = 4


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word: "cancellation", "cancelled" and "cancels" have one."""
    plain = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
    if plain in IRREGULAR:
        return _bare(IRREGULAR[plain])
    if not plain.isascii():
        return plain
    if re.search(r"[^aeiou]ies$", plain) and len(plain) > 4:
        plain = plain[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", plain):
        plain = plain[:-2]
    elif plain.endswith("very") and len(plain) > _SHORTEST_VERY:
        plain = plain[:-1]  # "delivery" as "deliver"
    elif re.search(r"[^sui]s$", plain) and len(plain) > 3:
        plain = plain[:-1]
    plain = _SPELT.sub(r"iz\1", IRREGULAR.get(plain, plain))
    found = next((one for one in _ENDINGS if plain.endswith(one) and len(plain) - len(one) >= 3), "")
    base = plain.removesuffix(found) if found else plain
    if found == "ied":
        base += "y"
    if found in ("ing", "ed", "al") and len(base) > 4:  # "ordering" as "order", "deferral" as "defer"
        base = base.removesuffix("err") if found == "al" else base.removesuffix("er").removesuffix("err")
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "se":
        base = base[:-1]
    return _bare(base)


def _bare(base: str) -> str:
    """A stem without its last "e"; a long one as it is with the commonest slips: "recieve", "adress"."""
    base = base.removesuffix("e") if len(base) > 3 else base
    return _DOUBLED.sub(r"\1", base.replace("ei", "ie")) if len(base) >= _LONG else base


@lru_cache(maxsize=1)
def everyday() -> Mapping[str, frozenset[str]]:
    """The stems that stand for each stem in everyday business."""
    found: dict[str, set[str]] = {}
    for words in EVERYDAY.values():
        group = [_verb_stem(word) for word in words]
        for one in group:
            found.setdefault(one, set()).update(other for other in group if other != one)
    return {one: frozenset(others) for one, others in found.items()}


@lru_cache(maxsize=1)
def general() -> Mapping[str, frozenset[str]]:
    """The stems of narrower words that a general word may stand for: "people" for drivers."""
    found: dict[str, set[str]] = {}
    for name, words in GENERAL.items():
        for word in GENERAL_WORDS[name]:
            found.setdefault(stem(word), set()).update(stem(one) for one in words)
    return {one: frozenset(others) for one, others in found.items()}


def _verb_stem(word: str) -> str:
    """The stem of a word; of a verb of two words that of the first with the other."""
    verb, _, rest = word.partition("-")
    return f"{stem(verb)}-{rest}" if rest else stem(word)


def stems_of_parts(word: str) -> Iterable[str]:
    """The stem of a word, and those of its parts if it has some, and of these without a hyphen: "pick-up"."""
    pieces = [piece for piece in re.split(r"[-_./@:]", word) if piece]
    if len(pieces) == 1:
        return {stem(word)}
    return {stem(word), stem(word.replace("-", "")), *map(stem, pieces)}


def denied_part(word: str) -> str:
    """The stem of what a word denies: "signed" of "unsigned"; empty if it denies nothing."""
    if word in OPPOSITES:
        return stem(OPPOSITES[word])
    for prefix in _DENYING_PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _LEAST_DENIED:
            return stem(rest)
    return ""
