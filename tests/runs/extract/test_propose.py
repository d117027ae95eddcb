"""Arguments proposed from tool schemas: typed, named for the dialect, and extracted from real calls."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.recordings import DATA, needs_recordings
from workbench.model import AgentSpec, Argument, Json, Kind, RecordedCall, Tool, Value
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.propose import propose_arguments


def schema(required: list[str], properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list[Json](required)}


PERSON: dict[str, Json] = {"type": "object", "properties": {"name": {"type": "string"}}}
PROPERTIES: dict[str, Json] = {
    "amount": {"type": "number", "description": "how much"},
    "to": {"type": "string"},
    "urgent": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "kind": {"enum": ["once", "monthly"]},
    "limits": {"type": "array", "items": {"type": "number"}},
    "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    "receiver": {"$ref": "#/$defs/Person"},
    "class": {"type": "string"},
    "odd]": {"type": "string"},
    "bankCode": {"type": ["integer", "null"]},
}
PAY = Tool("pay", parameters={**schema(["amount", "to"], PROPERTIES), "$defs": {"Person": PERSON}})
READ = Tool("read", parameters=schema(["to"], {"to": {"type": "string"}, "amount": {"type": "string"}}))


def by_name(*tools: Tool) -> dict[str, Argument]:
    return {argument.name: argument for argument in propose_arguments(tools)}


def test_every_property_that_a_policy_can_take_becomes_a_typed_argument() -> None:
    argument_by_name = by_name(PAY)
    kinds = {
        name: (argument.type.kind, argument.type.optional) for name, argument in argument_by_name.items()
    }
    assert kinds == {
        "tool": (Kind.STR, False),
        "amount": (Kind.DECIMAL, False),
        "to": (Kind.STR, False),
        "urgent": (Kind.BOOL, True),
        "tags": (Kind.SET, False),
        "kind": (Kind.ENUM, True),
        "when": (Kind.DATE, True),
        "receiver_name": (Kind.STR, True),
        "class_": (Kind.STR, True),
        "bank_code": (Kind.INT, True),
    }
    assert argument_by_name["kind"].type.values == ("once", "monthly")
    assert argument_by_name["amount"].description == "how much"


def test_a_property_of_several_tools_is_one_argument_unless_its_types_differ() -> None:
    argument_by_name = by_name(PAY, READ)
    assert "to" in argument_by_name
    assert not argument_by_name["to"].type.optional, "both tools need it"
    assert {"pay_amount", "read_amount"} <= argument_by_name.keys()
    assert "amount" not in argument_by_name


def extracted(arguments: dict[str, Json], tool: str = "pay") -> dict[str, Value | str]:
    proposed = propose_arguments([PAY, READ])
    call = RecordedCall("t", 0, tool, arguments, {"arguments": json.dumps(arguments), "tool": tool})
    readings = Extractor(proposed, AgentSpec("a", arguments=proposed)).extract(call)
    return {
        name: item.value if item.missing is None else f"missing: {item.missing}"
        for name, item in readings.items()
    }


def test_proposed_arguments_are_extracted_from_calls_of_any_of_the_tools() -> None:
    values = extracted(
        {"amount": 12.5, "to": "ann", "tags": ["a", "b"], "receiver": {"name": "Bo"}, "bankCode": 7}
    )
    assert values["pay_amount"] == Decimal("12.5")
    assert values["read_amount"] is None
    assert values["tags"] == frozenset({"a", "b"})
    assert values["receiver_name"] == "Bo"
    assert values["bank_code"] == 7
    other = extracted({"to": "x", "amount": "two"}, "read")
    assert other["pay_amount"] is None
    assert other["read_amount"] == "two"
    assert other["tags"] == frozenset()


@pytest.mark.parametrize("tags", ["a", 7, True, None, {"x": "y"}, [1.5], [["a"]]])
def test_a_value_that_is_no_list_of_texts_is_missing_and_not_an_empty_set(tags: Json) -> None:
    value = extracted({"amount": 1, "to": "ann", "tags": tags})["tags"]
    assert value == frozenset({"y"}) if isinstance(tags, dict) else str(value).startswith("missing")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=8)
    | st.sampled_from(["string", "array", "#/"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "enum", "anyOf", "$ref", "required", "a", "0", "def"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["type", "properties", "$defs"]), JSON), max_size=3))
def test_any_schema_gives_arguments_that_an_extractor_takes(schemas: list[dict[str, Json]]) -> None:
    tools = [Tool(f"t{number}", parameters=tool_schema) for number, tool_schema in enumerate(schemas)]
    proposed = propose_arguments(tools)
    assert len({argument.name for argument in proposed}) == len(proposed)
    assert all(argument.name.isidentifier() and argument.name.isascii() for argument in proposed)
    Extractor(proposed, AgentSpec("a", arguments=proposed)).extract(RecordedCall("t", 0, "t0", {"a": ["x"]}))


@needs_recordings
def test_a_real_tool_set_gets_its_recipients_and_amounts() -> None:
    listed = cast(
        "list[dict[str, dict[str, Json]]]", json.loads((DATA / "agentdojo/tools_banking.json").read_text())
    )
    tools = [
        Tool(
            str(entry["function"]["name"]),
            parameters=cast("dict[str, Json]", entry["function"]["parameters"]),
        )
        for entry in listed
    ]
    argument_by_name = by_name(*tools)
    assert argument_by_name["recipient"].type.kind is Kind.STR
    assert argument_by_name["amount"].type.kind is Kind.DECIMAL
    assert argument_by_name["amount"].type.optional
