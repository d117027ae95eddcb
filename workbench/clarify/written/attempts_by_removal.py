"""Attempts by which a thing is gone, or has a state, that the tool of a rule must not bring about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from workbench.clarify.written.acts import act
from workbench.clarify.written.acts_of_tools import DELETING, TO
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, stopping_alike, words_of
from workbench.clarify.written.attempts import if_given
from workbench.clarify.written.book import places
from workbench.clarify.written.said_of_another_tool import (
    Sibling,
    of_some_element,
    reads_own_calls,
    with_field,
    with_same,
)
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.language.words import things
from workbench.model import Json, Kind

_STATES = frozenset(("status", "state", "stage", "phase", "action", "transition", "tag"))


def by_removal(attacked: Attacked, known: Collection[str]) -> Iterator[Sibling]:
    """Yield the tools by which a thing is gone that the rule's tool must not delete.

    They put it aside, into a bin, or leave nothing in it.
    """
    if not {*words_of(attacked.tool)} & DELETING:
        return
    base = attacked.stopped or attacked.plain
    for name, other in attacked.book.language.types.calls.items():
        same = _same_thing(attacked, other)
        if name in attacked.rule.classes or same is None or stopping_alike(attacked, name):
            continue
        for key, value, extra, why in _ways_of_removing(other, is_known=other.tool in known):
            held = with_same(attacked, base, same, other).arguments
            call = TriedCall(other.tool, {**held, key: value} if key else held)
            said = joined("and", [part for part in (_carried(attacked, other, same), extra) if part != TRUE])
            tree: Tree = ("call", attacked.rule.form, said, ("name", name))
            yield Sibling(call, f"{other.tool} {why}", tree)


def puts_aside(one: Sibling) -> bool:
    """Whether a tool puts a thing where it is still kept."""
    does = {*words_of(one.call.tool)}
    return bool(does & _ASIDE) and not does & DELETING


_ASIDE = act("putting_aside")


def _same_thing(attacked: Attacked, other: CallType) -> Mapping[str, CallField] | None:
    """The fields of another tool for the thing that the rule's tool is about; None if it takes none."""
    held = {one.key: one for one in other.fields}
    needed = [one for one in attacked.call_type.fields if not one.type.optional]
    paths = [
        one
        for one in other.fields
        if attacked.kind_in(other, one) == "path" and not {*words_of(one.name)} & (_PLACED_IN | TO - {"name"})
    ]
    same = {one.key: held[one.key] for one in needed if one.key in held}
    same |= {one.key: paths[0] for one in needed if one.kind == "path" and paths and one.key not in held}
    if same or needed:
        return same or None
    nouns = things(words_of(attacked.tool)) - DELETING
    return same if nouns & things(words_of(other.tool)) else None


def _carried(attacked: Attacked, other: CallType, same: Mapping[str, CallField]) -> Tree:
    """The condition of a rule, said of another tool; always, if it reads what that one has not."""
    condition, names = attacked.rule.condition, {one.name for one in other.fields}
    for one in attacked.fields_read:
        field = same.get(one.key)
        if field is not None and field.name != one.name:
            condition = with_field(condition, one, field) or TRUE
    read = {part[2] for _, part in places(condition) if part[:2] == ("attr", CALL)}
    return condition if read <= names and not reads_own_calls(attacked) else TRUE


def _ways_of_removing(other: CallType, *, is_known: bool) -> Iterator[tuple[str, Json, Tree, str]]:
    """Yield fields of a tool with values by which a thing is gone, what a rule says of these, and why."""
    first, *rest = words_of(other.tool) or ("",)
    does = {first, *rest} - ({"archive"} if rest and first != "archive" else set())
    if does & _PUTTING_AWAY and not is_known:
        yield "", None, TRUE, "takes it away too"
    for one in other.fields:
        value, words = ("attr", CALL, one.name), things(words_of(one.name))
        is_list = one.type.kind in LISTS
        text: Tree = ("name", "each") if is_list else value
        small: Tree = ("method", ("method", text, "strip"), "lower")
        if words & _PLACED_IN and does & _PLACING and not is_known:
            enum = [each for each in one.type.values or () if each.casefold() in _BINS]
            said: Tree = ("in", small, ("set", *(("lit", "text", each) for each in _BINS)))
            said = ("==", value, ("lit", "text", enum[0])) if enum else said
            said = of_some_element(said, one) if is_list else said
            element = one.type.element or one.type
            if enum or (element.kind is Kind.STR and not words & _STATES):
                held: Json = enum[0] if enum else _BINS[0].title()
                yield one.key, [held] if is_list else held, if_given(one, said), "puts it into a bin"
        elif words & _CONTENTS and does & _OVERWRITING and one.type.kind is Kind.STR:
            empty: Tree = ("==", ("method", value, "strip"), ("lit", "text", ""))
            yield one.key, "", if_given(one, empty), "leaves nothing in it"


_PUTTING_AWAY = act("putting_away")
_PLACING = act("placing")
_PLACED_IN = frozenset(("folder", "label", "mailbox", "destination", "location", "category", "tag", "status"))
_BINS = ("trash", "bin", "deleted", "deleted items", "recycle bin")
_CONTENTS = frozenset(("content", "body", "text", "data", "value"))
_OVERWRITING = act("overwriting")
