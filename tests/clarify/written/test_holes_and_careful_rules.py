"""Rules with a hole in a list, a number or a missing value, each beside a careful one that has none."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import book_of, one_rule
from workbench.app.answered_rules import with_effect
from workbench.clarify.written import Book, asked_of
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attempts_without_a_value import means_all
from workbench.clarify.written.holes import Hole, HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Json, RecordedCall
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "office"

[tools.send_mail.parameters]
type = "object"
required = ["to", "body"]
[tools.send_mail.parameters.properties]
to = {type = "array", items = {type = "string"}}
body = {type = "string"}
[tools.send_mail.fields]
"to[]" = {type = "mail_address"}

[tools.invite.parameters]
type = "object"
required = ["guest"]
properties = {guest = {type = "string", format = "email"}}

[tools.get_object.parameters]
type = "object"
required = ["object_key", "branch"]
properties = {object_key = {type = "string"}, branch = {type = "string"}, at = {type = "string"}}

[tools.read_object]
cwd = "/"
[tools.read_object.parameters]
type = "object"
required = ["object_key"]
properties = {object_key = {type = "string"}}
[tools.read_object.fields]
object_key = {type = "path"}

[tools.offer.parameters]
type = "object"
required = ["base", "bonus"]
properties = {base = {type = "integer", minimum = 0}, bonus = {type = "integer", minimum = 0}}

[tools.set_offer.parameters]
type = "object"
required = ["base"]
properties = {base = {type = "integer", minimum = 0}}

[tools.ship.parameters]
type = "object"
required = ["pieces", "pallets"]
properties = {pieces = {type = "integer"}, pallets = {type = "integer"}, retries = {type = "integer"}}

[tools.stay.parameters]
type = "object"
required = ["price_per_night", "nights"]
properties = {price_per_night = {type = "integer"}, nights = {type = "integer"}}

[tools.refund.parameters]
type = "object"
required = ["order_id", "amount"]
properties = {order_id = {type = "string"}, amount = {type = "integer", minimum = 1}}

[tools.book_room.parameters]
type = "object"
required = ["start"]
[tools.book_room.parameters.properties]
start = {type = "string", format = "date-time"}
end = {type = "string", format = "date-time"}

[tools.close_account.parameters]
type = "object"
required = ["customer_id"]
properties = {customer_id = {type = "string"}}

[tools.open_shared]
description = "Opens a file of a Windows share."
fields = {path = {type = "path"}}
[tools.open_shared.parameters]
type = "object"
required = ["path"]
properties = {path = {type = "string"}}

[tools.open_own]
description = "Opens a file."
fields = {path = {type = "path"}}
[tools.open_own.parameters]
type = "object"
required = ["path"]
properties = {path = {type = "string"}}

[tools.merge.parameters]
type = "object"
required = ["branch", "checks"]
[tools.merge.parameters.properties]
branch = {type = "string"}
[tools.merge.parameters.properties.checks]
type = "array"
[tools.merge.parameters.properties.checks.items]
type = "object"
required = ["name", "state"]
[tools.merge.parameters.properties.checks.items.properties]
name = {type = "string"}
state = {type = "string", enum = ["success", "failure", "pending"]}

[tools.export_rows.parameters]
type = "object"
required = ["ids"]
[tools.export_rows.parameters.properties]
ids = {type = "array", items = {type = "string"}, description = "the rows; an empty list means all rows"}

[tools.print_rows.parameters]
type = "object"
required = ["ids"]
[tools.print_rows.parameters.properties]
ids = {type = "array", minItems = 1, items = {type = "string"}}

[tools.delete_rows.parameters]
type = "object"
required = ["ids"]
properties = {ids = {type = "array", items = {type = "string"}}}

[tools.cancel_bookings]
fields = {booking_ids = {optional = true}}
[tools.cancel_bookings.parameters]
type = "object"
properties = {booking_ids = {type = "array", items = {type = "integer"}}, customer_id = {type = "string"}}

[tools.close_queues]
description = "Closes queues. An empty list closes nothing."
[tools.close_queues.parameters]
type = "object"
required = ["queues"]
properties = {queues = {type = "array", items = {type = "string"}}}

[tools.fetch]
[tools.fetch.parameters]
type = "object"
required = ["url"]
properties = {url = {type = "string", format = "uri"}}

[tools.sell.parameters]
type = "object"
required = ["item"]
properties = {item = {type = "string"}}

[tools.shell]
shell = "bash"
cwd = "/repo"
fields = {command = {type = "command"}}
[tools.shell.parameters]
type = "object"
required = ["command"]
properties = {command = {type = "string"}}

[tools.push.parameters]
type = "object"
required = ["branch", "iban"]
properties = {branch = {type = "string"}, iban = {type = "string"}}

[tools.label.parameters]
type = "object"
required = ["labels"]
properties = {labels = {type = "array", items = {type = "string"}}}

[tools.order.parameters]
type = "object"
required = ["customer", "lines"]
[tools.order.parameters.properties]
customer = {type = "string"}
[tools.order.parameters.properties.lines]
type = "array"
[tools.order.parameters.properties.lines.items]
type = "object"
required = ["sku", "quantity"]
[tools.order.parameters.properties.lines.items.properties]
sku = {type = "string"}
quantity = {type = "integer", minimum = 1}

[tools.remove.parameters]
type = "object"
required = ["record"]
[tools.remove.parameters.properties]
record = {type = "string"}
reason = {type = "string"}
days = {type = "integer"}
confirmed = {type = "boolean"}
until = {type = "string", format = "date"}

[tools.adjust_stock.parameters]
type = "object"
required = ["item", "delta"]
properties = {item = {type = "string"}, delta = {type = "integer"}, weight = {type = "integer", minimum = 0}}

[tools.pay.parameters]
type = "object"
required = ["account", "amount"]
properties = {account = {type = "string"}, amount = {type = "integer", minimum = 1}}
""")
_OURS, _OTHER = "lee@ours.example", "eve@evil-drop.example"
_MAIL = TriedCall("send_mail", {"to": [_OURS], "body": "x"})
_PASSED: Json = {"name": "a", "state": "success"}
_ROWS: Json = [*("a" for _ in range(100))]
_LABEL = TriedCall("label", {"labels": ["7", "security2"]})

