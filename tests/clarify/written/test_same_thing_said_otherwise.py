"""The same thing said otherwise: by an operand, in another unit, in other digits, from another folder."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.app.answered_rules import with_effect
from workbench.clarify.written import Book
from workbench.clarify.written.asked import Asked, TriedCall
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Json
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "desk"

[tools.shell]
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
fields = {command = {type = "command"}}

[tools.run_line]
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}

[tools.read_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}

[tools.open_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}

[tools.delete_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}

[tools.move_file.parameters]
type = "object"
required = ["source_path", "dest_path"]
properties = {source_path = {type = "string"}, dest_path = {type = "string"}}

[tools.book_bill]
parameters = {type = "object", required = ["total"], properties = {total = {type = "string"}}}

[tools.give.parameters]
type = "object"
required = ["patient", "dose_mg"]
properties = {patient = {type = "string"}, dose_mg = {type = "number"}, dose_g = {type = "number"}}

[tools.trade.parameters]
type = "object"
required = ["symbol"]
[tools.trade.parameters.properties]
symbol = {type = "string"}
quantity = {type = "integer"}
notional = {type = "number"}
limit_price = {type = "number"}
retries = {type = "integer"}

[tools.block_time.parameters]
type = "object"
required = ["room"]
properties = {room = {type = "string"}, minutes = {type = "integer"}, seconds = {type = "integer"}}
""")


class Otherwise(NamedTuple):
    """A rule, a value that it forgets, and a careful rule that is not asked about it."""

    name: str
    condition: str
    given: dict[str, Json]
    careful: str


FORCED = '"git push" in call.command.calls and "git --force" in call.command.flags'
DELETED = '"git push" in call.command.calls and "git --delete" in call.command.flags'
SIGNED = (
    'any(p.name == "git" and p.first == "push" and (any(w.startswith("{sign}") for w in p.words)'
    ' or "--mirror" in p.options) for p in call.command.started)'
)
OTHERWISE = (
    Otherwise(
        "Shell", FORCED, {"command": "git push origin +main"}, f"{FORCED} or {SIGNED.format(sign='+')}"
    ),
    Otherwise(
        "Shell", DELETED, {"command": "git push origin :main"}, f"{DELETED} or {SIGNED.format(sign=':')}"
    ),
    Otherwise(
        "RunLine", '"push --force" in call.command', {"command": "git push origin +main"},
        '"push" in call.command',
    ),
    Otherwise(
        "ReadFile", '"/secrets/" in call.path', {"path": "secrets/x"}, '"secrets" in call.path.names'
    ),
    Otherwise(
        "OpenFile", '"/secrets/" in call.path', {"path": "secrets/x"},
        '"/secrets/" in call.path or call.path.startswith("secrets/")',
    ),
    Otherwise(
        "OpenFile", r'call.path.startswith("C:\\Secrets\\")', {"path": r"C:\x\..\Secrets\x"},
        r'call.path.startswith("C:\\Secrets\\") or ".." in call.path',
    ),
    Otherwise(
        "OpenFile", r'call.path.startswith("C:\\Secrets\\")', {"path": r"c:\secrets\x"},
        r'call.path.lower().startswith("c:\\secrets\\")',
    ),
    Otherwise(
        "OpenFile", r'not call.path.startswith("C:\\Work\\")', {"path": r"C:\Work\..\Windows\x"},
        r'not call.path.startswith("C:\\Work\\") or ".." in call.path',
    ),
    Otherwise(
        "BookBill", 'call.total == "0.00"', {"total": "0"},
        'call.total in {"0.00", "0", "0.0", "0,00", "+0.00"}',
    ),
    Otherwise("BookBill", 'call.total == "0.50"', {"total": "0.5"}, 'call.total == "A-17"'),
    Otherwise(
        "Give", 'call.dose_mg > Decimal("500")', {"patient": "patient1", "dose_mg": 1, "dose_g": 1},
        'call.dose_mg > Decimal("500") or call.dose_g is not None and call.dose_g > Decimal("0.5")',
    ),
    Otherwise(
        "Trade", "call.quantity is not None and call.quantity > 100",
        {"symbol": "symbol1", "notional": 200},
        "call.notional is not None or call.quantity is not None and call.quantity > 100",
    ),
    Otherwise(
        "BlockTime", "call.minutes is not None and call.minutes > 60", {"room": "room1", "seconds": 7200},
        "call.minutes is not None and call.minutes > 60"
        " or call.seconds is not None and call.seconds > 3600",
    ),
)  # fmt: skip


def asked_about(one: Otherwise, condition: str) -> tuple[list[Asked], Book]:
    book = one_rule(AGENT, one.name, condition)
    return list(witnesses(book, HolesByRule(book), {})), book


def called(one: Otherwise) -> TriedCall:
    return TriedCall(re.sub(r"(?<!^)(?=[A-Z])", "_", one.name).lower(), one.given)


@pytest.mark.parametrize("one", OTHERWISE, ids=lambda one: f"{one.name}: {one.condition}")
def test_what_does_the_same_is_shown_and_an_answer_stops_it(one: Otherwise) -> None:
    found, book = asked_about(one, one.condition)
    call = called(one)
    (asked,) = [each for each in found if each.calls == (call,)]
    assert str(call) in asked.question.text
    text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    assert Trials(book.terms, AGENT).confirms((call,))
    assert not Trials(lowered_policy(text, AGENT).terms, AGENT).confirms((call,))

    careful, *_ = asked_about(one, one.careful)
    assert all(each.calls != (call,) for each in careful)


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("Trade", "call.quantity is not None and call.quantity > 100"),
        ("BookBill", 'call.total == "A-17"'),
        ("Shell", '"git push" in call.command.calls'),
    ],
)
def test_what_is_no_other_word_for_the_same_is_not_tried(name: str, condition: str) -> None:
    found, *_ = asked_about(Otherwise(name, condition, {}, ""), condition)
    shown = [call.arguments for each in found for call in each.calls]
    assert not any("retries" in each or "+main" in str(each) or each.get("total") == "17" for each in shown)
    assert not any("limit_price" in each for each in shown)


def test_a_file_of_a_closed_folder_is_not_moved_out_either() -> None:
    condition = '"/srv/records" in call.path.inside'
    found, book = asked_about(Otherwise("DeleteFile", condition, {}, ""), condition)
    (asked,) = [each for each in found if each.calls[-1].tool == "move_file"]
    text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    then, now = Trials(lowered_policy(text, AGENT).terms, AGENT), Trials(book.terms, AGENT)
    moved, other = (
        TriedCall("move_file", {"source_path": each, "dest_path": "/tmp/x"})
        for each in ("/srv/records/a", "/srv/recordsother/a")
    )
    assert now.confirms(asked.calls) and not then.confirms(asked.calls)
    assert now.confirms((moved,)) and not then.confirms((moved,))
    assert then.confirms((other,))
