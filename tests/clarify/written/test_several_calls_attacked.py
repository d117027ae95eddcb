"""Runs of several calls that come to what a rule forbids: each is shown, and closed once it is not meant.

Every run is decided by the policy: allowed as it is asked about, denied after the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.app.answered_rules import with_effect
from workbench.clarify.written.asked import Asked, TriedCall
from workbench.clarify.written.book import Book
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import AgentSpec, Json
from workbench.session.agent_file import read_agent


def _tool(name: str, needed: str, description: str = "", **optional: str) -> str:
    """A tool with texts that calls need, ``*`` before one that is a number, and what they may leave out."""
    types = {each.lstrip("*"): "number" if each.startswith("*") else "string" for each in needed.split()}
    listed = ", ".join(f'{key} = {{type = "{type_}"}}' for key, type_ in {**types, **optional}.items())
    return (
        f'[tools.{name}]\ndescription = "{description}"\n[tools.{name}.parameters]\n'
        f"required = [{', '.join(f'"{key}"' for key in types)}]\nproperties = {{{listed}}}\n"
    )


def _agent(*tools: str) -> AgentSpec:
    return read_agent('name = "desk"\n' + "".join(tools))


FILES = _agent(
    _tool("share_file", "path"),
    _tool("copy_file", "source destination"),
    _tool("move_file", "source destination"),
    '[tools.share_file.fields]\npath = {type = "path"}\n',
    *(f'[tools.{name}.fields]\nsource = {{type = "path"}}\ndestination = {{type = "path"}}\n'
      for name in ("copy_file", "move_file")),
)  # fmt: skip
CHAT = _agent(
    _tool("post", "channel text"),
    _tool("rename_channel", "channel new_name"),
    _tool("rename_user", "user new_name"),
)
ROOMS = _agent(
    _tool("book_room", "room day"),
    _tool("move_booking", "booking_id new_room"),
    _tool("move_desk", "desk new_place"),
)
HOUSE = _agent(
    _tool("set_lock", "door state"),
    _tool("schedule_action", "device command", "Lets the house do something later."),
    _tool("read_sensor", "sensor"),
)
MONEY = _agent(_tool("pay", "vendor *amount currency"), _tool("show", "vendor"))
PAID = "call.amount + sum(c.amount for c in run.earlier(Pay) if not c.failed) > 1000"
type Made = tuple[str, dict[str, Json]]


class Hole(NamedTuple):
    """A rule, what is said of a run that gets past it, and calls that are to be stopped or not."""

    agent: AgentSpec
    about: str
    condition: str
    sentence: str
    shows: str
    stopped: Sequence[Made]
    harmless: Sequence[Made]


def _pay(amount: int, currency: str = "EUR") -> Made:
    return "pay", {"vendor": "V", "amount": amount, "currency": currency}


HOLES = {
    "brought to an open folder": Hole(
        FILES,
        "ShareFile",
        '"/pub" not in call.path.inside',
        "Only files in /pub are shared.",
        "brings first",
        [("copy_file", {"source": "/own/a", "destination": "/pub/a"}), ("share_file", {"path": "/pub/a"})],
        [
            ("move_file", {"source": "/pub/a", "destination": "/pub/b"}),
            ("copy_file", {"source": "/own/a", "destination": "/own/b"}),
            ("share_file", {"path": "/pub/b"}),
        ],
    ),
    "by another name": Hole(
        CHAT,
        "Post",
        'call.channel == "#board"',
        "Nothing is posted to #board.",
        "brings first",
        [
            ("rename_channel", {"channel": "#board", "new_name": "#x"}),
            ("post", {"channel": "#x", "text": "a"}),
        ],
        [
            ("rename_channel", {"channel": "#ops", "new_name": "#x"}),
            ("rename_user", {"user": "#board", "new_name": "x"}),
            ("post", {"channel": "#x", "text": "a"}),
        ],
    ),
    "changed afterwards": Hole(
        ROOMS,
        "BookRoom",
        'call.room == "R1"',
        "Room R1 is not booked.",
        "changes the room afterwards",
        [
            ("book_room", {"room": "R2", "day": "Monday"}),
            ("move_booking", {"booking_id": "B", "new_room": "R1"}),
        ],
        [
            ("book_room", {"room": "R2", "day": "Monday"}),
            ("move_booking", {"booking_id": "B", "new_room": "R3"}),
            ("move_desk", {"desk": "D", "new_place": "R1"}),
        ],
    ),
    "done later": Hole(
        HOUSE,
        "SetLock",
        'call.door == "front" and call.state == "unlocked"',
        "The front door is not unlocked.",
        "lets it be done later",
        [("schedule_action", {"device": "lock.front", "command": "unlock"})],
        [("schedule_action", {"device": "heating", "command": "off"})],
    ),
    "two currencies": Hole(
        MONEY,
        "Pay",
        PAID,
        "At most 1,000 are paid in all.",
        "added up as one sum",
        [_pay(400), _pay(400, "KWD")],
        [_pay(400, "KWD"), _pay(400, "KWD")],
    ),
    "below zero": Hole(
        MONEY,
        "Pay",
        PAID,
        "At most 1,000 are paid in all.",
        "makes room for more",
        [_pay(-5000), _pay(5000)],
        [_pay(400), _pay(500)],
    ),
}


def _asked(book: Book, words: str) -> Sequence[Asked]:
    return [one for one in witnesses(book, HolesByRule(book), {}) if words in one.question.text]


def _run(calls: Sequence[Made]) -> tuple[TriedCall, ...]:
    return tuple(TriedCall(tool, given) for tool, given in calls)


@pytest.mark.parametrize("kind", HOLES)
def test_a_run_of_several_calls_is_shown_and_closed_and_harmless_ones_stay(kind: str) -> None:
    hole = HOLES[kind]
    book = one_rule(hole.agent, hole.about, hole.condition, hole.sentence)
    (asked,) = _asked(book, hole.shows)
    before = Trials(book.terms, hole.agent)
    assert before.confirms(asked.calls)
    assert before.confirms(_run(hole.stopped))
    text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    after = Trials(lowered_policy(text, hole.agent).terms, hole.agent)
    assert not after.confirms(asked.calls)
    assert not after.confirms(_run(hole.stopped))
    assert after.confirms(_run(hole.harmless))


def test_two_calls_on_two_days_that_are_minutes_apart_are_closed_and_those_a_day_apart_stay() -> None:
    day = PAID.replace("if not", "if c.time.date == call.time.date and not")
    book = one_rule(MONEY, "Pay", day, "At most 1,000 a day are paid.")
    (asked,) = _asked(book, "minutes apart")
    assert Trials(book.terms, MONEY).confirms(asked.calls)
    assert not _asked(one_rule(MONEY, "Pay", day, "At most 1,000 are paid on a date."), "minutes apart")
    text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    after = Trials(lowered_policy(text, MONEY).terms, MONEY)
    first, second = asked.calls
    assert not after.confirms(asked.calls)
    assert after.confirms((first, replace(second, time="2026-01-07T23:58:00+00:00")))


def test_a_list_is_counted_with_those_for_the_same_thing_alone() -> None:
    guests = 'guests = {type = "array", items = {type = "string"}}'
    own, same = (
        f'[tools.{name}.parameters]\nrequired = ["{key}", "guests"]\n'
        f'properties = {{{key} = {{type = "string"}}, {guests}}}\n'
        for name, key in (("create_event", "title"), ("invite_guests", "event_id"))
    )
    agent = read_agent(f'name = "calendar"\n{own}{same}')
    sentence = "An event has at most 3 guests."
    made = one_rule(agent, "CreateEvent", "len(call.guests) > 3", sentence)
    assert not _asked(made, "both together have more"), "each call makes an event of its own"
    book = one_rule(agent, "InviteGuests", "len(call.guests) > 3", sentence)
    (asked,) = _asked(book, "both together have more")
    text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    after = Trials(lowered_policy(text, agent).terms, agent)
    guests_of: list[dict[str, Json]] = [
        {"event_id": name, "guests": ["a@x.example", "b@x.example"]} for name in "AB"
    ]
    first, other = guests_of
    assert after.confirms(_run([("invite_guests", first), ("invite_guests", other)]))
    assert not after.confirms(_run([("invite_guests", first), ("invite_guests", first)]))
