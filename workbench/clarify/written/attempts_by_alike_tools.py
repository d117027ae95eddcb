"""Attempts with a tool that does by its name what the tool of a rule does, to one thing or to several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.clarify.written.acts import BROAD
from workbench.clarify.written.acts_of_tools import (
    LINKS,
    SENDING,
    acts_alike,
    base_of,
    effect_of_tool,
    names_act,
    same_act,
    undoing,
    words_of_acts,
)
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import (
    LISTS,
    Attacked,
    fields_spoken_of,
    made_call,
    made_object,
    stopping_alike,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, beside, offering
from workbench.clarify.written.attempts_at_values import closed_values, is_alike
from workbench.clarify.written.attempts_by_measures import is_changed_by
from workbench.clarify.written.book import places, replaced
from workbench.clarify.written.said_of_another_tool import (
    Sibling,
    of_some_element,
    reads_own_calls,
    usual_call,
    with_field,
    with_same,
)
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.values.name_words import amount_named

_SEVERAL = frozenset(("all", "bulk", "batch", "many", "mass", "multi", "multiple", "several", "list"))
_OF_MANNER = frozenset(
    ("now", "force", "forced", "v1", "v2", "v3", "new", "quick", "direct", "directly", "admin")
)
"""Words of names of tools that do not say to what something is done."""


def attempts_by_alike_tools(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempt with the tools of one act and one thing with the tool of a rule."""
    stopped = attacked.stopped
    if attacked.rule.form == "permit" or stopped is None or attacked.reading.reads_run:
        return
    kinds = {attacked.kind(one) for one in attacked.fields_read} - {""}
    said: list[Tree] = []
    tries: list[Try] = []
    for name, other in attacked.book.language.types.calls.items():
        if name in attacked.rule.classes or not _is_alike(attacked, other):
            continue
        if is_changed_by(attacked, other):
            continue
        if stopping_alike(attacked, name) or fields_spoken_of(attacked).get(name):
            continue
        if kinds & {attacked.kind_in(other, each) for each in other.fields}:
            continue  # what tools do with values of a kind is known of them
        same = counterparts(attacked, other)
        if attacked.fields_read and not same and effect_of_tool(attacked, other.tool).reads:
            continue  # it shows what is there, and takes nothing of which the rule speaks
        call = _call_of(attacked, stopped, other, same)
        if (run := attacked.passing((call,))) is None:
            continue
        said.append(_rule_of(attacked, other, same))
        several = "several things at once" if {*words_of(other.tool)} & _SEVERAL else "the same"
        by = "name" if _are_alike(attacked.tool, other.tool) else "description"
        tries.append(Try(run, f"{other.tool} does {several}, by its {by}"))
    yield Attempt("other tool", tries, offering(beside(attacked.rule, *said)), about="name")


def _is_alike(attacked: Attacked, other: CallType) -> bool:
    """Whether a tool does by its name or the first words of its description what the tool of a rule does."""
    if _are_alike(attacked.tool, other.tool):
        return True
    act, about = _act_and_things(attacked.tool)
    told = _TOLD.match(other.description)
    if told is None or not about or not act:
        return False
    spoken = things(re.findall(r"[a-z]+", told[2].lower()))
    return same_act([act], [told[1].lower()]) and about <= spoken


_TOLD = re.compile(r"(\w{3,20}) (.{0,60})")
"""The first word of a description, which says what a tool does, and the next ones."""


def _are_alike(tool: str, other: str) -> bool:
    """Whether the names of two tools have words of one act, and of the same things."""
    (act, about), (other_act, of_other) = _act_and_things(tool), _act_and_things(other)
    return same_act([act], [other_act]) and bool(about) and about == of_other


def _act_and_things(tool: str) -> tuple[str, set[str]]:
    """The first word for an act in the name of a tool, and of what it speaks besides."""
    words = [word for word in words_of(tool) if word not in (*_SEVERAL, *_OF_MANNER)]
    act = next(filter(names_act, words), "")
    return act, things(word for word in words if word != act)


def counterparts(attacked: Attacked, other: CallType) -> Mapping[str, CallField]:
    """For the fields of a tool those of another tool that have the same, of one thing or of several."""
    found: dict[str, CallField] = {}
    for one in attacked.call_type.fields:
        own = things(words_of(one.name))
        for each in other.fields:
            same = each.name == one.name and each.type.kind is one.type.kind
            many = each.type.kind in LISTS and one.type.kind not in LISTS
            element = each.type.element
            is_one_of = many and element is not None and element.kind is one.type.kind
            if (same or (is_one_of and things(words_of(each.name)) == own)) and each.kind in ("", one.kind):
                found.setdefault(one.name, each)
    return found


