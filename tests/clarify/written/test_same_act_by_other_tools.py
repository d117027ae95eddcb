"""What a rule about one tool or value leaves to others: each is asked about, and closed once it is not meant.

After “No” to every question, all calls of a table are denied that do the same, and harmless ones are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.clarify.written.one_rule import Decides, after_no
from workbench.model import Json
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "office"

[tools.send_email.parameters]
required = ["to", "body"]
[tools.send_email.parameters.properties]
subject = {type = "string"}
to = {type = "array", items = {type = "string"}}
cc = {type = "array", items = {type = "string"}}
bcc = {type = "array", items = {type = "string"}}
body = {type = "string"}
[tools.forward_email.parameters]
required = ["message_id", "to"]
properties = {message_id = {type = "string"}, to = {type = "string"}}
[tools.reply_email.parameters]
required = ["message_id", "body"]
properties = {message_id = {type = "string"}, body = {type = "string"}}
[tools.create_filter.parameters]
required = ["words"]
properties = {words = {type = "string"}, forward_to = {type = "string"}}
[tools.create_event.parameters]
required = ["title"]
properties = {title = {type = "string"}, guests = {type = "array", items = {type = "string"}}}
[tools.invite_guests.parameters]
required = ["event_id", "attendees"]
[tools.invite_guests.parameters.properties]
event_id = {type = "string"}
[tools.invite_guests.parameters.properties.attendees]
type = "array"
items = {type = "object", required = ["email"], properties = {email = {type = "string"}}}
[tools.create_share_link.parameters]
required = ["document_id"]
[tools.create_share_link.parameters.properties]
document_id = {type = "string"}
audience = {type = "string", enum = ["organization", "anyone"]}
[tools.delete_email.parameters]
required = ["message_id"]
properties = {message_id = {type = "string"}}
[tools.archive_email.parameters]
required = ["message_id"]
properties = {message_id = {type = "string"}}
[tools.move_email.parameters]
required = ["message_id", "folder"]
properties = {message_id = {type = "string"}, folder = {type = "string"}}
[tools.label_email.parameters]
required = ["message_id", "labels"]
[tools.label_email.parameters.properties]
message_id = {type = "string"}
labels = {type = "array", items = {type = "string"}}
[tools.delete_file]
parameters = {required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
[tools.move_file]
parameters = {required = ["source", "to"], properties = {source = {type = "string"}, to = {type = "string"}}}
fields = {source = {type = "path"}, to = {type = "path"}}
[tools.write_file]
parameters = {required = ["file"], properties = {file = {type = "string"}, content = {type = "string"}}}
fields = {file = {type = "path"}}
[tools.attach_files]
fields = {"files[].path" = {type = "path"}}
[tools.attach_files.parameters]
required = ["files"]
[tools.attach_files.parameters.properties.files]
type = "array"
[tools.attach_files.parameters.properties.files.items]
type = "object"
required = ["path", "title"]
properties = {path = {type = "string"}, title = {type = "string"}}
[tools.create_invoice.parameters]
required = ["lines"]
[tools.create_invoice.parameters.properties.lines]
type = "array"
[tools.create_invoice.parameters.properties.lines.items]
type = "object"
required = ["quantity", "unit_price"]
properties = {quantity = {type = "integer"}, unit_price = {type = "number"}}
[tools.book_room.parameters]
required = ["price", "nights"]
properties = {price = {type = "integer"}, nights = {type = "integer"}}
[tools.merge_customers.parameters]
required = ["from_id", "into_id"]
properties = {from_id = {type = "string"}, into_id = {type = "string"}}
[tools.pay.parameters]
required = ["payee", "amount"]
properties = {payee = {type = "string"}, amount = {type = "number"}}
[tools.transfer.parameters]
required = ["account", "amount"]
properties = {account = {type = "string"}, amount = {type = "number"}}
[tools.pay_person.parameters]
required = ["payee", "euros"]
[tools.pay_person.parameters.properties]
payee = {type = "string"}
euros = {type = "integer"}
cents = {type = "integer"}
tip = {type = "integer"}
fee = {type = "integer"}
currency = {type = "string"}
[tools.pay_several.parameters]
required = ["payments"]
[tools.pay_several.parameters.properties.payments]
type = "array"
[tools.pay_several.parameters.properties.payments.items]
type = "object"
required = ["payee", "euros"]
properties = {payee = {type = "string"}, euros = {type = "integer"}}
[tools.approve.parameters]
required = ["requester", "approver"]
properties = {requester = {type = "string"}, approver = {type = "string"}}
""")

type Call = tuple[str, Mapping[str, Json]]
type Calls = Sequence[Call]

