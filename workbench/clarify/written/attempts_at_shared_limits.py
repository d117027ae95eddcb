"""Attempts past a count or a sum of earlier calls, by another tool with the same effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from workbench.clarify.written.acts_of_tools import ACTS, acts_alike
from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import Attacked, made_call, stopping_alike, words_of
from workbench.clarify.written.attempts import Attempt, Try
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallType
from workbench.language.trees import RUN, Tree
from workbench.language.words import things
from workbench.model import Kind
from workbench.runs.extract.tool_effects import effect_of

_MOST_BEFORE = 50
"""The most calls that are made to come to a limit."""
_NAMED_ALONE = frozenset(("refund", "donate", "charge", "withdraw", "rent", "ship"))
"""Acts that a sentence means alone where it names them: a refund is no payment."""


def attempts_at_shared_limits(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with calls of tools that do the same and are not counted with those of the rule."""
    counted = [*_counted(attacked)]
    if attacked.rule.form == "permit" or not counted or len(attacked.rule.classes) != 1:
        return
    others = [one for one in attacked.book.language.types.calls.values() if _shares(attacked, one, counted)]
    before = _up_to_the_limit(attacked) if others else ()
    runs = [(one, (*before, _like(before[-1], one))) for one in others if before]
    passing = [(one, calls) for one, calls in runs if attacked.passing(calls) is not None]
    tries = [Try(calls, f"{one.tool} does the same, and is not counted") for one, calls in passing]
    if tries:
        names = [one.name for one, _ in passing]
        yield Attempt("shared limit", tries, partial(_counting_too, attacked, counted, names))


def _counted(attacked: Attacked) -> Iterator[Tree]:
    """Yield the earlier calls that a rule counts, sums or looks for, with those of its own tool."""
    for _, part in places(attacked.unfolded.condition):
        is_number = part[0] == "call" and part[1] in ("sum", "len", "any")
        for _, inner in places(part) if is_number else ():
            if inner[:3] == ("method", RUN, "earlier") and ("name", attacked.call_type.name) in inner[3:]:
                yield inner


def _shares(attacked: Attacked, other: CallType, counted: Sequence[Tree]) -> bool:
    """Whether another tool does the same to the same kind of thing, with all that a rule reads of its own."""
    verbs, does = _verbs(attacked.tool), _verbs(other.tool)
    if any(("name", other.name) in one[3:] for one in counted) or stopping_alike(attacked, other.name):
        return False
    if other.tool == attacked.tool or not any(verbs & group and does & group for group in ACTS):
        return False
    if any(verb in attacked.sentence for verb in verbs & _NAMED_ALONE - does):
        return False
    tool = attacked.book.tools[other.tool]
    held = {one.name: one.type for one in other.fields}
    read = {one.name: one.type for one in attacked.fields_read}
    has_all = all(held.get(name) == type_ for name, type_ in read.items())
    needed = {one.key for one in attacked.call_type.fields if not one.type.optional}
    own, theirs = (things(words_of(tool)[1:]) for tool in (attacked.tool, other.tool))
    named = things(re.findall(r"[a-z]+", attacked.sentence))
    is_other = bool(named & own - theirs) and not named & theirs  # a sentence about vouchers means no refunds
    is_same = bool(own & theirs) or (not is_other and not needed.isdisjoint(one.key for one in other.fields))
    return has_all and is_same and not effect_of(tool).reads and acts_alike(attacked, other)


def _verbs(tool: str) -> set[str]:
    """The words of a tool without those for what is sent, which begin the names of tools that send."""
    first, *rest = words_of(tool) or ("",)
    return {first, *rest} - _SENT | {first}


_SENT = frozenset(("mail", "email", "message", "post"))


def _up_to_the_limit(attacked: Attacked) -> Calls:
    """Calls of the rule's tool after which it stops the next; nothing where so many are not made."""
    bounds = [
        int(part[2])
        for _, part in places(attacked.unfolded.condition)
        if part[:1] == ("lit",) and part[1] in ("int", "dec") and part[2] > 0
    ]
    call = attacked.allowed or attacked.plain
    for one in attacked.fields_read:
        if one.type.kind in (Kind.INT, Kind.DECIMAL) and bounds:
            call = attacked.with_value(call, one, max(bounds) * 9 // 10 or 1)
    for number in range(1, _MOST_BEFORE):
        run = (call,) * (number + 1)
        if attacked.trials.truth(attacked.rule.rule, run, number) is True:
            return run[:number]
    return ()


def _like(call: TriedCall, other: CallType) -> TriedCall:
    """A call of another tool with the values that it shares with a call."""
    shared = {one.key: call.arguments[one.key] for one in other.fields if one.key in call.arguments}
    return TriedCall(other.tool, {**made_call(other, {}).arguments, **shared})


def _counting_too(attacked: Attacked, counted: Sequence[Tree], names: Sequence[str]) -> Sequence[Effect]:
    """The rule about all tools that do the same, which counts the calls of all of them."""
    said, more = attacked.unfolded.condition, tuple(("name", name) for name in names)
    for path, part in [*places(said)]:
        if part in counted:
            said = replaced(said, path, (*part, *more))
    rule = attacked.rule
    return [Effect({rule.name: (*rule.tree[:2], said, *rule.tree[3:], *more)})]