_REMOVED = TriedCall("remove", {"record": "r", "reason": "long enough", "days": 3, "confirmed": True})
_DATED = TriedCall("remove", {"record": "r", "until": "2025-12-01"})
_STOCK = TriedCall("adjust_stock", {"item": "i", "delta": -3})


def _ordered(*lines: tuple[str, int]) -> TriedCall:
    made: list[Json] = [{"sku": sku, "quantity": number} for sku, number in lines]
    return TriedCall("order", {"customer": "c", "lines": made})


class Pair(NamedTuple):
    """A rule with a hole of a kind, what the hole shows, an ordinary call, and a careful rule.

    ``sentence`` is that of both, unless the careful one has another.
    """

    kind: str
    sentence: str
    name: str
    condition: str
    shows: str
    ordinary: TriedCall
    careful: str
    said: str = ""
    form: str = "forbid"


PAIRS = (
    Pair("one element of several", "Mail goes to recipients at ours.example.", "SendMail",
         'not any(one.domain == "ours.example" for one in call.to)', "alone is stopped", _MAIL,
         'any(one.domain != "ours.example" for one in call.to) or len(call.to) == 0'),
    Pair("one element of several", "Nothing is sent to somebody outside ours.example.", "SendMail",
         'all(one.domain != "ours.example" for one in call.to)', "alone is stopped", _MAIL,
         'any(one.domain != "ours.example" for one in call.to)'),
    Pair("one element of several", "Do not put the label security on anything.", "Label",
         'all(one == "security" for one in call.labels)', "“security” alone is stopped", _LABEL,
         'any(one == "security" for one in call.labels)'),
    Pair("one element of several", "The agent must not add a label other than 7 and 8.", "Label",
         'all(one not in {"7", "8"} for one in call.labels)', "alone is stopped",
         TriedCall("label", {"labels": ["7"]}), 'any(one not in {"7", "8"} for one in call.labels)'),
    Pair("one element of several", "A branch is merged when its checks have succeeded.", "Merge",
         'not any(check.state == "success" for check in call.checks)', "state “failure”",
         TriedCall("merge", {"branch": "b", "checks": [_PASSED]}),
         'not any(check.state == "success" for check in call.checks)',
         "A branch is merged when at least one check has succeeded."),
    Pair("one element of several", "An issue may get bug and docs.", "Label",
         'any(one in {"bug", "docs"} for one in call.labels)', "alone is stopped",
         TriedCall("label", {"labels": ["docs", "bug"]}),
         'any(one in {"bug", "docs"} for one in call.labels)',
         "Labels may be set if bug or docs is among them, or some other.", "permit"),
    Pair("lower domain", "Nobody at rival.example is invited.", "Invite",
         'call.guest.domain == "rival.example"', "lee@mail.rival.example",
         TriedCall("invite", {"guest": "lee@ours.example"}), '"rival.example" in call.guest.domains'),
    Pair("lower domain", "Anybody may be invited, but for rival.example.", "Invite",
         'call.guest.domain not in {"rival.example", "foe.example"}', "lee@mail.rival.example",
         TriedCall("invite", {"guest": "lee@ours.example"}),
         '"rival.example" not in call.guest.domains and "foe.example" not in call.guest.domains',
         "", "permit"),
    Pair("lower domain", "No mail goes to rival.example.", "SendMail",
         'any(one.domain == "rival.example" for one in call.to)', "lee@mail.rival.example", _MAIL,
         'any(one.domain == "rival.example" for one in call.to)', "No mail goes to exactly rival.example."),
    Pair("path", "What is private is not read.", "ReadObject",
         'call.object_key.startswith("private/")', "private/x",
         TriedCall("read_object", {"object_key": "public/a"}), '"/private" in call.object_key.inside'),
    Pair("amount bonus", "What is offered does not exceed 8,000 EUR.", "Offer", "call.base > 8000",
         "bonus 16000", TriedCall("offer", {"base": 8000, "bonus": 0}),
         "call.base + call.bonus > 8000"),
    Pair("amount bonus", "A salary is at most 8000.", "Offer", "call.base > 8000",
         "bonus 16000", TriedCall("offer", {"base": 8000, "bonus": 0}),
         "call.base + call.bonus > 8000"),
    Pair("amount pallets", "At most 100 pieces are shipped.", "Ship", "call.pieces <= 100", "pallets 200",
         TriedCall("ship", {"pieces": 100, "pallets": 0}), "call.pieces <= 100 and call.pallets == 0",
         "", "permit"),
    Pair("several calls", "Up to 50 EUR of an order may be refunded.", "Refund",
         "call.amount <= 50", "amount 45", TriedCall("refund", {"order_id": "o", "amount": 50}),
         "call.amount <= 50", "A single refund of an order is of up to 50 EUR.", "permit"),
    Pair("several calls", "At most 10 people are written to.", "SendMail", "len(call.to) <= 10",
         "both together have more", _MAIL, "len(call.to) <= 10",
         "A mail goes to at most 10 people.", "permit"),
    Pair("several calls", "At most 10 people are written to.", "SendMail", "len(call.to) > 10",
         "both together have more", _MAIL, "len(call.to) > 10", "At most 10 people are written to per mail."),
    Pair("no end", "A room is booked for at most 2 hours.", "BookRoom",
         "call.end is not None and call.end - call.start > timedelta(hours=2)", "no end",
         TriedCall("book_room", {"start": "2026-01-05T08:00:00Z", "end": "2026-01-05T09:00:00Z"}),
         "call.end is None or call.end - call.start > timedelta(hours=2)"),
    Pair("no reason", "Records may be removed for a known reason.", "Remove", 'call.reason != "unknown"',
         "no reason", _REMOVED, 'call.reason is not None and call.reason != "unknown"', "", "permit"),
    Pair("no reason", "Records may be removed for a reason of theirs.", "Remove", 'call.reason != "test"',
         "no reason", _REMOVED, 'call.reason != "test"', "Records may be removed, but not as a test.",
         "permit"),
    Pair("case of a file", "Nobody opens the salaries.", "OpenShared", 'call.path.name == "salaries.xlsx"',
         "SALARIES.XLSX", TriedCall("open_shared", {"path": "/home/agent/notes.txt"}),
         'call.path.name.lower() == "salaries.xlsx"'),
    Pair("empty list", "Checks have succeeded before a branch is merged.", "Merge",
         'any(check.state != "success" for check in call.checks)', "checks []",
         TriedCall("merge", {"branch": "b", "checks": [_PASSED]}),
         'any(check.state == "failure" for check in call.checks)',
         "A branch with a failed check is not merged."),
    Pair("empty list", "At most 100 rows are exported.", "ExportRows", "len(call.ids) > 100",
         "about all", TriedCall("export_rows", {"ids": _ROWS}),
         "len(call.ids) > 100 or len(call.ids) == 0"),
    Pair("empty list", "At most 100 rows are exported.", "ExportRows", "len(call.ids) <= 100",
         "about all", TriedCall("export_rows", {"ids": _ROWS}),
         "0 < len(call.ids) <= 100", "", "permit"),
    Pair("empty list", "The rows a and b stay.", "DeleteRows", 'any(one in {"a", "b"} for one in call.ids)',
         "it may be about all", TriedCall("delete_rows", {"ids": ["7"]}),
         'len(call.ids) == 0 or any(one in {"a", "b"} for one in call.ids)'),
    Pair("empty list", "Booking 7 stays.", "CancelBookings", "7 in call.booking_ids",
         "cancel_bookings; without booking ids it may be about all",
         TriedCall("cancel_bookings", {"booking_ids": [3]}),
         "7 in call.booking_ids or len(call.booking_ids) == 0"),
    Pair("no customer_id", "Bookings of customer c stay.", "CancelBookings", 'call.customer_id == "c"',
         "without customer id it may be about all", TriedCall("cancel_bookings", {"customer_id": "d"}),
         'call.customer_id is None or call.customer_id == "c"'),
    Pair("several elements", "No more than 30 pieces of an article are ordered.", "Order",
         "any(line.quantity > 30 for line in call.lines)", "quantity 20", _ordered(("a", 20), ("b", 20)),
         "any(sum(one.quantity for one in call.lines if one.sku == line.sku) > 30 for line in call.lines)"),
    Pair("several elements", "An order has at most 30 pieces.", "Order",
         "any(line.quantity > 30 for line in call.lines)", "quantity 20", _ordered(("a", 15), ("b", 15)),
         "any(line.quantity > 30 for line in call.lines)", "No line of an order has more than 30 pieces."),
    Pair("several elements", "At most 30 pieces may be ordered.", "Order",
         "all(line.quantity <= 30 for line in call.lines)", "quantity 20", _ordered(("a", 15), ("b", 15)),
         "sum(line.quantity for line in call.lines) <= 30", "", "permit"),
    Pair("no reason", "A record is removed with a reason of at least 10 letters.", "Remove",
         "call.reason is not None and len(call.reason) < 10", "no reason", _REMOVED,
         "call.reason is not None and len(call.reason) > 200", "No reason has more than 200 letters."),
    Pair("no days", "Records may be removed 3 days later.", "Remove",
         "call.days is None or call.days >= 3", "no days", _REMOVED,
         "call.days is not None and call.days >= 3", "", "permit"),
    Pair("no confirmed", "Records are removed once this is confirmed.", "Remove",
         "call.confirmed is not None and not call.confirmed", "no confirmed", _REMOVED,
         "call.confirmed is not None and call.confirmed", "Nothing is removed that is confirmed."),
    Pair("no until", "What is removed ends in 2025.", "Remove",
         "call.until is not None and call.until > date(2025, 12, 31)", "no until", _DATED,
         "call.until is None or call.until > date(2025, 12, 31)"),
    Pair("other direction", "Stock is changed by at most 10 pieces.", "AdjustStock", "call.delta > 10",
         "delta -500", _STOCK, "not (-10 <= call.delta <= 10)"),
    Pair("other direction", "Stock may change by at most 10 pieces.", "AdjustStock", "call.delta <= 10",
         "delta -500", _STOCK, "-10 <= call.delta <= 10", "", "permit"),
    Pair("other direction", "Stock is changed by at most 10 pieces.", "AdjustStock", "call.delta < -10",
         "delta 500", _STOCK, "call.delta > 10", "The stock is not increased by more than 10."),
    Pair("other direction", "Stock is changed by at most 10 pieces.", "AdjustStock", "call.delta > 10",
         "delta -500", _STOCK, "call.weight is not None and call.weight > 10", "At most 10 kg."),
    Pair("several calls", "An account gets at most 500.", "Pay", "call.amount > 500", "amount 450",
         TriedCall("pay", {"account": "a", "amount": 500}), "call.amount > 500",
         "No single payment is above 500."),
    Pair("several calls", "Pay at most 500 in all, however many payments there are.", "Pay",
         "call.amount > 500", "amount 450", TriedCall("pay", {"account": "a", "amount": 500}),
         "call.amount > 500", "A payment of more than 500 is not made."),
    Pair("several calls", "Pay at most 500.", "Pay", "call.amount > 500", "amount 450",
         TriedCall("pay", {"account": "a", "amount": 500}), "call.amount > 500",
         "No payments over 500 are made."),
    Pair("several calls", "Payments of more than 500 are forbidden.", "Pay", "call.amount > 500",
         "amount 450", TriedCall("pay", {"account": "a", "amount": 500}), "call.amount > 500",
         "A payment of more than 500 is forbidden."),
    Pair("several calls", "Pay at most 500.", "Pay", "call.amount > 500", "amount 450",
         TriedCall("pay", {"account": "a", "amount": 500}), "call.amount > 500",
         "Rooms are paid with a price limit of at most 500."),
)  # fmt: skip


