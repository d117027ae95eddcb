"""Attempts just outside of a test of a rule: what the test would be if it looked at a little more.

The other end of a span of time, the calls before this one, different persons instead of so many entries. The
solver searches a run that the rule allows and the other test would stop, and the policy decides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import islice

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import Attacked, words_of
from workbench.clarify.written.attempts import Attempt, Try
from workbench.clarify.written.attempts_at_amounts import is_counted, is_of_one_call
from workbench.clarify.written.attempts_at_records import stopped_runs
from workbench.clarify.written.book import Path, SaidRule, places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import CALL, RUN, TRUE, Tree, joined, negated
from workbench.model import Kind, Record
from workbench.runs.values.name_words import amount_named

_ORDERS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
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
_DIFFERENT = re.compile(
    r"\b(?:people|persons?|different|distinct|independent|separate|others?|colleagues|employees|managers"
    r"|members|reviewers|approvers|doctors|nurses|officers|witnesses|both)\b"
)


def attempts_near_conditions(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts just outside of what a rule compares."""
    rule = attacked.unfolded
    for one in _compared(rule):
        yield from _other_end(attacked, rule, one)
        yield from _several_calls(attacked, rule, one)
        yield from _change_upon_change(attacked, rule, one)
        yield from _same_person(attacked, rule, one)


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
        said = self.atom
        for path, part in [*places(said)]:
            said = replaced(said, path, new) if part == old else said
        return rule.with_condition(replaced(rule.condition, self.path, said))

    def too(self, rule: SaidRule, said: Tree) -> Tree:
        """The rule that looks at something else besides the comparison."""
        word = "and" if rule.form == "permit" else "or"
        return rule.with_condition(replaced(rule.condition, self.path, joined(word, [self.atom, said])))


def _compared(rule: SaidRule) -> Iterator[_Compared]:
    """Yield the comparisons of a rule, with the side of which too much is stopped first."""
    for path, atom in places(rule.condition):
        if len(atom) != 3 or atom[0] not in _ORDERS:
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
    if attacked.rule.form == "permit":
        wanted = [said]
    else:
        wanted = [*([(*said[:2], joined("and", [said[2], *likely]), *said[3:])] if likely else []), said]
    runs = islice((run for each in wanted for run in stopped_runs(attacked, each)), 1)
    effects = [Effect({attacked.rule.name: said})]
    return Attempt(kind, (Try(calls, why) for calls in runs), partial(list[Effect], effects), about=about)


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
                atom = _at(moved[2], one.path)
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


def _at(tree: Tree, path: Path) -> Tree:
    for step in path:
        tree = tree[step]
    return tree


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
        likely = joined("and", [("is some", held), (">", value, _MUCH), negated(rule.condition), known])
        once = stopped_runs(
            attacked, rule.with_condition(negated(known) if rule.form == "permit" else likely)
        )
        why = f"each call is looked at alone, and both together come to more than its {_said(of.field)}"
        tries = (Try((*calls[:-1], *[replace(calls[-1], recorded=None)] * 2), why) for calls in once)
        effects = [Effect({attacked.rule.name: one.instead(rule, value, summed)})]
        about = f"{own.name} {of.field}"
        yield Attempt("several calls", tries, partial(list[Effect], effects), about=about)


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
