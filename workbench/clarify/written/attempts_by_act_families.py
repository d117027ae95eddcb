"""Attempts with another tool that completes the act of a rule, or sets a state that comes to the same.

Neither needs a field of the rule's tool: that it is of one family of acts and of one thing is read from
names, choices, logged values and the first words of descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.clarify.written.acts import FAMILIES, Family, act
from workbench.clarify.written.acts_of_tools import base_of, forms_of, names_act, open_tools
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import (
    LISTS,
    Attacked,
    logged_calls,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import UNDECLARED, Attempt, Try, beside, if_given, offering
from workbench.clarify.written.attempts_at_other_fields import is_free_text
from workbench.clarify.written.attempts_at_texts import among
from workbench.clarify.written.attempts_at_values import closed_values
from workbench.clarify.written.attempts_by_measures import bounded
from workbench.clarify.written.attempts_by_told_effects import (
    ALIKE_NOUNS,
    as_quoted,
    carried,
    closes_an_act,
    described,
    sentences_of,
)
from workbench.clarify.written.said_of_another_tool import Sibling, of_some_element, with_same
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.values.name_words import amount_named


def comes_to_an_act(value: str, acts: Collection[str]) -> bool:
    """Whether a value of a choice brings about what one of some acts does: “public” for publishing."""
    words = {*words_of(value)}
    return any(bool(words & {*each.values}) and bool(_act(acts, each.acts)) for each in FAMILIES)


_NO_THINGS = frozenset((
    "id", "name", "key", "code", "number", "type", "status", "state", "level", "visibility", "mode", "group",
    "permission", "now", "all", "batch", "bulk", "new", "reason", "note", "the", "a", "an", "it",
    "one", "of", "and", "date", "time", "text", "value", "amount", "user", "by", "is",
    "are", "or", "this", "that",
))  # fmt: skip
"""Words that do not say of which thing a tool is."""
_STANDING = frozenset((
    "role", "group", "level", "permission", "privilege", "rank", "status", "state", "visibility", "mode",
    "as", "audience", "stage", "phase", "team", "access",
))  # fmt: skip
"""Words of fields that say what something or somebody is from then on."""
_OF_PERSONS = frozenset(("role", "group", "level", "permission", "privilege", "rank", "team", "access", "as"))
_HELD = frozenset(("house", "home", "alarm", "security", "door", "gate", "lock", "entry", "garage", "scene"))
_OTHER_THING = re.compile(
    r"\b(?:about|from|to|for|in|on|with|at|by|into|after|before|when|without|if|so|as|until)\b|[.;:(]"
)
"""Where a sentence begins to speak of something other than that to which something is done."""
_LEAVES_IT = act("leaving_or_bringing_back")
"""First words of tools that leave a thing as it is, or bring it back."""
_WORDS_ALONE = frozenset((
    "draft", "history", "note", "notice", "preview", "quote", "receipt", "reminder", "report", "template",
))  # fmt: skip
"""Things that only say something of others."""
_COMMON = act("common")
"""Words for acts that are done to things of all sorts, so that a state says nothing of a rule's thing."""
_LONG = 4
_MOST_VALUES = 3
_MOST_WORDS = 4
KIND = "family of acts"


def attempts_by_act_families(attacked: Attacked, told: Collection[str]) -> Iterator[Attempt]:
    """Yield the attempt with the tools that come to the same, but those that are ``told`` already."""
    if attacked.rule.form == "permit" or attacked.reading.reads_run:
        return
    families = [*_families_of(attacked)]
    found: list[Sibling] = []
    for other in open_tools(attacked) if families else ():
        if other.tool in told or _leaves_it(attacked, words_of(other.tool)):
            continue
        ways = (each for family in families for each in _ways(attacked, family, other))
        found += [way for way in ways if attacked.passing((way.call,)) is not None][:1]
    for is_closed in (True, False):
        alike = [one for one in found if (one.tree is not None) is is_closed]
        effects = [beside(attacked.rule, *(one.tree for one in alike if one.tree is not None))]
        tries = [Try(attacked.passing((one.call,)) or (one.call,), one.why) for one in alike]
        yield Attempt(
            KIND,
            tries,
            offering(*(effects if is_closed else [])),
            about="" if is_closed else UNDECLARED,
        )
        if alike:
            return


