"""What single clauses say of a rule: contrasts, "nor", exceptions, demands, and who agrees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import CONSENT, ENDS_OF_CLAUSE
from workbench.language.foreign.stems import stem
from workbench.language.sense.rule_parts import ORDERS, Part, fields_read, is_called, is_named_by_user
from workbench.language.sense.sides import forbids_something
from workbench.language.sense.spoken import Spoken, says_consent
from workbench.language.trees import Tree

_UNSIGNED = frozenset(("is some", "<", "<=", ">", ">="))
"""What is there for the sake of another comparison, or says its side by its form."""
_WHENCE = frozenset(("from", "sender"))
_WHITHER = frozenset(("target", "destination"))
_BEING = frozenset(("is", "are", "was", "were", "has", "have"))
_MADE_UP = frozenset(("made", "invent", "invented", "guess", "guessed"))
_APPROVALS = frozenset((stem("approved"),))
_OWN = frozenset(("my", "our", "me", "us"))


def has_cases(spoken: Spoken) -> bool:
    """Whether it is said in which case something holds."""
    return spoken.sentence.has(Cue.IF) or bool(spoken.sentence.excepted)


def takes_contrast(spoken: Spoken, parts: Sequence[Part], used: frozenset[int]) -> bool:
    """Whether what is told before a contrast is refused by its word: "…, never made up"."""
    words, norm = spoken.sentence.words, spoken.sentence.norm
    if norm is None or norm.cue is not Cue.FORBID or norm.after - norm.first > 1 or not norm.first:
        return False
    is_apart = words[norm.first - 1].low in ENDS_OF_CLAUSE
    following = words[norm.after :]
    is_while = bool(following) and following[0].low == "while"
    if not (is_apart or is_while) or (following and following[0].low == "even"):
        return False
    end = spoken.sentence.end_of_clause(norm.after)
    content = {one.number for one in words[norm.after : end] if one.weight}
    told = [one for one in parts if max(one.places, default=-1) < norm.first]
    refused = is_while or any(one.refused and one.tree[0] not in ORDERS for one in told)
    return bool(told and content) and content.isdisjoint(used) and refused


def asks_of_the_others(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether a person is asked on the wrong side of an "only".

    "Only on a, and only with a yes" asks for a, too, and "only on a without a yes" for all but a.
    """
    words = spoken.sentence.words
    only = [one.first for one in spoken.sentence.at(Cue.ONLY)]
    asked = max(spoken.sentence.places_of(Cue.ASK, Cue.NO_ASK), default=-1)
    if not only or asked < only[-1]:
        return False
    limits = [one for one in parts if one.tree[0] in ("==", "in") and min(one.places, default=-1) > only[0]]
    if any(word.low == "without" for word in words[only[0] : asked]):
        return len(only) == 1 and any(one.refused and max(one.places) < asked for one in limits)
    joined = len(only) > 1 and words[only[-1] - 1].low == "and"
    return joined and any(not one.refused and max(one.places) < only[-1] for one in limits)


