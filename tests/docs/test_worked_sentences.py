"""The worked sentences of the page on the language: each is read, against a small desk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.session.agent_file import read_agent

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "language.md"
AGENT = """
name = "desk"

[tools.get_order]
parameters = {type = "object", properties = {order_id = {type = "string"}}, required = ["order_id"]}

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
[records.order.results]
get_order = "$"
"""


@pytest.mark.parametrize(
    ("heading", "count"), [("## The forms on one page", 24), ("## Worked sentences", 37)]
)
def test_every_sentence_of_a_table_is_read_in_one_way(heading: str, count: int) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(heading)[2].partition("\n## ")[0]
    said = [
        text
        for row in re.findall(r"^\|.*\| (The agent .*|It .*|What .*) \|$", section, re.M)
        for text in row.split("<br>")
    ]
    language = Language(agent_types(read_agent(AGENT)), '"""Desk."""\n\nDEFAULT = "deny"\n')
    ways = {text: len(language.read(text)) for text in said}
    assert len(said) == count
    assert {text: number for text, number in ways.items() if number != 1} == {}