def _call_of(
    attacked: Attacked, stopped: TriedCall, other: CallType, same: Mapping[str, CallField]
) -> TriedCall:
    """The call of another tool with what is stopped."""
    held: dict[str, Json] = {}
    for one in attacked.call_type.fields:
        if one.name in same and one.key in stopped.arguments:
            value, field = stopped.arguments[one.key], same[one.name]
            is_list = field.type.kind in LISTS and one.type.kind not in LISTS
            held[field.key] = [value] if is_list else value
    usual = usual_call(attacked, other).arguments or made_call(other, {}).arguments
    return TriedCall(other.tool, {**usual, **held})


def _rule_of(attacked: Attacked, other: CallType, same: Mapping[str, CallField]) -> Tree:
    """The rule for another tool; that it is closed as a whole where it lacks what the rule reads."""
    said: Tree | None = attacked.rule.condition
    for one in attacked.fields_read:
        field = same.get(one.name)
        said = None if said is None or field is None else with_field(said, one, field)
    return ("call", attacked.rule.form, TRUE if said is None else said, ("name", other.name))


_SHORT = 3
_NO_SUBJECT = frozenset((
    "id", "ids", "key", "name", "title", "text", "note", "reason", "subject", "message", "body", "query",
    "content", "description", "comment", "date", "time", "status", "state", "type", "format", "language",
    "pattern", "glob", "regex",
))  # fmt: skip
"""Words of fields that tools have for things of their own, which a rule about one tool does not mean."""


