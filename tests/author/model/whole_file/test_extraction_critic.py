"""Findings of extraction over the logs in an agent file, and what it leaves to the policy's author."""

from __future__ import annotations

import json

from workbench.author.model.whole_file.critics import (
    rarely_unread,
    read_logs,
    unread_arguments,
    without_value,
)
from workbench.author.model.whole_file.design import Design
from workbench.model import Json, RecordedCall, Run
from workbench.session.agent_file import read_agent

AGENT = """
name = "desk"

[tools.get_order]
[tools.refund]

[records.item]
fields.sku = {type = "str"}

[records.order]
key = "id"
fields.buyer = {type = "str"}
fields.items = {type = "list", of = "item"}
look_up = {tool = "get_order", arguments = {id = "key"}}

[arguments.order]
extract = {method = "record", record = "order", key = "$.arguments.id", tools = ["refund"]}

[arguments.left_out]
extract = {method = "difference", path = "$.arguments.items", of = "order.items", take = "removed"}

[arguments.before]
type = "int"
extract.method = "history"
extract.operation = "count"
extract.of = ["refund"]
extract.same = {"$.arguments.note" = "$.arguments.note"}
extract.tools = ["refund"]
extract.elsewhere = 0
"""


def calls(run: str, *tool_calls: tuple[str, dict[str, Json]]) -> Run:
    """A run of calls, each with the result of the look-up: an order of one item."""
    order = json.dumps({"id": "A", "buyer": "ann", "items": [{"sku": "pen"}]})
    recorded_calls = [
        RecordedCall(run, place, tool, arguments, {"result": order}, result=order)
        for place, (tool, arguments) in enumerate(tool_calls)
    ]
    return Run(run, tuple(recorded_calls), "test")


def design() -> Design:
    return Design("", "deny", (), (), (), (), "", "", read_agent(AGENT))


LOOK_UP: tuple[str, dict[str, Json]] = ("get_order", {"id": "A"})


def test_a_value_that_builds_on_a_record_is_not_missed_where_the_record_is_not_known() -> None:
    refund: tuple[str, dict[str, Json]] = ("refund", {"id": "A", "items": [{"sku": "pen"}], "note": "x"})
    logged = read_logs(design(), [calls("early", refund), calls("late", LOOK_UP, refund)])
    assert [extracted["left_out"].missing is None for extracted in logged.extracted] == [False, True, True]
    assert unread_arguments(design(), logged) == {}
    assert without_value(logged) == {"left_out"}, "the replay critic does not tell of it either"
    assert "left_out" in unread_arguments(design(), read_logs(design(), [calls("early", refund)]))


def test_values_of_calls_that_do_not_have_an_argument_do_not_make_it_rarely_missing() -> None:
    refund: tuple[str, dict[str, Json]] = ("refund", {"id": "A", "items": []})
    logged = read_logs(design(), [calls("long", *[LOOK_UP] * 40, refund)])
    assert "cannot be determined in 1 of 41 logged calls" in unread_arguments(design(), logged)["before"]
    assert "before" not in rarely_unread(design(), logged)
    noted = [
        calls(f"noted-{number}", LOOK_UP, ("refund", {**refund[1], "note": "x"})) for number in range(10)
    ]
    more = read_logs(design(), [calls("long", LOOK_UP, refund), *noted])
    assert "before" in rarely_unread(design(), more)
