"""Whether the numbers of a rule are bounds where the sentence bounds them, and on the same side."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time, timedelta
from decimal import Decimal
from itertools import pairwise

from workbench.language.foreign.cues import Cue
from workbench.language.sense.rule_parts import (
    ORDERS,
    PAIR,
    Part,
    earlier_classes,
    is_called,
    is_counted,
    is_weekday,
    literals,
    written_value,
)
from workbench.language.sense.said_numbers import (
    JOINTS,
    LOWER,
    MORE,
    NEAR,
    comparisons_at,
    is_near,
    is_number,
    number_of,
    ranges_of,
    says_more,
)
from workbench.language.sense.spoken import Spoken
from workbench.language.trees import Tree

_UNEQUAL = frozenset((Cue.MORE, Cue.LESS, Cue.AT_MOST, Cue.AT_LEAST))
_COUNTING = frozenset(("once", "twice", "one"))
_THAN = frozenset(("than", "exceed", "exceeds", "exceeding"))
_AGO = frozenset(("ago", "past", "last", "since", "after", "old", "older", "previous", "elapsed", "already"))
_AHEAD = frozenset(("ahead", "advance", "away", "before", "until", "left", "notice", "in"))
_BOUNDING = frozenset(
    ("until", "till", "from", "within", "past", "after", "before", "earliest", "latest", "later", "earlier")
)
_NO_COMPARISON = frozenset(("other", "rather", "either"))


def guesses_length(spoken: Spoken, part: Part) -> bool:
    """Whether no word says that a length of time is the most, or the least: "these 30 days"."""
    value = written_value(part.tree) if part.tree[0] in ORDERS else ()
    if not value or not isinstance(value[2], timedelta) or says_more(spoken.sentence, part) is not None:
        return False
    words = spoken.sentence.words
    near = {word.low for at in part.places for word in words[max(0, at - NEAR) : at + 1 + NEAR]}
    bounded = any(True for at in part.places for _ in comparisons_at(spoken.sentence, at))
    return bool(part.places) and not bounded and near.isdisjoint(_BOUNDING)


def turns_number(spoken: Spoken, part: Part) -> bool:
    """Whether a bound is compared for equality, or a number that nothing says to be the only one."""
    if part.tree[0] not in ("==", "in"):
        return False
    counted = [one for one in literals(part.tree[2]) if is_counted(one[2]) and one[2] != 0]
    if is_weekday(part.tree):
        return bool(counted) and _names_range_of_days(spoken)
    only = spoken.norm is Cue.REQUIRE or spoken.sentence.has(Cue.ONLY, Cue.EXACTLY)
    only = only or any(word.low == "else" for word in spoken.sentence.words)
    only = only or part.refused or part.tree[0] == "in"
    return any(
        _is_bound(spoken, one)
        or not (only or any(_is_excluded(spoken, at) for at in spoken.places_of_value(one)))
        for one in counted
    )


def _is_excluded(spoken: Spoken, at: int) -> bool:
    """Whether a number is all that is not meant: "other than 443"."""
    lows = {word.low for word in spoken.sentence.words[max(0, at - PAIR) : at]}
    return not lows.isdisjoint(("than", "except", "but", "not"))


def _names_range_of_days(spoken: Spoken) -> bool:
    days = [word for word in spoken.sentence.words if word.low.removesuffix("s").endswith("day")]
    return any(
        second.number - first.number == PAIR
        and spoken.sentence.words[first.number + 1].low in ("to", "till", "until", "through", "-", "–")
        for first, second in pairwise(days)
    )


def _is_bound(spoken: Spoken, literal: Tree) -> bool:
    """Whether a number is said to be a bound wherever it stands."""
    places = [*spoken.places_of_value(literal)]
    return bool(places) and all(_is_compared(spoken, at) for at in places)


def _is_compared(spoken: Spoken, at: int) -> bool:
    lows = [word.low for word in spoken.sentence.words[max(0, at - NEAR) : at]]
    compares = "between" in lows or any(
        low.endswith("er") and low not in _NO_COMPARISON and then == "than" for low, then in pairwise(lows)
    )
    compares = compares or any(at in each for each in ranges_of(spoken.sentence))
    return compares or any(one is not Cue.EXACTLY for one in comparisons_at(spoken.sentence, at))


def leaves_number_out(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether something is more than nothing, and a number that the sentence says is left out."""
    said = {at for one in parts for at in one.places}
    unsaid = any(one.tree[0] == ">" and written_value(one.tree)[2:] == (0,) for one in parts)
    compared = any(
        one.cue in _UNEQUAL
        and [word.low for word in spoken.sentence.words[one.after : one.after + 1]] != ["nothing"]
        for one in spoken.sentence.comparisons
    )
    return unsaid and not (
        said.issuperset(spoken.sentence.numbers) and (spoken.sentence.numbers or not compared)
    )


