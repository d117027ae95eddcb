"""Whether a rule keeps the sense of a foreign sentence, found in another way than the search put it together.

The search names conditions by the words of a sentence and gives each a side. Here the finished rule is taken
apart: what it compares, whether it refuses where that holds, and at which words of the sentence that is said.
So a slip of the search is no slip of what it is held against. Each thing that a rule compares is refused, or
not, where the sentence says it; each word that turns that round has its part of the sentence and counts once
there, be it a "not", the prefix of a word, a comparison or the denial in a name (``_refused_where_said``).
Where the words do not settle the side, nothing is concluded from it. What is said first must come first.

A rule that leaves a word unsaid that turns the sense (``unsaid``) may be the contrary of what is meant,
whatever else it says. A word is said if it names something in the rule, if it is the form of the rule, or if
what it turns is on the side that it turns it to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from workbench.language.foreign_words import (
    CONSENT,
    ENDS_OF_CLAUSE,
    NORMS,
    Cue,
    CueAt,
    ForeignSentence,
    ForeignWord,
    Role,
    denied_part,
    stem,
)
from workbench.language.nameable import stems_of
from workbench.language.naming import Condition
from workbench.language.trees import TRUE, Tree, is_tree
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name

_STAYING = words_named("staying")
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
_NEAR_NUMBER = 4
"""How many words a comparison and its number are apart at most."""
_SHORT = 3
"""How many words after an "after" tell what comes first."""
_OF_TIME = frozenset(("clock", "dur", "date", "moment"))
_PARTS = frozenset(("forbid", "ask", "permit", "any", "all", "sum", "len"))
"""What is called in every rule; all else are functions of the policy."""
_READING = frozenset(map(stem, words_named("reading")))
_UNITS = tuple(timedelta(seconds=one) for one in (1, 60, 3_600, 86_400, 604_800))
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_USER: Tree = ("lit", "text", "user")
_SURE = 0.9
_LIKELY = 0.6
_FAINT = 0.5
_UNEQUAL = frozenset((Cue.MORE, Cue.LESS, Cue.AT_MOST, Cue.AT_LEAST))
_DENIED = {"!=": "==", "not in": "in", "is none": "is some"}
_UNSIGNED = frozenset(("is some", "<", "<=", ">", ">="))
"""What is there for the sake of another comparison, or says its side by its form."""
_ORDERS = frozenset(("<", "<=", ">", ">="))
_NEXT_TO = frozenset(("or", "and", ",", "nor", "the", "a", "an", "in", "to", "for", "by"))
_WHITHER = frozenset(("target", "destination"))
_JOINTS = ENDS_OF_CLAUSE | {"and", "but"}
_BORDERS = ENDS_OF_CLAUSE | {"if", "when", "where", "for", "and", "or", "of", "with"}
_JOINING = frozenset(("or", "and", ",", "nor"))
_NEAR = 3
_BEING = frozenset(("is", "are", "was", "were", "has", "have"))
_CLOSING_WORDS = frozenset(("never", "nothing", "none", "no", "not"))
_CLOSES_AFTER = frozenset((",", ";", "but", "and"))
_ALL_BUT = frozenset(("but", "other", "others", "else", "rest", "everything", "anything"))
"""What says that something is meant beside what is named."""
_UPPER = frozenset(("maximum", "max", "maximally", "ceiling", "limit", "limited", "cap", "capped"))
_LOWER = frozenset(("minimum", "min", "minimally"))
_MADE_UP = frozenset(("made", "invent", "invented", "guess", "guessed"))
_COUNTING = frozenset(("once", "twice", "one"))
_THAN = frozenset(("than", "exceed", "exceeds", "exceeding"))
_MORE = frozenset((Cue.MORE, Cue.AT_LEAST))
_VALUED = frozenset(("==", "in", "attr"))
"""The conditions on what something is."""
_INVALID = frozenset(("invalid", "inadmissible", "anywhere"))
_ALSO_TURNING = frozenset(("missing", "inside", "within", "while"))
_SAYING = words_named("copulas") | {"comes", "has", "have", "means", "kept"}
_DENIALS_OF_NAMES = words_named("denying") | {"missing"}
_IS_NOT = (("isn't",), ("aren't",), ("is", "not"), ("are", "not"))
_APPROVALS = frozenset((stem("approved"),))
_OWN = frozenset(("my", "our", "me", "us"))
_AGO = frozenset(("ago", "past", "last", "since", "after", "old", "older", "previous", "elapsed", "already"))
_AHEAD = frozenset(("ahead", "advance", "away", "before", "until", "left", "notice", "in"))
_DIFFERENT = words_named("different")
_PAIR = 2
_NEAR_NAMED = 5
"""How many words after a "not" the name of a flag is denied that denies something itself."""
_DENYING = frozenset(("not", "never", "no", "nor", "but"))
_NO_COMPARISON = frozenset(("other", "rather", "either"))
_BESIDE = 2


class Part(NamedTuple):
    """What a rule compares, whether it refuses where that holds, and the words that say it."""

    tree: Tree
    refused: bool
    places: frozenset[int]


@dataclass(frozen=True)
class KeptSense:
    """Looks at rules as the meaning of one sentence.

    ``doing`` has the stems of what the tool of each class does, and ``values`` the words of the values that a
    field may have, ``recorded`` the stems of what records tell.
    """

    sentence: ForeignSentence
    doing: Mapping[str, Sequence[str]]
    values: Mapping[str, Collection[str]]
    recorded: frozenset[str]

    def holds(self, rule: Tree, used: frozenset[int], *, by_command: bool = False) -> bool:
        """Whether a rule, put together of some words, says nothing against the sense of the sentence.

        A rule over the parts of commands says what it does ``by_command``, not by the name of a tool.
        """
        return not self.slip(rule, used, by_command=by_command)

    def slip(self, rule: Tree, used: frozenset[int], *, by_command: bool = False) -> str:
        """What a rule says against the sense of the sentence; empty for nothing."""
        every = list(self._parts(rule[2], refused=rule[1] != "permit"))
        parts = [one for one in every if not any(_presumes(other, one) for other in every)]
        checks: Sequence[tuple[str, Callable[[], bool]]] = (
            ("case", lambda: rule[1:3] == ("permit", TRUE) and self._has_cases),
            ("contrast", lambda: self._takes_contrast(parts, used)),
            ("way", lambda: any(map(self._turns_way, parts))),
            ("closed", lambda: any(map(self._opens_what_is_closed, parts))),
            ("mixed", lambda: any(map(self._mixes_sides, parts))),
            ("nor", lambda: rule[1] != "permit" and rule[2][0] == "and" and self._joins_alternatives(parts)),
            ("neither", lambda: rule[1] != "permit" and any(map(self._turns_neither, parts))),
        )
        by_name: Sequence[tuple[str, Callable[[], bool]]] = (
            ("round", lambda: any(map(self._is_turned_round, parts))),
            ("side", lambda: rule[1] == "forbid" and self._turns_side(rule, parts)),
            ("exception", lambda: rule[1] != "permit" and self._leaves_exception_out(parts)),
            ("time", lambda: any(map(self._turns_time, parts))),
            ("zero", lambda: self._leaves_number_out(parts)),
            ("twice", lambda: self._says_twice(rule, parts)),
            ("person", lambda: rule[1] == "forbid" and self._refuses_what_is_asked(parts)),
            ("compared", lambda: self._leaves_comparison_out(parts)),
            ("name", lambda: rule[1] != "permit" and any(map(self._turns_name, parts))),
            ("least", lambda: rule[1] != "permit" and any(map(self._refuses_below, parts))),
            ("demand", lambda: self._leaves_demand_out(parts)),
            ("values", lambda: any(map(self._turns_value, parts))),
            ("bound", lambda: any(map(self._turns_number, parts))),
            ("bounds", lambda: _says_bound_twice(parts)),
            ("moved", lambda: any(map(self._moves_bound, parts))),
            ("decider", lambda: rule[1] == "ask" and any(map(self._asks_of_decider, parts))),
            ("clock", lambda: any(map(self._turns_clock, parts))),
            ("nothing", lambda: any(map(self._wants_a_price, parts))),
            ("source", lambda: any(map(self._turns_source, parts))),
            ("order", lambda: self._turns_order(rule, parts)),
            ("told", lambda: self._adds_what_is_told(rule)),
        )
        every_check = checks if by_command else (*checks, *by_name)
        return next((name for name, is_against in every_check if is_against()), "")

    @property
    def _norm(self) -> Cue | None:
        return self.sentence.norm.cue if self.sentence.norm is not None else None

    def _is_near(self, one: CueAt, at: int) -> bool:
        return 0 <= at - one.after <= 1 or 0 <= one.first - at - 1 <= 1

    # --- what a rule compares -----------------------------------------------------

    def _parts(self, condition: Tree, *, refused: bool) -> Iterator[Part]:
        match condition:
            case ("and" | "or", *parts):
                for one in parts:
                    yield from self._parts(one, refused=refused)
            case ("not", inner):
                yield from self._parts(inner, refused=not refused)
            case ("call", "any" | "all", ("gen", _, body, elements, _)) if not any(_earlier(elements)):
                yield from self._parts(body, refused=refused)
            case ("lit", "bool", _):
                return
            case _:
                operator, *sides = condition
                denied = operator in _DENIED
                tree = (_DENIED[operator], *sides) if denied else condition
                yield Part(tree, refused != denied, self._places(tree))

    def _places(self, tree: Tree) -> frozenset[int]:
        """The words that say the values of a comparison, or its field where it has none."""
        counted = [*self._said(tree[2])] if tree[0] in _ORDERS and _value(tree) else []
        if counted:
            return frozenset(counted)
        if classes := next(_earlier(tree), ()):
            said = (word for one in classes for word in self.doing.get(one, ()))
            return frozenset(at for word in said for at in self._at(word, _LIKELY))
        cue = Cue.USER if tree[:2] == ("in", _USER) else Cue.LOOKED_UP
        if cue is Cue.USER or tree[:2] == ("call", "looked_up"):
            return frozenset(at for one in self.sentence.at(cue) for at in range(one.first, one.after))
        values = [one for one in _literals(tree) if one[1] != "bool"]
        if len(tree) > _PAIR and tree[1][:1] == ("attr",) and tree[1][2] == "weekday":
            numbers = {one[2] for one in values}
            days = {day for number, day in enumerate(_DAYS, start=1) if number in numbers}
            return frozenset(
                word.number for word in self.sentence.words if word.low.removesuffix("s") in days
            )
        said = frozenset(at for one in values for at in self._said(one))
        if said:
            return said
        name, sure = next(iter(_fields(tree)), ""), _LIKELY if values else _SURE
        return frozenset(at for word in words_of_name(name).split() for at in self._at(stem(word), sure))

    def _said(self, literal: Tree) -> Iterator[int]:
        value = literal[2]
        for word in self.sentence.words:
            if word.literal is not None and (word.literal == value or _is_length(word.literal, value)):
                yield word.number
            if isinstance(value, time) and not value.minute and word.literal in (
                value.hour, timedelta(hours=value.hour),
            ):  # fmt: skip
                yield word.number
            if isinstance(value, time) and word.low.lstrip("0") == f"{value.hour}:{value.minute:02}":
                yield word.number
        if isinstance(value, str):
            every = [{*self._at(word)} for word in stems_of(words_of_name(value))]
            if every and all(every):
                yield from set[int]().union(*every)

    def _at(self, word: str, sure: float = _SURE) -> Iterator[int]:
        return (at for at, how in self.sentence.stems.get(word, ()) if at >= 0 and how >= sure)

    @property
    def _has_cases(self) -> bool:
        """Whether it is said in which case something holds."""
        return self.sentence.has(Cue.IF) or bool(self.sentence.excepted)

    # --- what is refused as it is said -----------------------------------------------

    def _is_turned_round(self, part: Part) -> bool:
        """Whether is refused what the sentence allows where it says it, or the other way round."""
        said = self._refused_where_said(part)
        return said is not None and said is not part.refused

    def _refused_where_said(self, part: Part) -> bool | None:
        """Whether the sentence refuses what a part says; None where its words do not tell.

        What is wanted, or excepted, is not refused; what stands elsewhere is. Each word that turns a part
        round where it is said turns that round once.
        """
        if part.tree[0] == "==" and not any(True for _ in _literals(part.tree)):
            return self._refuses_the_same
        sides = {self._side(at) for at in part.places}
        demanded = part.tree[0] == "is some" and self._norm is Cue.REQUIRE  # "a note must be given"
        if len(sides) != 1 or None in sides or demanded or not self._is_said(part.tree):
            return None
        as_said = self._as_said(part)
        return None if as_said is None else sides.pop() is (as_said is part.refused)

    @property
    def _refuses_the_same(self) -> bool | None:
        """False where what differs is refused: "never to another address"; None where that is not said."""
        sentence, norm = self.sentence, self.sentence.norm
        other = any(word.low in _DIFFERENT for word in sentence.words)
        forbids = norm is not None and norm.cue is Cue.FORBID and not sentence.has(Cue.ONLY, Cue.UNLESS)
        return False if forbids and other else None

    def _opens_what_is_closed(self, part: Part) -> bool:
        """Whether is not refused what is closed where others are open: "only a, and none with b"."""
        words, opening = self.sentence.words, self.sentence.at(Cue.ONLY, Cue.PERMIT)
        first = min((one.first for one in opening), default=len(words))
        denials = (word.number for word in words[first:] if word.low in _CLOSING_WORDS)
        closing = next((at for at in denials if words[at - 1].low in _CLOSES_AFTER), len(words))
        inner = {word.low for word in words[closing + 1 : min(part.places, default=0)]}
        return (
            not part.refused
            and bool(part.places)
            and min(part.places) > closing
            and inner.isdisjoint(_TURNING | _CLOSING_WORDS | {"outside", "except"})
        )

    def _mixes_sides(self, part: Part) -> bool:
        """Whether a rule treats values alike of which the sentence refuses one and not the other."""
        sides = [
            {self._side(at) for at in self._said(one)} for one in _literals(part.tree) if one[1] == "text"
        ]
        return {True} in sides and {False} in sides

    def _is_said(self, tree: Tree) -> bool:
        """Whether the words say with which value something is compared, if it is compared."""
        if tree[1][:1] == ("attr",) and tree[1][2] == "weekday":
            return True
        values = [one for one in _literals(tree) if one[1] != "bool" and one[2] not in (0, "")]
        return any(any(True for _ in self._said(one)) for one in values) or (
            not values and (tree[0] not in ("==", "in") or any(True for _ in _literals(tree)))
        )

    def _side(self, at: int) -> bool | None:
        """Whether what stands at a word is refused; None where the words around it do not tell."""
        sentence, norm = self.sentence, self.sentence.norm
        apart = norm is not None and self._is_apart(at, norm)
        if at in sentence.needless:
            return None
        if self._is_number(sentence.words[at]) and self._is_wanted_number(at):
            return False
        if at in sentence.excepted:
            allowed = self._norm is Cue.PERMIT or sentence.is_free
            return allowed if allowed or norm is not None or sentence.asks else None
        if sentence.is_free:
            return None if self._is_apart(at, next(sentence.at(Cue.NO_ASK))) else False
        if sentence.roles[at] is Role.GOOD and not sentence.says_which(at):
            two = any(one.cue is Cue.FORBID and one.first < at for one in sentence.main_norms)
            permits = norm is not None and norm.cue is Cue.PERMIT
            return None if permits and (apart or two) else self._side_of_wanted(at)
        only = next(sentence.at(Cue.ONLY), None)
        if norm is not None and norm.cue is Cue.PERMIT:
            asked = next(sentence.at(Cue.ASK), None) if only is None and norm.first < at else None
            is_two = asked is not None and self._is_apart(asked.first, norm)
            return False if is_two and not apart else None  # "may be up to 5, I approve the others"
        keeps = norm is not None and sentence.words[norm.first].low in _STAYING and norm.first < at
        limited = only is not None and (only.first > at or sentence.asks)  # "as emergencies only"
        return None if apart or keeps or limited else True

    def _is_wanted_number(self, at: int) -> bool:
        """Whether a number is the most or the least that is wanted: "it takes at most 2 days"."""
        sentence, norm, words = self.sentence, self.sentence.norm, self.sentence.words
        near = [one for one in sentence.comparisons if self._is_near(one, at)]
        cues = {*(one.cue for one in near), *self._limit_cues(at)}
        if not cues or not cues <= {Cue.AT_MOST, Cue.AT_LEAST}:
            return False
        if any(self._limits(at)) or sentence.asks:
            return any(self._limits(at))
        if norm is None or norm.cue is Cue.PERMIT:
            only = any(word.weight for one in sentence.at(Cue.ONLY) for word in words[one.after :])
            return not sentence.has(Cue.IF) and not only
        if norm.cue is Cue.REQUIRE and norm.after <= at:
            return _BORDERS.isdisjoint(word.low for word in words[norm.after : at])
        first = min((one.first for one in near), default=at)
        demanded = norm.cue is Cue.REQUIRE and norm.first - at <= _PAIR  # "at least 56 days must have passed"
        return demanded and words[max(0, first - 1)].low not in _BETWEEN

    def _side_of_wanted(self, at: int) -> bool | None:
        """Whether what seems wanted is not refused; None where it may say which things are meant."""
        sentence, only = self.sentence, next(self.sentence.at(Cue.ONLY), None)
        if only is not None:  # "only vets call off a surgery" tells nothing of the surgery
            between = [one for one in sentence.words[only.after : at] if one.weight or one.low in _JOINING]
            return None if len(between) > 1 and all(one.weight for one in between) else False
        if sentence.norm is not None:
            return False
        verb = next((one.number for one in sentence.words if one.number and one.low in _SAYING), at)
        return None if at <= verb else False

    def _is_apart(self, at: int, norm: CueAt) -> bool:
        """Whether a word stands in another clause than the norm, and in no condition that leads to it.

        So does what is named before it is said that all else is not to be.
        """
        sentence, first, last = self.sentence, min(at, norm.first), max(at, norm.first)
        marks = [one.number for one in sentence.words[:last] if one.low in ENDS_OF_CLAUSE]
        if any(not one.first for one in sentence.at(Cue.IF, Cue.UNLESS)):
            del marks[:1]
        if at < norm.first and sentence.words[norm.first - 1].low in ("and", "but"):
            return True
        rest = sentence.words[norm.after :] if norm.cue is Cue.FORBID else ()
        return any(one >= first for one in marks) or any(one.low in _ALL_BUT for one in rest)

    def _turns_side(self, rule: Tree, parts: Sequence[Part]) -> bool:
        """Whether a rule refuses something as it is said, or as it is not, and no word of the sentence does.

        What is refused as it is said needs a word that forbids: "a job is started twice" refuses nothing.
        What is refused where it is not so needs one that turns it, or demands it.
        """
        excepted = self.sentence.excepted
        sides = [None if one.places & excepted else self._as_said(one) for one in parts]
        if sides and all(sides) and not self._forbids:
            return True
        bounds = {
            (one.tree[1], as_said) for one, as_said in zip(parts, sides, strict=True)
            if one.tree[0] in _ORDERS and as_said is not None
        }  # fmt: skip
        if len(bounds) > len({thing for thing, _ in bounds}) and not self._forbids:
            return True  # "no earlier than 10:00 and later than 16:00"
        no_act = not self._acts(name for _, name in rule[3:])
        for one, as_said in zip(parts, sides, strict=True):
            if as_said is not False:
                continue
            if self._norm is Cue.FORBID and self._stands_under_norm(one) and not self._is_turned(one):
                return True
            if self._norm is None and one.tree[0] in _VALUED and no_act and not self._is_stated:
                return True
        return False

    def _refuses_what_is_asked(self, parts: Sequence[Part]) -> bool:
        """Whether is refused what a person is to agree to, as the sentence or its heading says."""
        sentence = self.sentence
        agreed = any(word.low in CONSENT for word in sentence.words)
        if agreed and any(one.tree[:2] == ("in", _USER) for one in parts):
            return True
        heading = ForeignSentence(sentence.around.partition("\n")[0])
        asks = sentence.asks or (self._norm is None and heading.asks and not heading.has(Cue.NO_ASK))
        return asks and not self._forbids and not sentence.has(Cue.ONLY)

    def _leaves_comparison_out(self, parts: Sequence[Part]) -> bool:
        """Whether two things are compared in a sentence, and a rule compares none: "more than was paid"."""
        words = self.sentence.words
        compared = any(
            one.cue in _UNEQUAL
            and words[one.after - 1].low in _THAN
            and words[one.after : one.after + 1]
            and words[one.after].low not in _COUNTING
            and _number_of(self.sentence, one) < 0
            for one in self.sentence.comparisons
        )
        if compared:
            return not any(one.tree[0] in _ORDERS or _called(one.tree) for one in parts)
        apart = any(  # "more power than the berth has"
            word.low == "than" and words[word.number - _PAIR].low in ("more", "less", "fewer")
            and not any(map(self._is_number, words[word.number : word.number + _NEAR]))
            for word in words[_PAIR:]
        )  # fmt: skip
        bounds = (one for one in parts if one.tree[0] in _ORDERS and not _value(one.tree))
        return apart and not any(map(_called, (one.tree for one in parts))) and not any(True for _ in bounds)

    def _turns_time(self, part: Part) -> bool:
        """Whether a rule tells how long ago something was, and the sentence how long it is to come."""
        match part.tree:
            case (_, ("-", ("attr", ("name", "call"), "time"), _), _):
                other, own = _AHEAD, _AGO
            case (_, ("-", _, ("attr", ("name", "call"), "time")), _):
                other, own = _AGO, _AHEAD
            case _:
                return False
        lows = {word.low for word in self.sentence.words}
        return not lows.isdisjoint(other) and lows.isdisjoint(own)

    def _turns_name(self, part: Part) -> bool:
        """Whether a flag is named by a denial that the sentence does not have, or has where it is refused."""
        denials = _own_denials(part.tree) if part.tree[0] == "attr" else frozenset[str]()
        if not denials:
            return False
        denied = not denials.isdisjoint(word.low.removesuffix("'s") for word in self.sentence.words)
        denied = denied or any(self.sentence.negated(at, _NEAR_NAMED) for at in part.places)
        return (part.refused is not denied) is not self.sentence.has(Cue.ONLY, Cue.UNLESS)

    def _as_said(self, part: Part) -> bool | None:
        """Whether a rule refuses what is said just as it is said; None where the words do not tell."""
        sentence = self.sentence
        if not part.places or _called(part.tree):
            return None
        if part.tree[0] in _ORDERS:
            more = self._says_more(part) if _value(part.tree) else None
            return None if more is None else more is ((part.tree[0] in (">", ">=")) is part.refused)
        if any(_earlier(part.tree)) and self._is_once:
            return None  # "once per run" is a limit
        empty = part.tree[0] == "==" and _value(part.tree)[2:] in ((0,), ("",))
        nothing = empty and not any(True for _ in self._said(part.tree[2]))
        missing = (nothing or part.tree[0] == "is some") and any(
            self._is_near(one, at) and not self._is_demanded(at, one) and not sentence.forbids(one.first)
            for one in sentence.at(Cue.MISSING)
            for at in part.places
        )
        denials = {bool(set(self._denials(part, at))) for at in self._decisive(part)}
        if len(denials) > 1 or (nothing and not missing and True not in denials):
            return None
        return part.refused is ((missing or True in denials) is nothing)

    def _decisive(self, part: Part) -> frozenset[int]:
        """Where the last word of the name of a flag is said, as "pass" of tests_pass; or else all places."""
        if part.tree[0] != "attr":
            return part.places
        last = stem(words_of_name(str(part.tree[2])).split()[-1])
        words = self.sentence.words
        own = (at for at in part.places if last in (words[at].stem, denied_part(words[at].low)))
        return frozenset(own) or part.places

    def _says_more(self, part: Part) -> bool | None:
        """Whether a number is said to be what something is more than, or less; None for neither."""
        words = self.sentence.words
        ends = {
            at: (at == first) is not self.sentence.negated(first)
            for first, then in self._ranges for at in (first, then)
        }  # fmt: skip
        lows = {word.low for at in part.places for word in words[max(0, at - _NEAR) : at]}
        cues = {cue for at in part.places for cue in (*self._compared(at), *self._limit_cues(at))} - {
            Cue.EXACTLY
        }
        if part.places <= ends.keys():
            said = {ends[at] for at in part.places}
        elif isinstance(_value(part.tree)[2], timedelta) and not lows.isdisjoint(
            ("later", "earlier", "sooner")
        ):
            return self._says_later(part)
        else:
            said = {one in _MORE for one in cues}
        return next(iter(said)) if len(said) == 1 else None

    def _says_later(self, part: Part) -> bool | None:
        """Whether a length of time is the least between two times: "no later than a day before the start"."""
        words = self.sentence.words
        said = set[bool]()
        for at in part.places:
            behind = [word.low for word in words[at + 1 : at + 1 + _NEAR]]
            ahead = any(low in ("before", "ahead", "prior") for low in behind)
            if not ahead and not any(low in ("after", "from", "since") for low in behind):
                return None
            said |= {(one in _MORE) is not ahead for one in self._compared(at) if one is not Cue.EXACTLY}
        return said.pop() if len(said) == 1 else None

    def _limit_cues(self, at: int) -> Iterator[Cue]:
        return (Cue.AT_MOST if one in _UPPER else Cue.AT_LEAST for one in self._limits(at))

    @property
    def _is_once(self) -> bool:
        words = self.sentence.words
        return any(
            word.low == "once"
            or (word.low == "one" and words[word.number - 1].low not in ("in", "of", "same"))
            for word in words
        )

    def _denials(self, part: Part, at: int) -> Iterator[int]:
        """Yield the words that deny what a part says at a word, each as the number after it.

        What the name of a field denies is denied by none, nor is what a "without" demands.
        """
        stems = {one for name in _said_names(part.tree) for one in stems_of(words_of_name(name))}
        sentence, own = self.sentence, _own_denials(part.tree)
        while at > 1 and sentence.joined(at - _PAIR, at) and sentence.words[at - _PAIR].literal is not None:
            at -= _PAIR  # "does not begin with “A” or “B”"
        word, negation = sentence.words[at], sentence.negation(at)
        follows = tuple(one.low for one in sentence.words[at + 1 : at + 1 + _PAIR])
        is_not = follows[:1] in _IS_NOT or follows in _IS_NOT
        if word.literal is not None and is_not and not any(map(sentence.forbids, (at + 1, at + _PAIR))):
            yield at + 1
        if word.stem not in stems and denied_part(word.low) in stems:
            yield at + 1  # place 0 counts, too
        denies = negation is not None and sentence.words[negation.first].low not in own
        if negation is not None and denies and not self._is_demanded(at, negation):
            yield negation.first + 1
        only = {number for one in sentence.at(Cue.ONLY) for number in range(one.first, one.after)}
        before = [one for one in sentence.words[max(0, at - _NEAR) : at] if one.low == "nothing"]
        if any(one.number not in only and not sentence.forbids(one.number) for one in before):
            yield at + 1
        for cue in sentence.at(Cue.USER):
            if cue.first <= at < cue.after:
                yield from (each + 1 for each in sentence.denials_around(cue))

    def _is_demanded(self, at: int, negation: CueAt) -> bool:
        """Whether a "without" says that what stands at a word is wanted: "never without a note"."""
        is_without = self.sentence.words[negation.first].low == "without"
        bounded = self._norm is not None or self.sentence.asks or self.sentence.has(Cue.ONLY)
        return is_without and bounded and self.sentence.roles[at] is Role.GOOD

    @property
    def _forbids(self) -> bool:
        """Whether a word forbids, or says what is excepted."""
        sentence = self.sentence
        forbidding = (one for one in (sentence.norm, *sentence.main_norms) if one is not None)
        ahead = self._norm is Cue.REQUIRE and any(word.low == "before" for word in sentence.words)
        return (
            ahead
            or any(one.cue is Cue.FORBID for one in forbidding)
            or any(word.low in _INVALID for word in sentence.words)
        )

    def _stands_under_norm(self, part: Part) -> bool:
        sentence, norm = self.sentence, self.sentence.norm
        long = {
            at for one in sentence.at(Cue.UNLESS) if sentence.words[one.first].low == "as"
            for at in sentence.what_follows(one)
        }  # fmt: skip
        return norm is not None and all(
            at > norm.first or at in sentence.told or at in long for at in part.places
        )

    def _is_turned(self, part: Part) -> bool:
        """Whether a word but the one that forbids may turn what a part says."""
        sentence, norm = self.sentence, self.sentence.norm
        taken = {at for one in sentence.main_norms[:1] for at in range(one.first, one.after)}
        taken |= set(range(norm.first, norm.after)) if norm is not None else set()
        compared = {at for one in sentence.comparisons for at in range(one.first, one.after)}
        taken |= {number - 1 for at in part.places for number in self._denials(part, at)}
        own = _own_denials(part.tree)
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

    @property
    def _is_stated(self) -> bool:
        """Whether it is said of something what it is, limited to something, or where else it is not so."""
        sentence = self.sentence
        return bool(
            sentence.has(Cue.ONLY, Cue.UNLESS)
            or sentence.comparisons
            or any(word.low in _SAYING for word in sentence.words)
        )

    def _refuses_below(self, part: Part) -> bool:
        """Whether less than a number is refused of which nothing says that it is the least."""
        limit = _value(part.tree) if part.tree[0] in _ORDERS else ()
        if not limit or not part.places or not isinstance(limit[2], Decimal | int):
            return False
        if limit[2] == 0:  # all that there is
            return part.refused and part.tree[0] == ">=" and not any(map(self._compared, part.places))
        below = (part.tree[0] in ("<", "<=")) is part.refused
        lows = {word.low for at in part.places for word in self.sentence.words[max(0, at - _NEAR) : at]}
        compared = {_number_of(self.sentence, one) for one in self.sentence.comparisons}
        compared |= {at for at in part.places if self._compared(at)}
        in_range = any(at in each for each in self._ranges for at in part.places)
        least = not _LOWER.isdisjoint(word.low for word in self.sentence.words)
        ordered = not lows.isdisjoint(("before", "after", "until", "from"))
        return below and not (least or ordered or in_range or part.places & compared)

    def _leaves_demand_out(self, parts: Sequence[Part]) -> bool:
        """Whether something else is wanted than the field that a sentence demands: "requires a reason"."""
        norm, words = self.sentence.norm, self.sentence.words
        if norm is None or norm.cue is not Cue.REQUIRE or self.sentence.asks:
            return False
        demanded = next((one for one in words[norm.after :] if one.low not in ("a", "an", "the")), None)
        if demanded is None or demanded.low not in self.sentence.names:
            return False
        return not any(demanded.low in _fields(one.tree) for one in parts)

    def _leaves_exception_out(self, parts: Sequence[Part]) -> bool:
        """Whether nothing of what a sentence excepts is in a rule, which then refuses that too."""
        scope = self.sentence.excepted
        if not scope or _is_consent(self.sentence, scope):
            return False
        return not any(one.places & scope or (not one.places and _called(one.tree)) for one in parts)

    # --- what is denied -----------------------------------------------------------

    def _takes_contrast(self, parts: Sequence[Part], used: frozenset[int]) -> bool:
        """Whether what is told before a contrast is refused by its word: "…, never made up"."""
        words, norm = self.sentence.words, self.sentence.norm
        if norm is None or norm.cue is not Cue.FORBID or norm.after - norm.first > 1 or not norm.first:
            return False
        is_apart = words[norm.first - 1].low in ENDS_OF_CLAUSE
        following = words[norm.after :]
        is_while = bool(following) and following[0].low == "while"
        if not (is_apart or is_while) or (following and following[0].low == "even"):
            return False
        end = next((one.number for one in following if one.low in ENDS_OF_CLAUSE), len(words))
        content = {one.number for one in words[norm.after : end] if one.weight}
        told = [one for one in parts if max(one.places, default=-1) < norm.first]
        refused = is_while or any(one.refused and one.tree[0] not in _ORDERS for one in told)
        return bool(told and content) and content.isdisjoint(used) and refused

    def _joins_alternatives(self, parts: Sequence[Part]) -> bool:
        """Whether is refused together what a "nor" refuses of each."""
        refused = [one.places for one in parts if one.refused and one.places and one.tree[0] != "is some"]
        return any(
            max(first) < word.number < min(then)
            for word in self.sentence.words if word.low == "nor" for first in refused for then in refused
        )  # fmt: skip

    def _turns_neither(self, part: Part) -> bool:
        """Whether something is refused that is told not to be so: "if it is neither paid nor packed"."""
        if part.tree[0] in _UNSIGNED or not part.places:
            return False
        words = self.sentence.words
        for word in words:
            clause = self._clause_from(word.number)
            if word.low != "neither" or not part.places <= clause or word.number in self.sentence.excepted:
                continue
            told = word.number in self.sentence.told
            verb = any(one.low in _BEING for one in words[max(0, word.number - 1) : word.number])
            if told and verb:
                return part.refused
            return not told and not verb and not part.refused
        return False

    def _clause_from(self, first: int) -> frozenset[int]:
        words = self.sentence.words
        ends = (one.number for one in words[first:] if one.low in ENDS_OF_CLAUSE)
        return frozenset(range(first, next(ends, len(words))))

    def _turns_way(self, part: Part) -> bool:
        """Whether what must not be moved out of a folder must not be moved into it."""
        into = part.refused and not _WHITHER.isdisjoint(_fields(part.tree))
        return into and any(
            pair == ("out", "of") for pair in pairwise(word.low for word in self.sentence.words)
        )

    def _turns_source(self, part: Part) -> bool:
        """Whether what the user named is refused where nothing may be made up."""
        norm = self.sentence.norm
        if part.tree[:2] != ("in", _USER) or not part.refused or norm is None or norm.cue is not Cue.FORBID:
            return False
        return any(word.low in _MADE_UP for word in self.sentence.words[norm.after :])

    # --- values -------------------------------------------------------------------

    def _turns_value(self, part: Part) -> bool:
        return (
            self._leaves_value_out(part)
            or self._leaves_text_out(part)
            or self._is_another_value(part)
            or self._mixes_values(part)
        )

    def _leaves_value_out(self, part: Part) -> bool:
        """Whether a value is refused beside one that is allowed: "in the interview or offer stage"."""
        match part.tree:
            case ("==" | "in", ("attr", _, str(name)), value) if not part.refused and name in self.values:
                given = {one[2] for one in _literals(value)}
                others = {one for one in self.values[name] if one not in given}
                beside = {at for place in part.places for at in self._beside(place)}
                return any(beside.intersection(self._said(("lit", "text", one))) for one in others)
            case _:
                return False

    def _leaves_text_out(self, part: Part) -> bool:
        """Whether a text is refused that stands beside one that is allowed: "nothing but GET and HEAD"."""
        match part.tree:
            case ("==" | "in", ("attr", _, str(name)), value) if not part.refused and name not in self.values:
                given = {at for one in _literals(value) for at in self._said(one)}
                words = self.sentence.words
                beside = (
                    at for place in given for at in (place - _PAIR, place + _PAIR) if 0 <= at < len(words)
                )
                return any(
                    isinstance(words[at].literal, str)
                    or (words[at].literal is None and words[at].weight >= 1)
                    for at in beside
                    if at not in given and any(self.sentence.joined(*sorted((at, one))) for one in given)
                )
            case _:
                return False

    def _beside(self, place: int) -> Iterator[int]:
        """The words that a word or its noun is joined with: "packed orders and shipped ones"."""
        words = self.sentence.words
        for step in (-1, 1):
            at, joined, left = place + step, False, _BESIDE
            while 0 <= at < len(words) and left and words[at].low not in _DENYING:
                if words[at].low in _JOINING:
                    joined = True
                elif words[at].low not in _NEXT_TO:
                    left -= 1
                    if joined:
                        yield at
                at += step

    def _is_another_value(self, part: Part) -> bool:
        """Whether a value stands for a word that is the name of another, or says what is done."""
        every = frozenset(one for values in self.values.values() for one in values)
        return any(
            self._is_of_a_longer(one[2]) or (
                bool(places := self._faintly(one[2]))
                and all(self._exact(at) - {one[2]} or self._is_act(at) for at in places)
            )
            for one in _literals(part.tree) if one[2] in every
        )  # fmt: skip

    def _is_of_a_longer(self, value: str) -> bool:
        """Whether the words of a value are said only as a part of another: "card" in "gift card"."""
        said = frozenset(self._said(("lit", "text", value)))
        own = set(words_of_name(value).casefold().split())
        longer = {
            tuple(words_of_name(one).casefold().split()) for values in self.values.values() for one in values
        }
        lows = [word.low for word in self.sentence.words]
        covered = {
            at
            for words in longer if own < {*words}
            for first in range(len(lows)) if (*lows[first : first + len(words)],) == words
            for at in range(first, first + len(words))
        }  # fmt: skip
        return bool(said) and said <= covered

    def _faintly(self, value: str) -> frozenset[int]:
        """Where a value may be said, also by another word, if nowhere by its own."""
        words = words_of_name(value).casefold().split()
        named = {*words, f"{words[-1]}s"}
        own = frozenset(at for at, low in enumerate(self._nouns) if low in named)
        if own:
            return own if all(map(self._is_act, own)) else frozenset()
        return self._any_word_at(value)

    def _any_word_at(self, value: str) -> frozenset[int]:
        words = words_of_name(value).split()
        return frozenset(at for word in words for at in self._at(stem(word), _FAINT))

    @property
    def _nouns(self) -> Iterator[str]:
        return (word.low.removesuffix("'s") for word in self.sentence.words)

    def _exact(self, at: int) -> frozenset[str]:
        """The values whose name a word is."""
        low = self.sentence.words[at].low.removesuffix("'s")
        every = (one for values in self.values.values() for one in values)
        return frozenset(one for one in every if low in (one.casefold(), f"{one.casefold()}s"))

    def _is_act(self, at: int) -> bool:
        """Whether a word says what must not be done: "can be neither moved nor cancelled"."""
        norm, word = self.sentence.norm, self.sentence.words[at]
        tells = self.sentence.told.keys() | self.sentence.excepted
        if norm is None or norm.cue is not Cue.FORBID or at <= norm.first or at in tells:
            return False
        does = any(word.stem == words[0] for words in self.doing.values() if words)
        return does and word.low.endswith("ed") and not self.sentence.is_adjective(at)

    def _mixes_values(self, part: Part) -> bool:
        """Whether values of different clauses are taken together, or one that is not said."""
        if part.tree[0] != "in" or len(part.tree[2]) < _PAIR or part.tree[2][0] != "set":
            return False
        values = [*_literals(part.tree[2])]
        said = [frozenset(self._said(one)) for one in values]
        known = frozenset[int]().union(*said)
        unsaid = (one[2] for one, at in zip(values, said, strict=True) if not at and isinstance(one[2], str))
        if known and any(known.issuperset(self._any_word_at(one)) for one in unsaid):
            return True
        sides = [{(self.sentence.roles[at], self.sentence.told.get(at)) for at in one} for one in said if one]
        return any(first.isdisjoint(second) for first, second in pairwise(sides))

    # --- numbers ------------------------------------------------------------------

    def _turns_number(self, part: Part) -> bool:
        """Whether a bound is compared for equality, or a number that nothing says to be the only one."""
        if part.tree[0] not in ("==", "in"):
            return False
        counted = [one for one in _literals(part.tree[2]) if _counts(one[2]) and one[2] != 0]
        if part.tree[1][:1] == ("attr",) and part.tree[1][2] == "weekday":
            return bool(counted) and self._names_range_of_days
        only = self._norm is Cue.REQUIRE or self.sentence.has(Cue.ONLY, Cue.EXACTLY)
        only = only or any(word.low == "else" for word in self.sentence.words)
        only = only or part.refused or part.tree[0] == "in"
        return any(
            self._is_bound(one) or not (only or any(map(self._is_excluded, self._said(one))))
            for one in counted
        )

    def _is_excluded(self, at: int) -> bool:
        """Whether a number is all that is not meant: "other than 443"."""
        lows = {word.low for word in self.sentence.words[max(0, at - _PAIR) : at]}
        return not lows.isdisjoint(("than", "except", "but", "not"))

    @property
    def _names_range_of_days(self) -> bool:
        days = [word for word in self.sentence.words if word.low.removesuffix("s").endswith("day")]
        return any(
            second.number - first.number == _PAIR
            and self.sentence.words[first.number + 1].low in ("to", "till", "until", "through", "-", "–")
            for first, second in pairwise(days)
        )

    def _is_bound(self, literal: Tree) -> bool:
        """Whether a number is said to be a bound wherever it stands."""
        places = [*self._said(literal)]
        return bool(places) and all(map(self._is_compared, places))

    def _is_compared(self, at: int) -> bool:
        lows = [word.low for word in self.sentence.words[max(0, at - _NEAR) : at]]
        compares = "between" in lows or any(
            low.endswith("er") and low not in _NO_COMPARISON and then == "than"
            for low, then in pairwise(lows)
        )
        compares = compares or any(at in each for each in self._ranges)
        return compares or any(one is not Cue.EXACTLY for one in self._compared(at))

    def _compared(self, at: int) -> frozenset[Cue]:
        """How a number is compared by the words beside it."""
        return frozenset(one.cue for one in self.sentence.comparisons if self._is_near(one, at))

    def _leaves_number_out(self, parts: Sequence[Part]) -> bool:
        """Whether something is more than nothing, and a number that the sentence says is left out."""
        said = {at for one in parts for at in one.places}
        unsaid = any(one.tree[0] == ">" and _value(one.tree)[2:] == (0,) for one in parts)
        compared = any(
            one.cue in _UNEQUAL
            and [word.low for word in self.sentence.words[one.after : one.after + 1]] != ["nothing"]
            for one in self.sentence.comparisons
        )
        return unsaid and not (
            said.issuperset(self.sentence.numbers) and (self.sentence.numbers or not compared)
        )

    def _limits(self, at: int) -> Iterator[str]:
        """The noun of a limit that goes with a number, behind it or else before it."""
        words = self.sentence.words
        if words[at + 1 : at + 2] and words[at + 1].low in _UPPER | _LOWER:
            yield words[at + 1].low
            return
        for word in reversed(words[max(0, at - _NEAR_NUMBER) : at]):
            if word.literal is not None or word.low in _JOINTS:
                return
            if word.low in _UPPER | _LOWER:
                yield word.low
                return

    def _moves_bound(self, part: Part) -> bool:
        """Whether the number of a bound is on its other side: "more than 20" is not said of 20."""
        if part.tree[0] not in _ORDERS or not _value(part.tree) or not part.places:
            return False
        if any(_earlier(part.tree)) and part.tree[1][:1] != ("+",):
            return False  # what was done 20 times before is done for the 21st time
        near = [
            one for one in self.sentence.comparisons
            if one.cue is not Cue.EXACTLY and any(self._is_near(one, at) for at in part.places)
        ]  # fmt: skip
        cue = near[0].cue if len(near) == 1 else None
        joined = any(one.first and self.sentence.words[one.first - 1].low == "or" for one in near)
        if cue is None or joined or isinstance(_value(part.tree)[2], timedelta | time):
            return False
        same = (cue in _MORE) is (part.tree[0] in (">", ">="))
        return (part.tree[0] in (">=", "<=")) is not ((cue in (Cue.AT_MOST, Cue.AT_LEAST)) is same)

    def _asks_of_decider(self, part: Part) -> bool:
        """Whether a person is asked where the one who is to be asked acts: "managers decide on refunds"."""
        valued = part.tree[0] in ("==", "in") and part.refused
        return valued and bool(part.places) and part.places <= self.sentence.approvers

    def _turns_clock(self, part: Part) -> bool:
        """Whether a time is refused at which something is done: "before 7:00 or after 19:00"."""
        norm, words = self.sentence.norm, self.sentence.words
        if part.tree[0] not in _ORDERS or not any(isinstance(one[2], time) for one in _literals(part.tree)):
            return False
        told = {at for at in part.places if at and words[at - 1].low in ("before", "after")}
        earlier = {words[at - 1].low == "before" for at in told}
        apart = norm is None or (max(told, default=0) < norm.first and words[norm.first - 1].low in _JOINTS)
        limited = any(one.first < max(told, default=0) for one in self.sentence.at(Cue.IF, Cue.ONLY))
        if len(earlier) != 1 or not apart or limited or self.sentence.asks:
            return False
        return (part.tree[0] in ("<", "<=")) is (part.refused in earlier)

    def _wants_a_price(self, part: Part) -> bool:
        """Whether something has to cost what is "free of charge"."""
        if not any(pair == ("free", "of") for pair in pairwise(word.low for word in self.sentence.words)):
            return False
        nothing = _value(part.tree)[2:] == (0,) if len(part.tree) > _PAIR else part.tree[0] == "is some"
        return nothing and part.refused is (part.tree[0] in ("==", "<=", "<"))

    @property
    def _ranges(self) -> Iterator[tuple[int, int]]:
        """The numbers between "from" or "between" and "to" or "and"."""
        words = self.sentence.words
        for one in words:
            if one.low in ("from", "between"):
                near = [
                    word.number for word in words[one.number + 1 : one.number + 8] if self._is_number(word)
                ]
                joints = {word.low for word in words[near[0] : near[1]]} if len(near) > 1 else set[str]()
                if not joints.isdisjoint(("to", "and", "till", "until")):
                    yield near[0], near[1]

    def _is_number(self, word: ForeignWord) -> bool:
        return isinstance(word.literal, Decimal | timedelta) or ":" in word.text[1:]

    # --- order --------------------------------------------------------------------

    def _turns_order(self, rule: Tree, parts: Sequence[Part]) -> bool:
        """Whether a rule asks for a call before another, and the sentence for none, or for it afterwards."""
        if self.sentence.has(Cue.CALLER):
            return False  # who is logged in is what a tool may tell
        own = {name for _, name in rule[3:]}
        then = self._acts(own)
        for part in parts:
            classes = next(_earlier(part.tree), ())
            if not classes or own & {*classes}:
                continue
            first = self._acts(classes)
            is_looked_up = not _READING.isdisjoint(
                word for one in classes for word in self.doing.get(one, ())[:1]
            )
            is_main = not then and not is_looked_up and bool(first - self.sentence.told.keys())
            is_main = is_main and not any(first <= earlier for earlier, _ in self._orders)
            is_one = then == first and len(first) == 1  # one word names what comes first and what comes then
            if not first or is_main or is_one or self._is_before(then, first):
                return True
            if not part.refused and not self._says_order:
                return True
            if part.refused and self._is_demanded_before(first, then):
                return True
        looked_up = any(one.tree[:2] == ("call", "looked_up") for one in parts)
        first = self._consents if rule[1] == "ask" else self._looking_up if looked_up else frozenset[int]()
        return self._is_before(then, first) or self._asks_of_first(then)

    @property
    def _consents(self) -> frozenset[int]:
        """The words that say that a person agrees, which comes first."""
        asked = {at for one in self.sentence.at(Cue.ASK) for at in range(one.first, one.after)}
        return frozenset(asked).union(word.number for word in self.sentence.words if word.low in CONSENT)

    @property
    def _looking_up(self) -> frozenset[int]:
        return frozenset(at for one in self.sentence.at(Cue.LOOKED_UP) for at in range(one.first, one.after))

    def _asks_of_first(self, own: frozenset[int]) -> bool:
        """Whether a rule is about what has to come first: "read the sensors before you change"."""
        if self._norm is not None or not own:
            return False
        others = frozenset(at for one in self.doing for at in self._acts([one])) - own
        return any(
            word.low == "before" and word.number and max(own) < word.number < max(others, default=-1)
            and not any(one.number in others for one in self.sentence.words[: word.number])
            for word in self.sentence.words
        )  # fmt: skip

    @property
    def _says_order(self) -> bool:
        cues = self.sentence.at(Cue.LOOKED_UP, Cue.EARLIER, Cue.SINCE, Cue.UNLESS, Cue.IF)
        return any(self.sentence.words[one.first].low not in ("once", "twice", "run") for one in cues)

    def _acts(self, classes: Iterable[str]) -> frozenset[int]:
        """The words that say what tools do; what reads is named by "look up" too."""
        verbs = {word for one in classes for word in self.doing.get(one, ())[:1]}
        acts = {at for word in verbs for at in self._at(word)}
        acts = acts or {at for word in verbs for at in self._at(word, _LIKELY)}
        if not verbs.isdisjoint(_READING):
            acts |= {at for one in self.sentence.at(Cue.LOOKED_UP) for at in range(one.first, one.after)}
        return frozenset(acts)

    def _adds_what_is_told(self, rule: Tree) -> bool:
        """Whether a rule is about a tool too whose act only tells which is meant: "that is published".

        It is about none of them where that "stays as it is".
        """
        norm = self.sentence.norm
        acts = [at for _, name in rule[3:] if (at := self._acts([name]))]
        if norm is not None and norm.cue is Cue.REQUIRE:  # "has to be a published article"
            after = range(norm.after, len(self.sentence.words))
            if any(all(at in after and self.sentence.is_adjective(at) for at in one) for one in acts):
                return True
        stays = norm is not None and self.sentence.words[norm.first].low in _STAYING
        told = frozenset(self.sentence.told).union(self.sentence.described if stays else ())
        only_told = [one <= told for one in acts]
        return any(only_told) and (stays or not all(only_told) or len(acts) < len(rule[3:]))

    def _is_demanded_before(self, first: frozenset[int], then: frozenset[int]) -> bool:
        """Whether one act has to come before another, which is then not forbidden after it."""
        after = any(word.low in ("after", "once") for word in self.sentence.words)
        return not (after and self._norm is Cue.FORBID) and self._is_before(first, then)

    def _is_before(self, first: frozenset[int], then: frozenset[int]) -> bool:
        """Whether the sentence says that one act comes before another."""
        return any(
            first & earlier and then & later and not first & later and not then & earlier
            for earlier, later in self._orders
        )

    @property
    def _orders(self) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
        """The words of what comes first, and of what comes then."""
        words = self.sentence.words
        every = range(len(words))
        for word in words:
            at = word.number
            comma = next((one.number for one in words[at:] if one.low == ","), len(words))
            behind = frozenset(every[at + 1 : comma if not at else None])
            rest = frozenset(every) - behind - {at}
            if word.low == "before":
                yield (behind, rest) if self._norm is Cue.FORBID else (rest, behind)
            elif word.low in ("after", "once", "until", "till"):
                yield behind, rest
            elif word.low == "then":
                yield frozenset(every[:at]), frozenset(every[at + 1 :])
            elif word.low == "already":
                yield behind, frozenset(every[:at])

    # --- words said twice ---------------------------------------------------------

    def _says_twice(self, rule: Tree, parts: Sequence[Part]) -> bool:
        """Whether a word makes a rule ask or forbid and names what it compares: "in person"."""
        sentence = self.sentence
        named = frozenset(at for one in parts for at in one.places)
        if rule[1] == "ask" and sentence.asks:
            said = [one for one in sentence.at(Cue.ASK, Cue.NO_ASK)]
            norm = sentence.norm
            if norm is not None and norm.cue is Cue.FORBID and any(one.first == norm.after for one in said):
                return bool(
                    self._acts(name for _, name in rule[3:]) & {norm.after}
                )  # "can't sign off a report"
            return bool(said) and all(_is_named(one, named) or self._is_recorded(one) for one in said)
        norm = sentence.norm
        if rule[1] == "forbid" and norm is not None and norm.cue is Cue.FORBID:
            denies = any(
                word.low == "not" or word.low.endswith("n't")
                for word in sentence.words[norm.first : norm.after]
            )
            return denies and _is_named(norm, named)
        return False

    def _is_recorded(self, one: CueAt) -> bool:
        """Whether a phrase of consent is a value, as "in person", or what a record tells."""
        words = self.sentence.words[one.first : one.after]
        said = "_".join(word.low for word in words)
        if any(said == value.casefold() for values in self.values.values() for value in values):
            return True
        return any(word.stem in self.recorded - _APPROVALS for word in words) and not any(
            word.low in _OWN for word in words
        )


def _presumes(one: Part, other: Part) -> bool:
    """Whether a part says only that what another reads is there."""
    return other.tree[0] == "is some" and one is not other and _reads(one.tree, other.tree[1])


def _reads(tree: Tree, thing: Tree) -> bool:
    return any(part == thing or _reads(part, thing) for part in tree[1:] if is_tree(part) and part)


def _says_bound_twice(parts: Sequence[Part]) -> bool:
    """Whether two bounds of one side are said of one thing, or a bound and its value."""
    bounds = [
        (one.tree[1], "<" if (one.tree[0] in ("<", "<=")) else ">", one.refused)
        for one in parts if one.tree[0] in _ORDERS and _value(one.tree) and one.places
    ]  # fmt: skip
    values = {(one.tree[1], one.refused) for one in parts if one.tree[0] == "==" and _value(one.tree)}
    return len(bounds) > len({*bounds}) or any((thing, side) in values for thing, _, side in bounds)


def _is_named(one: CueAt, named: frozenset[int]) -> bool:
    return not named.isdisjoint(range(one.first, one.after))


def _is_consent(sentence: ForeignSentence, scope: frozenset[int]) -> bool:
    """Whether what is excepted is that somebody agrees."""
    if not sentence.asks:
        return False
    asked = {at for one in sentence.at(Cue.ASK, Cue.NO_ASK) for at in range(one.first, one.after)}
    return not asked.isdisjoint(scope) or any(sentence.words[at].low in CONSENT for at in scope)


def _is_length(said: object, value: object) -> bool:
    """Whether a length of time is so many of a unit, as a field of days has them."""
    return isinstance(said, timedelta) and isinstance(value, int | Decimal) and any(
        said / unit == value for unit in _UNITS)  # fmt: skip


def _called(tree: Tree) -> bool:
    return tree[0] == "call" and tree[1] not in ("any", "all", "len", "sum", "looked_up")


def _counts(value: object) -> bool:
    return isinstance(value, Decimal | timedelta | time | int) and not isinstance(value, bool)


def _value(tree: Tree) -> Tree:
    """What something is compared with, if that is written out."""
    return tree[2] if tree[2][0] == "lit" and tree[2][1] != "bool" else ()


def _literals(tree: Tree) -> Iterator[Tree]:
    if tree[0] == "lit":
        yield tree
        return
    for part in tree[1:]:
        if is_tree(part) and part:
            yield from _literals(part)


def _fields(tree: Tree) -> Iterator[str]:
    """The fields and records that are read, the outermost first."""
    if tree[0] == "lit":
        return
    if tree[0] in ("attr", "method"):
        yield tree[2]
    for part in tree[1:]:
        if is_tree(part) and part:
            yield from _fields(part)


def _said_names(tree: Tree) -> Sequence[str]:
    """The texts that something is compared with, or else the field that is read."""
    values = [str(one[2]) for one in _literals(tree) if isinstance(one[2], str)]
    return values or [*_fields(tree)][:1]


def _own_denials(tree: Tree) -> frozenset[str]:
    """The words of the name of a field that deny something: "nobody" of nobody_home."""
    words = (word for name in [*_fields(tree)][:1] for word in words_of_name(name).casefold().split())
    return _DENIALS_OF_NAMES.intersection(words)


def _earlier(tree: Tree) -> Iterator[tuple[str, ...]]:
    """The classes of the earlier calls that are looked at."""
    match tree:
        case ("lit", *_):
            return
        case ("method", _, "earlier", *classes):
            yield tuple(name for _, name in classes)
        case _:
            for part in tree[1:]:
                if is_tree(part) and part:
                    yield from _earlier(part)


# --- words that a rule does not say ---


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
    after = range(one.after, min(len(sentence.words), one.after + _NEAR_NUMBER))
    before = range(one.first - 1, max(-1, one.first - _NEAR_NUMBER), -1)
    return next((at for at in (*after, *before) if _is_amount(sentence.words[at])), -1)


def _is_amount(word: ForeignWord) -> bool:
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


def _is_in_order(sentence: ForeignSentence, at: int, named: frozenset[int], *, in_time: bool) -> bool:
    """Whether a rule says which comes first: by what it tells of times, or "after a complaint" by that.

    "Only before" says what was not, and "5 days after" when. What is approved or looked up comes first.
    """
    word, before = sentence.words[at], sentence.words[max(0, at - 1)]
    if word.low == "after" and not named.isdisjoint(range(at + 1, at + 1 + _SHORT)):
        return True
    ends = (one.number for one in sentence.words[at + 1 :] if one.low in ENDS_OF_CLAUSE)
    behind = range(at + 1, next(ends, len(sentence.words)))
    asked = {one.first for one in sentence.at(Cue.ASK, Cue.LOOKED_UP)}
    first = any(number in asked or sentence.words[number].low in CONSENT for number in behind)
    forbids = sentence.norm is not None and sentence.norm.cue is Cue.FORBID
    if (word.low == "after" and not first) or (word.low == "before" and first and not forbids):
        return False
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
