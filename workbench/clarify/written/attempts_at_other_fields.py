"""Attempts with another field of the same call that has values of the same kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from workbench.clarify.written.acts_of_tools import WHERE_IT_RUNS
from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import EVIL_MAIL, LISTS, Attacked, hostile, words_of
from workbench.clarify.written.attempts import Attempt, Declaration, Try, narrower_of_tool
from workbench.clarify.written.attempts_at_texts import declared, given
from workbench.clarify.written.book import places
from workbench.clarify.written.said_of_another_tool import held_in, with_field
from workbench.dialect.call_fields import CallField
from workbench.language.trees import CALL, Tree, joined, negated
from workbench.language.words import things
from workbench.model import Kind
from workbench.runs.values.name_words import RECIPIENTS

_COPIES = frozenset(("copies", "copy", "audience", "readers", "watchers", "observers", "subscribers"))


def attempts_at_other_fields(attacked: Attacked) -> Iterator[Attempt]:
    """Yield a bad value that a rule stops in one field, given in each of the fields for the same kind."""
    for kind in ("mail_address", "url", "path"):
        for one in attacked.fields_of(kind):
            stopped = None if attacked.stopped is None else attacked.stopped.arguments.get(one.key)
            worst = EVIL_MAIL if kind == "mail_address" else hostile(kind)
            bads = [bad for bad in (worst, stopped) if isinstance(bad, str)]
            found = ((bad, call) for bad in bads if (call := _stopped_by(attacked, one, bad)) is not None)
            bad, allowed = next(found, ("", None))
            if allowed is None:
                continue
            others = [
                other
                for other in attacked.call_type.fields
                if other.name not in attacked.reading.parts and is_alike(attacked, one, other, kind)
            ]
            if others:
                yield _in_fields(attacked, allowed, one, others, bad)
            break


def attempts_with_the_same_id(attacked: Attacked) -> Iterator[Attempt]:
    """An id that a rule closes in one of two fields for the same kind of thing, given in the other."""
    for one in attacked.fields_read:
        noun = _side_of(one)
        told = things(re.findall(r"[a-z]+", attacked.sentence)) & things(words_of(one.name)) - noun
        if (
            one.type.kind is not Kind.STR
            or attacked.kind(one)
            or not noun
            or told
            or attacked.stopped is None
        ):
            continue
        bad, allowed = attacked.stopped.arguments.get(one.key), attacked.allowed
        others = [
            other
            for other in attacked.call_type.fields
            if other.type == one.type and other.name not in attacked.reading.parts and _side_of(other) == noun
        ]
        if not others or allowed is None or not isinstance(bad, str):
            continue
        if attacked.stops(attacked.with_value(allowed, one, bad)):
            yield _in_fields(attacked, allowed, one, others, bad)


def _side_of(one: CallField) -> set[str]:
    """The words of a field for one of two sides, without those for the side; nothing for other fields."""
    words = things(words_of(one.name))
    return words - _SIDES if words & _SIDES else set()


_SIDES = frozenset((
    "from", "to", "into", "source", "src", "target", "dest", "destination", "first", "second", "primary",
    "secondary", "old", "new", "left", "right", "other", "duplicate",
))  # fmt: skip


def _stopped_by(attacked: Attacked, one: CallField, bad: str) -> TriedCall | None:
    """A call that is allowed, and that the rule stops with a bad value of a field."""
    if (allowed := attacked.allowed) is not None and attacked.stops(attacked.with_value(allowed, one, bad)):
        return allowed
    if attacked.stopped is None or not attacked.stops(attacked.with_value(attacked.stopped, one, bad)):
        return None
    values = (each.arguments.get(one.key) for each in (*attacked.logged, *attacked.made))
    calls = (
        attacked.with_value(attacked.stopped, one, each)
        for each in dict.fromkeys(each for each in values if isinstance(each, str))
    )
    return next(filter(attacked.may_pass, calls), None)


def is_alike(attacked: Attacked, one: CallField, other: CallField, kind: str) -> bool:
    """Whether a field has values of a kind in the same role."""
    element = other.type.element or other.type
    if element.kind not in (Kind.STR, Kind.RECORD) and other.type.kind is not Kind.SET:
        return False
    if element.kind is Kind.RECORD and attacked.kind(other) != kind:
        return False
    words = words_of(other.name)
    if kind == "mail_address":
        named = {each.removesuffix("s") for each in words} & RECIPIENTS or {*words} & _COPIES
        return bool(named) or attacked.kind(other) == kind
    return attacked.kind(other) == kind and one.name != other.name and not WHERE_IT_RUNS & {*words}


def _in_fields(
    attacked: Attacked, allowed: TriedCall, one: CallField, others: Sequence[CallField], bad: str
) -> Attempt:
    """A bad value in each of some fields, which all are closed at once."""
    kind, good = attacked.kind(one), allowed.arguments.get(one.key)
    tries: list[Try] = []
    for other in others:
        is_text = kind == "mail_address" and not other.kind and other.type.kind is Kind.STR
        several = [f"{bad}, {good}"] * (is_text and isinstance(good, str))
        arguments = ({**allowed.arguments, other.key: held_in(other, each)} for each in (bad, *several))
        calls = (TriedCall(allowed.tool, each) for each in arguments)
        name = other.name.replace("_", " ").strip()
        tries += [Try((call,), f"nothing looks at its {name}") for call in calls]
    open_ = [declared(attacked.tool, each, kind) for each in others if kind and not each.kind]
    notes = {name: note for each in open_ for name, note in each.fields.items()}
    advice = Declaration(attacked.tool, notes) if notes else ""
    names = ", ".join(each.name for each in others)
    needed = [each for each in others if not each.type.optional and each.type.kind not in LISTS]
    harmless = replace(allowed, arguments={**allowed.arguments, **{each.key: good for each in needed}})
    rewritings = partial(_said_of_fields, attacked, one, others)
    is_needed = bool(needed) and attacked.allows(harmless)
    return Attempt(f"field {names}", tries, rewritings, advice, harmless=(harmless,) if is_needed else ())


def _said_of_fields(attacked: Attacked, one: CallField, others: Sequence[CallField]) -> Sequence[Effect]:
    """The rule, which says the same of other fields, or stops a call that has one where that is not known."""
    alike = {each.name: _stopping_alike(attacked, one, each) for each in others}
    given_ = {each.name: _is_given(each) for each in others}
    beside_ = [part for part in _parts_of(attacked) if not _reads(part, attacked.value_of(one))]
    bare = {name: said and joined("and", [*beside_, said]) for name, said in given_.items()}
    effects: list[Effect] = []
    for chosen in (alike, {name: said or bare[name] for name, said in alike.items()}, bare):
        stopped = [said for said in chosen.values() if said is not None]
        if len(stopped) == len(others):
            said = joined("or", stopped)
            effects.append(narrower_of_tool(attacked.rule, attacked.call_type.name, said))
    return effects


def _parts_of(attacked: Attacked) -> Sequence[Tree]:
    """The conditions that a rule needs all of to stop a call."""
    rule = attacked.rule
    return rule.condition[1:] if rule.condition[0] == "and" and rule.form != "permit" else ()


def _reads(tree: Tree, value: Tree) -> bool:
    return any(part == value for _, part in places(tree))


def _stopping_alike(attacked: Attacked, one: CallField, other: CallField) -> Tree | None:
    """What the rule says of a field, said of another; None if it reads more than that field."""
    if not _same_kind(one, other) or {*attacked.reading.parts} != {one.name}:
        return None
    condition = attacked.condition
    if condition is None and attacked.is_raw(one) and not other.kind:
        condition = attacked.rule.condition
    said = None if condition is None else with_field(condition, one, other)
    if said is None or attacked.rule.form != "permit":
        return said and (said if other.type.kind in LISTS else given(attacked, other, said))
    some: Tree = ("is none", ("attr", CALL, other.name))
    return negated(joined("or", [some, said]) if other.type.optional else said)


def _is_given(other: CallField) -> Tree | None:
    """That a call has a field at all; None where it always has."""
    value: Tree = ("attr", CALL, other.name)
    if other.type.kind in LISTS:
        return ("!=", ("call", "len", value), ("lit", "int", 0))
    return ("is some", value) if other.type.optional else None


def _same_kind(one: CallField, other: CallField) -> bool:
    return one.kind == other.kind
