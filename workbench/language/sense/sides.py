"""The account of one part: whether the sentence refuses it where it says it, and what turns that round.

``_refused_where_said`` joins two signs. ``_side_at`` is the side of the place: what the sentence wants or
excepts is not refused there, what it forbids is. ``_as_said`` is the form of the part: whether what is said
is refused just as it is said, each word that denies it (``_denials_at``) counted once. ``turns_side`` looks
at a whole rule that forbids: a word must forbid, or turn, what it refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.roles import Role
from workbench.language.foreign.small_words import ENDS_OF_CLAUSE
from workbench.language.foreign.stems import denied_part, stem
from workbench.language.nameable import stems_of
from workbench.language.sense.rule_parts import (
    ORDERS,
    PAIR,
    Part,
    earlier_classes,
    is_called,
    is_named_by_user,
    is_weekday,
    literals,
    own_denials,
    said_names,
    written_value,
)
from workbench.language.sense.said_numbers import (
    NEAR,
    is_near,
    is_number,
    limit_cues_at,
    limits_at,
    says_more,
)
from workbench.language.sense.spoken import BETWEEN, JOINING, Spoken
from workbench.language.trees import Tree
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name

_STAYING = words_named("staying")
_TURNING = words_named("turning")
_BORDERS = ENDS_OF_CLAUSE | {"if", "when", "where", "for", "and", "or", "of", "with"}
_ALL_BUT = frozenset(("but", "other", "others", "else", "rest", "everything", "anything"))
"""What says that something is meant beside what is named."""
_ALL_ELSE = frozenset(("outside", "except", "beyond"))
_CLOSING = frozenset(("never", "nothing", "none", "no", "not"))
_BEFORE_CLOSING = frozenset((",", ";", "but", "and"))
_VALUED = frozenset(("==", "in", "attr"))
"""The conditions on what something is."""
_INVALID = frozenset(("invalid", "inadmissible", "anywhere"))
_ALSO_TURNING = frozenset(("missing", "inside", "within", "while"))
_SAYING = words_named("copulas") | {"comes", "has", "have", "means", "kept"}
_WHICH = frozenset(("if", "when", "where", "what", "that", "which", "who", "whoever", "whatever", "unless"))
_IS_NOT = (("isn't",), ("aren't",), ("is", "not"), ("are", "not"))
_DIFFERENT = words_named("different")
_NEAR_NAMED = 5
"""How many words after a "not" the name of a flag is denied that denies something itself."""


def is_turned_round(spoken: Spoken, part: Part) -> bool:
    """Whether is refused what the sentence allows where it says it, or the other way round."""
    refused = _refused_where_said(spoken, part)
    return refused is not None and refused is not part.refused


def is_unsettled(spoken: Spoken, part: Part) -> bool:
    """Whether the words do not tell whether the sentence refuses what a part says."""
    return _refused_where_said(spoken, part) is None


def is_settled_as_refused(spoken: Spoken, part: Part) -> bool:
    """Whether a part refuses something just as it is said, whatever is said of its place."""
    return part.refused and _as_said(spoken, part) is True


def turns_side(spoken: Spoken, rule: Tree, parts: Sequence[Part]) -> bool:
    """Whether a rule refuses something as it is said, or as it is not, and no word of the sentence does.

    What is refused as it is said needs a word that forbids: "a job is started twice" refuses nothing.
    What is refused where it is not so needs one that turns it, or demands it.
    """
    excepted = spoken.sentence.excepted
    sides = [None if one.places & excepted else _as_said(spoken, one) for one in parts]
    known = [
        one.refused if side is None and _is_of_two(one.tree) else side
        for one, side in zip(parts, sides, strict=True)
    ]  # fmt: skip
    if known and all(known) and not forbids_something(spoken):
        return True
    bounds = {
        (one.tree[1], as_said) for one, as_said in zip(parts, sides, strict=True)
        if one.tree[0] in ORDERS and as_said is not None
    }  # fmt: skip
    if len(bounds) > len({thing for thing, _ in bounds}) and not forbids_something(spoken):
        return True  # "no earlier than 10:00 and later than 16:00"
    no_act = not spoken.acts(name for _, name in rule[3:])
    for one, as_said in zip(parts, sides, strict=True):
        if as_said is not False:
            continue
        if spoken.norm is Cue.FORBID and _stands_under_norm(spoken, one) and not _is_turned(spoken, one):
            return True
        if spoken.norm is None and one.tree[0] in _VALUED and no_act and not _is_stated(spoken):
            return True
    return False


def _is_of_two(tree: Tree) -> bool:
    """Whether two things are compared that are both read: an owner with who is logged in."""
    return tree[0] == "==" and not any(True for _ in literals(tree))


def opens_what_is_closed(spoken: Spoken, part: Part) -> bool:
    """Whether is not refused what is closed where others are open: "only a, and none with b"."""
    sentence, words = spoken.sentence, spoken.sentence.words
    first = min((one.first for one in sentence.at(Cue.ONLY, Cue.PERMIT)), default=len(words))
    denials = (word.number for word in words[first:] if word.low in _CLOSING)
    closing = next((at for at in denials if words[at - 1].low in _BEFORE_CLOSING), len(words))
    begins = min(part.places, default=-1)
    inner = {word.low for word in words[closing + 1 : max(0, begins)]}
    return not part.refused and begins > closing and inner.isdisjoint(_TURNING | _CLOSING | _ALL_ELSE)


def mixes_sides(spoken: Spoken, part: Part) -> bool:
    """Whether a rule treats values alike of which the sentence refuses one, and not the other."""
    values = [one for one in literals(part.tree) if one[1] == "text"]
    sides = [{_side_at(spoken, at) for at in spoken.places_of_value(one)} for one in values]
    return {True} in sides and {False} in sides


def turns_name(spoken: Spoken, part: Part) -> bool:
    """Whether a flag is named by a denial that the sentence does not have, or has where it is refused."""
    denials = own_denials(part.tree) if part.tree[0] == "attr" else frozenset[str]()
    if not denials:
        return False
    denied = not denials.isdisjoint(word.low.removesuffix("'s") for word in spoken.sentence.words)
    denied = denied or any(spoken.sentence.negated(at, _NEAR_NAMED) for at in part.places)
    return (part.refused is not denied) is not spoken.sentence.has(Cue.ONLY, Cue.UNLESS)


def _refused_where_said(spoken: Spoken, part: Part) -> bool | None:
    """Whether the sentence refuses what a part says; None where its words do not tell.

    What is wanted, or excepted, is not refused; what stands elsewhere is. Each word that turns a part
    round where it is said turns that round once.
    """
    if _is_of_two(part.tree):
        return _refuses_the_same(spoken)
    sides = {_side_at(spoken, at) for at in part.places}
    demanded = part.tree[0] == "is some" and spoken.norm is Cue.REQUIRE  # "a note must be given"
    if len(sides) != 1 or None in sides or demanded or not _is_said(spoken, part.tree):
        return None
    as_said = _as_said(spoken, part)
    return None if as_said is None else sides.pop() is (as_said is part.refused)


def _refuses_the_same(spoken: Spoken) -> bool | None:
    """False where what differs is refused: "never to another address"; None where that is not said."""
    sentence, norm = spoken.sentence, spoken.sentence.norm
    other = any(word.low in _DIFFERENT for word in sentence.words)
    forbids = norm is not None and norm.cue is Cue.FORBID and not sentence.has(Cue.ONLY, Cue.UNLESS)
    return False if forbids and other else None


def _is_said(spoken: Spoken, tree: Tree) -> bool:
    """Whether the words say with which value something is compared, if it is compared."""
    if is_weekday(tree) or is_named_by_user(tree):
        return True
    values = [one for one in literals(tree) if one[1] != "bool" and one[2] not in (0, "")]
    return any(any(True for _ in spoken.places_of_value(one)) for one in values) or (
        not values and (tree[0] not in ("==", "in") or any(True for _ in literals(tree)))
    )


def _side_at(spoken: Spoken, at: int) -> bool | None:
    """Whether what stands at a word is refused; None where the words around it do not tell."""
    sentence, norm = spoken.sentence, spoken.sentence.norm
    apart = norm is not None and _is_apart(spoken, at, norm)
    if at in sentence.needless:
        return None
    if is_number(sentence.words[at]) and _is_wanted_number(spoken, at):
        return False
    if at in sentence.excepted:
        allowed = spoken.norm is Cue.PERMIT or sentence.is_free
        return allowed if allowed or norm is not None or sentence.asks else None
    if sentence.is_free:
        return None if _is_apart(spoken, at, next(sentence.at(Cue.NO_ASK))) else False
    if sentence.roles[at] is Role.GOOD and not sentence.says_which(at):
        two = any(one.cue is Cue.FORBID and one.first < at for one in sentence.main_norms)
        permits = norm is not None and norm.cue is Cue.PERMIT
        return None if permits and (apart or two) else _side_of_wanted(spoken, at)
    only = next(sentence.at(Cue.ONLY), None)
    if norm is not None and norm.cue is Cue.PERMIT:
        asked = next(sentence.at(Cue.ASK), None) if only is None and norm.first < at else None
        is_two = asked is not None and _is_apart(spoken, asked.first, norm)
        return False if is_two and not apart else None  # "may be up to 5, I approve the others"
    keeps = norm is not None and sentence.words[norm.first].low in _STAYING and norm.first < at
    limited = only is not None and (only.first > at or sentence.asks)  # "as emergencies only"
    tells = norm is None and not sentence.asks  # "developers switch flags in dev"
    return None if apart or keeps or limited or (tells and sentence.says_which(at)) else True


def _is_wanted_number(spoken: Spoken, at: int) -> bool:
    """Whether a number is the most or the least that is wanted: "it takes at most 2 days"."""
    sentence, norm, words = spoken.sentence, spoken.sentence.norm, spoken.sentence.words
    near = [one for one in sentence.comparisons if is_near(one, at)]
    cues = {*(one.cue for one in near), *limit_cues_at(spoken.sentence, at)}
    if not cues or not cues <= {Cue.AT_MOST, Cue.AT_LEAST}:
        return False
    if any(limits_at(spoken.sentence, at)) or sentence.asks:
        return any(limits_at(spoken.sentence, at))
    if norm is None or norm.cue is Cue.PERMIT:
        only = any(word.weight for one in sentence.at(Cue.ONLY) for word in words[one.after :])
        return not sentence.has(Cue.IF) and not only
    if norm.cue is Cue.REQUIRE and norm.after <= at:
        return _BORDERS.isdisjoint(word.low for word in words[norm.after : at])
    first = min((one.first for one in near), default=at)
    if norm.cue is Cue.FORBID and _says_amount(spoken, first) and _is_apart(spoken, at, norm):
        return True  # "prints cost at least 20, drafts nothing"
    demanded = norm.cue is Cue.REQUIRE and norm.first - at <= PAIR  # "at least 56 days must have passed"
    return demanded and words[max(0, first - 1)].low not in BETWEEN


def _says_amount(spoken: Spoken, first: int) -> bool:
    """Whether a comparison says how much something is, and not which things are meant."""
    lows = [word.low for word in spoken.sentence.words[:first]]
    return bool(lows) and lows[-1] in _SAYING and _WHICH.isdisjoint(lows)


def _side_of_wanted(spoken: Spoken, at: int) -> bool | None:
    """Whether what seems wanted is not refused; None where it may say which things are meant."""
    sentence, only = spoken.sentence, next(spoken.sentence.at(Cue.ONLY), None)
    if only is not None:  # "only vets call off a surgery" tells nothing of the surgery
        between = [one for one in sentence.words[only.after : at] if one.weight or one.low in JOINING]
        return None if len(between) > 1 and all(one.weight for one in between) else False
    if sentence.norm is not None:
        return False
    verb = next((one.number for one in sentence.words if one.number and one.low in _SAYING), at)
    return None if at <= verb else False


def _is_apart(spoken: Spoken, at: int, norm: CueAt) -> bool:
    """Whether a word stands in another clause than the norm, and in no condition that leads to it.

    So does what is named before it is said that all else is not to be.
    """
    sentence, first, last = spoken.sentence, min(at, norm.first), max(at, norm.first)
    marks = [one.number for one in sentence.words[:last] if one.low in ENDS_OF_CLAUSE]
    if any(not one.first for one in sentence.at(Cue.IF, Cue.UNLESS)):
        del marks[:1]
    if at < norm.first and sentence.words[norm.first - 1].low in ("and", "but"):
        return True
    rest = sentence.words[norm.after :] if norm.cue is Cue.FORBID else ()
    return any(one >= first for one in marks) or any(one.low in _ALL_BUT for one in rest)


def _as_said(spoken: Spoken, part: Part) -> bool | None:
    """Whether a rule refuses what is said just as it is said; None where the words do not tell."""
    sentence = spoken.sentence
    if not part.places or is_called(part.tree):
        return None
    if part.tree[0] in ORDERS:
        more = says_more(spoken.sentence, part) if written_value(part.tree) else None
        return None if more is None else more is ((part.tree[0] in (">", ">=")) is part.refused)
    if any(earlier_classes(part.tree)) and _is_once(spoken):
        return None  # "once per run" is a limit
    empty = part.tree[0] == "==" and written_value(part.tree)[2:] in ((0,), ("",))
    nothing = empty and not any(True for _ in spoken.places_of_value(part.tree[2]))
    missing = (nothing or part.tree[0] == "is some") and any(
        is_near(one, at) and not _is_demanded(spoken, at, one) and not sentence.forbids(one.first)
        for one in sentence.at(Cue.MISSING)
        for at in part.places
    )
    denials = {bool(set(_denials_at(spoken, part, at))) for at in _decisive(spoken, part)}
    if len(denials) > 1 or (nothing and not missing and True not in denials):
        return None
    return part.refused is ((missing or True in denials) is nothing)


def _decisive(spoken: Spoken, part: Part) -> frozenset[int]:
    """Where the last word of the name of a flag is said, as "pass" of tests_pass; or else all places."""
    if part.tree[0] != "attr":
        return part.places
    last = stem(words_of_name(str(part.tree[2])).split()[-1])
    words = spoken.sentence.words
    own = (at for at in part.places if last in (words[at].stem, denied_part(words[at].low)))
    return frozenset(own) or part.places


def _is_once(spoken: Spoken) -> bool:
    words = spoken.sentence.words
    return any(
        word.low == "once" or (word.low == "one" and words[word.number - 1].low not in ("in", "of", "same"))
        for word in words
    )


def _denials_at(spoken: Spoken, part: Part, at: int) -> Iterator[int]:
    """Yield the words that deny what a part says at a word, each as the number after it.

    What the name of a field denies is denied by none, nor is what a "without" demands.
    """
    stems = {one for name in said_names(part.tree) for one in stems_of(words_of_name(name))}
    sentence, own = spoken.sentence, own_denials(part.tree)
    while (
        at > 1
        and sentence.joined(at - PAIR, at)
        and (sentence.words[at - PAIR].literal is not None or at - PAIR in part.places)
    ):
        at -= PAIR  # "does not begin with “A” or “B”"
    word, negation = sentence.words[at], sentence.negation(at)
    follows = tuple(one.low for one in sentence.words[at + 1 : at + 1 + PAIR])
    is_not = follows[:1] in _IS_NOT or follows in _IS_NOT
    if word.literal is not None and is_not and not any(map(sentence.forbids, (at + 1, at + PAIR))):
        yield at + 1
    if word.stem not in stems and denied_part(word.low) in stems:
        yield at + 1  # place 0 counts, too
    denies = negation is not None and sentence.words[negation.first].low not in own
    if negation is not None and denies and not _is_demanded(spoken, at, negation):
        yield negation.first + 1
    only = sentence.places_of(Cue.ONLY)
    before = [one for one in sentence.words[max(0, at - NEAR) : at] if one.low == "nothing"]
    if any(one.number not in only and not sentence.forbids(one.number) for one in before):
        yield at + 1
    for cue in sentence.at(Cue.USER):
        if cue.first <= at < cue.after:
            yield from (each + 1 for each in sentence.denials_around(cue))


def _is_demanded(spoken: Spoken, at: int, negation: CueAt) -> bool:
    """Whether a "without" says that what stands at a word is wanted: "never without a note"."""
    is_without = spoken.sentence.words[negation.first].low == "without"
    bounded = spoken.norm is not None or spoken.sentence.asks or spoken.sentence.has(Cue.ONLY)
    return is_without and bounded and spoken.sentence.roles[at] is Role.GOOD


def forbids_something(spoken: Spoken) -> bool:
    """Whether a word forbids, or says what is excepted."""
    sentence = spoken.sentence
    forbidding = (one for one in (sentence.norm, *sentence.main_norms) if one is not None)
    ahead = spoken.norm is Cue.REQUIRE and any(word.low == "before" for word in sentence.words)
    norm = sentence.norm
    return (
        ahead
        or (norm is not None and any(_denies_apart(spoken, at, norm) for at in sentence.negations))
        or any(one.cue is Cue.FORBID for one in forbidding)
        or any(word.low in _INVALID for word in sentence.words)
    )


def _denies_apart(spoken: Spoken, at: int, norm: CueAt) -> bool:
    """Whether a word denies a clause of its own: "bright lights are not turned on, the kitchen is fine"."""
    tells = at in spoken.sentence.told or at in spoken.sentence.excepted
    return norm.cue is Cue.PERMIT and at < norm.first and not tells and _is_apart(spoken, at, norm)


def _stands_under_norm(spoken: Spoken, part: Part) -> bool:
    sentence, norm = spoken.sentence, spoken.sentence.norm
    long = {
        at for one in sentence.at(Cue.UNLESS) if sentence.words[one.first].low == "as"
        for at in sentence.what_follows(one)
    }  # fmt: skip
    return norm is not None and all(
        at > norm.first or at in sentence.told or at in long for at in part.places
    )


def _is_turned(spoken: Spoken, part: Part) -> bool:
    """Whether a word but the one that forbids may turn what a part says."""
    sentence, norm = spoken.sentence, spoken.sentence.norm
    taken = {at for one in sentence.main_norms[:1] for at in one.places}
    taken.update(norm.places if norm is not None else ())
    compared = {at for one in sentence.comparisons for at in one.places}
    taken |= {number - 1 for at in part.places for number in _denials_at(spoken, part, at)}
    own = own_denials(part.tree)
    return (
        sentence.has(Cue.ONLY)
        or any(sentence.words[one.first].low != "as" for one in sentence.at(Cue.UNLESS))
        or len(sentence.main_norms) > 1
        or any(sentence.words[at].low in _STAYING for at in taken)
        or any(
            word.low in _TURNING | _STAYING | _ALSO_TURNING
            or word.low.endswith("n't")
            or word.number in compared
            or denied_part(word.low)
            for word in sentence.words
            if word.number not in taken and word.low not in own
        )
    )


def _is_stated(spoken: Spoken) -> bool:
    """Whether it is said of something what it is, limited to something, or where else it is not so."""
    sentence = spoken.sentence
    return bool(
        sentence.has(Cue.ONLY, Cue.UNLESS)
        or sentence.comparisons
        or any(word.low in _SAYING for word in sentence.words)
    )
