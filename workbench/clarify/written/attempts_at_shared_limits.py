"""Attempts past a count or a sum of earlier calls, by another tool with the same effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from workbench.clarify.written.acts import BROAD
from workbench.clarify.written.acts_of_tools import acts_alike, base_of, names_act
from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, made_call, stopping_alike, words_of
from workbench.clarify.written.attempts import Attempt, Try
from workbench.clarify.written.attempts_by_alike_tools import counterparts
from workbench.clarify.written.book import places, reads, replaced
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, RUN, TRUE, Tree, with_instead
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
    if attacked.rule.form == "permit" or not counted:
        return
    others = [one for one in attacked.book.language.types.calls.values() if _shares(attacked, one)]
    before = _up_to_the_limit(attacked) if others else ()
    runs = [(one, (*before, _like(attacked, before[-1], one))) for one in others if before]
    passing = [(one, calls) for one, calls in runs if attacked.passing(calls) is not None]
    for other, calls in passing[:1]:
        tries = [Try(calls, f"{other.tool} does the same, and is not counted")]
        if (listed := _list_of(attacked, other)) is not None:
            many = [calls[-1].arguments[listed.key]] * len(calls)
            whole = {listed.key: [each for held in many if isinstance(held, list) for each in held]}
            tries.append(Try((replace(calls[-1], arguments={**calls[-1].arguments, **whole}),), tries[0].why))
        wider = partial(_counting_too, attacked, counted, [one for one, _ in passing])
        yield Attempt(
            "shared limit", tries, partial(_counting_too, attacked, counted, [other]), about=other.name,
            wider=wider if len(passing) > 1 else list,
        )  # fmt: skip


def _counted(attacked: Attacked) -> Iterator[Tree]:
    """Yield the numbers of earlier calls of its own tool, or sums over them, that a rule reads."""
    for _, part in places(attacked.unfolded.condition):
        is_number = part[0] == "call" and part[1] in ("sum", "len", "any")
        if is_number and any(attacked.call_type.name in names for names in _classes_of_earlier(part)):
            yield part


def _classes_of_earlier(tree: Tree) -> Iterator[Sequence[str]]:
    """Yield the classes of each mention of earlier calls."""
    for _, inner in places(tree):
        if inner[:3] == ("method", RUN, "earlier"):
            yield [str(one[1]) for one in inner[3:]]


def _shares(attacked: Attacked, other: CallType) -> bool:
    """Whether another tool does the same to the same kind of thing, with all that a rule reads of its own."""
    verb, does = _verb(attacked.tool), _verb(other.tool)
    counted = _classes_of_earlier(attacked.unfolded.condition)
    if any(other.name in names for names in counted) or stopping_alike(attacked, other.name):
        return False
    if other.tool == attacked.tool or not (verb == does or any({verb, does} <= group for group in BROAD)):
        return False
    if verb != does and verb in _NAMED_ALONE and verb in attacked.sentence:
        return False
    tool = attacked.book.tools[other.tool]
    held = {one.name: one.type for one in other.fields}
    read = {one.name: one.type for one in attacked.fields_read}
    has_all = all(held.get(name) == type_ for name, type_ in read.items())
    needed = {one.key for one in attacked.call_type.fields if not one.type.optional}
    own, theirs = (
        things(word for word in words_of(tool) if word != _verb(tool)) for tool in (attacked.tool, other.tool)
    )
    named = things(re.findall(r"[a-z]+", attacked.sentence))
    is_other = bool(named & own - theirs) and not named & theirs  # a sentence about vouchers means no refunds
    is_same = bool(own & theirs) or (not is_other and not needed.isdisjoint(one.key for one in other.fields))
    return has_all and is_same and not effect_of(tool).reads and acts_alike(attacked, other)


def _verb(tool: str) -> str:
    """The first word for an act in the name of a tool; else its first word."""
    words = words_of(tool) or ("",)
    acts = (word for word in words if names_act(base_of(word)) or any(word in group for group in BROAD))
    return next(acts, words[0])


def _list_of(attacked: Attacked, other: CallType) -> CallField | None:
    """The list of a tool that does for each element what the rule's tool does once."""
    own = {one.name: one for one in attacked.call_type.fields}
    found = counterparts(attacked, other).items()
    return next(
        (one for name, one in found if one.type.kind in LISTS and own[name].type.kind not in LISTS), None
    )


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


def _like(attacked: Attacked, call: TriedCall, other: CallType) -> TriedCall:
    """A call of another tool with the values that it shares with a call, or has in a list of them."""
    shared = {one.key: call.arguments[one.key] for one in other.fields if one.key in call.arguments}
    if (listed := _list_of(attacked, other)) is not None:
        own = next(name for name, one in counterparts(attacked, other).items() if one is listed)
        shared[listed.key] = [call.arguments[one.key] for one in attacked.call_type.fields if one.name == own]
    return TriedCall(other.tool, {**made_call(other, {}).arguments, **shared})


def _counting_too(
    attacked: Attacked, counted: Sequence[Tree], others: Sequence[CallType]
) -> Sequence[Effect]:
    """The rule about all tools that do the same, which counts the calls of all of them.

    Of one that does it for each element of a list these are counted, and it has a rule of its own.
    """
    said, rule = attacked.unfolded.condition, attacked.rule
    lists = {one.name: listed for one in others if (listed := _list_of(attacked, one)) is not None}
    single = tuple(("name", one.name) for one in others if one.name not in lists)
    new: list[tuple[str, Tree]] = []
    numbers: list[Tree] = []
    for number in counted:
        whole = number
        for _, inner in places(number) if single else ():
            if inner[:3] == ("method", RUN, "earlier"):
                whole = with_instead(whole, inner, (*inner, *single))
        for name, listed in lists.items():
            if (elements := _elements_of(number, name, listed)) is None:
                return []
            whole = ("+", whole, elements)
        said = with_instead(said, number, whole)
        numbers.append(whole)
    for name, listed in lists.items():
        own = said
        for path, atom in places(said):
            is_bound = len(atom) == 3 and atom[0] in (">", ">=") and atom[2][:2] == ("lit", "int")
            if is_bound and any(reads(atom[1], number) for number in numbers):
                total: Tree = ("+", atom[1], ("call", "len", ("attr", CALL, listed.name)))
                most = atom[2][2] + (atom[0] == ">")  # the call itself is one more than those before
                own = replaced(own, path, (">", total, ("lit", "int", most)))
        if own == said:
            return []
        new.append((rule.name, ("call", rule.form, own, ("name", name))))
    return [Effect({rule.name: (*rule.tree[:2], said, *rule.tree[3:], *single)}, new=tuple(new))]


def _elements_of(number: Tree, name: str, listed: CallField) -> Tree | None:
    """How many elements the lists of earlier calls of a class have, of those that a number counts."""
    counted = number[2]
    each: Tree = ("name", "e")
    calls: Tree = ("method", RUN, "earlier", ("name", name))
    length: Tree = ("call", "len", ("attr", each, listed.name))
    if number[1] == "len" and counted[0] == "method":
        return ("call", "sum", ("gen", each, length, calls, TRUE))
    if number[1] != "sum" or counted[0] != "gen" or counted[2] != ("lit", "int", 1):
        return None
    return ("call", "sum", ("gen", each, length, calls, with_instead(counted[4], counted[1], each)))
