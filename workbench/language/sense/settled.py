"""Where several words of a sentence turn its sense, the side of all that a rule compares has to be settled.

With one such word what nothing is said of stands on the side that sentences commonly have it on. With two
("as long as nothing has been paid, it is withheld", "stays off where nobody lives") that is a guess, and half
of the guesses are the contrary.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence

from workbench.language.foreign.cues import Cue, CueAt, overlap
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import ENDS_OF_CLAUSE
from workbench.language.foreign.stems import denied_part
from workbench.language.sense.rule_parts import Part, is_called, written_value
from workbench.language.sense.sides import is_settled_as_refused, is_unsettled
from workbench.language.sense.spoken import Spoken, says_consent
from workbench.language.trees import Tree
from workbench.language.vocabulary import OPPOSITES, words_named

_DENYING = words_named("turning") - words_named("limiting")
_PREFIXES = ("un", "non-")
_BESIDE = frozenset(("but", "other", "anything", "anyone", "anywhere", "somebody", "outside", "except"))
"""The first words of what says "not" of all that is not named: "no room but the kitchen"."""
_SEVERAL = 2
_SHORTEST = 7
"""The letters of a word whose first ones deny something: "unsigned", and not "until"."""


def leaves_side_open(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether the sentence has several words that turn its sense, and they do not settle one of the sides."""
    open_ = [one for one in parts if one.places and _has_side(one.tree) and is_unsettled(spoken, one)]
    ends = [word.number for word in spoken.sentence.words if word.low in ENDS_OF_CLAUSE]
    clauses = {bisect(ends, at) for one in open_ for at in one.places}
    norm = spoken.sentence.norm
    turning = {at for at in _turning(spoken.sentence) if bisect(ends, at) in clauses}
    if norm is not None and norm.cue is Cue.FORBID:
        turning.add(norm.first)
    if len(turning) < _SEVERAL:
        return False
    others = any(one not in open_ and not is_unsettled(spoken, one) for one in parts)
    return not (others and all(is_settled_as_refused(spoken, one) for one in open_))


def refuses_unsaid_presence(spoken: Spoken, parts: Sequence[Part]) -> bool:
    """Whether something is refused where it is given, and no word says so: "recorded minus remarks"."""
    read = [one.tree for one in parts]
    given = [*spoken.sentence.at(Cue.GIVEN, Cue.EXISTS, Cue.MISSING)]
    return any(
        one.tree[0] == "is some" and one.tree[1][0] == "attr" and one.refused and one.tree[1] not in read
        and bool(one.places) and not any(-2 <= cue.first - at <= 3 for cue in given for at in one.places)
        and not any(spoken.sentence.lows[at].endswith("ed") for at in one.places)
        for one in parts
    )  # fmt: skip


def _turning(sentence: ForeignSentence) -> Iterator[int]:
    """Yield the words that turn the sense beside what forbids: an "only", conditions, and denials.

    Comparisons do not, nor does what asks, nor what commonly goes with what forbids: "never without", "no …,
    no …", "nobody but", "not even".
    """
    norm = sentence.norm
    forbids = norm is not None and norm.cue is Cue.FORBID
    taken = {at for one in _taken(sentence) for at in one.places} | {0 if sentence.lows[0] == "no" else -1}
    onlys = [*sentence.at(Cue.ONLY)] if not sentence.asks else sentence.only
    conditions = [one for one in sentence.wanting if not _is_common(sentence, one, forbids=forbids)]
    yield from (one.first for one in (*onlys[:1], *conditions) if norm is None or not overlap(one, norm))
    for word in sentence.words:
        follows = sentence.lows[word.number + 1 : word.number + 2]
        if word.number in taken | sentence.excepted or word.literal is not None or follows == ("even",):
            continue
        denies = word.low in _DENYING or word.low.endswith("n't") or word.number in sentence.negations
        if denies or (forbids and word.stem not in sentence.own and _has_denial(word.low)):
            yield word.number


def _is_common(sentence: ForeignSentence, one: CueAt, *, forbids: bool) -> bool:
    """Whether an exception, or a "without", only goes with what forbids; or a time is said: "until 5 pm"."""
    if sentence.asks and says_consent(sentence, {one.first, *sentence.what_follows(one)}):
        return True  # "unless somebody agrees"
    after = sentence.words[one.after : one.after + 1]
    excepts = sentence.lows[one.first] == "without" or not sentence.excepted.isdisjoint(one.places)
    return (forbids and excepts) or any(word.literal is not None for word in after)


def _taken(sentence: ForeignSentence) -> Iterator[CueAt]:
    """Yield the phrases whose words turn nothing else."""
    yield from sentence.comparisons
    yield from sentence.at(Cue.ONLY, Cue.ASK, Cue.NO_ASK, Cue.UNLESS)
    yield from (one for one in sentence.at(Cue.NOT) if sentence.lows[one.first] in _BESIDE)
    if sentence.norm is not None:
        yield sentence.norm


def _has_side(tree: Tree) -> bool:
    """Whether it may be told of what is compared that it is refused, or not: of "is nothing" it is not."""
    return not is_called(tree) and not (tree[0] == "==" and written_value(tree)[2:] in ((0,), ("",)))


def _has_denial(low: str) -> bool:
    prefixed = len(low) >= _SHORTEST and low.startswith(_PREFIXES) and bool(denied_part(low))
    return low in OPPOSITES or prefixed
