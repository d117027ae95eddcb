"""The words that turn the sense of a sentence and that a rule does not say.

A word is said if it names something in the rule, if it is the form of the rule, or if what it turns is on the
side that it turns it to. A rule that leaves one unsaid may be the contrary of what is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from workbench.language.foreign.cues import NORMS, Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import CONSENT, ENDS_OF_CLAUSE
from workbench.language.foreign.tokens import ForeignWord
from workbench.language.naming import Condition
from workbench.language.sense.rule_parts import tells_time
from workbench.language.sense.said_numbers import number_of
from workbench.language.sense.spoken import BETWEEN, says_consent
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named

_TURNING = words_named("turning") | words_named("reversing")
_ORDERING = words_named("ordering")
_BEFORE_ALL = BETWEEN | {"is", "are", "gets", "get"}
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
_SHORT = 3
"""How many words after an "after" tell what comes first."""


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
        said.update(one.places)
    left: set[int] = set()
    for one in sentence.comparisons:
        number = number_of(sentence, one)
        if number >= 0:
            is_said = number in used and not _goes_with_another(sentence, one, number, used)
            (said if is_said else left).update(one.places)
    left.update(_unmet(sentence, wanted, used))
    in_time = rule[1] == "ask" or tells_time(rule)
    named = frozenset(at for one in conditions for at in one.used)
    return frozenset(
        word.number
        for word in sentence.words
        if word.number not in said
        and (
            word.low in _TURNING
            or word.low.endswith("n't")
            or (word.low in _ORDERING and not _is_in_order(sentence, word.number, named, in_time=in_time))
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
        by_name = one.cue not in NORMS and not used.isdisjoint(one.places)
        if by_form or by_side or by_name:
            yield one
    if norm is not None:
        yield norm
        for one in sentence.main_norms:
            if one.cue is norm.cue or asks or (wanted and (only or one.cue is Cue.REQUIRE)):
                yield one


def _begins_approval(sentence: ForeignSentence, one: CueAt) -> bool:
    """Whether an exception is that a person says yes: "unless I agree", "without asking"."""
    return one.cue is Cue.UNLESS and says_consent(sentence, {one.first, *sentence.what_follows(one)})


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
    compared = {number for one in sentence.comparisons for number in one.places}
    found: list[int] = []
    for word in sentence.words[start:]:
        if word.literal is not None or word.number in compared:
            return ()
        if word.low in ENDS_OF_CLAUSE or (found and word.low in BETWEEN):
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


def _goes_with_another(sentence: ForeignSentence, one: CueAt, number: int, used: frozenset[int]) -> bool:
    """Whether a rule compares a number by the words of another comparison: "not under more than 5"."""
    others = (other for other in sentence.comparisons if number_of(sentence, other) == number)
    said = [other for other in others if not used.isdisjoint(other.places)]
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


def _is_in_order(sentence: ForeignSentence, at: int, named: frozenset[int], *, in_time: bool) -> bool:
    """Whether a rule says which comes first: by what it tells of times, or "after a complaint" by that.

    "Only before" says what was not, and "5 days after" when. What is approved or looked up comes first.
    """
    word, before = sentence.words[at], sentence.words[max(0, at - 1)]
    if word.low == "after" and not named.isdisjoint(range(at + 1, at + 1 + _SHORT)):
        return True
    behind = range(at + 1, sentence.end_of_clause(at + 1))
    asked = {one.first for one in sentence.at(Cue.ASK, Cue.LOOKED_UP)}
    first = any(number in asked or sentence.words[number].low in CONSENT for number in behind)
    forbids = sentence.norm is not None and sentence.norm.cue is Cue.FORBID
    if (word.low == "after" and not first) or (word.low == "before" and first and not forbids):
        return False
    only = before.low == "only" and word.low == "before"
    return in_time and not only and not isinstance(before.literal, timedelta)
