"""Whether the values that a rule names are those that the sentence names, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.stems import stem
from workbench.language.sense.rule_parts import PAIR, Part, literals
from workbench.language.sense.spoken import JOINING, Spoken
from workbench.language.trees import RUN
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name

_CALLERS = words_named("callers")
_FAINT = 0.5
_NEXT_TO = frozenset(("or", "and", ",", "nor", "the", "a", "an", "in", "to", "for", "by"))
_DENYING = frozenset(("not", "never", "no", "nor", "but"))
_BESIDE = 2


def turns_value(spoken: Spoken, part: Part) -> bool:
    """Whether a part leaves out, mixes or mistakes what the sentence names."""
    return (
        _leaves_value_out(spoken, part)
        or _leaves_text_out(spoken, part)
        or _is_another_value(spoken, part)
        or _mixes_values(spoken, part)
        or _is_of_unnamed_context(spoken, part)
    )


def _is_of_unnamed_context(spoken: Spoken, part: Part) -> bool:
    """Whether who runs the agent is called by a text that nothing says to be a name: "but pypi.org"."""
    match part.tree:
        case ("==" | "in", ("attr", ("attr", run, "context"), str(name)), value) if (
            run == RUN and name in _CALLERS and name not in spoken.values
        ):
            said = any(one[1] == "text" for one in literals(value))
            named = (at for word in words_of_name(name).split() for at in spoken.at(stem(word)))
            return said and not any(True for _ in named)
        case _:
            return False


def _leaves_value_out(spoken: Spoken, part: Part) -> bool:
    """Whether a value is refused beside one that is allowed: "in the interview or offer stage"."""
    match part.tree:
        case ("==" | "in", ("attr", _, str(name)), value) if not part.refused and name in spoken.values:
            given = {one[2] for one in literals(value)}
            others = {one for one in spoken.values[name] if one not in given}
            beside = {at for place in part.places for at in _beside(spoken, place)}
            return any(beside.intersection(spoken.places_of_value(("lit", "text", one))) for one in others)
        case _:
            return False


def _leaves_text_out(spoken: Spoken, part: Part) -> bool:
    """Whether a text is refused that stands beside one that is allowed: "nothing but GET and HEAD"."""
    match part.tree:
        case ("==" | "in", ("attr", _, str(name)), value) if not part.refused and name not in spoken.values:
            given = {at for one in literals(value) for at in spoken.places_of_value(one)}
            words = spoken.sentence.words
            beside = (at for place in given for at in (place - PAIR, place + PAIR) if 0 <= at < len(words))
            return any(
                isinstance(words[at].literal, str) or (words[at].literal is None and words[at].weight >= 1)
                for at in beside
                if at not in given and any(spoken.sentence.joined(*sorted((at, one))) for one in given)
            )
        case _:
            return False


def _beside(spoken: Spoken, place: int) -> Iterator[int]:
    """The words that a word or its noun is joined with: "packed orders and shipped ones"."""
    words = spoken.sentence.words
    for step in (-1, 1):
        at, joined, left = place + step, False, _BESIDE
        while 0 <= at < len(words) and left and words[at].low not in _DENYING:
            if words[at].low in JOINING:
                joined = True
            elif words[at].low not in _NEXT_TO:
                left -= 1
                if joined:
                    yield at
            at += step


def _is_another_value(spoken: Spoken, part: Part) -> bool:
    """Whether a value stands for a word that is the name of another, or says what is done."""
    every = frozenset(one for values in spoken.values.values() for one in values)
    return any(
        _is_of_a_longer(spoken, one[2]) or (
            bool(places := _faintly(spoken, one[2]))
            and all(_exact(spoken, at) - {one[2]} or _is_act(spoken, at) for at in places)
        )
        for one in literals(part.tree) if one[2] in every
    )  # fmt: skip


def _is_of_a_longer(spoken: Spoken, value: str) -> bool:
    """Whether the words of a value are said only as a part of another: "card" in "gift card"."""
    said = frozenset(spoken.places_of_value(("lit", "text", value)))
    own = set(words_of_name(value).casefold().split())
    longer = {
        tuple(words_of_name(one).casefold().split()) for values in spoken.values.values() for one in values
    }
    lows = [word.low for word in spoken.sentence.words]
    covered = {
        at
        for words in longer if own < {*words}
        for first in range(len(lows)) if (*lows[first : first + len(words)],) == words
        for at in range(first, first + len(words))
    }  # fmt: skip
    return bool(said) and said <= covered


def _faintly(spoken: Spoken, value: str) -> frozenset[int]:
    """Where a value may be said, also by another word, if nowhere by its own."""
    words = words_of_name(value).casefold().split()
    named = {*words, f"{words[-1]}s"}
    own = frozenset(at for at, low in enumerate(_nouns(spoken)) if low in named)
    if own:
        return own if all(_is_act(spoken, at) for at in own) else frozenset()
    return _any_word_at(spoken, value)


def _any_word_at(spoken: Spoken, value: str) -> frozenset[int]:
    words = words_of_name(value).split()
    return frozenset(at for word in words for at in spoken.at(stem(word), _FAINT))


def _nouns(spoken: Spoken) -> Iterator[str]:
    return (word.low.removesuffix("'s") for word in spoken.sentence.words)


def _exact(spoken: Spoken, at: int) -> frozenset[str]:
    """The values whose name a word is."""
    low = spoken.sentence.words[at].low.removesuffix("'s")
    every = (one for values in spoken.values.values() for one in values)
    return frozenset(one for one in every if low in (one.casefold(), f"{one.casefold()}s"))


def _is_act(spoken: Spoken, at: int) -> bool:
    """Whether a word says what must not be done: "can be neither moved nor cancelled"."""
    norm, word = spoken.sentence.norm, spoken.sentence.words[at]
    tells = spoken.sentence.told.keys() | spoken.sentence.excepted
    if norm is None or norm.cue is not Cue.FORBID or at <= norm.first or at in tells:
        return False
    does = any(word.stem == words[0] for words in spoken.doing.values() if words)
    return does and word.low.endswith("ed") and not spoken.sentence.is_adjective(at)


def _mixes_values(spoken: Spoken, part: Part) -> bool:
    """Whether values of different clauses are taken together, or one that is not said."""
    if part.tree[0] != "in" or len(part.tree[2]) < PAIR or part.tree[2][0] != "set":
        return False
    values = [*literals(part.tree[2])]
    said = [frozenset(spoken.places_of_value(one)) for one in values]
    known = frozenset[int]().union(*said)
    unsaid = (one[2] for one, at in zip(values, said, strict=True) if not at and isinstance(one[2], str))
    if known and any(known.issuperset(_any_word_at(spoken, one)) for one in unsaid):
        return True
    sides = [{(spoken.sentence.roles[at], spoken.sentence.told.get(at)) for at in one} for one in said if one]
    return any(first.isdisjoint(second) for first, second in pairwise(sides))