def by_parameter(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools that take what the rule speaks of by the same names, and act as its tool does."""
    stopped, read = attacked.stopped, attacked.fields_read
    if stopped is None or not read or not _is_subject(attacked, read):
        return
    is_state = all(_is_state(attacked, one) for one in read)
    own_act = _names_act(attacked) and not is_state
    spoken, verbs = fields_spoken_of(attacked), {*words_of(attacked.tool)}
    for name, other in attacked.book.language.types.calls.items():
        held = {one.key: one for one in other.fields}
        same = {
            one.key: held[one.key] for one in read if _is_same(one, held.get(one.key), is_needed=not is_state)
        }
        words = {*words_of(other.tool)}
        if name in attacked.rule.classes or len(same) < len(read) or words & LINKS:
            continue
        if bool(undoing(words)) is not bool(undoing(verbs)) or not acts_alike(attacked, other):
            continue
        if own_act and not any(verbs & group and words & group for group in BROAD):
            continue
        if any(one.name in spoken.get(name, ()) for one in same.values()):
            continue
        act_alike = any(verbs & group and words & group for group in BROAD)
        if not _is_about_texts(read) and not act_alike and not _is_of_same(attacked, held):
            continue
        if attacked.reading.reads_run and (not act_alike or reads_own_calls(attacked)):
            continue
        call = with_same(attacked, stopped, same, other)
        if any(
            one.type.values and call.arguments.get(key) not in one.type.values for key, one in same.items()
        ):
            continue
        tree: Tree = ("call", attacked.rule.form, attacked.rule.condition, ("name", other.name))
        said = " and ".join(one.name.replace("_", " ") for one in read)
        yield Sibling(call, f"{other.tool} has the same {said}", tree)


def by_its_value(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools whose names have a word for a value that a rule closes: “ownership” for an admin."""
    spoken, closed = fields_spoken_of(attacked), closed_values(attacked)
    base = attacked.stopped
    needed = [one for one in attacked.call_type.fields if not one.type.optional and one.name not in closed]
    if base is None or not closed or not needed or attacked.reading.reads_run:
        return
    values = [each for texts in closed.values() for each in texts]
    for name, other in attacked.book.language.types.calls.items():
        held = {one.key: one for one in other.fields}
        same = {one.key: held[one.key] for one in needed if _is_same(one, held.get(one.key))}
        if name in attacked.rule.classes or name in spoken or not same or not acts_alike(attacked, other):
            continue
        if undoing(words_of(other.tool)) or closed.keys() & held.keys():
            continue
        words = [word.removesuffix("ship") for word in words_of(other.tool)]
        if is_alike(" ".join(words), values):
            call = with_same(attacked, base, same, other)
            said = " or ".join(f"“{each}”" for each in values[:_SHORT])
            yield Sibling(call, f"{other.tool} may come to the same as {said}", None)


def by_list_of_them(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools that do for each object of a list what the rule's tool does once."""
    stopped, read = attacked.stopped, attacked.fields_read
    if stopped is None or not read or not _is_subject(attacked, read) or attacked.reading.reads_run:
        return
    verbs, element = {*words_of(attacked.tool)}, ("name", "each")
    for name, other in attacked.book.language.types.calls.items():
        does = {*words_of(other.tool)}
        if not any(verbs & group and does & group for group in BROAD) or not acts_alike(attacked, other):
            continue
        for field in other.fields if not stopping_alike(attacked, name) else ():
            inner = {one.key: one for one in field.fields}
            if field.type.kind is not Kind.LIST or not all(_is_same(one, inner.get(one.key)) for one in read):
                continue
            held = {key: value for key, value in stopped.arguments.items() if key in inner}
            usual = usual_call(attacked, other).arguments
            call = TriedCall(other.tool, {**usual, field.key: [{**made_object(field, {}), **held}]})
            said = attacked.rule.condition
            for path, part in [*places(said)]:
                if part[:2] == ("attr", CALL) and part[2:] and part[2] in {one.name for one in read}:
                    said = replaced(said, path, ("attr", element, part[2]))
            tree: Tree = ("call", attacked.rule.form, of_some_element(said, field), ("name", name))
            yield Sibling(call, f"{other.tool} does so for each of its {field.name.replace('_', ' ')}", tree)


def _names_act(attacked: Attacked) -> bool:
    """Whether a sentence says what the tool does, “is not sold”, so that it is not about other acts."""
    verb = words_of(attacked.tool)[0]
    begin = verb.removesuffix("e") if len(verb) > _SHORT else verb
    said = re.findall(r"[a-z]+", attacked.sentence)
    return any(word.startswith(begin) or base_of(word) == verb for word in said)


def _is_same(one: CallField, other: CallField | None, *, is_needed: bool = True) -> bool:
    return (
        other is not None
        and (other.name, other.kind) == (one.name, one.kind)
        and other.type.kind is one.type.kind
        and (other.type.optional is one.type.optional or not is_needed)
    )


_OF_STATES = frozenset((
    "access", "permission", "permissions", "plan", "privilege", "role", "roles", "rights", "scope",
    "visibility",
))  # fmt: skip


def _is_state(attacked: Attacked, one: CallField) -> bool:
    """Whether a field says what somebody is or may do, and a rule closes values of it."""
    return bool({*words_of(one.name)} & _OF_STATES) and one.name in closed_values(attacked)


_TO_MANY = frozenset((
    "all", "announce", "audience", "broadcast", "bulk", "campaign", "channel", "class", "everyone",
    "group", "list", "mailing", "newsletter", "segment", "subscribers", "tag", "team",
))  # fmt: skip
_ONE_OF_MANY = frozenset((
    "address", "client", "contact", "customer", "email", "guest", "member", "parent", "patient", "person",
    "recipient", "student", "subscriber", "tenant", "to", "user",
))  # fmt: skip


def by_broadcast(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the tools that send something to many at once, where a rule closes some of these."""
    closed = [one for one in attacked.fields_read if things(words_of(one.name)) & _ONE_OF_MANY]
    words = words_of_acts(attacked.book, attacked.call_type)
    values = [text for one in closed for text in closed_values(attacked).get(one.name, ())]
    if not words & SENDING or not values or attacked.stopped is None:
        return
    spoken = fields_spoken_of(attacked)
    for name, other in attacked.book.language.types.calls.items():
        named = {word for one in other.fields for word in words_of(one.name)}
        to_many = (named | {*words_of(other.tool)}) & _TO_MANY
        to_one = things(named) & _ONE_OF_MANY
        sends = words_of_acts(attacked.book, other) & SENDING
        if name in attacked.rule.classes or name in spoken or not (to_many and sends) or to_one:
            continue
        if effect_of_tool(attacked, other.tool).reads:
            continue
        yield Sibling(usual_call(attacked, other), f"{other.tool} may reach “{values[0]}”, too", None)


def _is_subject(attacked: Attacked, read: Sequence[CallField]) -> bool:
    """Whether fields are what a rule is about in any tool: values of a choice, of an amount, no own names."""
    return all(
        one.type.kind is Kind.ENUM
        or (one.type.kind is Kind.STR and not attacked.kind(one) and not _NO_SUBJECT & {*words_of(one.name)})
        or (
            one.type.kind in (Kind.INT, Kind.DECIMAL)
            and amount_named(words_of(one.name)) in ("money", "pieces")
        )
        for one in read
    )


def _is_about_texts(read: Sequence[CallField]) -> bool:
    return any(one.type.kind in (Kind.STR, Kind.ENUM) for one in read)


def _is_of_same(attacked: Attacked, held: Mapping[str, CallField]) -> bool:
    """Whether another tool has, besides an amount, a text that the tool of the rule demands, too."""
    return any(
        one.type.kind is Kind.STR and not one.type.optional and one.key in held
        for one in attacked.call_type.fields
    )
