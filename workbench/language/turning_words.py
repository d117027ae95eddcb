"""The words of a sentence that turn its sense round, and which of them a rule made of it does not say.

A rule that leaves one of them unsaid may be the contrary of what is meant, whatever else it says: it is not
offered. A word is said if it names something in the rule, if it is the form of the rule, or if what it turns
is on the side that it turns it to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal

from workbench.language.foreign_words import (
    CONSENT,
    ENDS_OF_CLAUSE,
    NORMS,
    Cue,
    CueAt,
    ForeignSentence,
    ForeignWord,
)
from workbench.language.naming import Condition
from workbench.language.trees import Tree, is_tree
from workbench.language.vocabulary import words_named

_TURNING = words_named("turning")
_ORDERING = words_named("ordering")
_BETWEEN = frozenset(
    ("for", "in", "on", "at", "by", "with", "to", "from", "if", "when", "unless", "and", "or")
)
_BEFORE_ALL = _BETWEEN | {"is", "are", "gets", "get"}
"""What stands before that of which an "only" behind it says that it is all."""
_LIGHT = words_named("copulas") | {
    "be",
    "been",
    "have",
    "had",
    "stay",
    "remain",
    "lie",
    "keep",
    "first",
    "also",
}
"""Verbs that say nothing of what is demanded by themselves."""
_NEAR = 4
"""How many words a comparison and its number are apart at most."""
_SHORT = 3
"""How many words after an "after" tell what comes first."""
_OF_TIME = frozenset(("clock", "dur", "date", "moment"))
_PARTS = frozenset(("forbid", "ask", "permit", "any", "all", "sum", "len"))
"""What is called in every rule; all else are functions of the policy."""


def unsaid(
    sentence: ForeignSentence,
    rule: Tree,
    wanted: Sequence[Condition],
    conditions: Iterable[Condition],
    used: frozenset[int],
) -> frozenset[int]:
    """The words that turn the sense of a sentence and that a rule does not say.

    ``wanted`` are those of its conditions that must hold, and ``used`` the words that name something in it.
    """
    said = {*used, *sentence.needless, *sentence.ended}
    for one in _said(sentence, wanted, conditions, used):
        said.update(range(one.first, one.after))
    left: set[int] = set()
    for one in sentence.comparisons:
        number = _number_of(sentence, one)
        if number >= 0:
            is_said = number in used and not _goes_with_another(sentence, one, number, used)
            (said if is_said else left).update(range(one.first, one.after))
    left.update(_unmet(sentence, wanted, used))
    in_time = rule[1] == "ask" or _tells_time(rule)
    return frozenset(
        word.number
        for word in sentence.words
        if word.number not in said
        and (
            word.low in _TURNING
            or word.low.endswith("n't")
            or (word.low in _ORDERING and not _is_in_order(sentence, word.number, used, in_time=in_time))
            or word.number in left
            or word.number in sentence.negations
        )
        and not _turns_nothing(sentence, word)
    )


def _said(
    sentence: ForeignSentence,
    wanted: Sequence[Condition],
    conditions: Iterable[Condition],
    used: frozenset[int],
) -> Iterator[CueAt]:
    """Yield the phrases that a rule says, by what it names, by its form or by its sides."""
    norm, asks, only = sentence.norm, sentence.asks, sentence.has(Cue.ONLY)
    demanded = frozenset(number for one in wanted for number in (*one.used, one.anchor))
    placed = used.union(one.anchor for one in conditions)
    for one in sentence.cues:
        by_form = asks and (one.cue in (Cue.ASK, Cue.NO_ASK, Cue.ONLY) or _begins_approval(sentence, one))
        without = sentence.words[one.first].low == "without"
        there = demanded if without else placed
        by_side = (one.cue is Cue.ONLY and wanted and not _is_of_what_forbids(sentence, one)) or (
            one.cue is Cue.UNLESS
            and not there.isdisjoint(sentence.what_follows(one))
            and (norm is not None or not without)
        )
        by_name = one.cue not in NORMS and not used.isdisjoint(range(one.first, one.after))
        if by_form or by_side or by_name:
            yield one
    if norm is not None:
        yield norm
        for one in sentence.main_norms:
            if one.cue is norm.cue or asks or (wanted and (only or one.cue is Cue.REQUIRE)):
                yield one


def _begins_approval(sentence: ForeignSentence, one: CueAt) -> bool:
    """Whether an exception is that a person says yes: "unless I agree", "without asking"."""
    if one.cue is not Cue.UNLESS:
        return False
    asked = {at for each in sentence.at(Cue.ASK, Cue.NO_ASK) for at in range(each.first, each.after)}
    follow = {one.first, *sentence.what_follows(one)}
    return not asked.isdisjoint(follow) or any(sentence.words[at].low in CONSENT for at in follow)


def _unmet(sentence: ForeignSentence, wanted: Sequence[Condition], used: frozenset[int]) -> Iterator[int]:
    """Yield what is demanded, or is all that is allowed, if what a rule wants is something else.

    "A project must be stated for bookings of more than 2 hours" wants no booking to be longer, and "loans
    over 500 travel in a box only" no loan.
    """
    norm = sentence.norm
    if not wanted or sentence.asks:
        return
    if norm is not None and norm.cue is Cue.REQUIRE and all(one.literal >= 0 for one in wanted):
        phrase = _demanded(sentence, norm.after)
        if phrase and used.isdisjoint(phrase):
            yield phrase[0]
    last = next((one for one in sentence.at(Cue.ONLY) if _ends(sentence, one)), None)
    if last is not None:
        demanded = frozenset(number for one in wanted for number in (*one.used, one.anchor))
        begins = (at for at in range(last.first - 1, -1, -1) if sentence.words[at].low in _BEFORE_ALL)
        named = [at for at in range(next(begins, 0), last.first) if sentence.words[at].weight]
        if named and demanded.isdisjoint(named):
            yield named[-1]


def _demanded(sentence: ForeignSentence, start: int) -> Sequence[int]:
    """The words of what is demanded; none if a number is: "has to be announced at least 90 days before"."""
    compared = {number for one in sentence.comparisons for number in range(one.first, one.after)}
    found: list[int] = []
    for word in sentence.words[start:]:
        if word.literal is not None or word.number in compared:
            return ()
        if word.low in ENDS_OF_CLAUSE or (found and word.low in _BETWEEN):
            break
        if word.weight and word.low not in _LIGHT:
            found.append(word.number)
    return found


def _ends(sentence: ForeignSentence, one: CueAt) -> bool:
    """Whether an "only" ends the sentence, and says of what stands before it that it is all."""
    rest = sentence.words[one.after :]
    return one.after - one.first == 1 and not any(word.weight or word.literal is not None for word in rest)


def _is_of_what_forbids(sentence: ForeignSentence, one: CueAt) -> bool:
    """Whether an "only" limits a prohibition: "only what has arrived cannot be released"."""
    norm = sentence.norm
    if norm is None or norm.cue is not Cue.FORBID or one.after - one.first > 1:
        return False
    between = sentence.words[min(norm.first, one.first) : max(norm.first, one.first)]
    return norm.first != one.first and not any(word.low in ENDS_OF_CLAUSE for word in between)


def _number_of(sentence: ForeignSentence, one: CueAt) -> int:
    """The number that a comparison goes with, after it or before it; -1 for "handed over"."""
    after = range(one.after, min(len(sentence.words), one.after + _NEAR))
    before = range(one.first - 1, max(-1, one.first - _NEAR), -1)
    return next((at for at in (*after, *before) if _is_number(sentence.words[at])), -1)


def _is_number(word: ForeignWord) -> bool:
    counts = isinstance(word.literal, (Decimal, timedelta)) and word.low != "one"
    return counts or ":" in word.text[1:]


def _goes_with_another(sentence: ForeignSentence, one: CueAt, number: int, used: frozenset[int]) -> bool:
    """Whether a rule compares a number by the words of another comparison: "not under more than 5"."""
    others = (other for other in sentence.comparisons if _number_of(sentence, other) == number)
    said = [other for other in others if not used.isdisjoint(range(other.first, other.after))]
    return bool(said) and one not in said


def _turns_nothing(sentence: ForeignSentence, word: ForeignWord) -> bool:
    """Whether a word turns nothing where it stands: "neither … nor", "not even", "once only"."""
    before = sentence.words[word.number - 1].low if word.number else ""
    after = sentence.words[word.number + 1].low if word.number + 1 < len(sentence.words) else ""
    norm = sentence.norm
    return (
        word.low == "nor"
        or after == "even"
        or (word.low == "short" and after != "of")
        or (word.low == "only" and before == "once")
        or (word.low == "else" and norm is not None and word.number == norm.after)
    )


def _is_in_order(sentence: ForeignSentence, at: int, used: frozenset[int], *, in_time: bool) -> bool:
    """Whether a rule says which comes first: by what it tells of times, or "after a complaint" by that.

    "Only before" says what was not, and "5 days after" when.
    """
    word, before = sentence.words[at], sentence.words[max(0, at - 1)]
    if word.low == "after" and not used.isdisjoint(range(at + 1, at + 1 + _SHORT)):
        return True
    only = before.low == "only" and word.low == "before"
    return in_time and not only and not isinstance(before.literal, timedelta)


def _tells_time(tree: Tree) -> bool:
    """Whether an expression tells a time, an earlier call, or what a function of the policy says."""
    match tree:
        case ("lit", sort, *_):
            return sort in _OF_TIME
        case ("name", name):
            return name == "run"
        case ("attr", _, "time"):
            return True
        case ("call", name, *_) if name not in _PARTS:
            return True
        case _:
            return any(_tells_time(part) for part in tree[1:] if is_tree(part) and part)
