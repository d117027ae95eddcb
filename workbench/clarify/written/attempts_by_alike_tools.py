"""Attempts with a tool that does by its name what the tool of a rule does, to one thing or to several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import (
    Attacked,
    fields_spoken_of,
    made_call,
    stopping_alike,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, beside
from workbench.clarify.written.attempts_elsewhere import usual_call, with_field
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import TRUE, Tree
from workbench.language.words import things
from workbench.model import Json, Kind

_LISTS = (Kind.SET, Kind.LIST)
_ACTS = tuple(
    frozenset(words.split())
    for words in (
        "modify update edit change patch set alter amend adjust correct upsert replace overwrite save put",
        "create add new make insert register write upsert put",
        "delete remove erase purge destroy drop trash wipe discard unlink hide",
        "send post mail email message notify share forward publish submit",
        "cancel void revoke terminate abort withdraw",
        "refund reimburse credit chargeback",
        "pay transfer wire remit payout disburse",
        "approve accept confirm authorize authorise sign",
        "close resolve finish complete archive solve",
        "run execute exec invoke eval start trigger",
        "get read fetch view open show load download export dump print",
        "move rename relocate",
        "book reserve order buy purchase",
        "grant assign give allow permit promote",
        "merge land",
        "deploy release ship rollout publish",
        "restart reboot reset",
        "disable deactivate suspend block ban lock",
        "invite add enrol enroll",
        "upload push put write",
    )
)
"""Words of tools for acts that come to the same where they are done to the same things."""
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
        if name in attacked.rule.classes or not _are_alike(attacked.tool, other.tool):
            continue
        if stopping_alike(attacked, name) or fields_spoken_of(attacked).get(name):
            continue
        if kinds & {attacked.kind_in(other, each) for each in other.fields}:
            continue  # what tools do with values of a kind is known of them
        same = _counterparts(attacked, other)
        call = _call_of(attacked, stopped, other, same)
        if (run := attacked.passing((call,))) is None:
            continue
        said.append(_rule_of(attacked, other, same))
        several = "several things at once" if {*words_of(other.tool)} & _SEVERAL else "the same"
        tries.append(Try(run, f"{other.tool} does {several}, by its name"))
    effects = [beside(attacked.rule, *said)]
    yield Attempt("other tool", tries, partial(list[Effect], effects), about="name")


def _are_alike(tool: str, other: str) -> bool:
    """Whether the names of two tools have words of one act, and of the same things."""
    (act, about), (other_act, of_other) = _act_and_things(tool), _act_and_things(other)
    return any({act, other_act} <= group for group in _ACTS) and bool(about) and about == of_other


def _act_and_things(tool: str) -> tuple[str, set[str]]:
    """The first word for an act in the name of a tool, and of what it speaks besides."""
    words = [word for word in words_of(tool) if word not in (*_SEVERAL, *_OF_MANNER)]
    act = next((word for word in words if any(word in group for group in _ACTS)), "")
    return act, things(word for word in words if word != act)


def _counterparts(attacked: Attacked, other: CallType) -> Mapping[str, CallField]:
    """For the fields of a tool those of another tool that have the same, of one thing or of several."""
    found: dict[str, CallField] = {}
    for one in attacked.call_type.fields:
        own = things(words_of(one.name))
        for each in other.fields:
            same = each.name == one.name and each.type.kind is one.type.kind
            many = each.type.kind in _LISTS and one.type.kind not in _LISTS
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
            is_list = field.type.kind in _LISTS and one.type.kind not in _LISTS
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