EVE, LEE = "eve@evil.example", "lee@corp.example"
SENT: list[Call] = [
    ("send_email", {"to": [EVE], "body": "x"}),
    ("send_email", {"to": [LEE], "body": "x", "cc": [LEE, EVE]}),
    ("send_email", {"to": [LEE], "body": "x", "bcc": [EVE]}),
    ("forward_email", {"message_id": "M1", "to": EVE}),
    ("reply_email", {"message_id": "M1", "body": "x"}),
    ("create_filter", {"words": "x", "forward_to": EVE}),
    ("create_event", {"title": "x", "guests": [LEE, EVE]}),
    ("invite_guests", {"event_id": "E1", "attendees": [{"email": EVE}]}),
    ("create_share_link", {"document_id": "D1", "audience": "anyone"}),
    ("create_share_link", {"document_id": "D1"}),
]
KEPT_INSIDE: list[Call] = [
    ("send_email", {"to": [LEE], "body": "x", "cc": [LEE], "bcc": [LEE]}),
    ("forward_email", {"message_id": "M1", "to": LEE}),
    ("create_filter", {"words": "x"}),
    ("create_event", {"title": "x", "guests": []}),
    ("invite_guests", {"event_id": "E1", "attendees": [{"email": LEE}]}),
    ("create_share_link", {"document_id": "D1", "audience": "organization"}),
]
BOSS = {"message_id": "M1"}
REMOVED: list[Call] = [
    ("delete_email", BOSS),
    ("archive_email", BOSS),
    ("move_email", {**BOSS, "folder": "Trash"}),
    ("move_email", {**BOSS, "folder": "deleted items "}),
    ("label_email", {**BOSS, "labels": ["TRASH"]}),
]
KEPT_MAIL: list[Call] = [
    ("delete_email", {"message_id": "M2"}),
    ("archive_email", {"message_id": "M2"}),
    ("move_email", {**BOSS, "folder": "Projects"}),
    ("move_email", {"message_id": "M2", "folder": "Trash"}),
    ("label_email", {**BOSS, "labels": ["boss"]}),
]
LEDGER = "/srv/books/ledger.csv"
GONE: list[Call] = [
    ("delete_file", {"path": LEDGER}),
    ("move_file", {"source": LEDGER, "to": "/tmp/x"}),
    ("write_file", {"file": LEDGER, "content": " "}),
]
KEPT_FILES: list[Call] = [
    ("delete_file", {"path": "/srv/x"}),
    ("move_file", {"source": "/srv/x", "to": "/tmp/x"}),
    ("write_file", {"file": LEDGER, "content": "1,2"}),
    ("write_file", {"file": "/srv/x", "content": ""}),
]


def invoice(*lines: tuple[int, int]) -> Call:
    """An invoice with a quantity and a unit price for each line."""
    return "create_invoice", {"lines": [{"quantity": many, "unit_price": price} for many, price in lines]}


