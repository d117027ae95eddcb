"""Attempts past a bound on a number by what it is measured in, or by a tool that changes it by a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.clarify.written.acts_of_tools import effect_of_tool, open_tools, same_act
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import (
    LISTS,
    Attacked,
    fields_spoken_of,
    logged_calls,
    made_object,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, beside, if_given, narrower, offering
from workbench.clarify.written.attempts_by_told_effects import as_quoted, described, is_of_same, sentences_of
from workbench.clarify.written.book import places
from workbench.clarify.written.said_of_another_tool import with_same
from workbench.clarify.written.stated_amounts import unit_named
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, RUN, TRUE, Tree, joined
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.values.name_words import amount_named

_UPPER, _LOWER = frozenset((">", ">=")), frozenset(("<", "<="))
_NUMBERS = (Kind.INT, Kind.DECIMAL)
_BY_NUMBER = frozenset((
    "by", "change", "delta", "difference", "diff", "factor", "increase", "increment", "offset", "pct",
    "percent", "percentage", "raise", "step", "steps",
))  # fmt: skip
"""Words of numbers by which something changes."""
_RAISING = frozenset((
    "add", "boost", "bump", "double", "expand", "extend", "grow", "increase", "prolong", "raise", "top", "up",
    "multiply",
))  # fmt: skip
_LOWERING = frozenset(("cut", "decrease", "drop", "lower", "reduce", "shorten", "shrink", "subtract"))
_EITHER_WAY = frozenset(("adjust", "change", "correct", "nudge", "shift", "tweak"))
_BOUNDS = frozenset(("max", "maximum", "min", "minimum", "upper", "lower", "ceiling", "floor"))
_SETTING = frozenset(("set", "record", "count", "recount", "reset", "overwrite", "define"))
_NO_MEASURE = frozenset(("id", "limit", "page", "offset", "port", "index", "version", "year", "timeout"))
_MANY = 50


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number of the call that a rule bounds, with the bound and whether it is one from above."""

    one: CallField
    limit: int
    is_upper: bool


def bounded(attacked: Attacked) -> Iterator[Bounded]:
    """Yield the bounds of a rule on numbers of its calls."""
    fields = {attacked.value_of(one): one for one in attacked.fields_read if one.type.kind in _NUMBERS}
    for _, atom in places(attacked.rule.condition):
        if len(atom) != 3 or atom[0] not in _UPPER | _LOWER:
            continue
        one = fields.get(atom[1][1] if atom[1][0] == "+" else atom[1])  # alone, or with what was before
        if one is not None and atom[2][:1] == ("lit",) and atom[2][1] in ("int", "dec"):
            yield Bounded(one, int(atom[2][2]), atom[0] in _UPPER)