def book_for(pair: Pair, sentence: str, condition: str) -> Book:
    """A policy of one rule for a sentence, beside a logged call."""
    logged = [RecordedCall("log", 0, pair.ordinary.tool, pair.ordinary.arguments, result="{}")]
    return one_rule(AGENT, pair.name, condition, sentence, form=pair.form, logged=logged)


def holes_of(book: Book, kind: str) -> list[Hole]:
    return [one for one in HolesByRule(book).of(book.rules[0]) if one.kind == kind]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.kind}: {pair.condition}")
def test_a_hole_is_shown_and_closed_and_a_careful_rule_has_none(pair: Pair) -> None:
    book = book_for(pair, pair.sentence, pair.condition)
    (hole,) = holes_of(book, pair.kind)
    assert pair.shows in f"{', '.join(map(str, hole.shown.calls))}; {hole.shown.why}"
    assert hole.closing is not None and not hole.closing.turned

    text, _ = with_effect(
        book.language, book.language.source, hole.closing.effect, open_default=pair.form == "forbid"
    )
    then, now = Trials(lowered_policy(text, AGENT).terms, AGENT), Trials(book.terms, AGENT)
    assert now.confirms(hole.shown.calls) and not then.confirms(hole.shown.calls)
    assert now.confirms((pair.ordinary,)) and then.confirms((pair.ordinary,))

    careful = book_for(pair, pair.said or pair.sentence, pair.careful)
    assert not holes_of(careful, pair.kind)


