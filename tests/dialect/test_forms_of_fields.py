"""Two fields that are read in different normal forms are not compared: equal texts would differ, unseen."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import check_calls
from workbench.model import (
    AgentSpec,
    ArgumentType,
    FieldNote,
    Json,
    Kind,
    Record,
    RecordField,
    RecordResult,
    Tool,
)
from workbench.policy.problems import PolicyError

TEXT: Json = {"type": "string"}
LINE: Json = {"type": "object", "required": ["code", "name"], "properties": {"code": TEXT, "name": TEXT}}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _tool(name: str, normal: Mapping[str, str], **properties: Json) -> Tool:
    parameters: dict[str, Json] = {"type": "object", "properties": properties, "required": list(properties)}
    fields = {path: FieldNote(normal=form) for path, form in normal.items()}
    return Tool(name, parameters=parameters, fields=fields)


SPEC = AgentSpec(
    "desk",
    tools=(
        _tool(
            "refund",
            {"order_id": "id", "account": "code", "lines[].code": "code", "codes[]": "code"},
            order_id=TEXT,
            account=TEXT,
            codes=_list(TEXT),
            names=_list(TEXT),
            lines=_list(LINE),
            kind={"type": "string", "enum": ["a", "b"]},
        ),
        _tool("cancel", {"account": "code"}, order_id=TEXT, account=TEXT),
    ),
    records=(
        Record(
            "order",
            (
                RecordField("account", ArgumentType(Kind.STR), normal="code"),
                RecordField("codes", ArgumentType(Kind.SET), normal="code"),
                RecordField("owner", ArgumentType(Kind.STR)),
            ),
            "order_id",
            (RecordResult("refund"),),
            normal="id",
        ),
    ),
)
RAW, CODE, ID = "as it is written", 'in the form "code"', 'in the form "id"'
POLICY = '''\
"""A policy."""

from agent import Cancel, Order, Refund, Run

DEFAULT = "allow"


def is_of(order: Order, owner: str) -> bool:
    """whether an order is somebody's"""
    return order.owner == owner


def forbid_it(call: Refund, run: Run) -> bool:
    """R1: No."""
    order = run.order(call.order_id)
    return order is not None and CONDITION
'''


@pytest.fixture(scope="module")
def types() -> AgentTypes:
    return agent_types(SPEC)


@pytest.mark.parametrize(
    ("condition", "one", "other"),
    [
        ("order.account == call.order_id", CODE, ID),
        ("order.owner != call.account", RAW, CODE),
        ("call.account in call.names", CODE, RAW),
        ("call.order_id in order.codes", ID, CODE),
        ("order.owner in call.codes", RAW, CODE),
        ("any(name == call.account for name in call.names)", RAW, CODE),
        ("any(one.name == order.account for one in call.lines)", RAW, CODE),
        ("all(code in call.names for code in order.codes)", CODE, RAW),
        ("any(any(name == code for code in order.codes) for name in call.names)", RAW, CODE),
        ("{one.code for one in call.lines} == {one.name for one in call.lines}", CODE, RAW),
        ("sum(1 for c in run.earlier(Cancel) if c.order_id == call.order_id) > 1", RAW, ID),
        ("is_of(order, call.account)", RAW, CODE),
    ],
)
def test_texts_in_different_forms_are_a_mistake(
    types: AgentTypes, condition: str, one: str, other: str
) -> None:
    with pytest.raises(PolicyError) as raised:
        check_calls(POLICY.replace("CONDITION", condition), types)
    assert f"a text that is read {one} with one that is read {other}" in str(raised.value)
    assert "for both fields in agent.toml" in str(raised.value)


@pytest.mark.parametrize(
    "condition",
    [
        "order.account == call.account",
        "call.account in order.codes",
        "any(one.code == order.account for one in call.lines)",
        "all(one.code in order.codes for one in call.lines)",
        "any(c.account == call.account for c in run.earlier(Cancel, Refund))",
        "any(name == order.owner for name in call.names)",
        "order.owner == call.account.lower()",
        'call.kind == "a"',
        'call.account == "AB1"',
        "is_of(order, 'Kim')",
    ],
)
def test_texts_in_one_form_are_compared(types: AgentTypes, condition: str) -> None:
    assert check_calls(POLICY.replace("CONDITION", condition), types).rules


def test_a_constant_is_compared_in_the_form_that_several_tools_have(types: AgentTypes) -> None:
    text = 'any(c.account == "ab1" for c in run.earlier(Cancel, Refund))'
    with pytest.raises(PolicyError, match=r'never finds "ab1".*Write "AB1"'):
        check_calls(POLICY.replace("CONDITION", text), types)
