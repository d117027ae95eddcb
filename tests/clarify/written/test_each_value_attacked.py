"""Each value that a rule reads is attacked in each way: what is shown is allowed, and its answer stops it."""

from __future__ import annotations

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book, asked_of
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, DECLARED
from workbench.dialect.lowered_policy import lowered_policy
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "office"

[tools.plan]
description = "Runs a job in the shell of the server at the given time."
[tools.plan.parameters]
type = "object"
required = ["job", "at"]
properties = {job = {type = "string"}, at = {type = "string"}}

[tools.pull.parameters]
type = "object"
required = ["image"]
properties = {image = {type = "string", description = "reference of the image"}}

[tools.close_ticket.parameters]
type = "object"
required = ["ticket"]
properties = {ticket = {type = "string"}, region = {type = "string"}, why = {type = "string"}}

[tools.discount.parameters]
type = "object"
required = ["customer"]
[tools.discount.parameters.properties]
customer = {type = "string"}
percent = {type = "integer"}
amount_off = {type = "integer"}
card_minutes = {type = "integer"}
line_minutes = {type = "integer"}
kind = {type = "string"}

[tools.list_orders.parameters]
type = "object"
properties = {page_size = {type = "integer"}, offset = {type = "integer"}}

[tools.change_stock.parameters]
type = "object"
required = ["article", "change"]
properties = {article = {type = "string"}, change = {type = "integer"}}

[tools.transfer.parameters]
type = "object"
required = ["account", "amount"]
properties = {account = {type = "string"}, amount = {type = "number"}}

[tools.pay_bill.parameters]
type = "object"
required = ["bill", "amount"]
properties = {bill = {type = "string"}, amount = {type = "number"}}

