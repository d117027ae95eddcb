"""Attempts with another field of the same call that has values of the same kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from workbench.clarify.written.acts_of_tools import WHERE_IT_RUNS, same_act
from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import (
    EVIL_MAIL,
    LISTS,
    Attacked,
    fields_spoken_of,
    hostile,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import (
    Attempt,
    Declaration,
    Try,
    beside,
    narrower,
    narrower_of_tool,
    offering,
)
from workbench.clarify.written.attempts_at_texts import among, declared, given, text
from workbench.clarify.written.attempts_at_values import closed_values
from workbench.clarify.written.book import reads
from workbench.clarify.written.said_of_another_tool import held_in, of_some_element, usual_call, with_field
from workbench.dialect.call_fields import CallField
from workbench.language.trees import CALL, Tree, joined, negated
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.values.name_words import RECIPIENTS

_COPIES = frozenset(("copies", "copy", "audience", "readers", "watchers", "observers", "subscribers"))


def attempts_at_other_fields(attacked: Attacked) -> Iterator[Attempt]:
    """Yield a bad value that a rule stops in one field, given in each of the fields for the same kind."""
    for kind in ("mail_address", "url", "path"):
        for one in attacked.fields_of(kind):
            stopped = None if attacked.stopped is None else attacked.stopped.arguments.get(one.key)
            stopped = stopped[0] if isinstance(stopped, list) and stopped else stopped
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
        is_id = one.type.kind is Kind.STR and not attacked.kind(one) and bool(noun) and not told
        if not is_id or attacked.stopped is None:
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


def attempts_with_another_name(attacked: Attacked) -> Iterator[Attempt]:
    """A thing that a rule closes by one field that a call may lack, named by another such field."""
    closed = closed_values(attacked)
    if attacked.rule.form == "permit" or attacked.stopped is None:
        return
    for one in attacked.fields_read:
        if one.name not in closed or not one.type.optional:
            continue
        tries: list[Try] = []
        said: list[Tree] = []
        for other in attacked.call_type.fields:
            if other.name in attacked.reading.parts or not other.type.optional or not _names_too(one, other):
                continue
            if (found := _naming(attacked, other, closed[one.name])) is None:
                continue
            without = {key: held for key, held in attacked.stopped.arguments.items() if key != one.key}
            call = TriedCall(attacked.tool, {**without, other.key: found[0]})
            own, theirs = (each.name.replace("_", " ") for each in (one, other))
            tries.append(Try((call,), f"its {theirs} may name what the rule knows by its {own}"))
            said.append(found[1] or ("is none", attacked.value_of(one)))
        effects = [narrower(attacked.rule, joined("or", [*dict.fromkeys(said)]))] if said else []
        yield Attempt("other name", tries, offering(*effects), about=one.name)


_NAMING = frozenset((
    "address", "code", "email", "handle", "iban", "id", "key", "login", "mail", "name", "nickname", "no",
    "number", "phone", "ref", "reference", "sku", "slug", "title", "username",
))  # fmt: skip
"""Last words of fields that name one thing each in their own way."""
_ALIKE_FIELDS = tuple(
    frozenset(row.split())
    for row in (
        "priority severity urgency importance impact level",
        "text selector xpath css element button link",
        "status state stage phase",
        "role permission access",
        "country region destination market",
        "channel room conversation thread",
        "environment env stage target cluster",
    )
)
"""Words of fields by which one thing is told."""
_MARKS = frozenset(("label", "tag", "category", "flag", "marker"))


def _names_too(one: CallField, other: CallField) -> bool:
    """Whether a field may name what another one names, by their names."""
    own, words = things(words_of(one.name)), things(words_of(other.name))
    if other.type.kind in LISTS:
        return bool(words & _MARKS) and other.type.element is not None and other.type.element.kind is Kind.STR
    if other.type.kind not in (Kind.STR, Kind.ENUM):
        return False
    both = bool(own & _NAMING) and bool(words & _NAMING)
    is_same = both and bool((own & words) - _NAMING or not words - _NAMING)
    return is_same or any(own & row and words & row for row in _ALIKE_FIELDS)


def _naming(attacked: Attacked, other: CallField, closed: Sequence[str]) -> tuple[Json, Tree | None] | None:
    """A value by which another field names what is closed, and when it does so where that is known."""
    value: Tree = ("attr", CALL, other.name)
    if other.type.kind in LISTS:
        small: Tree = ("method", ("name", "each"), "lower")
        said = among(small, [*dict.fromkeys(each.lower() for each in closed)])
        return [closed[0]], of_some_element(said, other)
    if other.type.kind is Kind.ENUM:
        alike = [each for each in other.type.values if same_act([each], [*closed, _TOP], of_values=True)]
        return (alike[0], given(attacked, other, among(value, alike))) if alike else None
    if {*words_of(other.name)} & _NAMING:
        return f"{other.name.replace('_', ' ')} of {closed[0]}", None
    told = [*texts_held(attacked.logged, other), *re.findall(r"[\w-]+", other.description)]
    alike = [each for each in dict.fromkeys(told) if same_act([each], [*closed, _TOP], of_values=True)]
    slug = "-".join(re.findall(r"\w+", closed[0].lower()))
    return (alike[0] if alike else slug), given(attacked, other, among(value, alike)) if alike else None


_TOP = "urgent"
"""What the highest of several levels is called."""


def attempts_with_the_same_words(attacked: Attacked) -> Iterator[Attempt]:
    """Words that a rule stops in a text, in another text of the call, or of a tool that gives out, too."""
    allowed, rule, read = attacked.allowed, attacked.rule, attacked.reading.parts
    told = things(re.findall(r"[a-z]+", attacked.sentence))
    texts = [one for one in attacked.fields_read if is_free_text(one)]
    if (
        allowed is None
        or rule.form == "permit"
        or any(not told.isdisjoint(words_of(one.name)) for one in texts)
    ):
        return  # the sentence speaks of this text
    words = [each for each in attacked.texts if any(_is_in_texts(attacked, one, each) for one in texts)]
    if not words:
        return
    others = [one for one in attacked.call_type.fields if one.name not in read and is_free_text(one)]
    if others:
        tries = [
            Try((attacked.with_value(allowed, one, words[0]),), f"nothing looks at its {one.name}")
            for one in others
        ]
        effect = narrower_of_tool(rule, attacked.call_type.name, _has_words(attacked, others, words))
        names = ", ".join(one.name for one in others)
        yield Attempt(f"words in {names}", tries, offering(effect), about=names)
    yield from _in_other_tools(attacked, words)


def _in_other_tools(attacked: Attacked, words: Sequence[str]) -> Iterator[Attempt]:
    """The words in a text of another tool that gives something out as the tool of the rule does."""
    if _GIVING_TO_OTHERS.isdisjoint(words_of(attacked.tool)):
        return
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        texts = [one for one in other.fields if is_free_text(one) and one.name not in spoken.get(name, ())]
        if name in attacked.rule.classes or not texts or _GIVING_TO_OTHERS.isdisjoint(words_of(other.tool)):
            continue
        usual = usual_call(attacked, other).arguments
        calls = [TriedCall(other.tool, {**usual, one.key: words[0]}) for one in texts]
        tries = [Try((call,), f"{other.tool} has it in a text") for call in calls]
        said: Tree = ("call", attacked.rule.form, _has_words(attacked, texts, words), ("name", name))
        effects = [beside(attacked.rule, said)]
        yield Attempt(f"words in {other.tool}", tries, offering(*effects), about=other.tool)


def _has_words(attacked: Attacked, fields: Sequence[CallField], words: Sequence[str]) -> Tree:
    """That one of some words stands in one of some texts."""
    values: list[tuple[CallField, Tree]] = [(one, ("attr", CALL, one.name)) for one in fields]
    return joined(
        "or",
        [
            given(attacked, one, joined("or", [("in", text(word), value) for word in words]))
            for one, value in values
        ],
    )


_GIVING_TO_OTHERS = frozenset(
    ("send", "forward", "reply", "respond", "share", "post", "publish", "notify", "invite")
)
_TEXTS = frozenset((
    "subject", "title", "body", "text", "message", "content", "contents", "comment", "note", "notes",
    "description", "caption", "summary", "headline", "topic", "details",
))  # fmt: skip
"""Last words of the names of parameters for texts in which anything may stand."""


def is_free_text(one: CallField) -> bool:
    """Whether a field is a text in which anything may stand, by its name."""
    is_text = one.type.kind is Kind.STR and not one.kind
    return is_text and not _TEXTS.isdisjoint(words_of(one.name)[-1:])


def _is_in_texts(attacked: Attacked, one: CallField, word: str) -> bool:
    """Whether a rule stops a word wherever it stands in a text."""
    if attacked.allowed is None or not word.strip():
        return False
    stopped, passing = (word, f"The {word} of today."), "Good morning."
    return all(attacked.stops(attacked.with_value(attacked.allowed, one, each)) for each in stopped) and not (
        attacked.stops(attacked.with_value(attacked.allowed, one, passing))
    )


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
    beside_ = [part for part in _parts_of(attacked) if not reads(part, attacked.value_of(one))]
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