def joins_alternatives(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether is refused together what a "nor" refuses of each."""
    refused = [one.places for one in parts if one.refused and one.places and one.tree[0] != "is some"]
    return any(
        max(first) < word.number < min(then)
        for word in spoken.sentence.words if word.low == "nor" for first in refused for then in refused
    )  # fmt: skip


def turns_neither(spoken: Spoken, part: Part) -> bool:
    """Whether something is refused that is told not to be so: "if it is neither paid nor packed"."""
    if part.tree[0] in _UNSIGNED or not part.places:
        return False
    words = spoken.sentence.words
    for word in words:
        clause = range(word.number, spoken.sentence.end_of_clause(word.number))
        if (
            word.low != "neither"
            or not part.places.issubset(clause)
            or word.number in spoken.sentence.excepted
        ):
            continue
        told = word.number in spoken.sentence.told
        verb = any(one.low in _BEING for one in words[max(0, word.number - 1) : word.number])
        if told and verb:
            return part.refused
        return not told and not verb and not part.refused
    return False


def turns_way(spoken: Spoken, part: Part) -> bool:
    """Whether what must not be moved out of a folder must not be moved into it, or "to" is "from"."""
    words, fields = spoken.sentence.words, {name.strip("_") for name in fields_read(part.tree)}
    if not _WHENCE.isdisjoint(fields) and part.places:
        return words[max(0, min(part.places) - 1)].low == "to"
    into = part.refused and not _WHITHER.isdisjoint(fields)
    return into and any(pair == ("out", "of") for pair in pairwise(word.low for word in words))


def turns_source(spoken: Spoken, part: Part) -> bool:
    """Whether what the user named is refused where nothing may be made up."""
    norm = spoken.sentence.norm
    if not is_named_by_user(part.tree) or not part.refused or norm is None or norm.cue is not Cue.FORBID:
        return False
    return any(word.low in _MADE_UP for word in spoken.sentence.words[norm.after :])


def leaves_exception_out(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether nothing of what a sentence excepts is in a rule, which then refuses that too."""
    scope = spoken.sentence.excepted
    if not scope or _is_consent(spoken.sentence, scope):
        return False
    return not any(one.places & scope or (not one.places and is_called(one.tree)) for one in parts)


def _is_consent(sentence: ForeignSentence, scope: frozenset[int]) -> bool:
    """Whether what is excepted is that somebody agrees."""
    return sentence.asks and says_consent(sentence, scope)


def leaves_demand_out(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether something else is wanted than the field that a sentence demands: "requires a reason"."""
    norm, words = spoken.sentence.norm, spoken.sentence.words
    if norm is None or norm.cue is not Cue.REQUIRE or spoken.sentence.asks:
        return False
    demanded = next((one for one in words[norm.after :] if one.low not in ("a", "an", "the")), None)
    if demanded is None or demanded.low not in spoken.sentence.names:
        return False
    return not any(demanded.low in fields_read(one.tree) for one in parts)


def refuses_what_is_asked(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether is refused what a person is to agree to, as the sentence or its heading says."""
    sentence = spoken.sentence
    agreed = any(word.low in CONSENT for word in sentence.words)
    if agreed and any(is_named_by_user(one.tree) for one in parts):
        return True
    heading = ForeignSentence(sentence.around.partition("\n")[0])
    asks = sentence.asks or (spoken.norm is None and heading.asks and not heading.has(Cue.NO_ASK))
    return asks and not forbids_something(spoken) and not sentence.has(Cue.ONLY)


def asks_of_decider(spoken: Spoken, part: Part) -> bool:
    """Whether a person is asked where the one who is to be asked acts: "managers decide on refunds"."""
    valued = part.tree[0] in ("==", "in") and part.refused
    return valued and bool(part.places) and part.places <= spoken.sentence.approvers


def says_twice(spoken: Spoken, rule: Tree, parts: Sequence[Part]) -> bool:
    """Whether a word makes a rule ask or forbid and names what it compares: "in person"."""
    sentence = spoken.sentence
    named = frozenset(at for one in parts for at in one.places)
    if rule[1] == "ask" and sentence.asks:
        said = [*sentence.at(Cue.ASK, Cue.NO_ASK)]
        norm = sentence.norm
        if norm is not None and norm.cue is Cue.FORBID and any(one.first == norm.after for one in said):
            return norm.after in spoken.acts(name for _, name in rule[3:])  # "can't sign off a report"
        return bool(said) and all(_is_named(one, named) or _is_recorded(spoken, one) for one in said)
    norm = sentence.norm
    if rule[1] == "forbid" and norm is not None and norm.cue is Cue.FORBID:
        denies = any(
            word.low == "not" or word.low.endswith("n't") for word in sentence.words[norm.first : norm.after]
        )
        return denies and _is_named(norm, named)
    return False


def _is_named(one: CueAt, named: frozenset[int]) -> bool:
    return not named.isdisjoint(one.places)


def _is_recorded(spoken: Spoken, one: CueAt) -> bool:
    """Whether a phrase of consent is a value, as "in person", or what a record tells."""
    words = spoken.sentence.words[one.first : one.after]
    said = "_".join(word.low for word in words)
    if any(said == value.casefold() for values in spoken.values.values() for value in values):
        return True
    return any(word.stem in spoken.recorded - _APPROVALS for word in words) and not any(
        word.low in _OWN for word in words
    )
