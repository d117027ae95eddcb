"""Attempts just outside of a test of a rule: what the test would be if it looked at a little more.

The other end of a span of time, the calls before this one, different persons instead of so many entries. The
solver searches a run that the rule allows and the other test would stop, and the policy decides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from workbench.clarify.written.acts_of_tools import base_of, open_tools
from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import Attacked, made_object, words_of
from workbench.clarify.written.attempts import Attempt, Try, beside, if_given, offering
from workbench.clarify.written.attempts_at_amounts import is_counted, is_never_negative, is_of_one_call
from workbench.clarify.written.attempts_at_lists import is_about_some, quantified
from workbench.clarify.written.attempts_at_records import stopped_runs
from workbench.clarify.written.attempts_on_the_same_thing import ADDING, TAKING, contrary
from workbench.clarify.written.book import MIRRORED, Path, SaidRule, at, places, reads, replaced
from workbench.clarify.written.said_of_another_tool import usual_call
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, FALSE, RUN, TRUE, Tree, joined, negated, with_instead
from workbench.language.words import things
from workbench.model import Json, Kind, Record
from workbench.runs.values.name_words import amount_named

_MOST_SEARCHED = 2
"""The most runs of one kind that are searched for a rule: a search without a run takes longest."""
_SPANS = tuple(
    tuple(frozenset(end.split()) for end in row.split("|"))
    for row in (
        "start starts begin begins from since first opens pickup in arrival valid"
        "|end ends finish until to till last closes return dropoff out departure expires",
        "departure outbound depart|return inbound",
    )
)
"""Words of parameters for the two ends of a span."""
_SPANNING = (Kind.DATE, Kind.DATETIME)
_NUMBERS = (Kind.INT, Kind.DECIMAL)
_EARLIER: Tree = ("name", "e")
_SETTING = frozenset(("set", "update", "change", "edit", "modify", "replace", "define", "adjust"))
_REMAINING = frozenset(("left", "remaining", "remainder", "balance", "available", "open", "free", "stock"))
"""Words of fields of records that say how much there is after all that was done."""
_PERSONS = frozenset((
    "approver", "author", "by", "employee", "from", "judge", "manager", "member", "name", "owner", "person",
    "reviewer", "sender", "signer", "user", "voter", "who", "witness",
))  # fmt: skip
_JUDGEMENTS = frozenset((
    "agreement", "approval", "audit", "check", "confirmation", "consent", "inspection", "review", "sign",
    "signature", "test", "vote",
))  # fmt: skip
_DIFFERENT = re.compile(
    r"\b(?:people|persons?|different|distinct|independent|separate|others?|colleagues|employees|managers"
    r"|members|reviewers|approvers|doctors|nurses|officers|witnesses|both)\b"
)


def attempts_near_conditions(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts just outside of what a rule compares."""
    rule = attacked.unfolded
    for kind in (
        _narrowed_calls, _narrowed, _nothing_known, _no_element, _put_into_list, _in_another_state,
        _in_longer_time, _one_of_many, _own_approval, _beside_in_elements,
    ):  # fmt: skip
        yield from islice(kind(attacked, rule), _MOST_SEARCHED)
    for one in _compared(rule):
        yield from _other_end(attacked, rule, one)
        yield from _several_calls(attacked, rule, one)
        yield from _change_upon_change(attacked, rule, one)
        yield from _same_person(attacked, rule, one)
        yield from _opposite_below_zero(attacked, rule, one)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison by order at a place of a rule, read so that what is more may be stopped by it."""

    path: Path
    atom: Tree
    more: Tree
    less: Tree
    is_strict: bool

    def instead(self, rule: SaidRule, old: Tree, new: Tree) -> Tree:
        """The rule with something else in the place of a part of the comparison."""
        return rule.with_condition(replaced(rule.condition, self.path, with_instead(self.atom, old, new)))

    def too(self, rule: SaidRule, said: Tree) -> Tree:
        """The rule that looks at something else besides the comparison."""
        word = "and" if rule.form == "permit" else "or"
        return rule.with_condition(replaced(rule.condition, self.path, joined(word, [self.atom, said])))


def _compared(rule: SaidRule) -> Iterator[_Compared]:
    """Yield the comparisons of a rule, with the side of which too much is stopped first."""
    for path, atom in places(rule.condition):
        if len(atom) != 3 or atom[0] not in MIRRORED:
            continue
        stops, tree = rule.form != "permit", rule.condition
        for step in path:
            stops ^= tree[0] == "not"
            tree = tree[step]
        is_upper = (atom[0] in (">", ">=")) is stops
        more, less = (atom[1], atom[2]) if is_upper else (atom[2], atom[1])
        yield _Compared(path, atom, more, less, atom[0] in (">", "<"))


def _own(attacked: Attacked, side: Tree, *kinds: Kind) -> CallField | None:
    """The one parameter in a side of a comparison that is of a kind; None for none or several."""
    read = [
        one
        for one in attacked.call_type.fields
        if one.type.kind in kinds and any(part == ("attr", CALL, one.name) for _, part in places(side))
    ]
    return read[0] if len(read) == 1 else None


def _shown(attacked: Attacked, kind: str, said: Tree, why: str, about: str, *likely: Tree) -> Attempt:
    """An attempt with a run that is allowed, and that the rule would stop if it said something else.

    Where there is one with what is ``likely``, it is shown.
    """

    def runs() -> Iterator[Calls]:
        found = (
            None if attacked.searched_in_vain >= _MOST_SEARCHED else next(stopped_runs(attacked, said), None)
        )
        attacked.searched_in_vain += found is None
        if found is not None:
            whole: Tree = (*said[:2], joined("and", [said[2], *likely]), *said[3:])
            is_other = bool(likely) and attacked.rule.form != "permit"
            yield next(stopped_runs(attacked, whole), found) if is_other else found

    effects = [Effect({attacked.rule.name: said})]
    return Attempt(kind, (Try(calls, why) for calls in runs()), offering(*effects), about=about)


_MUCH: Tree = ("lit", "int", 49)
"""What an amount is shown to be more than, where there is such a run."""
_DAYS: Mapping[Kind, Tree] = {
    Kind.DATE: ("lit", "date", date(2026, 1, 5)),
    Kind.DATETIME: ("lit", "moment", datetime(2026, 1, 5, tzinfo=UTC)),
}


# --- the other end of a span


def _other_end(attacked: Attacked, rule: SaidRule, one: _Compared) -> Iterator[Attempt]:
    """A span that begins before a bound and ends after it, of which a rule looks at one end."""
    for side, ends in ((one.more, (0, 1)), (one.less, (1, 0))):
        own = _own(attacked, side, *_SPANNING)
        if own is None:
            continue
        for row in _SPANS:
            here, there = row[ends[0]], row[ends[1]]
            if not {*words_of(own.name)} & here:
                continue
            for other in attacked.call_type.fields:
                read = attacked.trials.read_of(attacked.tool)
                is_end = {*words_of(other.name)} & there and other.type.kind is own.type.kind
                if not is_end or other == own or any(text == f"call.{other.name}" for text in read):
                    continue
                name = _said(other.name)
                moved = one.instead(rule, ("attr", CALL, own.name), ("attr", CALL, other.name))
                atom = at(moved[2], one.path)
                given: list[Tree] = [("is some", ("attr", CALL, other.name))] if other.type.optional else []
                said = atom if rule.form == "permit" and not given else joined("and", [*given, atom])
                if rule.form == "permit" and given:
                    said = joined("or", [negated(given[0]), atom])
                yield _shown(
                    attacked,
                    "other end",
                    one.too(rule, said),
                    f"the rule looks at its {_said(own.name)} alone, and its {name} is beyond that",
                    other.name,
                    (">", ("attr", CALL, own.name), _DAYS[own.type.kind]),
                )
                return


def _said(name: str) -> str:
    return name.replace("_", " ").strip()


# --- several calls against what a record has


@dataclass(frozen=True, slots=True)
class _OfRecord:
    """A field of a record that a rule reads by a parameter of the call."""

    record: Record
    field: str
    parameter: str

    @property
    def is_left(self) -> bool:
        """Whether it says how much there is after all that was done."""
        return bool({*words_of(self.field)} & _REMAINING)


def _of_record(attacked: Attacked, side: Tree) -> _OfRecord | None:
    """The field of a record, by a parameter of the call, that a side of a comparison reads."""
    records = {one.name: one for one in attacked.book.agent.records}
    for _, part in places(side):
        if part[0] == "attr" and part[1][:2] == ("method", RUN) and part[1][2] in records:
            keys = part[1][3:]
            if len(keys) == 1 and keys[0][:2] == ("attr", CALL):
                return _OfRecord(records[part[1][2]], str(part[2]), str(keys[0][2]))
    return None


def _of_earlier(attacked: Attacked, of: _OfRecord, value: Tree, *more: Tree) -> Tree:
    """The sum of a value over the earlier calls of the tool for the same record."""
    same: Tree = ("==", ("attr", _EARLIER, of.parameter), ("attr", CALL, of.parameter))
    counted = joined("and", [same, *more, ("not", ("attr", _EARLIER, "failed"))])
    calls: Tree = ("method", _since_told(attacked, of), "earlier", *attacked.rule.tree[3:])
    return ("call", "sum", ("gen", _EARLIER, value, calls, counted))


def _since_told(attacked: Attacked, of: _OfRecord) -> Tree:
    """The run; for what says how much is left the part since it was last looked up."""
    look_up = of.record.look_up
    types = attacked.book.language.types.calls.items()
    found = next(
        ((name, one) for name, one in types if look_up is not None and one.tool == look_up.tool), None
    )
    if not of.is_left or found is None:
        return RUN
    name, told = found
    key = next((one.name for one in told.fields if one.name == of.parameter), None)
    if key is None:
        return RUN
    same: Tree = ("==", ("attr", _EARLIER, key), ("attr", CALL, of.parameter))
    return (
        "method",
        RUN,
        "since",
        ("gen", _EARLIER, _EARLIER, ("method", RUN, "earlier", ("name", name)), same),
    )


def _several_calls(attacked: Attacked, rule: SaidRule, one: _Compared) -> Iterator[Attempt]:
    """Several calls that together take more than a record has, of which a rule looks at each alone."""
    of = _of_record(attacked, one.atom)
    if of is None or is_of_one_call(attacked) or len(attacked.rule.classes) != 1:
        return
    for side, is_more in ((one.more, True), (one.less, False)):
        own = _own(attacked, side, *_NUMBERS)
        if own is None or _is_refreshed(attacked, of) or {*words_of(attacked.tool)} & _SETTING:
            continue
        value: Tree = ("attr", CALL, own.name)
        taken = _is_taken(side, value)
        if taken is None or taken is not is_more or is_counted(attacked, own):
            continue
        if not (amount_named(words_of(own.name)) or own.type.kind is Kind.DECIMAL or _is_plural(own)):
            continue
        positive: Tree = (">", ("attr", _EARLIER, own.name), ("lit", "int", 0))
        summed = ("+", value, _of_earlier(attacked, of, ("attr", _EARLIER, own.name), positive))
        held: Tree = ("method", RUN, of.record.name, ("attr", CALL, of.parameter))
        known = one.instead(rule, value, ("*", value, ("lit", "int", 2)))[2]
        left: Tree = (">=", ("attr", held, of.field), ("lit", "int", 0))
        usual = [("is some", held), left, negated(rule.condition), known]
        wanted = [
            joined("and", usual[:1] + more + usual[1:]) for more in ([(">", value, _MUCH)], list[Tree]())
        ]
        wanted = [negated(known)] if rule.form == "permit" else wanted
        runs = (run for each in wanted for run in stopped_runs(attacked, rule.with_condition(each)))
        once = islice(runs, 1)
        why = f"each call is looked at alone, and both together come to more than its {_said(of.field)}"
        tries = (Try((*calls[:-1], *[replace(calls[-1], recorded=None)] * 2), why) for calls in once)
        effects = [Effect({attacked.rule.name: one.instead(rule, value, summed)})]
        about = f"{own.name} {of.field}"
        yield Attempt("several calls", tries, offering(*effects), about=about)


def _is_plural(one: CallField) -> bool:
    return (
        one.type.kind is Kind.INT and words_of(one.name)[-1:] != () and words_of(one.name)[-1].endswith("s")
    )


def _is_taken(side: Tree, value: Tree) -> bool | None:
    """Whether more of a value is more of a side of a comparison; None where that is not known."""
    if side == value:
        return True
    if side[0] in ("+", "-") and len(side) == 3:
        for number, part in enumerate(side[1:]):
            if (found := _is_taken(part, value)) is not None:
                return found if side[0] == "+" or number == 0 else not found
    return None


def _is_refreshed(attacked: Attacked, of: _OfRecord) -> bool:
    """Whether it is known that a call of the tool changes the record, so that it is looked up again."""
    record, tool = of.record, attacked.tool
    return tool in record.changed_by or of.field in record.changed_to.get(tool, {})


# --- a change upon a change


def _change_upon_change(attacked: Attacked, rule: SaidRule, one: _Compared) -> Iterator[Attempt]:
    """Several changes of a value, each within a bound of the last, that together are beyond it."""
    of = _of_record(attacked, one.atom)
    own = None if of is None else _own(attacked, one.atom, *_NUMBERS)
    if of is None or own is None or len(attacked.rule.classes) != 1:
        return
    is_relative = any(part[0] in ("*", "+", "-") for _, part in places(one.atom))
    known = of.record.changed_to.get(attacked.tool, {})
    is_same = bool({*words_of(own.name)} & {*words_of(of.field)}) or of.field in known
    if not (is_relative and is_same and {*words_of(attacked.tool)} & (_SETTING | {"raise", "increase"})):
        return
    same: Tree = ("==", ("attr", _EARLIER, of.parameter), ("attr", CALL, of.parameter))
    calls: Tree = ("method", RUN, "earlier", *attacked.rule.tree[3:])
    counted = joined("and", [same, ("not", ("attr", _EARLIER, "failed"))])
    again: Tree = ("call", "any", ("gen", _EARLIER, counted, calls, TRUE))
    said = one.too(rule, negated(again) if rule.form == "permit" else again)
    why = f"each change of its {_said(of.field)} is looked at alone, and both together are more"
    value: Tree = ("attr", CALL, own.name)
    held: Tree = ("method", RUN, of.record.name, ("attr", CALL, of.parameter))
    likely: list[Tree] = [("is some", held), (">", value, _MUCH), (">", value, ("attr", held, of.field))]
    yield _shown(attacked, "change upon change", said, why, own.name, *likely)


# --- the same person twice


def _same_person(attacked: Attacked, rule: SaidRule, one: _Compared) -> Iterator[Attempt]:
    """So many entries of one person, where a sentence asks for so many persons."""
    if _DIFFERENT.search(attacked.sentence) is None:
        return
    for _, part in places(one.less):
        if part[:2] not in (("call", "len"), ("call", "sum")) or one.more[:2] != ("lit", "int"):
            continue
        counted = part[2]
        is_some = counted[0] == "gen"
        if is_some and counted[2] != ("lit", "int", 1):
            continue
        elements = counted[3] if is_some else counted
        element: Tree = counted[1] if is_some else ("name", "each")
        person = _person_of(attacked, elements)
        if person is None or one.more[2] < 1 + (not one.is_strict):
            continue
        value: Tree = ("attr", element, person)
        where: Tree = counted[4] if is_some else TRUE
        distinct: Tree = ("call", "len", ("setof", element, value, elements, where))
        yield _shown(
            attacked,
            "same person",
            one.instead(rule, part, distinct),
            f"all are of one {_said(person)}",
            str(elements[-1]),
        )
        return


def _person_of(attacked: Attacked, elements: Tree) -> str | None:
    """The field of elements of a list that says of whom each is; None where none does."""
    types = attacked.book.language.types
    fields: list[str] = []
    if elements[0] == "attr" and elements[1][:2] == ("method", RUN) and elements[1][2] in types.records:
        held = next((one for one in types.records[elements[1][2]].fields if one.name == elements[2]), None)
        element = None if held is None else held.type.element
        if element is not None and element.record is not None:
            fields = [name for name, type_ in element.record.fields if type_.kind is Kind.STR]
    elif elements[:3] == ("method", RUN, "earlier"):
        calls = [types.calls[name] for _, name in elements[3:] if name in types.calls]
        fields = [one.name for one in (calls[0].fields if calls else ()) if one.type.kind is Kind.STR]
    return next((name for name in fields if {*words_of(name)} & _PERSONS), None)


# --- what a test leaves out, of which a sentence says nothing


_ONE_BY_ONE = re.compile(r"\b(?:each|every|per|same|again|twice|once|any one)\b")
_AGAIN = re.compile(r"\b(?:twice|again|once|a second time|more than one|duplicates?)\b")
_UNIT_OF_TIME = frozenset(
    ("day", "hour", "minute", "week", "month", "year", "session", "run", "conversation")
)


_OF_ALL = re.compile(
    rf"\b(?:{'|'.join(_UNIT_OF_TIME)}|daily|weekly|monthly|altogether|overall|in all|in total|together)s?\b"
)
"""Words of sentences that speak of several calls together."""


def _is_spoken_of(attacked: Attacked, words: Iterable[str]) -> bool:
    """Whether a sentence has one of some words, in one of its forms."""
    said = {base_of(word) for word in things(re.findall(r"[a-z]+", attacked.sentence))}
    return bool(said & {base_of(word) for word in things(words)})


def _narrowed_calls(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """Earlier calls that a rule does not count, as they differ in what its sentence does not speak of."""
    is_of_all, is_again = (found.search(attacked.sentence) is not None for found in (_OF_ALL, _AGAIN))
    if not (is_of_all or is_again):
        return
    for path, part in [*places(rule.condition)]:
        is_number = part[0] == "call" and part[1] in ("sum", "len", "any") and part[2][0] in ("gen", "setof")
        if not is_number or part[2][3][:3] != ("method", RUN, "earlier"):
            continue
        if rule.form == "permit" and part[1] == "any":
            continue
        form, variable, element, calls, where = part[2]
        tests = element if part[1] == "any" else where
        for test in tests[1:] if tests[0] == "and" else (tests,):
            own = _equal_field(attacked, test, variable)
            rest = [one for one in tests[1:] if one != test] if tests[0] == "and" else []
            keys = (_equal_field(attacked, one, variable) for one in rest)
            is_left = any(key is not None and _is_said(attacked, key) for key in keys)
            if own is None or _is_said(attacked, own) or not (is_left or not _groups(attacked)):
                continue
            if not (is_of_all or (is_left and part[1] == "any")):
                continue
            left = joined("and", rest) if rest else TRUE
            counted = (
                (form, variable, left, calls, where)
                if part[1] == "any"
                else (form, variable, element, calls, left)
            )
            if part[1] == "any" and left == TRUE:
                continue
            said = rule.with_condition(replaced(rule.condition, path, ("call", part[1], counted)))
            why = f"each {_said(own.name)} is looked at alone, and the sentence does not speak of it"
            bounds = [
                int(one[2])
                for _, one in places(rule.condition)
                if one[:2] in (("lit", "int"), ("lit", "dec"))
            ]
            much: Tree = ("lit", "int", max(bounds, default=0) // 2)
            large: list[Tree] = [
                (">", ("attr", CALL, one.name), much)
                for one in attacked.fields_read
                if one.type.kind in _NUMBERS
            ]
            yield _shown(attacked, "counted apart", said, why, own.name, *large)


def _equal_field(attacked: Attacked, test: Tree, variable: Tree) -> CallField | None:
    """The parameter in which an earlier call is to be as the decided one; None for another test."""
    if test[0] != "==" or len(test) != 3:
        return None
    for theirs, own in ((test[1], test[2]), (test[2], test[1])):
        if theirs[:2] == ("attr", variable) and own[:2] == ("attr", CALL) and len(own) == 3:
            return attacked.field(str(own[2]))
    return None


def _is_said(attacked: Attacked, own: CallField) -> bool:
    """Whether a sentence speaks of what a parameter names."""
    return _is_spoken_of(attacked, set(words_of(own.name)) - _NO_NOUNS)


def _groups(attacked: Attacked) -> bool:
    """Whether a sentence speaks of one thing after the other."""
    return _ONE_BY_ONE.search(_without_times(attacked)) is not None


def _without_times(attacked: Attacked) -> str:
    """A sentence without what it says of a time: per day, each session."""
    times = "|".join(_UNIT_OF_TIME)
    return re.sub(rf"\b(?:per|each|every|an?|one|the same) (?:{times})\b", "", attacked.sentence)


_NO_NOUNS = frozenset(("id", "key", "name", "number", "code", "to", "from", "no", "ref", "reference"))


def _narrowed(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """A call that a rule lets through as it tests a choice besides, of which its sentence says nothing."""
    condition = rule.condition
    if not attacked.sentence or rule.form == "permit" or condition[0] != "and":
        return
    for part in condition[1:]:
        own = _choice_tested(attacked, part)
        if own is None:
            continue
        texts = [str(one[2]) for _, one in places(part) if one[:2] == ("lit", "text")]
        words = {word for text in (*texts, own.name) for word in words_of(text)} - _NO_NOUNS
        if _is_spoken_of(attacked, words) or any(
            text.casefold() in attacked.sentence for text in texts if text
        ):
            continue
        rest = [one for one in condition[1:] if one != part and one != ("is some", attacked.value_of(own))]
        if not any(one[0] != "is some" for one in rest):
            continue
        said = rule.with_condition(joined("and", rest))
        why = f"the rule looks at its {_said(own.name)}, of which the sentence says nothing"
        yield _shown(attacked, "narrowed", said, why, own.name)


def _choice_tested(attacked: Attacked, part: Tree) -> CallField | None:
    """The choice or flag of the call that a condition tests alone; None for another condition."""
    tested = part[1] if part[0] in ("==", "!=", "in", "not in", "not") and len(part) > 1 else part
    if tested[:2] != ("attr", CALL) or len(tested) != 3:
        return None
    own = attacked.field(str(tested[2]))
    is_choice = own is not None and own.type.kind in (Kind.ENUM, Kind.BOOL) and not own.kind
    return own if is_choice else None


# --- what is not known, or not there


_DEMANDING = re.compile(
    r"\b(?:only|unless|without|until|before|must|needs?|requires?|once|after|(?:has|have|is|are|was|were|did|does|do)"
    r" not|(?:has|have|is|are|did|does|do)n't|no longer|not yet|never)\b"
)
"""Words of sentences by which something has to be so, and not only must not be otherwise."""
_NOT_DEMANDING = re.compile(r"\bmust (?:not|never)\b|\b(?:is|are) not (?:to be )?\w+(?:ed|en)\b")


def _demands(attacked: Attacked, words: Iterable[str]) -> bool:
    """Whether a sentence asks for what some words name: “whoever did not pass the check”."""
    told = _NOT_DEMANDING.sub(" ", attacked.sentence)
    return _DEMANDING.search(told) is not None and _is_spoken_of(attacked, words)


def _nothing_known(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """A record, or a value of one, that is missing where a sentence asks that it is as it should be."""
    if rule.form != "forbid":
        return
    condition = rule.condition
    for path, part in [*places(condition)]:
        if part[0] in ("==", "in") and len(part) == 3 and _may_lack(attacked, part[1]):
            value = part[1]
            if _demands(attacked, words_of(str(value[2]))) or _NOT_YET.search(attacked.sentence):
                noun = _said(str(value[2]))
                said = rule.with_condition(
                    replaced(condition, path, joined("or", [("is none", value), part]))
                )
                yield _shown(attacked, "no value", said, f"nothing is known of its {noun}", noun)
        if part[0] != "and":
            continue
        for given in (each for each in part[1:] if each[0] == "is some" and _is_read_of_record(each[1])):
            value = given[1]
            about = [each for each in part[1:] if each != given and reads(each, value)]
            tested = [each for each in about if each[0] != "is some"]
            is_record = value[0] == "method"
            is_bounded = any(inner[0] in MIRRORED for each in about for _, inner in places(each))
            words = _words_tested(tested) if is_record else words_of(str(value[2]))
            is_meant = bool(tested) and all(map(_is_test, tested)) and _demands(attacked, words)
            if not is_meant and (is_record or not is_bounded):
                continue
            others = [each for each in part[1:] if each != given and each not in about]
            either = joined("or", [("is none", value), joined("and", about)])
            said = rule.with_condition(replaced(condition, path, joined("and", [*others, either])))
            noun = _said(str(value[2]))
            why = f"there is no such {noun}" if is_record else f"nothing is known of its {noun}"
            yield _shown(attacked, "no value", said, why, noun)


_NOT_YET = re.compile(r"\b(?:who|which|that|whoever|whatever) (?:have|has|had|did|do|does) not\b|\bwithout\b")
"""Words of sentences for those of whom something is not known to be so."""


def _may_lack(attacked: Attacked, value: Tree) -> bool:
    """Whether a value is a field of a record which that may lack, and no rule asks whether it is given."""
    if value[0] != "attr" or not _is_read_of_record(value) or ("is some", value) in _parts(attacked):
        return False
    record = attacked.book.language.types.records.get(str(value[1][2]))
    fields = () if record is None else record.fields
    return any(one.name == value[2] and one.type.optional for one in fields)


def _parts(attacked: Attacked) -> set[Tree]:
    return {part for _, part in places(attacked.unfolded.condition)}


def _is_read_of_record(value: Tree) -> bool:
    is_field = value[0] == "attr" and value[1][:2] == ("method", RUN)
    return is_field or (
        value[:2] == ("method", RUN) and value[2] not in ("earlier", "last", "since", "until")
    )


def _is_test(part: Tree) -> bool:
    """Whether a condition closes one value of several, or what is not so: “failed”, not verified."""
    if part[0] == "or":
        return all(_is_test(each) for each in part[1:])
    return part[0] in ("==", "in", "not", "!=", "not in") or (part[0] == "attr")


def _words_tested(tested: Sequence[Tree]) -> list[str]:
    """The words of the fields that conditions read of a record."""
    fields = (one for each in tested for _, one in places(each) if one[0] == "attr" and one[1][0] == "method")
    return [word for one in fields for word in words_of(str(one[2]))]


def _no_element(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """A record with an empty list, where a sentence asks of every element what there is none of."""
    if rule.form != "forbid" or not _DEMANDING.search(_NOT_DEMANDING.sub(" ", attacked.sentence)):
        return
    for each in quantified(rule):
        if each.elements[0] != "attr" or each.elements[1][:2] != ("method", RUN):
            continue
        if (each.word == "any") is not each.closes:
            continue
        words = things(words_of(str(each.elements[2])))
        if not _is_spoken_of(attacked, words) or not words & (_PERSONS | _JUDGEMENTS):
            continue  # none of what is judged is nothing to be judged
        empty: Tree = ("==", ("call", "len", each.elements), ("lit", "int", 0))
        closing = joined("or", [each.tree, empty]) if each.closes else None
        if closing is not None:
            said = rule.with_condition(replaced(rule.condition, each.path, closing))
            yield _shown(
                attacked, "empty list", said, f"its {_said(str(each.elements[2]))} are empty", "empty"
            )


# --- what another tool does to a record first, or in its place


def _put_into_list(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """Another tool puts a value into the list of a record, in which a rule looks for it."""
    for _, atom in places(rule.condition):
        if atom[0] not in ("in", "not in") or len(atom) != 3 or atom[2][0] != "attr":
            continue
        held, own = atom[2][1], attacked.field(str(atom[1][2])) if atom[1][:2] == ("attr", CALL) else None
        is_of_record = held[:2] == ("method", RUN) and len(held) == 4 and held[3][:2] == ("attr", CALL)
        if own is None or not is_of_record or (atom[0] == "in") is (rule.form != "permit"):
            continue
        key, listed_ = str(held[3][2]), things(words_of(str(atom[2][2])))
        likely = rule.with_condition(joined("and", [("is some", held), negated(rule.condition)]))
        for other in open_tools(attacked):
            into = next((one for one in other.fields if _goes_into(one, own, listed_)), None)
            by = next((one for one in other.fields if one.name == key), None)
            if into is None or by is None:
                continue
            tries = [
                Try(
                    (
                        TriedCall(
                            other.tool,
                            {**_usual(attacked, other, run[-1]), into.key: run[-1].arguments[own.key]},
                        ),
                        *run,
                    ),
                    f"{other.tool} puts it into the {_said(str(atom[2][2]))} first",
                )
                for run in stopped_runs(
                    attacked, likely if rule.form != "permit" else rule.with_condition(FALSE)
                )
            ]
            same: Tree = (
                "and",
                ("==", ("attr", _EARLIER, by.name), held[3]),
                ("==", ("attr", _EARLIER, into.name), atom[1]),
            )
            again: Tree = (
                "call",
                "any",
                ("gen", _EARLIER, same, ("method", RUN, "earlier", ("name", other.name)), TRUE),
            )
            word, test = ("and", negated(again)) if rule.form == "permit" else ("or", again)
            effects = [
                Effect({attacked.rule.name: rule.with_condition(joined(word, [rule.condition, test]))})
            ]
            yield Attempt("put into list", tries, offering(*effects), about=other.tool)


def _goes_into(one: CallField, own: CallField, listed_: set[str]) -> bool:
    """Whether a parameter has by its name what a list of a record has."""
    is_same = one.type.kind is own.type.kind and one.kind == own.kind
    return is_same and bool(things(words_of(one.name)) & listed_)


def _usual(attacked: Attacked, other: CallType, call: TriedCall) -> Mapping[str, Json]:
    """The arguments of another tool, with those that it shares with a call."""
    names = {one.key for one in other.fields}
    shared = {key: held for key, held in call.arguments.items() if key in names}
    return {**usual_call(attacked, other).arguments, **shared}


def _opposite_below_zero(attacked: Attacked, rule: SaidRule, one: _Compared) -> Iterator[Attempt]:
    """A tool with the contrary effect on what a rule bounds, with a number below zero."""
    of = _of_record(attacked, one.atom)
    verbs = {*words_of(attacked.tool)}
    if of is None or rule.form == "permit":
        return
    for other in open_tools(attacked):
        does = {*words_of(other.tool)}
        if not contrary(verbs, does) or not things(verbs - ADDING - TAKING) & things(does):
            continue
        number = next(
            (each for each in other.fields if each.type.kind in _NUMBERS and not is_never_negative(each)),
            None,
        )
        if number is None or not any(each.name == of.parameter for each in other.fields):
            continue
        below: Tree = ("<", ("attr", CALL, number.name), ("lit", "int", 0))
        tree: Tree = (
            "call",
            rule.form,
            if_given(number, below),
            ("name", other.name),
        )
        call = TriedCall(other.tool, {**usual_call(attacked, other).arguments, number.key: -50})
        tries = [Try((call,), f"{other.tool} with a number below zero does the contrary")]
        yield Attempt("below zero", tries, offering(beside(attacked.rule, tree)), about=other.tool)


# --- a sentence says what is permitted, and a rule names some of the rest


_ONLY = re.compile(r"\b(?:only|must be|has to be|have to be|unless (?:it|they|he|she) (?:is|are)) (\w+)")


def _in_another_state(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """A value that is none of those that a rule closes, nor the one that its sentence permits."""
    only = {*_ONLY.findall(attacked.sentence)}
    if rule.form == "permit" or not only:
        return
    for path, atom in [*places(rule.condition)]:
        if atom[0] not in ("==", "in") or len(atom) != 3 or atom[1][0] != "attr":
            continue
        listed_ = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
        closed = [str(each[2]) for each in listed_ if each[:2] == ("lit", "text")]
        own = attacked.field(str(atom[1][2])) if atom[1][1] == CALL else None
        is_text = own is not None and own.type.kind in (Kind.STR, Kind.ENUM) and not own.kind
        if not closed or len(closed) < len(listed_) or not (is_text or _is_read_of_record(atom[1])):
            continue
        known = [*own.type.values] if own is not None and own.type.kind is Kind.ENUM else [*only]
        permitted = [each for each in known if each.casefold() in only and each not in closed]
        nouns = things(word for one in attacked.fields_read for word in words_of(one.name))
        permitted = [each for each in permitted if each not in nouns]
        if not permitted or len(known) == len(closed) + len(permitted) > 1:
            continue
        one_of: Tree = ("set", *(("lit", "text", each) for each in permitted))
        wider: Tree = ("not in", atom[1], one_of) if len(permitted) > 1 else ("!=", atom[1], one_of[1])
        said = rule.with_condition(replaced(rule.condition, path, wider))
        name = _said(str(atom[1][2]))
        why = f"its {name} is not “{permitted[0]}”, and none of those that the rule closes"
        yield _shown(attacked, "another state", said, why, name)


_LASTS = {
    "hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7),
    "month": timedelta(days=31), "year": timedelta(days=366),
}  # fmt: skip
_WITHIN = re.compile(rf"\b(?:an?|per|each|every|one|the same|in (?:an?|one)) ({'|'.join(_LASTS)})\b")


def _in_longer_time(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """Earlier calls that are too old for a rule, and not for the time of which its sentence speaks."""
    told = [_LASTS[word] for word in _WITHIN.findall(attacked.sentence)]
    if len(told) != 1 or rule.form == "permit":
        return
    for path, atom in [*places(rule.condition)]:
        if atom[0] not in MIRRORED or len(atom) != 3 or atom[2][:2] != ("lit", "dur"):
            continue
        since = ("attr", CALL, "time")
        if not reads(atom[1], since) or not timedelta() < atom[2][2] < told[0] * 27 // 31:
            continue
        said = rule.with_condition(replaced(rule.condition, path, (*atom[:2], ("lit", "dur", told[0]))))
        why = "the rule looks back less far than the sentence says"
        yield _shown(attacked, "longer time", said, why, "time")


# --- one of many, and oneself


def _one_of_many(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """A call with a list of ids of which one is stopped and another is not, by what records say of them."""
    if not attacked.reading.reads_run:
        return
    for each in quantified(rule):
        own = attacked.field(str(each.elements[2])) if each.elements[:2] == ("attr", CALL) else None
        reads_record = any(part[:2] == ("method", RUN) for _, part in places(each.asked))
        if own is None or not reads_record or (each.word == "all") is not each.closes:
            continue
        if is_about_some(attacked.sentence, words_of(own.name)[-1].removesuffix("s"), rule.form):
            continue
        some = each.of("any" if each.closes else "all", each.asked)
        said = rule.with_condition(replaced(rule.condition, each.path, some))
        yield _shown(
            attacked, "one element of several", said, f"one of its {_said(own.name)} is enough", own.name
        )


_SOMEBODY_ELSE = re.compile(
    r"\b(?:(?:some|any)(?:body|one) (?:else|other)|other than|four[- ]eyes"
    r"|(?:another|second|other) (?:person|people|pair|reviewer|colleague|employee|manager|member))\b"
)
_AUTHORS = frozenset((
    "applicant", "author", "creator", "created", "employee", "initiator", "opened", "owner", "requester",
    "requested", "submitted", "submitter", "proposer", "writer",
))  # fmt: skip


def _own_approval(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """Somebody who approved what is his own, where a sentence asks for somebody else."""
    if _SOMEBODY_ELSE.search(attacked.sentence) is None:
        return
    records = attacked.book.language.types.records
    for _, part in places(rule.condition):
        if part[0] != "attr" or part[1][:2] != ("method", RUN) or part[1][2] not in records:
            continue
        fields = {one.name: one for one in records[part[1][2]].fields}
        listed_ = fields[part[2]].type if part[2] in fields else None
        author = next(
            (
                name
                for name, one in fields.items()
                if {*words_of(name)} & _AUTHORS and one.type.kind is Kind.STR
            ),
            "",
        )
        is_text = listed_ is not None and listed_.kind in (Kind.SET, Kind.LIST) and listed_.record is None
        element = None if listed_ is None else listed_.element
        if not author or not is_text or (element is not None and element.kind is not Kind.STR):
            continue
        each: Tree = ("name", "each")
        other: Tree = ("!=", each, ("attr", part[1], author))
        some: Tree = ("call", "any", ("gen", each, other, part, TRUE))
        word, test = ("and", some) if rule.form == "permit" else ("or", ("not", some))
        said = rule.with_condition(joined(word, [rule.condition, test]))
        yield _shown(attacked, "own approval", said, f"nobody but its {_said(author)} is among them", author)
        return


# --- another amount of the elements of a list


def _beside_in_elements(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """An amount of the elements of a list, beside the one of which a rule adds up or bounds each."""
    for one in _compared(rule):
        limit = one.less[2] if one.less[:1] == ("lit",) and one.less[1] in ("int", "dec") else 0
        gens = [
            part for _, part in places(rule.condition) if part[0] == "gen" and part[3][:2] == ("attr", CALL)
        ]
        for _, variable, *parts in gens if limit > 0 else ():
            listed_ = attacked.field(str(parts[1][2]))
            for own in () if listed_ is None else listed_.fields:
                value: Tree = ("attr", variable, own.name)
                if listed_ is None or not reads(one.atom, value) or attacked.allowed is None:
                    continue
                if not _is_of_money(own):
                    continue
                for other in listed_.fields:
                    beside_: Tree = ("attr", variable, other.name)
                    is_other = _is_of_money(other) and other != own and not other.type.optional
                    if not is_other or reads(rule.condition, beside_):
                        continue
                    row = made_object(listed_, {own.name: 1, other.name: int(limit) * 2})
                    call = attacked.with_value(attacked.allowed, listed_, {**row})
                    said = with_instead(rule.condition, value, ("+", value, beside_))
                    tries = [
                        Try((call,), f"no rule looks at the {_said(other.name)} of its {_said(listed_.name)}")
                    ]
                    effects = [Effect({attacked.rule.name: rule.with_condition(said)})]
                    about = f"{listed_.name} {other.name}"
                    yield Attempt("amount beside", tries, offering(*effects), about=about)


_OF_MONEY = frozenset((
    "charge", "deposit", "fee", "fees", "gross", "insurance", "net", "postage", "shipping", "surcharge",
    "tax", "tip", "vat",
))  # fmt: skip


def _is_of_money(one: CallField) -> bool:
    """Whether a number is one of money, by its name."""
    words = words_of(one.name)
    is_money = amount_named(words) == "money" or bool({*words} & _OF_MONEY)
    return one.type.kind in _NUMBERS and is_money and not {*words} & {"rate", "percent", "pct"}