def _leaves_it(attacked: Attacked, name: Sequence[str]) -> bool:
    """Whether a tool leaves a thing as it is, by the words of its name, or is about words on it."""
    about = {*words_of(attacked.tool)}
    return bool({*name[:1]} & _LEAVES_IT or things(name) & _WORDS_ALONE - about)


def _families_of(attacked: Attacked) -> Iterator[Family]:
    """Yield the families of what a rule closes: of the values of a choice, or of its tool."""
    closed = {word for text in _choices(attacked).values() for each in text for word in words_of(each)}
    first = words_of(described(attacked, attacked.tool))[:1]
    is_act = closes_an_act(attacked)
    for family in FAMILIES:
        acts = family.acts | (
            family.loose if {*words_of(attacked.tool)} & family.things else frozenset[str]()
        )
        by_tool = not closed and _act((*words_of(attacked.tool), *first), acts)
        of_value = not closed.isdisjoint(family.values) or _act(closed, family.acts)
        if (is_act or "pay" in family.acts) and (of_value or by_tool):
            yield family


def _choices(attacked: Attacked) -> Mapping[str, Sequence[str]]:
    """The values that a rule closes of what is done or what comes about, not of that to which it is done."""
    fields = {one.name: one for one in attacked.fields_read}
    return {
        name: texts
        for name, texts in closed_values(attacked).items()
        if {*words_of(name)} & _STANDING
        or fields[name].type.kind is Kind.ENUM
        or any(names_act(base_of(word)) for text in texts for word in words_of(text))
    }


def _act(words: Iterable[str], acts: Collection[str]) -> str:
    """The first word that is for one of some acts, in whatever form; empty if none is."""
    forms = {form for act in acts for form in forms_of(act)}
    return next((word for word in words if word in forms or base_of(word) in acts), "")


def _ways(attacked: Attacked, family: Family, other: CallType) -> Iterator[Sibling]:
    """Yield the calls of a tool by which the act of a family is done to the thing of a rule."""
    stopped = attacked.stopped or attacked.plain
    plain = with_same(attacked, stopped, {}, other)
    about = _things_of(attacked, other)
    own = _things_of(attacked, attacked.call_type)
    is_of_rights = "promote" in family.acts
    own_act = _act(words_of(attacked.tool), family.acts - _COMMON)
    is_same = _takes_the_same(attacked, other) or any(
        len(each) >= _LONG and one.startswith(each) for each in own for one in about
    )
    if is_of_rights or own_act or is_same or about & (own | family.things | _held(own)):
        for one in other.fields:
            is_about = is_of_rights or is_same or about & (own | family.things | _held(own))
            named = family if is_about else replace(family, acts=frozenset([own_act]), values=())
            if (way := _by_value(attacked, named, one, plain)) is not None:
                yield way
                return
        if any(one.type.kind is Kind.ENUM and {*words_of(one.name)} & _STANDING for one in other.fields):
            return  # none of its values is one of the family
    name, first = words_of(other.tool), described(attacked, other.tool).strip()
    for words, why in (
        (name, "{tool} may come to the same, by its word “{word}”"),
        (words_of(first)[:1], "{tool} is described so: “{said}”"),
    ):
        strict = _act(words, family.acts) if is_of_rights or is_same or about & (own | family.things) else ""
        if word := strict or (_act(words, family.loose) if about & family.things else ""):
            said = as_quoted(sentences_of(first)[0])
            call, tree = _beyond(attacked, other, plain)
            yield Sibling(call, why.format(tool=other.tool, said=said, word=word), tree)
            return


def _beyond(attacked: Attacked, other: CallType, plain: TriedCall) -> tuple[TriedCall, Tree | None]:
    """The call of a tool, and the rule for it; beyond the bound of the rule where it has such an amount."""
    for bound in bounded(attacked):
        kind = amount_named(words_of(bound.one.name))
        for one in other.fields:
            alike = one.type.kind in (Kind.INT, Kind.DECIMAL) and amount_named(words_of(one.name)) == kind
            if kind and alike and bound.is_upper and one.name != bound.one.name:
                above = if_given(one, (">", ("attr", CALL, one.name), ("lit", "int", bound.limit)))
                call = TriedCall(other.tool, {**plain.arguments, one.key: bound.limit * 2})
                return call, ("call", attacked.rule.form, above, ("name", other.name))
    return plain, _closed(attacked, other)


