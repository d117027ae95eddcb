"""The worked sentences of the pages on the language: each is read, against a small desk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.session import Session
from workbench.session.agent_file import read_agent

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reference" / "language.md"
LIBRARY_PAGE = DOCS / "learn" / "large-desk.md"
LIBRARY = """
name = "library"

[tools.find_member]
parameters = {type = "object", properties = {card = {type = "string"}}, required = ["card"]}

[tools.get_member]
parameters = {type = "object", properties = {member_id = {type = "string"}}, required = ["member_id"]}

[tools.get_loan]
parameters = {type = "object", properties = {loan_id = {type = "string"}}, required = ["loan_id"]}

[tools.get_title]
parameters = {type = "object", properties = {title_id = {type = "string"}}, required = ["title_id"]}

[tools.renew_loan.parameters]
type = "object"
required = ["loan_id", "days"]
properties = {loan_id = {type = "string"}, days = {type = "integer"}}

[tools.swap_copies.parameters]
type = "object"
required = ["loan_id", "copy_ids", "new_copy_ids"]
[tools.swap_copies.parameters.properties]
loan_id = {type = "string"}
copy_ids = {type = "array", items = {type = "string"}}
new_copy_ids = {type = "array", items = {type = "string"}}
note = {type = "string"}
urgent = {type = "boolean"}

[tools.pay_fees.parameters]
type = "object"
required = ["member_id", "amount", "method_id", "reason"]
[tools.pay_fees.parameters.properties]
member_id = {type = "string"}
amount = {type = "number"}
method_id = {type = "string"}
reason = {type = "string"}

[tools.change_email.parameters]
type = "object"
required = ["member_id", "email"]
properties = {member_id = {type = "string"}, email = {type = "string"}}

[tools.hand_over]
parameters = {type = "object", properties = {summary = {type = "string"}}, required = ["summary"]}

[context.role]
type = "enum"
values = ["assistant", "librarian"]

[records.copy.fields]
copy_id = {type = "str"}
title_id = {type = "str"}
value = {type = "decimal"}

[records.loan]
key = "loan_id"
look_up = {tool = "get_loan", arguments = {loan_id = "key"}}
[records.loan.fields]
member_id = {type = "str"}
status = {type = "enum", values = ["open", "overdue", "returned"]}
due_at = {type = "datetime", optional = true}
copies = {type = "list", of = "copy"}

[records.method.fields]
id = {type = "str"}
kind = {type = "enum", values = ["voucher", "card"]}
balance = {type = "decimal"}

[records.member]
key = "member_id"
look_up = {tool = "get_member", arguments = {member_id = "key"}}
[records.member.fields]
kind = {type = "enum", values = ["child", "adult"]}
methods = {type = "list", of = "method"}
method_ids = {type = "set", path = "methods[*].id"}
voucher_ids = {type = "set", path = "methods[*].id", where = {kind = "voucher"}}

[records.shelf_copy]
key = "copy_id"
results = {get_title = "$.copies[*]"}
[records.shelf_copy.fields]
copy_id = {type = "str"}
available = {type = "bool"}

[records.title]
key = "title_id"
look_up = {tool = "get_title", arguments = {title_id = "key"}}
[records.title.fields]
copies = {type = "list", of = "title_copy"}
copy_ids = {type = "set", path = "copies[*].copy_id"}

[readings.found_member]
type = "str"
description = "the id of the member that was found"
texts = ["FindMember.result"]
extract = {method = "json", path = "result"}

[records.title_copy.fields]
copy_id = {type = "str"}
"""
AGENT = """
name = "desk"

[tools.get_order]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}

[tools.get_article]
parameters = {type = "object", properties = {sku = {type = "string"}}, required = ["sku"]}

[tools.check_identity]
parameters = {type = "object", properties = {customer_id = {type = "string"}}, required = ["customer_id"]}

[tools.pay_back.parameters]
type = "object"
required = ["order_id", "amount", "reason", "items"]
[tools.pay_back.parameters.properties]
order_id = {type = "string"}
amount = {type = "number"}
reason = {type = "string", enum = ["late_delivery", "damaged", "other"]}
note = {type = "string"}
urgent = {type = "boolean"}
[tools.pay_back.parameters.properties.items]
type = "array"
[tools.pay_back.parameters.properties.items.items]
type = "object"
required = ["sku", "price", "kind"]
[tools.pay_back.parameters.properties.items.items.properties]
sku = {type = "string"}
price = {type = "number"}
kind = {type = "string", enum = ["food", "tools"]}

[tools.send_message.parameters]
type = "object"
required = ["address", "text"]
properties = {address = {type = "string"}, text = {type = "string"}}

[context.role]
type = "enum"
values = ["agent", "team_lead"]

[records.order]
key = "order_id"
look_up = {tool = "get_order", arguments = {order_id = "key"}}
[records.order.fields]
customer_id = {type = "str"}
paid_by = {type = "enum", values = ["card", "store_credit"]}
delivered_at = {type = "datetime", optional = true}
ordered_at = {type = "datetime"}
[records.order.results]
get_order = "$"

[records.article]
key = "sku"
look_up = {tool = "get_article", arguments = {sku = "key"}}
[records.article.fields]
recalled = {type = "bool"}
returns = {type = "int"}
"""


@pytest.mark.parametrize(
    ("heading", "count"), [("## The forms on one page", 28), ("## Worked sentences", 39)]
)
def test_every_sentence_of_a_table_is_read_in_one_way(heading: str, count: int) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(heading)[2].partition("\n## ")[0]
    assert ways(section, AGENT) == dict.fromkeys(sentences(section), 1)
    assert len(sentences(section)) == count


def test_what_is_said_of_a_record_of_an_element_is_refused_without_that_it_exists(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [
        text
        for text in sentences(PAGE.read_text(encoding="utf-8"))
        if "the article for the item's sku" in text
    ]
    with Session.create(tmp_path / "desk", "Refunds.", read_agent(AGENT)) as session:
        session.set_policy('"""Desk."""\n\nDEFAULT = "deny"\n')
    assert len(said) == 2
    for text in said:
        assert main(["say", str(tmp_path / "desk"), text]) == 0
        assert main(
            ["say", str(tmp_path / "desk"), text.replace("the article for the item's sku exists and ", "")]
        )
        assert "say “the article … exists and …”" in capsys.readouterr().err


def test_every_sentence_of_the_page_on_a_large_desk_is_read_in_one_way_and_can_be_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = LIBRARY_PAGE.read_text(encoding="utf-8")
    assert ways(page, LIBRARY) == dict.fromkeys(sentences(page), 1)
    assert len(sentences(page)) == 44
    assert page.count("\n") <= 250
    with Session.create(tmp_path / "desk", "Loans.", read_agent(LIBRARY)) as session:
        session.set_policy('"""Desk."""\n\nDEFAULT = "deny"\n')
    refused = [text for text in sentences(page) if main(["say", str(tmp_path / "desk"), text])]
    assert refused == [], capsys.readouterr().err


def sentences(page: str) -> list[str]:
    """The sentences in the last column of the tables of a page."""
    rows: list[str] = re.findall(r"^\|.*\| (The agent .*|It .*|What .*) \|$", page, re.M)
    return [text for row in rows for text in row.split("<br>")]


def ways(page: str, agent: str) -> dict[str, int]:
    """The number of readings of each sentence of a page."""
    language = Language(agent_types(read_agent(agent)), '"""Desk."""\n\nDEFAULT = "deny"\n')
    return {text: len(language.read(text)) for text in sentences(page)}