TOO_MUCH: list[Call] = [
    ("pay_several", {"payments": [{"payee": "Lee", "euros": 100}, {"payee": "Kim", "euros": 101}]}),
    *(
        ("pay_person", {"payee": "Lee", **each})
        for each in (
            {"euros": 101}, {"euros": 100, "cents": 1}, {"euros": 1, "tip": 100}, {"euros": 100, "fee": 1},
            {"euros": 40, "tip": 31, "fee": 30}, {"euros": 90, "currency": "KWD"}, {"euros": -5},
        )
    ),
]  # fmt: skip
PAY, TRANSFER = ("pay", {"payee": "Lee", "amount": 400}), ("transfer", {"account": "7", "amount": 400})
SEND: Call = ("send_email", {"to": [LEE], "body": "x", "cc": [], "bcc": []})
FORWARD, REPLY = SENT[3], SENT[4]
SINGLE: Mapping[str, tuple[str, str, list[Call], list[Call]]] = {
    "Mail only goes to corp.example.": (
        "SendEmail", 'any(not a.endswith("@corp.example") for a in call.to)', SENT, KEPT_INSIDE,
    ),
    "The mail M1 is not deleted.": ("DeleteEmail", 'call.message_id == "M1"', REMOVED, KEPT_MAIL),
    "The books are never deleted.": ("DeleteFile", '"/srv/books" in call.path.inside', GONE, KEPT_FILES),
    "Nobody approves what they requested.": (
        "Approve", "call.requester == call.approver",
        [("approve", {"requester": "lee", "approver": each}) for each in ("lee", "LEE", " lee")],
        [("approve", {"requester": "lee", "approver": "kim"})],
    ),
    "No payment exceeds 100 EUR.": ("PayPerson", "call.euros > 100", TOO_MUCH, [
        ("pay_person", {"payee": "Lee", "euros": 99, "cents": 99, "currency": "EUR"}),
        ("pay_person", {"payee": "Lee", "euros": 40, "tip": 30, "fee": 30, "currency": "EUR"}),
        ("pay_several", {"payments": [{"payee": "Lee", "euros": 100}, {"payee": "Kim", "euros": 100}]}),
    ]),
    "Files of /srv/secret are not attached.": (
        "AttachFiles", 'any(each.path.startswith("/srv/secret/") for each in call.files)',
        [
            ("attach_files", {"files": [{"path": "/srv/x", "title": "x"}, {"path": path, "title": "x"}]})
            for path in ("/srv/secret/x", "/srv/x/../secret/x", "/srv//secret/x")
        ],
        [("attach_files", {"files": [{"path": "/srv/x", "title": "/srv/secret/x"}]})],
    ),
    "The report is not attached.": (
        "AttachFiles", 'any(each.title == "report" for each in call.files)',
        [
            ("attach_files", {"files": [{"path": "/x", "title": each}]})
            for each in ("report", "Report", " report")
        ],
        [("attach_files", {"files": [{"path": "/report", "title": "x"}]})],
    ),
    "No invoice is above 10,000 EUR.": (
        "CreateInvoice", 'any(each.unit_price > Decimal("10000") for each in call.lines)',
        [invoice((1, 10_001)), invoice((50, 900)), invoice((1, 9000), (1, 8000)), invoice((200, 100))],
        [invoice((1, 10_000)), invoice((2, 800), (1, 120)), invoice((40, 50)), invoice((2, 5000))],
    ),
    "No room costs more than 1,000 EUR.": (
        "BookRoom", "call.price > 1000",
        [("book_room", {"price": 1001, "nights": 1}), ("book_room", {"price": 400, "nights": 3})],
        [("book_room", {"price": 1000, "nights": 1}), ("book_room", {"price": 90, "nights": 10})],
    ),
    "Customers C-1 and C-2 are not merged.": (
        "MergeCustomers", 'call.from_id in {"C-1", "C-2"}',
        [
            ("merge_customers", {"from_id": one, "into_id": other})
            for one, other in (("C-1", "C-9"), ("c2", "C-9"), ("C-9", "C-1"), ("C-9", " c-2"))
        ],
        [("merge_customers", {"from_id": "C-3", "into_id": "C-4"})],
    ),
    "Nothing confidential is mailed.": (
        "SendEmail", '"confidential" in call.body',
        [
            ("send_email", {"to": [LEE], "body": "all of this is Confidential"}),
            ("send_email", {"to": [LEE], "body": "x", "subject": "confidential plans"}),
            ("send_email", {"to": [LEE], "body": "x", "subject": "CONFIDENTIAL"}),
            ("reply_email", {"message_id": "M1", "body": "confidential"}),
        ],
        [
            ("send_email", {"to": [LEE], "body": "x", "subject": "lunch"}),
            ("reply_email", {"message_id": "M1", "body": "thanks"}),
        ],
    ),
    "Mail C-10 is not deleted.": (
        "DeleteEmail", 'call.message_id == "C-10"',
        [("delete_email", {"message_id": each}) for each in ("C-10", "c-10", " C-10", "C10", "c 10")],
        [("delete_email", {"message_id": each}) for each in ("C-100", "C-1", "D-10")],
    ),
}  # fmt: skip
RULES: Mapping[str, tuple[str, str, list[Calls], list[Calls]]] = {
    "In all at most 1000 EUR are paid.": (
        "Pay", "call.amount + sum(c.amount for c in run.earlier(Pay)) > 1000",
        [(PAY, PAY, PAY), (PAY, PAY, TRANSFER), (TRANSFER, PAY, TRANSFER)], [(PAY, TRANSFER)],
    ),
    "At most 2 mails are sent.": (
        "SendEmail", "sum(1 for c in run.earlier(SendEmail)) >= 2",
        [(SEND, SEND, SEND), (SEND, FORWARD, SEND), (SEND, SEND, REPLY)], [(SEND, REPLY), (SEND, SEND)],
    ),
    **{
        sentence: (name, condition, [(call,) for call in bad], [(call,) for call in good])
        for sentence, (name, condition, bad, good) in SINGLE.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("sentence", RULES)
def test_after_no_to_each_question_no_other_tool_does_the_same(sentence: str) -> None:
    name, condition, bad, good = RULES[sentence]
    decides = Decides(after_no(AGENT, name, condition, sentence), AGENT)
    assert not [calls for calls in bad if decides.allows(*calls)]
    assert not [calls for calls in good if not decides.allows(*calls)]