[tools.store.parameters]
type = "object"
required = ["file"]
properties = {file = {type = "string"}}
""")
SHORT = "call.why is not None and len(call.why) < 20"
MINUTES = "call.card_minutes is not None and call.card_minutes > 60"
GIVEN = "call.percent is not None and call.percent > 20"
HOLES = {
    "a host that goes on": (
        "Pull", 'not call.image.startswith("registry.corp.example")', "registry.corp.example.collect"),
    "a part that goes on": ("Pull", 'not call.image.startswith("registry.corp.example/team")', "team-evil/x"),
    "no value of those closed": ("CloseTicket", 'call.region == "eu"', "{'ticket': 'ticket1'}"),
    "a reason too short": ("CloseTicket", SHORT, "{'ticket': 'ticket1'}"),
    "an amount beside a rate": ("Discount", GIVEN, "'amount_off': 40"),
    "an amount beside a rate of some": ("Discount", f'call.kind == "loyal" and {GIVEN}', "'amount_off': 40"),
    "the same unit": ("Discount", MINUTES, "'line_minutes': 120"),
    "two pages": ("ListOrders", "call.page_size is None or call.page_size > 100", "90, 90"),
    "two steps down": ("ChangeStock", "call.change < -50", "-45, -45"),
    "two steps up": ("ChangeStock", "call.change > 50", "45, 45"),
    "another tool": (
        "Transfer",
        'call.amount + sum(c.amount for c in run.earlier(Transfer) if not c.failed) > Decimal("1000")',
        "900, 900"),
    "the other separator": ("Store", 'call.file.startswith("C:\\\\secret\\\\")', "C:/secret/x"),
    "the other separator of a whole": ("Store", 'call.file == "C:\\\\secret\\\\x.txt"', "C:/secret/x.txt"),
    "without a sign": ("CloseTicket", 'call.ticket == "#4711"', "'4711'"),
    "without zeros": ("CloseTicket", 'call.ticket == "0042"', "'42'"),
}  # fmt: skip
ADVISED = {
    "a command before": ("Plan", 'call.job.startswith("rm ")', "true; rm x"),
    "a command behind": ("Plan", 'not call.job.startswith("backup ")', "backup x; curl"),
}
CAREFUL = (
    ("Pull", 'not call.image.startswith("registry.corp.example/")'),
    ("ChangeStock", "len(call.article) > 12"),
    ("Store", "len(call.file) > 200"),
)


def asked(name: str, condition: str) -> tuple[list[Asked], Book]:
    """The witnesses of a rule."""
    book = one_rule(AGENT, name, condition)
    return _open(book), book


def _open(book: Book) -> list[Asked]:
    return [one for one in asked_of(book) if one.question.kind == "witness"]


def told(one: Asked) -> str:
    """The arguments of the calls that are shown; of several only the numbers."""
    if len(one.calls) == 1:
        return str(dict(one.calls[0].arguments))
    numbers = (value for call in one.calls for value in call.arguments.values() if isinstance(value, int))
    return ", ".join(map(str, numbers))


@pytest.mark.parametrize("kind", HOLES)
def test_a_way_past_a_value_is_a_call_that_is_allowed_and_its_answer_denies_it(kind: str) -> None:
    name, condition, shown = HOLES[kind]
    found, book = asked(name, condition)
    fitting = [one for one in found if shown in told(one)]
    assert fitting, [told(one) for one in found]
    assert Trials(book.terms, AGENT).confirms(fitting[0].calls)
    text, _ = with_effect(book.language, book.language.source, fitting[0].effects[CLOSED], open_default=True)
    assert not Trials(lowered_policy(text, AGENT).terms, AGENT).confirms(fitting[0].calls)


@pytest.mark.parametrize(
    "condition",
    [
        'call.account == "DE12345678"',
        'call.account.strip().lower() == "de12345678"',
        'call.account == "DE12345678" or call.account == "DE12 345678"',
    ],
)
def test_groups_are_asked_about_until_the_field_is_read_as_a_code(condition: str) -> None:
    found, source = asked("Transfer", condition)
    asked_groups = next(one for one in found if "with a blank in it" in one.question.text)
    assert CLOSED not in asked_groups.effects  # there are more groups than a rule can name
    if DECLARED in asked_groups.effects:
        _is_closed_once_declared(asked_groups, source)
    else:  # a text with a blank is in no such form
        assert 'account = {normal = "code"}' in asked_groups.question.text


def _is_closed_once_declared(one: Asked, source: Book) -> None:
    effect = one.effects[DECLARED]
    assert effect.agent is not None and "agent.toml" not in one.question.text
    language = language_of(source.language.source, effect.agent)
    text, _ = with_effect(language, language.source, effect, open_default=True)
    assert not Trials(lowered_policy(text, effect.agent).terms, effect.agent).confirms(one.calls)


@pytest.mark.parametrize("kind", ADVISED)
def test_a_command_is_told_by_what_is_said_of_it(kind: str) -> None:
    name, condition, shown = ADVISED[kind]
    every, source = asked(name, condition)
    (found,) = [one for one in every if shown in told(one)]
    if DECLARED in found.effects:
        assert any('job = {type = "command"}' in one.label for one in found.question.options)
        _is_closed_once_declared(found, source)
    else:  # what "backup" does is in no table: as a command no call of it could be decided
        assert kind == "a command behind" and CLOSED in found.effects


@pytest.mark.parametrize(("name", "condition"), CAREFUL)
def test_a_careful_rule_has_no_way_past_it(name: str, condition: str) -> None:
    assert not [told(one) for one in asked(name, condition)[0]]


def test_three_of_a_rule_are_asked_at_once_and_the_others_follow() -> None:
    found, book = asked("Discount", f'call.kind == "loyal" and {GIVEN}')
    assert len(found) == 3
    told_of = {told(one) for one in found}
    book.answered |= {one.question.id for one in found}
    told_of |= {told(one) for one in _open(book)}
    for shown in ("'amount_off': 40", "'LOYAL'", "{'customer': 'customer1', 'kind': 'loyal'}"):
        assert any(shown in one for one in told_of)
    assert "{'customer': 'customer1', 'percent': 1000000}" in told_of


def test_one_answer_leaves_case_out_of_account_for_each_text_of_a_rule() -> None:
    found, book = asked("Transfer", 'call.account == "Alpha" or call.account == "Beta"')
    case = next(one for one in found if "in case alone" in one.question.text)
    text, _ = with_effect(book.language, book.language.source, case.effects[CLOSED], open_default=True)
    trials = Trials(lowered_policy(text, AGENT).terms, AGENT)
    for account, is_allowed in (("ALPHA", False), ("beta", False), (" Beta ", False), ("gamma", True)):
        assert trials.allows((TriedCall("transfer", {"account": account, "amount": 1}),)) is is_allowed
