"""Sentences put together from conditions and turns of phrase: no offer decides against what each means."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import product
from types import CodeType, SimpleNamespace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.language.trees import Tree, node_of
from workbench.session.agent_file import read_agent

_AGENT = """
name = "mail"
[tools.send_message]
description = "Sends a message."
[tools.send_message.parameters]
type = "object"
required = ["recipient", "priority", "size"]
[tools.send_message.parameters.properties]
recipient = {type = "string"}
priority = {type = "string", enum = ["low", "normal", "high"]}
size = {type = "integer"}
signature = {type = "string"}
[tools.delete_message]
description = "Deletes a message."
parameters = {type = "object", required = ["message_id"], properties = {message_id = {type = "string"}}}
"""
_GRID: Mapping[str, tuple[object, ...]] = {
    "recipient": ("a@nordwind.example", "b@else.example"),
    "priority": ("low", "normal", "high"),
    "size": tuple(map(Decimal, (0, 19, 20, 21, 300))),
    "signature": (None, "x"),
}
_CALLS = [SimpleNamespace(**dict(zip(_GRID, values, strict=True))) for values in product(*_GRID.values())]
_SIZES: Mapping[str, Callable[[int], bool]] = {
    "more than": lambda size: size > 20, "at least": lambda size: size >= 20,
    "less than": lambda size: size < 20, "at most": lambda size: size <= 20,
    "no more than": lambda size: size <= 20,
}  # fmt: skip


@dataclass(frozen=True)
class _Condition:
    """A condition as it stands after "messages", as a clause, and the calls of which it holds."""

    noun: str
    clause: str
    about: str
    calls: frozenset[int]


def _condition(noun: str, clause: str, about: str, holds: Callable[[SimpleNamespace], bool]) -> _Condition:
    return _Condition(noun, clause, about, frozenset(at for at, one in enumerate(_CALLS) if holds(one)))


_EVERY = frozenset(range(len(_CALLS)))
_CONDITIONS = [
    *(_condition(f"of {words} 20", f"the size is {words} 20", "size",
                 lambda call, holds=holds: holds(call.size))
      for words, holds in _SIZES.items()),
    _condition("above 20", "the size exceeds 20", "size", lambda call: call.size > 20),
    _condition("within 20", "the size is within 20", "size", lambda call: call.size <= 20),
    _condition("of 20 or more", "the size is 20 or more", "size", lambda call: call.size >= 20),
    _condition("of high priority", "the priority is high", "priority", lambda call: call.priority == "high"),
    _condition("not of high priority", "the priority is not high", "priority",
               lambda call: call.priority != "high"),
    _condition("without a signature", "there is no signature", "signature",
               lambda call: call.signature is None),
    _condition("with a signature", "a signature is given", "signature",
               lambda call: call.signature is not None),
    _condition("that lack a signature", "the signature is missing", "signature",
               lambda call: call.signature is None),
    _condition("to addresses at nordwind.example", "the recipient ends with @nordwind.example", "recipient",
               lambda call: call.recipient.endswith("@nordwind.example")),
    _condition("to anyone outside nordwind.example", "the recipient does not end with @nordwind.example",
               "recipient", lambda call: not call.recipient.endswith("@nordwind.example")),
]  # fmt: skip

type _Meaning = Callable[[frozenset[int], frozenset[int]], frozenset[int]]
_FRAMES: list[tuple[str, _Meaning, tuple[str, ...]]] = [
    ("forbid", lambda a, _: a, (
        "Messages {a} must not be sent.", "Never send a message {a}.", "No message {a} may be sent.",
        "Do not send messages if {when_a}.", "If {when_a}, messages must not be sent.",
        "When {when_a}, no message is sent.", "Messages are refused if {when_a}.",
        "Under no circumstances is a message {a} sent.", "All messages may be sent, except those {a}.",
        "Messages may be sent unless {when_a}.", "Messages can be sent, but not if {when_a}.",
        "Messages {a}? Never.", "Please make sure that no message {a} gets sent.",
        "Messages {a} are out of the question, all others are fine.",
        "Messages {a} may not go out, others may.", "Sending messages {a} is over.",
    )),
    ("forbid", lambda a, _: _EVERY - a, (
        "Only messages {a} may be sent.", "Messages may only be sent if {when_a}.",
        "No message may be sent unless {when_a}.", "Unless {when_a}, messages must not be sent.",
        "Don't send any message unless {when_a}.", "Only if {when_a} may a message be sent.",
        "Messages are sent only when {when_a}.", "No messages other than those {a} are sent.",
        "Nothing but messages {a} may be sent.", "Except when {when_a}, no message is sent.",
        "Before sending a message, make sure that {when_a}.", "Only if {when_a} may messages be sent.",
        "Messages are for sending {a}, not for sending otherwise.",
        "Messages must be {a} before they are sent.",
        "It is necessary that {when_a} before messages are sent.", "Messages go out {a} only.",
    )),
    ("forbid", lambda a, b: a & b, (
        "Messages {a} must not be sent if {when_b}.", "If {when_a} and {when_b}, messages must not be sent.",
        "No message {a} may be sent when {when_b}.",
    )),
    ("forbid", lambda a, b: a - b, (
        "Messages {a} must not be sent unless {when_b}.",
        "If {when_a}, messages may only be sent if {when_b}.",
        "Messages {a} may be sent only if {when_b}.", "Never send a message {a} unless {when_b}.",
        "For messages {a} it is required that {when_b}.", "If {when_a}, it is mandatory that {when_b}.",
    )),
    ("forbid", lambda a, b: a | b, (
        "Messages must not be sent if {when_a} or {when_b}.", "Never send messages {a} or messages {b}.",
        "Neither messages {a} nor messages {b} may be sent.", "Messages {a} and messages {b} are refused.",
        "Never send messages {a}, and never messages {b}.",
        "No message {a} may be sent, nor any message {b}.",
        "Don't send messages {a} and don't send messages {b}.",
        "Messages {a} are refused; messages {b} are refused as well.",
    )),
    ("forbid", lambda a, b: _EVERY - (a & b), (
        "Messages may be sent only if {when_a} and {when_b}.",
        "No message may be sent unless {when_a} and {when_b}.",
    )),
    ("ask", lambda a, _: a, (
        "Messages {a} need an approval.", "Never send a message {a} without asking.",
        "Ask a person before sending messages {a}.", "Messages are sent without asking unless {when_a}.",
        "Except if {when_a}, nobody needs to be asked for messages.", "Only messages {a} need an approval.",
        "An approval is required for messages {a}.", "Messages {a} need an approval, all others do not.",
    )),
    ("ask", lambda a, _: _EVERY - a, (
        "All messages need an approval except those {a}.", "Unless {when_a}, messages need an approval.",
    )),
    ("permit", lambda a, _: a, (
        "Messages {a} may be sent.", "It is fine to send messages {a}.", "Even messages {a} may be sent.",
        "Messages can be sent even if {when_a}.", "You may send messages {a} without asking.",
        "It is not forbidden to send messages {a}.", "Messages {a} need not be refused.",
    )),
]  # fmt: skip
_TURNS = [(form, meaning, text) for form, meaning, texts in _FRAMES for text in texts]


@lru_cache
def _search() -> Suggestions:
    return Suggestions(Language(agent_types(read_agent(_AGENT)), '"""Rules."""\n\nDEFAULT = "allow"\n'))


def _no_calls(*_: object) -> tuple[object, ...]:
    return ()


def _decided(tree: Tree) -> frozenset[int]:
    """The calls of which what is offered says something, by its expression in Python."""
    code: CodeType = compile(ast.unparse(node_of(tree[2])), "offer", "eval")
    run = SimpleNamespace(earlier=_no_calls, user_said="", last_said="", said="")
    names = {"run": run, "SendMessage": None, "Decimal": Decimal}
    return frozenset(at for at, call in enumerate(_CALLS) if eval(code, {**names, "call": call}))  # noqa: S307


def _is_against(offer: Suggestion, form: str, meant: frozenset[int]) -> bool:
    """Whether an offer refuses what is meant to be allowed, and allows what is meant to be refused."""
    decided = _decided(offer.tree)
    if "permit" in (form, offer.tree[1]):
        return form != offer.tree[1] and bool(decided & meant)
    return bool(decided - meant) and bool(meant - decided)


@settings(deadline=None, max_examples=examples(2_000))
@given(st.sampled_from(_TURNS), st.sampled_from(_CONDITIONS), st.sampled_from(_CONDITIONS))
def test_no_offer_is_against_what_is_meant(
    turn: tuple[str, _Meaning, str], first: _Condition, second: _Condition
) -> None:
    form, meaning, frame = turn
    assume(first.about != second.about)
    text = frame.format(a=first.noun, when_a=first.clause, b=second.noun, when_b=second.clause)
    offers = [one for one in _search().of(text) if ("name", "SendMessage") in one.tree[3:]]
    meant = meaning(first.calls, second.calls)
    assert [one.text for one in offers if _is_against(one, form, meant)] == [], text
