"""A tool that does by its name what a closed one does is asked about, and the answer closes it."""

from __future__ import annotations

import pytest

from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, WIDER, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Json
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "desk"
[tools.delete_user]
parameters = {type = "object", required = ["user_id"], properties = {user_id = {type = "string"}}}
[tools.delete_users.parameters]
type = "object"
required = ["user_ids"]
properties = {user_ids = {type = "array", items = {type = "string"}}}
[tools.bulk_remove_users]
parameters = {type = "object", required = ["filter"], properties = {filter = {type = "string"}}}
[tools.get_user]
parameters = {type = "object", required = ["user_id"], properties = {user_id = {type = "string"}}}
[tools.delete_user_note]
parameters = {type = "object", required = ["user_id"], properties = {user_id = {type = "string"}}}
[tools.modify_order.parameters]
type = "object"
required = ["order_id"]
properties = {order_id = {type = "string"}, status = {type = "string"}}
[tools.update_order.parameters]
type = "object"
required = ["order_id"]
properties = {order_id = {type = "string"}, status = {type = "string"}}
""")
POLICY = '''"""Desk."""
from agent import {name}

DEFAULT = "allow"


def forbid_x(call: {name}) -> bool:
    """R1: No."""
    return {condition}
'''
type Made = tuple[str, dict[str, Json]]
CASES: dict[str, tuple[str, str, list[Made], list[Made]]] = {
    "several": (
        "DeleteUser",
        'call.user_id == "root"',
        [("delete_users", {"user_ids": ["lee", "root"]}), ("bulk_remove_users", {"filter": "*"})],
        [("delete_users", {"user_ids": ["lee"]}), ("get_user", {"user_id": "root"})],
    ),
    "another word": (
        "ModifyOrder",
        'call.order_id == "W1" and call.status is not None and call.status == "paid"',
        [("update_order", {"order_id": "W1", "status": "paid"})],
        [("update_order", {"order_id": "W2", "status": "paid"}), ("update_order", {"order_id": "W1"})],
    ),
}


@pytest.mark.parametrize(("name", "condition", "bad", "fine"), CASES.values(), ids=CASES)
def test_a_tool_of_one_act_on_the_same_things_is_closed_alone_or_with_all_others(
    name: str, condition: str, bad: list[Made], fine: list[Made]
) -> None:
    source = POLICY.format(name=name, condition=condition)
    terms = lowered_policy(source, AGENT).terms
    book = Book(language_of(source, AGENT), AGENT, terms, ())
    asked: list[Asked] = [*witnesses(book, HolesByRule(book), {})]
    (one,) = (one for one in asked if one.calls[0].tool == bad[0][0])
    of_shown, of_all = one.effects[CLOSED], one.effects.get(WIDER, one.effects[CLOSED])
    for effect, stopped in ((Effect(), 0), (of_shown, 1), (of_all, len(bad))):
        text, _ = with_effect(language_of(source, AGENT), source, effect, open_default=True)
        trials = Trials(lowered_policy(text, AGENT).terms, AGENT)
        passing = [trials.confirms((TriedCall(*each),)) for each in bad]
        assert passing == [False] * stopped + [True] * (len(bad) - stopped)
        assert all(trials.confirms((TriedCall(*each),)) for each in fine)
        assert trials.confirms((TriedCall("delete_user_note", {"user_id": "root"}),))
