"""Rules that read a record by the wrong key, or ask of one element of its list what is meant of each."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import book_of, one_rule
from workbench.app.answered_rules import with_effect
from workbench.clarify.written import Asked, Book, asked_of
from workbench.clarify.written.asked import OTHER_CALLS, UNKNOWN_RECORD, TriedCall
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.call_types import agent_types
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_policy
from workbench.session.agent_file import read_agent


def _tool(name: str, *keys: str) -> str:
    properties = "".join(f'{key} = {{type = "string"}}\n' for key in keys)
    return (
        f'[tools.{name}.parameters]\ntype = "object"\nrequired = {[*keys]!r}\n'
        f"[tools.{name}.parameters.properties]\n{properties}"
    )


def _record(name: str, fields: str) -> str:
    look_up = f'look_up = {{tool = "get_{name}", arguments = {{{name}_id = "key"}}}}'
    return f'{_tool(f"get_{name}", f"{name}_id")}[records.{name}]\nkey = "{name}_id"\n{fields}\n{look_up}\n'


AGENT = read_agent(
    'name = "desk"\n'
    + _tool("transfer", "from_account", "to_account")
    + _tool("cancel_order", "order_id")
    + _tool("discount", "order_id", "customer_id")
    + _tool("reassign", "ticket_id", "assignee_id", "reporter_id")
    + _tool("ship_order", "order_id")
    + _record("account", 'fields.blocked = {type = "bool"}')
    + _record("customer", 'fields.blocked = {type = "bool"}')
    + _record("employee", 'fields.active = {type = "bool"}')
    + '[records.item]\nfields.state = {type = "str"}\nfields.hazardous = {type = "bool"}\n'
    + _record(
        "order", 'fields.customer_id = {type = "str"}\nfields.items = {type = "list", of = "item"}\n'
        'fields.tags = {type = "set"}',
    )
)  # fmt: skip
RETURNED = '''def returned(order: Order) -> bool:
    """whether the order was returned"""
    return any(item.state == "returned" for item in order.items)


'''


class Pair(NamedTuple):
    """A rule that lets through what its sentence does not, and a careful one."""

    sentence: str
    name: str
    careless: str
    careful: str
    shows: str
    form: str = "forbid"
    fact: str = ""
    said: str = ""


def _blocked(key: str, record: str = "account") -> str:
    return f"run.{record}({key}) is None or run.{record}({key}).blocked"


def _active(key: str) -> str:
    return f"run.employee({key}) is not None and run.employee({key}).active"


def _of_items(condition: str) -> str:
    return (
        f"run.order(call.order_id) is None or {condition.replace('ITEMS', 'run.order(call.order_id).items')}"
    )


OF_CUSTOMER = _blocked("run.order(call.order_id).customer_id", "customer")
PAIRS = (
    Pair("Nothing is transferred to a blocked account.", "Transfer", _blocked("call.from_account"),
         _blocked("call.to_account"), "the account is not that of from account"),
    Pair("No money leaves from a blocked account.", "Transfer", _blocked("call.to_account"),
         _blocked("call.from_account"), "the account is not that of to account"),
    Pair("Orders of blocked customers are not cancelled.", "CancelOrder",
         _blocked("call.order_id", "customer"), f"run.order(call.order_id) is None or {OF_CUSTOMER}",
         "the customer is not that of order id"),
    Pair("A blocked customer gets no discount.", "Discount", _blocked("call.order_id", "customer"),
         _blocked("call.customer_id", "customer"), "the customer is not that of order id"),
    Pair("The assignee must be active.", "Reassign", _active("call.reporter_id"),
         _active("call.assignee_id"), "the employee is not that of reporter id", "permit"),
    Pair("An order with a hazardous item is not shipped.", "ShipOrder",
         _of_items("all(item.hazardous for item in ITEMS)"),
         _of_items("any(item.hazardous for item in ITEMS)"), "one of its items is enough"),
    Pair("An order is shipped when all its items are packed.", "ShipOrder",
         _of_items('not any(item.state == "packed" for item in ITEMS)'),
         _of_items('any(item.state != "packed" for item in ITEMS)'), "one of its items is enough"),
    Pair("An order is shipped once each item was returned.", "ShipOrder",
         "run.order(call.order_id) is not None and returned(run.order(call.order_id))",
         "run.order(call.order_id) is not None and returned(run.order(call.order_id))",
         "one of its items is enough", "permit", RETURNED, "An order is shipped once an item was returned."),
    Pair("All tags have to be cleared.", "ShipOrder",
         _of_items('not any(tag == "cleared" for tag in ITEMS)').replace(".items", ".tags"),
         _of_items('any(tag != "cleared" for tag in ITEMS)').replace(".items", ".tags"),
         "one of its tags is enough"),
)  # fmt: skip


def questions(pair: Pair, sentence: str, condition: str) -> tuple[list[Asked], Book]:
    """What is asked about a rule for a sentence, besides what holds of other calls and unknown records."""
    book = one_rule(AGENT, pair.name, condition, sentence, form=pair.form, fact=pair.fact)
    left_out = (OTHER_CALLS, UNKNOWN_RECORD)
    return [one for one in asked_of(book) if not one.question.kind.startswith(left_out)], book


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.sentence)
def test_a_run_is_shown_and_closed_and_nothing_is_asked_of_a_careful_rule(pair: Pair) -> None:
    (asked,), book = questions(pair, pair.sentence, pair.careless)
    assert pair.shows in asked.question.text
    assert ", which tells {" in asked.question.text
    text, _ = with_effect(
        book.language, book.language.source, asked.effects["closed"], open_default=pair.form == "forbid"
    )
    assert Trials(book.terms, AGENT).confirms(asked.calls)
    assert not Trials(lowered_policy(text, AGENT).terms, AGENT).confirms(asked.calls)

    assert not questions(pair, pair.said or pair.sentence, pair.careful)[0]


def test_what_is_searched_among_elements_need_not_be_each_of_them() -> None:
    found = _of_items("not any(item.state == call.order_id for item in ITEMS)")
    pair = Pair("All orders are shipped by the state of an item.", "ShipOrder", "", found, "")
    assert not questions(pair, pair.sentence, pair.careful)[0]


def test_a_sentence_that_names_neither_side_leaves_open_which_record_is_meant() -> None:
    pair = PAIRS[0]
    ((asked,), _) = questions(pair, "Blocked accounts get nothing.", pair.careful)
    assert asked.question.kind == "record-key"
    both = f"{_blocked('call.from_account')} or {_blocked('call.to_account')}"
    assert not questions(pair, "Blocked accounts get nothing.", both)[0]


TICKETS = read_agent("""
name = "desk"