def leaves_comparison_out(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether two things are compared in a sentence, and a rule compares none: "more than was paid"."""
    words = spoken.sentence.words
    compared = any(
        one.cue in _UNEQUAL
        and words[one.after - 1].low in _THAN
        and words[one.after : one.after + 1]
        and words[one.after].low not in _COUNTING
        and number_of(spoken.sentence, one) < 0
        for one in spoken.sentence.comparisons
    )
    if compared:
        return not any(one.tree[0] in ORDERS or is_called(one.tree) for one in parts)
    apart = any(  # "more power than the berth has"
        word.low == "than" and words[word.number - PAIR].low in ("more", "less", "fewer")
        and not any(map(is_number, words[word.number : word.number + NEAR]))
        for word in words[PAIR:]
    )  # fmt: skip
    bounds = (one for one in parts if one.tree[0] in ORDERS and not written_value(one.tree))
    return apart and not any(map(is_called, (one.tree for one in parts))) and not any(True for _ in bounds)


def moves_bound(spoken: Spoken, part: Part) -> bool:
    """Whether the number of a bound is on its other side: "more than 20" is not said of 20."""
    if part.tree[0] not in ORDERS or not written_value(part.tree) or not part.places:
        return False
    if any(earlier_classes(part.tree)) and part.tree[1][:1] != ("+",):
        return False  # what was done 20 times before is done for the 21st time
    near = [
        one for one in spoken.sentence.comparisons
        if one.cue is not Cue.EXACTLY and any(is_near(one, at) for at in part.places)
    ]  # fmt: skip
    cue = near[0].cue if len(near) == 1 else None
    joined = any(one.first and spoken.sentence.words[one.first - 1].low == "or" for one in near)
    if cue is None or joined or isinstance(written_value(part.tree)[2], timedelta | time):
        return False
    same = (cue in MORE) is (part.tree[0] in (">", ">="))
    return (part.tree[0] in (">=", "<=")) is not ((cue in (Cue.AT_MOST, Cue.AT_LEAST)) is same)


def refuses_below(spoken: Spoken, part: Part) -> bool:
    """Whether less than a number is refused of which nothing says that it is the least."""
    limit = written_value(part.tree) if part.tree[0] in ORDERS else ()
    if not limit or not part.places or not isinstance(limit[2], Decimal | int):
        return False
    if limit[2] == 0:  # all that there is
        return (
            part.refused
            and part.tree[0] == ">="
            and not any(comparisons_at(spoken.sentence, at) for at in part.places)
        )
    below = (part.tree[0] in ("<", "<=")) is part.refused
    lows = {word.low for at in part.places for word in spoken.sentence.words[max(0, at - NEAR) : at]}
    compared = {number_of(spoken.sentence, one) for one in spoken.sentence.comparisons}
    compared |= {at for at in part.places if comparisons_at(spoken.sentence, at)}
    in_range = any(at in each for each in ranges_of(spoken.sentence) for at in part.places)
    least = not LOWER.isdisjoint(word.low for word in spoken.sentence.words)
    ordered = not lows.isdisjoint(("before", "after", "until", "from"))
    return below and not (least or ordered or in_range or part.places & compared)


def says_bound_twice(parts: Sequence[Part]) -> bool:
    """Whether two bounds of one side are said of one thing, or a bound and its value."""
    bounds = [
        (one.tree[1], "<" if (one.tree[0] in ("<", "<=")) else ">", one.refused)
        for one in parts if one.tree[0] in ORDERS and written_value(one.tree) and one.places
    ]  # fmt: skip
    values = {(one.tree[1], one.refused) for one in parts if one.tree[0] == "==" and written_value(one.tree)}
    return len(bounds) > len({*bounds}) or any((thing, side) in values for thing, _, side in bounds)


def wants_a_price(spoken: Spoken, part: Part) -> bool:
    """Whether something has to cost what is "free of charge"."""
    if not any(pair == ("free", "of") for pair in pairwise(word.low for word in spoken.sentence.words)):
        return False
    nothing = written_value(part.tree)[2:] == (0,) if len(part.tree) > PAIR else part.tree[0] == "is some"
    return nothing and part.refused is (part.tree[0] in ("==", "<=", "<"))


def turns_clock(spoken: Spoken, part: Part) -> bool:
    """Whether a time is refused at which something is done: "before 7:00 or after 19:00"."""
    norm, words = spoken.sentence.norm, spoken.sentence.words
    if part.tree[0] not in ORDERS or not any(isinstance(one[2], time) for one in literals(part.tree)):
        return False
    told = {at for at in part.places if at and words[at - 1].low in ("before", "after")}
    earlier = {words[at - 1].low == "before" for at in told}
    apart = norm is None or (max(told, default=0) < norm.first and words[norm.first - 1].low in JOINTS)
    limited = any(one.first < max(told, default=0) for one in spoken.sentence.at(Cue.IF, Cue.ONLY))
    if len(earlier) != 1 or not apart or limited or spoken.sentence.asks:
        return False
    return (part.tree[0] in ("<", "<=")) is (part.refused in earlier)


def turns_time(spoken: Spoken, part: Part) -> bool:
    """Whether a rule tells how long ago something was, and the sentence how long it is to come."""
    match part.tree:
        case (_, ("-", ("attr", ("name", "call"), "time"), _), _):
            other, own = _AHEAD, _AGO
        case (_, ("-", _, ("attr", ("name", "call"), "time")), _):
            other, own = _AGO, _AHEAD
        case _:
            return False
    lows = {word.low for word in spoken.sentence.words}
    return not lows.isdisjoint(other) and lows.isdisjoint(own)