def test_a_list_that_its_schema_does_not_permit_empty_is_not_tried_empty() -> None:
    call = TriedCall("print_rows", {"ids": ["a"]})
    pair = Pair("empty list", "At most 100 rows are printed.", "PrintRows", "", "", call, "")
    book = book_for(pair, pair.sentence, "len(call.ids) > 100")
    assert not holes_of(book, pair.kind)


@pytest.mark.parametrize(
    ("name", "condition"),
    [("CloseQueues", '"a" in call.queues'), ("Label", '"a" in call.labels')],
)
def test_a_tool_that_does_nothing_without_an_element_is_not_tried_without(name: str, condition: str) -> None:
    tool, key = ("close_queues", "queues") if name == "CloseQueues" else ("label", "labels")
    pair = Pair("empty list", "Not a.", name, "", "", TriedCall(tool, {key: ["b"]}), "")
    book = book_for(pair, pair.sentence, condition)
    assert not holes_of(book, pair.kind)


_DELETING = ("rm", "unlink", "shred", "rmdir", "truncate")
NOT_ASKED = {
    "the port of a host": (
        "Pages are on docs.example, by https.", "Fetch",
        'call.url.host != "docs.example" or call.url.scheme != "https"', "8443"),
    "another act": ("The item x is not sold.", "Sell", 'call.item == "x"', "adjust_stock"),
    "an option of another program": (
        "Nothing is run by rm and the like.", "Shell",
        f"any(one in {{{', '.join(map(repr, _DELETING))}}} for one in call.command.programs)", "does"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_ASKED)
def test_what_a_careful_rule_does_not_speak_of_is_not_asked(kind: str) -> None:
    sentence, name, condition, shown = NOT_ASKED[kind]
    pair = Pair("", sentence, name, "", "", TriedCall("label", {}), "")
    book = book_for(pair, sentence, condition)
    assert not [one for one in asked_of(book) if shown in one.question.text.partition("allowed all")[2]]


def test_a_branch_is_tried_by_its_whole_name_and_an_iban_in_groups() -> None:
    pair = Pair("spelling", "Nothing is pushed to main.", "Push", "", "", TriedCall("label", {}), "")
    book = book_for(pair, pair.sentence, 'call.branch == "main"')
    whole = next(one for one in holes_of(book, "spelling") if "refs/heads/main" in repr(one.shown.calls))
    assert whole.closing is not None
    book = book_for(pair, pair.sentence, 'call.branch.removeprefix("refs/heads/") == "main"')
    assert not [one for one in holes_of(book, "spelling") if "refs/heads/main" in repr(one.shown.calls)]

    book = book_for(pair, "Nothing goes to DE893704.", 'call.iban == "DE893704"')
    found = holes_of(book, "spelling")
    assert {"DE89 3704"} <= {str(call.arguments["iban"]) for one in found for call in one.shown.calls}
    assert all(one.closing is None and 'normal = "code"' in str(one.attempt.advice) for one in found)


@pytest.mark.parametrize(("bound", "is_offered"), [("<= 10", False), ("< -600", True)])
def test_an_answer_that_a_clause_of_a_person_refuses_is_not_offered(bound: str, is_offered: bool) -> None:
    pair = next(one for one in PAIRS if one.kind == "other direction")
    source = book_for(pair, pair.sentence, pair.condition).language.source
    names = "Ensures, Implies, Result"
    source = source.replace("from agent", f"from nagini_contracts.contracts import {names}\n\nfrom agent")
    source += (
        f"\n\ndef contract_it(call: {pair.name}) -> None:\n    # R2: The rest is allowed.\n"
        f"    Ensures(Implies(call.delta {bound}, Result()))\n"
    )
    book = book_of(source, AGENT)
    witnesses = (one for one in asked_of(book) if one.question.kind == "witness")
    (found,) = [one for one in witnesses if "other direction" in one.question.text]
    assert bool(found.effects) is is_offered
    assert ("closed" in [one.value for one in found.question.options]) is is_offered
    assert ("change the clause of R2 first" in found.question.text) is not is_offered


def test_a_description_of_the_same_words_over_and_over_is_read() -> None:
    assert means_all("Empty means all rows.")
    assert not means_all("all if " * 10_000)


@pytest.mark.parametrize("tried", ["./private/x", "x/../private/x", "/private/x"])
def test_the_raw_name_of_what_lies_in_folders_is_tried_as_a_path(tried: str) -> None:
    pair = Pair("path", "What is private is not read.", "GetObject", "", "", TriedCall("label", {}), "")
    book = book_for(pair, pair.sentence, 'call.object_key.startswith("private/")')
    (hole,) = holes_of(book, "path")
    assert tried in [call.arguments["object_key"] for one in hole.every for call in one.calls]
    assert "object_key = {type" in str(hole.attempt.advice)

    book = book_for(pair, pair.sentence, 'call.branch.startswith("private/")')
    assert not holes_of(book, "path")


def test_a_price_is_tried_many_times_unless_the_sentence_bounds_each() -> None:
    bound = "call.price_per_night > 200"
    pair = Pair("amount nights", "A stay costs at most 200 EUR.", "Stay", "", "", TriedCall("label", {}), "")
    book = book_for(pair, pair.sentence, bound)
    (hole,) = holes_of(book, pair.kind)
    assert hole.shown.calls[0].arguments["nights"] == 50
    book = book_for(pair, "A stay costs at most 200 EUR per night.", bound)
    assert not holes_of(book, pair.kind)


@pytest.mark.parametrize(("name", "is_hole"), [("Offer", True), ("SetOffer", False)])
def test_money_that_a_call_sets_does_not_add_up_with_that_of_a_call_before(name: str, is_hole: bool) -> None:
    pair = Pair("several calls", "What is offered is at most 8000 EUR.", name, "", "", _LABEL, "")
    book = book_for(pair, pair.sentence, "call.base > 8000")
    assert bool(holes_of(book, pair.kind)) is is_hole


def test_a_number_that_says_how_something_is_done_is_no_amount() -> None:
    pair = Pair("", "At most 100 pieces are shipped.", "Ship", "", "", TriedCall("label", {}), "")
    book = book_for(pair, pair.sentence, "call.pieces > 100")
    assert not holes_of(book, "amount retries")


@pytest.mark.parametrize(("fold", "is_hole"), [("", True), (".lower()", False)])
def test_an_id_of_an_earlier_call_is_tried_in_another_case(fold: str, is_hole: bool) -> None:
    again = f"any(c.customer_id{fold} == call.customer_id{fold} for c in run.earlier(CloseAccount))"
    book = one_rule(AGENT, "CloseAccount", again, "An account is closed once.")
    found = holes_of(book, "spelling")
    assert bool(found) is is_hole
    for hole in found:
        tried = [[call.arguments["customer_id"] for call in one.calls] for one in hole.every]
        assert tried == [["C17", "c17"], ["C17", "C17 "]]
        assert hole.closing is not None


def test_the_case_of_a_file_is_not_tried_where_nothing_says_that_a_disk_ignores_it() -> None:
    pair = Pair("case of a file", "Nobody opens the salaries.", "OpenOwn", "", "", TriedCall("label", {}), "")
    book = book_for(pair, pair.sentence, 'call.path.name == "salaries.xlsx"')
    assert not holes_of(book, pair.kind)
