"""Attempts with a tool that lets something be done later, by itself: what a rule forbids may be among it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.clarify.written.acts import BROAD
from workbench.clarify.written.acts_of_tools import ADDRESSEES, effect_of_tool
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import Attacked, fields_spoken_of, texts_held, texts_in, words_of
from workbench.clarify.written.attempts import Attempt, Try, beside, if_given, offering
from workbench.clarify.written.said_of_another_tool import usual_call
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.model import Json, Kind

_LATER = frozenset((
    "automate", "automation", "cron", "defer", "delayed", "filter", "hook", "later", "macro", "recurring",
    "routine", "rule", "schedule", "scheduled", "trigger", "webhook", "workflow",
))  # fmt: skip
_TOLD = re.compile(
    r"\b(?:later|from now on|automatically|schedules?|each time|every time|whenever|on a schedule|recurring"
    r"|by itself|standing)\b",
    re.IGNORECASE,
)
_ACTION = frozenset((
    "action", "actions", "call", "command", "commands", "do", "does", "execute", "operation", "run", "script",
    "step", "steps", "task", "then", "what",
))  # fmt: skip
"""Words of fields that say what is done then."""
_AT_NIGHT = "2026-01-06T03:00:00+00:00"
_SHORTEST = 4


def attempts_done_later(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempt with the tools that let anything be done later, in the first rule of a policy.

    Also in each rule that looks at the time: what is done later is done at any.
    """
    book, stopped = attacked.book, attacked.stopped or attacked.plain
    is_first = book.rules[0].name == attacked.rule.name
    if attacked.rule.form == "permit" or not (is_first or "time" in attacked.reading.parts):
        return
    if effect_of_tool(attacked, attacked.tool).reads:
        return
    spoken, tries, trees = fields_spoken_of(attacked), list[Try](), list[Tree]()
    for name, other in book.language.types.calls.items():
        action = next((one for one in other.fields if _ACTION & {*words_of(one.name)}), None)
        is_open = name not in attacked.rule.classes and not spoken.get(name)
        if action is None or not is_open or not _is_later(attacked, other):
            continue
        call = _telling(attacked, stopped, other, action)
        run = None if call is None else attacked.passing((call,))
        if run is not None:
            tries.append(Try(run, f"{other.tool} lets it be done later, and no rule looks at what"))
            trees.append(_closed(attacked, other))
    closed: list[Tree] = [("call", attacked.rule.form, TRUE, *tree[3:]) for tree in trees]
    effects = [beside(attacked.rule, *trees), beside(attacked.rule, *closed)] if trees else []
    yield Attempt("done later", tries, offering(*effects))


def _is_later(attacked: Attacked, other: CallType) -> bool:
    """Whether a tool only says what is to be done, at another time or whenever something comes about."""
    tool = attacked.book.tools[other.tool]
    is_told = bool({*words_of(other.tool)} & _LATER) or _TOLD.search(tool.description) is not None
    return is_told and not effect_of_tool(attacked, other.tool).reads


def _telling(attacked: Attacked, stopped: TriedCall, other: CallType, action: CallField) -> TriedCall | None:
    """A call that lets be done what a rule stops; None where its choice of what is done has nothing alike."""
    verbs, values = words_of(attacked.tool), [*attacked.texts, *texts_in(stopped.arguments)]
    address = next((text for text in values if text.find("@") > 0), "")
    held: dict[str, Json] = {}
    for one in other.fields:
        known = [*texts_held([usual_call(attacked, other)], one)]
        if one.type.kind is Kind.ENUM and one == action:
            alike = [
                each for each in one.type.values
                if each in verbs or any({each, verb} <= group for group in BROAD for verb in verbs)
            ]  # fmt: skip
            if not alike:
                return None
            held[one.key] = alike[0]
        elif one.type.kind is Kind.STR:
            wanted = [*values, *verbs] if one != action else [*values, " ".join([*verbs, *values])]
            found = _fitting([*re.findall(r"[\w./#@-]+", one.description), *known], wanted)
            is_address = "address" in one.description or ADDRESSEES & {*words_of(one.name)}
            if address and is_address:
                held[one.key] = address
            elif one == action or found or not known:
                held[one.key] = found or wanted[-1 if one == action else 0]
        elif one.type.kind is Kind.DATETIME:
            held[one.key] = _AT_NIGHT
    return TriedCall(other.tool, {**usual_call(attacked, other).arguments, **held})


def _fitting(known: Sequence[str], wanted: Sequence[str]) -> str:
    """A text that is known of a field and has one of those that are wanted, or begins one; empty for none."""
    for each in wanted:
        for one in known:
            small, other = one.casefold(), each.casefold()
            if min(len(small), len(other)) >= _SHORTEST and (other in small or other.startswith(small)):
                return one
    return ""


def _closed(attacked: Attacked, other: CallType) -> Tree:
    """The rule for a tool that lets be done what its texts say: that none has what the rule compares with."""
    texts = [text for text in attacked.texts if len(text) >= _SHORTEST]
    said: list[Tree] = []
    for one in other.fields if texts else ():
        value: Tree = ("attr", CALL, one.name)
        if one.type.kind is Kind.STR and not one.kind:
            small: Tree = ("method", value, "lower")
            held = joined("or", [("in", ("lit", "text", text.lower()), small) for text in texts])
            said.append(if_given(one, held))
    return ("call", attacked.rule.form, joined("or", said) if said else TRUE, ("name", other.name))
