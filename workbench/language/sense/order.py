"""Whether a rule has what comes first where the sentence has it, and is about the tools that it tells to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.small_words import CONSENT
from workbench.language.sense.rule_parts import Part, earlier_classes
from workbench.language.sense.spoken import READING, Spoken
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named

_STAYING = words_named("staying")


def turns_order(spoken: Spoken, rule: Tree, parts: Sequence[Part]) -> bool:
    """Whether a rule asks for a call before another, and the sentence for none, or for it afterwards."""
    if spoken.sentence.has(Cue.CALLER):
        return False  # who is logged in is what a tool may tell
    own = {name for _, name in rule[3:]}
    then = spoken.acts(own)
    for part in parts:
        classes = next(earlier_classes(part.tree), ())
        if not classes or own & {*classes}:
            continue
        first = spoken.acts(classes)
        is_looked_up = not READING.isdisjoint(
            word for one in classes for word in spoken.doing.get(one, ())[:1]
        )
        is_main = not then and not is_looked_up and bool(first - spoken.sentence.told.keys())
        is_main = is_main and not any(first <= earlier for earlier, _ in _orders(spoken))
        is_one = then == first and len(first) == 1  # one word names what comes first and what comes then
        if not first or is_main or is_one or _is_before(spoken, then, first):
            return True
        if not part.refused and not _says_order(spoken):
            return True
        if part.refused and _is_demanded_before(spoken, first, then):
            return True
    looked_up = any(one.tree[:2] == ("call", "looked_up") for one in parts)
    if rule[1] == "ask":
        first = _consents(spoken)
    else:
        first = spoken.sentence.places_of(Cue.LOOKED_UP) if looked_up else frozenset[int]()
    return _is_before(spoken, then, first) or _asks_of_first(spoken, then)


def adds_what_is_told(spoken: Spoken, rule: Tree) -> bool:
    """Whether a rule is about a tool too whose act only tells which is meant: "that is published".

    It is about none of them where that "stays as it is".
    """
    norm = spoken.sentence.norm
    acts = [at for _, name in rule[3:] if (at := spoken.acts([name]))]
    if norm is not None and norm.cue is Cue.REQUIRE:  # "has to be a published article"
        after = range(norm.after, len(spoken.sentence.words))
        if any(all(at in after and spoken.sentence.is_adjective(at) for at in one) for one in acts):
            return True
    stays = norm is not None and spoken.sentence.words[norm.first].low in _STAYING
    told = frozenset(spoken.sentence.told).union(spoken.sentence.described if stays else ())
    only_told = [one <= told for one in acts]
    return any(only_told) and (stays or not all(only_told) or len(acts) < len(rule[3:]))


def _consents(spoken: Spoken) -> frozenset[int]:
    """The words that say that a person agrees, which comes first."""
    consents = (word.number for word in spoken.sentence.words if word.low in CONSENT)
    return spoken.sentence.places_of(Cue.ASK).union(consents)


def _asks_of_first(spoken: Spoken, own: frozenset[int]) -> bool:
    """Whether a rule is about what has to come first: "read the sensors before you change"."""
    if spoken.norm is not None or not own:
        return False
    others = frozenset(at for one in spoken.doing for at in spoken.acts([one])) - own
    return any(
        word.low == "before" and word.number and max(own) < word.number < max(others, default=-1)
        and not any(one.number in others for one in spoken.sentence.words[: word.number])
        for word in spoken.sentence.words
    )  # fmt: skip


def _says_order(spoken: Spoken) -> bool:
    cues = spoken.sentence.at(Cue.LOOKED_UP, Cue.EARLIER, Cue.SINCE, Cue.UNLESS, Cue.IF)
    return any(spoken.sentence.words[one.first].low not in ("once", "twice", "run") for one in cues)


def _is_demanded_before(spoken: Spoken, first: frozenset[int], then: frozenset[int]) -> bool:
    """Whether one act has to come before another, which is then not forbidden after it."""
    after = any(word.low in ("after", "once") for word in spoken.sentence.words)
    return not (after and spoken.norm is Cue.FORBID) and _is_before(spoken, first, then)


def _is_before(spoken: Spoken, first: frozenset[int], then: frozenset[int]) -> bool:
    """Whether the sentence says that one act comes before another."""
    return any(
        first & earlier and then & later and not first & later and not then & earlier
        for earlier, later in _orders(spoken)
    )


def _orders(spoken: Spoken) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """The words of what comes first, and of what comes then."""
    words = spoken.sentence.words
    every = range(len(words))
    for word in words:
        at = word.number
        comma = next((one.number for one in words[at:] if one.low == ","), len(words))
        behind = frozenset(every[at + 1 : comma if not at else None])
        rest = frozenset(every) - behind - {at}
        if word.low == "before":
            yield (behind, rest) if spoken.norm is Cue.FORBID else (rest, behind)
        elif word.low in ("after", "once", "until", "till"):
            yield behind, rest
        elif word.low == "then":
            yield frozenset(every[:at]), frozenset(every[at + 1 :])
        elif word.low == "already":
            yield behind, frozenset(every[:at])