def _takes_the_same(attacked: Attacked, other: CallType) -> bool:
    """Whether a tool needs what the tool of a rule needs to name its thing: two texts or more."""
    needed = {
        one.key
        for one in attacked.call_type.fields
        if one.type.kind is Kind.STR and not one.type.optional and not is_free_text(one)
    }
    held = {one.key for one in other.fields if one.type.kind is Kind.STR and not one.type.optional}
    return len(needed) > 1 and needed <= held


def _held(own: Collection[str]) -> frozenset[str]:
    """The parts of a house, where a rule speaks of one of them."""
    return _HELD if _HELD & {*own} else frozenset()


def _things_of(attacked: Attacked, call_type: CallType) -> frozenset[str]:
    """The words for that to which a tool does something.

    They are of its name and the beginning of its description, and of what it needs if its name has none.
    """
    name = words_of(call_type.tool)
    act = next(filter(names_act, name), name[0] if name else "")
    told = _OTHER_THING.split(described(attacked, call_type.tool).casefold())[0]
    found = things(word for word in name if word != act) - _NO_THINGS
    if not found or call_type.tool == attacked.tool:
        found |= things(word for one in call_type.fields for word in words_of(one.name)) - _NO_THINGS
    found |= things(re.findall(r"[a-z]+", told)[1:]) - _NO_THINGS
    return frozenset(found.union(*(alike for alike in ALIKE_NOUNS if alike & found)))


def _closed(attacked: Attacked, other: CallType) -> Tree | None:
    """The rule for another tool: its condition, or always where it closes its act altogether."""
    condition = carried(attacked, other)
    is_whole = {one.name for one in attacked.fields_read} <= {*_choices(attacked)}
    if condition == TRUE and not is_whole:
        return None
    return ("call", attacked.rule.form, condition, ("name", other.name))


def _by_value(attacked: Attacked, family: Family, one: CallField, plain: TriedCall) -> Sibling | None:
    """The call with a value of a field that is of a family; None if it has none."""
    type_ = one.type.element if one.type.kind in LISTS and one.type.element is not None else one.type
    words, value = {*words_of(one.name)}, ("attr", CALL, one.name)
    known: Sequence[str] = ()
    other = next(each for each in attacked.book.language.types.calls.values() if each.tool == plain.tool)
    if type_.kind is Kind.BOOL and words & {*family.values}:
        return _with(attacked, other, one, True, value, plain)
    if type_.values:
        known = [*type_.values]
    elif type_.kind is Kind.STR and not one.kind and words & _STANDING:
        calls = logged_calls(attacked.book, plain.tool)
        told = [each for each in words_of(one.description) if each in family.values]
        is_of_rights = "promote" in family.acts and bool(words & _OF_PERSONS)
        usual = family.values[:_MOST_VALUES] if is_of_rights else told
        known = [*texts_held(calls, one)] or usual
    fitting = [each for each in known if _is_of(each, family)]
    if not fitting or len(fitting) == len(type_.values):
        return None
    if one.type.kind in LISTS:
        held: list[Json] = [fitting[0]]
        said = of_some_element(among(("name", "each"), fitting), one)
        return _with(attacked, other, one, held, said, plain)
    return _with(attacked, other, one, fitting[0], among(value, fitting), plain)


def _is_of(value: str, family: Family) -> bool:
    words = words_of(value)
    return len(words) <= _MOST_WORDS and bool({*words} & {*family.values} or _act(words, family.acts))


def _with(
    attacked: Attacked, other: CallType, one: CallField, held: Json, said: Tree, plain: TriedCall
) -> Sibling:
    shown = one.name if held is True else held[0] if isinstance(held, list) else held
    tree: Tree = ("call", attacked.rule.form, if_given(one, said), ("name", other.name))
    why = f"{other.tool} may come to the same with “{shown}”"
    return Sibling(TriedCall(other.tool, {**plain.arguments, one.key: held}), why, tree)