def attempts_by_measures(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with other measures of a bounded number, and with tools that change it."""
    if attacked.rule.form == "permit":
        return
    yield from _other_choices(attacked)
    tries: list[Try] = []
    said: list[Tree] = []
    for other in attacked.book.language.types.calls.values():
        found = next(_changed_by(attacked, other), None)
        run = None if found is None else attacked.passing((found[0],))
        if found is not None and run is not None:
            tries.append(Try(run, found[2]))
            said.append(("call", attacked.rule.form, found[1], ("name", other.name)))
    yield Attempt("by a number", tries, offering(beside(attacked.rule, *said)))
    tries, said = [], []
    for other in open_tools(attacked):
        whole = _unbounded(attacked, other)
        run = None if whole is None else attacked.passing((whole[0],))
        if whole is not None and run is not None:
            tries.append(Try(run, f"{other.tool} is described so: “{whole[2]}”"))
            said.append(("call", attacked.rule.form, whole[1], ("name", other.name)))
        elif whole is None and (paid := _other_payment(attacked, other)) is not None:
            tries.append(Try((paid[0],), f"{other.tool} gives such an amount, too, and no rule bounds it"))
            said.append(("call", attacked.rule.form, paid[1], ("name", other.name)))
    yield Attempt("without a bound", tries, offering(beside(attacked.rule, *said)))


_WHOLE = re.compile(
    r"\b(?:everything|all of (?:it|them)|the (?:whole|entire|rest)|unlimited|in full|completely|until)\b"
)
"""What descriptions say of a tool that does as much as there is, or goes on doing it."""
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?![\w,])(?: ([a-z]+))?")


def _unbounded(attacked: Attacked, other: CallType) -> tuple[TriedCall, Tree, str] | None:
    """A call of a tool for the same thing that does more than a rule lets one do, by what is told of it."""
    bound = next((one for one in bounded(attacked) if one.is_upper), None)
    if bound is None or any(one.type.kind in _NUMBERS for one in other.fields):
        return None
    if not is_of_same(attacked, other):
        return None
    call = with_same(attacked, attacked.stopped or attacked.plain, {}, other)
    for sentence in sentences_of(described(attacked, other.tool)):
        small, quoted = sentence.casefold(), as_quoted(sentence)
        beyond = [found for found in _NUMBER.finditer(small) if _is_beyond(attacked, bound, found)]
        if _WHOLE.search(small) and not beyond:
            return call, TRUE, quoted
        for found in beyond:
            for one in other.fields:
                before = {
                    each: small[: found.start()].rfind(each.casefold()) for each in one.type.values or ()
                }
                value = max(before, key=lambda each: before[each], default="")
                if value and before[value] >= 0:
                    said = if_given(one, ("==", ("attr", CALL, one.name), ("lit", "text", value)))
                    return TriedCall(call.tool, {**call.arguments, one.key: value}), said, quoted
            return call, TRUE, quoted
    return None


def _other_payment(attacked: Attacked, other: CallType) -> tuple[TriedCall, Tree] | None:
    """A call of a tool of one act for the same thing, with more money than a rule bounds in its own field."""
    bound = next((one for one in bounded(attacked) if one.is_upper), None)
    if bound is None or amount_named(words_of(bound.one.name)) != "money" or bound.limit <= 0:
        return None
    if not same_act(words_of(attacked.tool), words_of(other.tool)):
        return None
    own = {one.key for one in attacked.call_type.fields if _names_a_thing(one)}
    one = next((each for each in other.fields if amount_named(words_of(each.name)) == "money"), None)
    same = own & {each.key for each in other.fields if _names_a_thing(each)}
    if one is None or one.type.kind not in _NUMBERS or not same or one.name == bound.one.name:
        return None
    base = with_same(attacked, attacked.stopped or attacked.plain, {}, other)
    call = TriedCall(other.tool, {**base.arguments, one.key: bound.limit * 2})
    above: Tree = (">", ("attr", CALL, one.name), ("lit", "int", bound.limit))
    return (call, if_given(one, above)) if attacked.may_pass(call) else None


def _names_a_thing(one: CallField) -> bool:
    return one.type.kind is Kind.STR and not one.type.optional and words_of(one.name)[-1:] == ("id",)


def _is_beyond(attacked: Attacked, bound: Bounded, found: re.Match[str]) -> bool:
    """Whether a number is beyond a bound, and of what its sentence counts."""
    words = {*things(re.findall(r"[a-z]+", attacked.sentence)), *things(words_of(bound.one.name))}
    return int(found[1].replace(",", "")) > bound.limit and bool(things([found[2] or ""]) & words)


def is_changed_by(attacked: Attacked, other: CallType) -> bool:
    """Whether a tool changes by a number what a rule bounds."""
    return next(_changed_by(attacked, other), None) is not None


def _changed_by(attacked: Attacked, other: CallType) -> Iterator[tuple[TriedCall, Tree, str]]:
    """Yield a call of another tool that changes what a rule bounds, when it does, and why."""
    spoken = fields_spoken_of(attacked).get(other.name, ())
    if other.name in attacked.rule.classes or effect_of_tool(attacked, other.tool).reads:
        return
    base = attacked.stopped or attacked.plain
    for bound in bounded(attacked):
        for one in other.fields:
            if one.type.kind not in _NUMBERS or one.name in spoken or _NO_MEASURE & {*words_of(one.name)}:
                continue
            found = _way(attacked, bound, other, one)
            if found is None or not is_of_same(attacked, other):
                continue
            value, said, why = found
            call = with_same(attacked, base, {}, other)
            yield TriedCall(other.tool, {**call.arguments, one.key: value}), if_given(one, said), why


def _way(
    attacked: Attacked, bound: Bounded, other: CallType, one: CallField
) -> tuple[Json, Tree, str] | None:
    """A number of another tool by which it changes what is bounded, when it does so, and why."""
    does, words, value = {*words_of(other.tool)}, {*words_of(one.name)}, ("attr", CALL, one.name)
    own = {*words_of(bound.one.name)}
    name, zero = one.name.replace("_", " ").strip(), ("lit", "int", 0)
    up = 1 if bound.is_upper else -1
    if bound.is_upper and words & _BOUNDS - {"min", "minimum", "lower", "floor"} and not own & _BOUNDS:
        why = f"{other.tool} sets up to how much it may come, and no rule bounds its {name}"
        return bound.limit * _MANY, (">", value, ("lit", "int", bound.limit)), why
    if own & _BY_NUMBER and does & _SETTING and not words & _BY_NUMBER:
        return 0, TRUE, f"{other.tool} sets what the rule bounds the change of"
    is_step = bool(words & _BY_NUMBER or does & (_RAISING | _LOWERING | _EITHER_WAY))
    if not is_step or own & _BY_NUMBER or {*words_of(attacked.tool)} & (_RAISING | _LOWERING | _EITHER_WAY):
        return None
    if does & (_LOWERING if bound.is_upper else _RAISING):
        return None
    sign = 1 if does & (_LOWERING | _RAISING) else up
    why = f"{other.tool} changes it by a number, and no rule looks at what comes of it"
    if bound.is_upper and does & _RAISING and not words & _BY_NUMBER and _is_counted(bound, one):
        return max(bound.limit * 2, _MANY), _with_those_before(attacked, bound, other, one), why
    return sign * _MANY, (">" if sign > 0 else "<", value, zero), why


def _is_counted(bound: Bounded, one: CallField) -> bool:
    """Whether a number adds as much of the same to what is bounded: nights to nights."""
    is_same = bool(things(words_of(one.name)) & things(words_of(bound.one.name)))
    kinds = [amount_named(words_of(each.name)) for each in (bound.one, one)]
    return is_same or (kinds[0] != "" and kinds[0] == kinds[1])


def _with_those_before(attacked: Attacked, bound: Bounded, other: CallType, one: CallField) -> Tree:
    """That a number comes to more than a bound, with what calls before it have had of the same."""
    earlier, total = ("name", "e"), ("attr", CALL, one.name)
    own = attacked.rule.tree[3:]
    for each, classes in ((bound.one, own), (one, (("name", other.name),))):
        value: Tree = ("attr", earlier, each.name)
        counted = joined(
            "and",
            [*([("is some", value)] if each.type.optional else []), ("not", ("attr", earlier, "failed"))],
        )
        many: Tree = ("method", RUN, "earlier", *classes)
        total = ("+", total, ("call", "sum", ("gen", earlier, value, many, counted)))
    return (">", total, ("lit", "int", bound.limit))


# --- what a number is measured in


_MEASURED = frozenset((
    "basis", "billing", "cycle", "denomination", "frequency", "interval", "measure", "pack", "package",
    "packaging", "per", "period", "scale", "unit", "units", "uom",
))  # fmt: skip
"""Words of fields that say in what a number of the same call is measured, or for what it is."""


def _other_choices(attacked: Attacked) -> Iterator[Attempt]:
    """A bounded number in another measure than the bound is meant in, where no rule looks at that."""
    for bound in bounded(attacked):
        for one in attacked.call_type.fields:
            if _is_measure(one) and one.name not in attacked.reading.parts:
                yield from _in_measures(attacked, bound, one)
    for listed, element, inner, number in _bounded_elements(attacked):
        yield from _in_measures_of_elements(attacked, listed, element, inner, number)


def _is_measure(one: CallField) -> bool:
    return one.type.kind in (Kind.STR, Kind.ENUM) and bool(_MEASURED & {*words_of(one.name)})


def _choices(attacked: Attacked, one: CallField, held: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The measure in which a bound is meant, and others of which no size in the first is known."""
    known = [*dict.fromkeys([*held, *one.type.values])]
    sentence = f" {attacked.sentence} "
    own = next((each for each in known if re.search(rf"\b{re.escape(each.casefold())}", sentence)), "")
    own = own or next(iter(known), "")
    unit = unit_named(own)
    others = [each for each in known if each != own]
    sized = [each for each in others if unit and (theirs := unit_named(each)) and theirs[0] == unit[0]]
    return own, [each for each in others if each not in sized]


def _in_measures(attacked: Attacked, bound: Bounded, one: CallField) -> Iterator[Attempt]:
    own, others = _choices(attacked, one, [*texts_held(attacked.logged, one)])
    if not others:
        return
    limit = bound.limit * 9 // 10 if bound.is_upper else bound.limit + abs(bound.limit) // 10 + 1
    bases = [each for each in (attacked.allowed, attacked.plain) if each is not None]
    name = one.name.replace("_", " ").strip()
    tries = [
        Try(
            (attacked.with_value(attacked.with_value(base, bound.one, limit), one, each),),
            f"its {name} is “{each}”, and the bound may mean “{own}”",
        )
        for base in bases[:1]
        for each in others
    ]
    said: Tree = ("!=", ("attr", CALL, one.name), ("lit", "text", own))
    yield Attempt("measure", tries, offering(narrower(attacked.rule, if_given(one, said))), about=one.name)


def _bounded_elements(attacked: Attacked) -> Iterator[tuple[CallField, Tree, CallField, Tree]]:
    """Yield the lists of which a rule bounds a number of an element, each with the measure in it."""
    for one in attacked.fields_read:
        inner = {each.name: each for each in one.fields} if one.type.kind in LISTS else {}
        read = attacked.reading.parts[one.name]
        for _, gen in places(attacked.rule.condition) if inner else ():
            if gen[0] != "gen" or gen[3] != attacked.value_of(one):
                continue
            for _, atom in places(gen[2]):
                is_bound = len(atom) == 3 and atom[0] in _UPPER and atom[1][:2] == ("attr", gen[1])
                if is_bound and atom[2][:1] == ("lit",) and atom[2][1] in ("int", "dec"):
                    yield from ((one, gen[1], each, atom) for each in inner.values()
                                if _is_measure(each) and each.name not in read)  # fmt: skip


def _in_measures_of_elements(
    attacked: Attacked, listed: CallField, element: Tree, inner: CallField, atom: Tree
) -> Iterator[Attempt]:
    number = next(each for each in listed.fields if each.name == atom[1][2])
    held = [
        str(row[inner.key])
        for call in logged_calls(attacked.book, attacked.tool)
        if isinstance(rows := call.arguments.get(listed.key), list)
        for row in rows
        if isinstance(row, dict) and inner.key in row
    ]
    own, others = _choices(attacked, inner, held)
    rows = [
        {**made_object(listed, {}), number.key: int(atom[2][2]) * 9 // 10, inner.key: each} for each in others
    ]
    name = inner.name.replace("_", " ")
    tries = [
        Try(
            (TriedCall(attacked.tool, {**attacked.base.arguments, listed.key: [row]}),),
            f"its {name} is “{row[inner.key]}”, and the bound may mean “{own}”",
        )
        for row in rows
    ]
    value: Tree = ("attr", element, inner.name)
    said: Tree = ("!=", value, ("lit", "text", own))
    said = joined("and", [("is some", value), said]) if inner.type.optional else said
    some: Tree = ("call", "any", ("gen", element, said, attacked.value_of(listed), TRUE))
    effects = [narrower(attacked.rule, some)]
    yield Attempt("measure", tries, offering(*effects), about=f"{listed.name} {inner.name}")