[tools.get_ticket.parameters]
required = ["ticket_id"]
properties = {ticket_id = {type = "string"}}
[tools.close_ticket.parameters]
required = ["ticket_id"]
properties = {ticket_id = {type = "string"}}
[tools.update_ticket.parameters]
required = ["ticket_id"]
properties = {ticket_id = {type = "string"}, priority = {type = "string"}, title = {type = "string"}}
[tools.rate.parameters]
required = ["ticket_id", "priority"]
properties = {ticket_id = {type = "string"}, priority = {type = "string"}}
[records.ticket]
key = "ticket_id"
fields.priority = {type = "str"}
look_up = {tool = "get_ticket", arguments = {ticket_id = "key"}}
changed_by = ["update_ticket"]
""")


def test_a_tool_that_sets_first_what_a_rule_reads_is_shown_and_closed() -> None:
    said = "run.ticket(call.ticket_id) is not None and run.ticket(call.ticket_id).priority == 'P1'"
    book = one_rule(TICKETS, "CloseTicket", said, "Tickets of priority P1 are not closed.")
    found = [one for one in asked_of(book) if "sets its priority first" in one.question.text]
    (asked,) = found
    assert (asked.calls[0].tool, asked.calls[-1].tool) == ("update_ticket", "close_ticket")
    assert Trials(book.terms, TICKETS).confirms(asked.calls)
    text, _ = with_effect(book.language, book.language.source, asked.effects["closed"], open_default=True)
    closed = Trials(lowered_policy(text, TICKETS).terms, TICKETS)
    assert not closed.confirms(asked.calls)
    assert closed.confirms(asked.calls[1:])
    assert closed.confirms((TriedCall("update_ticket", {"ticket_id": "T", "title": "new"}),))


def test_a_tool_that_sets_first_what_a_permission_reads_is_shown_and_closed() -> None:
    said = "run.ticket(call.ticket_id) is not None and run.ticket(call.ticket_id).priority == 'P3'"
    text = (
        '"""Own."""\n\nDEFAULT = "deny"\n\n\n'
        'def permit_it(call: CloseTicket, run: Run) -> bool:\n    """R1: Low."""\n'
        f"    return {said}\n\n\n"
        'def permit_others(call: GetTicket | UpdateTicket) -> bool:\n    """R2: All."""\n    return True\n'
    )
    source = with_imports(text, agent_types(TICKETS))
    book = book_of(source, TICKETS, "Tickets of priority P3 may be closed.")
    (asked,) = [one for one in asked_of(book) if "sets its priority first" in one.question.text]
    text, _ = with_effect(book.language, source, asked.effects["closed"], open_default=False)
    assert Trials(book.terms, TICKETS).confirms(asked.calls)
    closed = Trials(lowered_policy(text, TICKETS).terms, TICKETS)
    assert not closed.confirms(asked.calls)
    assert closed.confirms(asked.calls[1:])
