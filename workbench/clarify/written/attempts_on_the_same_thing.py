"""Attempts with another act on the thing of a rule, by a tool of which no sentence speaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.clarify.written.acts import COME_TO, act
from workbench.clarify.written.acts_of_tools import (
    effect_of_tool,
    open_tools,
    undoing,
)
from workbench.clarify.written.asked import Calls
from workbench.clarify.written.attacked import Attacked, words_of
from workbench.clarify.written.attempts import SAME_THING, Attempt, Try, beside, offering
from workbench.clarify.written.attempts_at_records import stopped_runs
from workbench.clarify.written.book import SaidRule, places
from workbench.clarify.written.said_of_another_tool import reads_own_calls, with_same
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree
from workbench.language.words import things
from workbench.model import Kind

LITTLE = act("leaving")
"""What tools do with a thing that leaves it as it is."""
_NO_THING = frozenset((
    "id", "ids", "key", "name", "number", "title", "text", "note", "reason", "subject", "message", "body",
    "query", "content", "description", "comment", "date", "time", "status", "state", "type", "format",
    "language", "limit", "pattern", "glob", "regex", "amount", "quantity", "value", "currency", "url", "path",
    "command", "sql",
))  # fmt: skip
"""Words of fields that do not say of which thing they are."""


def attempts_on_the_same_thing(attacked: Attacked) -> Iterator[Attempt]:
    """Yield an attempt for each tool that comes to the same for the thing of a rule, and has no rule."""
    rule, book = attacked.rule, attacked.book
    if rule.form == "permit" or not book.language.policy.default_allow:
        return
    for other in open_tools(attacked):
        why = _comes_to_the_same(attacked, attacked.call_type, other)
        if not why or other.name in attacked.reading.earlier:
            continue
        if any(_asked_before(attacked, each, other) for each in _rules_before(attacked)):
            continue
        tree: Tree = ("call", rule.form, _carried(attacked, other), ("name", other.name))
        tries = (Try(calls, f"{other.tool} {why}") for calls in _runs(attacked, other, tree))
        yield Attempt(SAME_THING, tries, offering(beside(rule, tree)), about=other.tool)


def _rules_before(attacked: Attacked) -> Iterator[SaidRule]:
    for one in attacked.book.rules:
        if one.name == attacked.rule.name:
            return
        yield one


def _asked_before(attacked: Attacked, rule: SaidRule, other: CallType) -> bool:
    """Whether a tool is asked about beside another rule."""
    calls = attacked.book.language.types.calls
    types = (calls[name] for name in rule.classes if name in calls)
    return rule.form == attacked.rule.form and any(
        _comes_to_the_same(attacked, each, other) for each in types
    )


def _comes_to_the_same(attacked: Attacked, own: CallType, other: CallType) -> str:
    """Why a tool comes to the same as that of a rule, for the same thing; empty if it does not."""
    if other.tool == own.tool or effect_of_tool(attacked, other.tool).reads:
        return ""
    verbs, does = {*words_of(own.tool)}, {*words_of(other.tool)}
    if does & LITTLE:
        return ""
    needed, held = (
        [one for one in own.fields if not one.type.optional],
        {one.key: one for one in other.fields},
    )
    same = [one for one in needed if _is_same(one, held.get(one.key))]
    is_of_thing = any(_names_thing(one) for one in same) or _nouns(own.tool) & _nouns(other.tool)
    if not is_of_thing:
        return ""
    undoes = undoing(verbs ^ does)
    again = undoes <= {"reset"}  # what is set anew is no less than it was
    takes_all = len(needed) > 1 and same == needed and any(map(_names_thing, same))
    # A rule that says how often says nothing of another tool, which has a number of its own.
    if takes_all and again and not contrary(verbs, does) and not reads_own_calls(attacked):
        return f"takes all that {own.tool} takes"
    if "grant" in verbs | does and (verbs | does) & _TELLING:
        return ""  # what is granted is a right, and what is told is none
    return next((why for words, why in COME_TO if verbs & words and does & words and undoes <= words), "")


_TELLING = act("telling")


TAKING = act("taking")
ADDING = act("adding")
"""What tools do by which there is less of something, and by which there is more."""


def contrary(verbs: set[str], does: set[str]) -> bool:
    """Whether one tool adds to what another one takes from."""
    return bool(verbs & TAKING and does & ADDING) or bool(verbs & ADDING and does & TAKING)


def _nouns(tool: str) -> set[str]:
    acts = frozenset[str]().union(*(words for words, _ in COME_TO))
    return things(word for word in words_of(tool)[1:] if word not in acts)


def _is_same(one: CallField, other: CallField | None) -> bool:
    return other is not None and (other.type.kind, other.kind) == (one.type.kind, one.kind)


def _names_thing(one: CallField) -> bool:
    """Whether a field says by its name to what something is done: an order, a user."""
    return one.type.kind in (Kind.STR, Kind.INT) and bool({*words_of(one.name)} - _NO_THING)


def _carried(attacked: Attacked, other: CallType) -> Tree:
    """The condition of a rule, said of another tool; always, if it reads what that one has not."""
    held, condition = {one.key: one for one in other.fields}, attacked.rule.condition
    has_all = all(_is_same(one, held.get(one.key)) for one in attacked.fields_read)
    read = {part[2] for _, part in places(condition) if part[:2] == ("attr", CALL) and part[2:]}
    is_known = read <= {one.name for one in other.fields}
    return condition if has_all and is_known and not reads_own_calls(attacked) else TRUE


def _runs(attacked: Attacked, other: CallType, tree: Tree) -> Iterator[Calls]:
    """Yield a run that ends with a call of another tool, which its rule would stop."""
    if tree[2] == TRUE or not attacked.reading.reads_run:
        stopped = attacked.stopped or attacked.plain
        same = {one.key: one for one in other.fields if one.key in stopped.arguments}
        own = {one.key: one for one in attacked.call_type.fields}
        shared = {key: one for key, one in same.items() if key in own and _is_same(own[key], one)}
        run = attacked.passing((with_same(attacked, replace(stopped, recorded=None), shared, other),))
        yield from [] if run is None else [run]
        return
    yield from stopped_runs(attacked, tree, other.tool)
