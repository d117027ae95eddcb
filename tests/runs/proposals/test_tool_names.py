"""Tools whose names a policy cannot use get others, so that every session of tools loads."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.new_session import with_names
from workbench.dialect.call_types import MOST_TOOLS, agent_types
from workbench.dialect.stub import stub
from workbench.model import AgentSpec, Json, Tool, WorkbenchError
from workbench.runs.proposals.proposed_names import other_name
from workbench.session.agent_file import read_agent, write_agent

NAMES = st.sampled_from(
    [
        "pay",
        "Pay",
        "PAY",
        "pay-",
        "größe",
        "支払い",
        "dec",
        "Run",
        "class",
        "1st",
        "a b",
        "",
        "_",
        "x" * 90,
        "‮evil",
    ]
)
SCHEMAS = st.dictionaries(
    NAMES,
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "object", "properties": {"größe": {"type": "integer"}, "ok": {"type": "string"}}},
            {"type": "array", "items": {"type": "object", "properties": {"支": {"type": "string"}}}},
            {"$ref": "#"},
            {},
        ]
    ),
    max_size=5,
)


def loaded(tools: tuple[Tool, ...]) -> AgentSpec:
    spec = AgentSpec("a", tools=tools)
    assert read_agent(write_agent(spec)) == spec
    ast.parse(stub(agent_types(spec)))
    return spec


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(NAMES.filter(bool), SCHEMAS), max_size=6, unique_by=lambda pair: pair[0]))
def test_tools_of_any_names_have_classes_of_their_own(named: list[tuple[str, dict[str, Json]]]) -> None:
    tools = tuple(Tool(name, "", {"type": "object", "properties": properties}) for name, properties in named)
    spec = loaded(with_names(tools)[0])
    types = agent_types(spec)
    assert [call.tool for call in types.calls.values()] == [tool.name for tool in tools]


def test_parameters_of_other_letters_have_names_in_plain_ones() -> None:
    properties: dict[str, Json] = {
        "größe": {"type": "integer"},
        "支払い": {"type": "string"},
        "time": {"type": "string"},
    }
    tools, sentences = with_names([Tool("支払い", "", {"properties": properties}), Tool("pay"), Tool("Pay")])
    types = agent_types(loaded(tools))
    assert [*types.calls] == ["Tool1", "Pay", "Pay2"]
    assert [field.name for field in types.calls["Tool1"].fields] == ["groe", "parameter", "time_"]
    assert len(sentences) == 1


def test_more_tools_than_can_have_classes_are_a_sentence() -> None:
    with pytest.raises(WorkbenchError, match="at most 2,000"):
        with_names(Tool(f"t{number}") for number in range(MOST_TOOLS + 1))


@pytest.mark.parametrize(
    ("tool", "name"),
    [("list_mails", "listed_mail"), ("search_mails", "found_mail"), ("query_mails", "mail_query"),
     ("get_thread", "mail_of_get_thread")],
)  # fmt: skip
def test_what_few_fields_more_results_tell_is_named_as_people_say_it(tool: str, name: str) -> None:
    assert other_name("mail", Tool(tool)) == name
