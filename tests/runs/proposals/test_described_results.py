"""What the schemas of results propose: records that are read again, and that real results can be read by."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.proposals.test_proposals import calls_of, schema
from workbench.dialect.call_types import agent_types
from workbench.dialect.stub import stub
from workbench.model import AgentSpec, Json, Kind, Record, Tool
from workbench.runs.proposals.call_proposals import propose_for_calls, with_accepted
from workbench.runs.proposals.confirmations import confirmations
from workbench.runs.proposals.described_results import described_calls
from workbench.runs.world.record_values import RecordValues
from workbench.session.agent_file import read_agent, write_agent

TEXT: Json = {"type": "string"}
TOOLS = (
    Tool("get_order", "", schema({"order_id": TEXT})),
    Tool("list_orders", "", schema({"customer_id": TEXT})),
    Tool("cancel_order", "", schema({"order_id": TEXT})),
)
LINE: dict[str, Json] = {
    "type": "object",
    "properties": {"sku": TEXT, "price": {"type": "number"}},
    "required": ["sku", "price"],
}
PROPERTIES: dict[str, Json] = {
    "order_id": TEXT,
    "status": {"enum": ["open", "paid"]},
    "note": {"anyOf": [TEXT, {"type": "null"}]},
    "placed_on": {"type": "string", "format": "date"},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
    "parcels": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Line"}},
}
ORDER: dict[str, Json] = {
    "type": "object",
    "properties": PROPERTIES,
    "required": [*PROPERTIES],
    "$defs": {"Line": LINE},
}


def proposed(results: Mapping[str, Mapping[str, Json]], calls: Json = None) -> AgentSpec:
    spec = AgentSpec("desk", tools=TOOLS, zone="UTC")
    logged = calls_of(cast("list[tuple[str, dict[str, Json], Json]]", calls or []))
    proposals = propose_for_calls(spec, logged, results)
    return with_accepted(spec, proposals, [proposal.name for proposal in proposals])


def record_of(spec: AgentSpec, name: str) -> Record:
    return next(record for record in spec.records if record.name == name)


def types_of(record: Record) -> dict[str, tuple[Kind, bool]]:
    return {field.name: (field.type.kind, field.type.optional) for field in record.fields}


def test_a_schema_says_the_record_its_key_its_look_up_and_its_fields() -> None:
    items: dict[str, Json] = {key: part for key, part in ORDER.items() if key != "$defs"}
    listed: dict[str, Json] = {"type": "array", "items": items, "$defs": {"Line": LINE}}
    order = record_of(proposed({"get_order": ORDER, "list_orders": listed}), "order")
    assert (order.key, order.look_up and order.look_up.arguments) == ("order_id", {"order_id": "key"})
    assert [(one.tool, one.path) for one in order.results] == [("list_orders", "$[*]")]
    assert [*order.changed_by] == ["cancel_order"]
    assert types_of(order) == {
        "status": (Kind.ENUM, False),
        "note": (Kind.STR, True),
        "placed_on": (Kind.DATE, False),
        "lines": (Kind.LIST, False),
        "parcels": (Kind.LIST, False),
        "skus": (Kind.SET, False),
    }
    fields = {field.name: field for field in order.fields}
    assert fields["parcels"].path == "parcels[*]"
    assert fields["status"].type.values == ("open", "paid")


def test_ids_that_are_whole_numbers_are_keys_of_the_type_that_calls_have() -> None:
    number: Json = {"type": "integer"}
    spec = AgentSpec("desk", tools=(Tool("get_order", "", schema({"id": number})),))
    result: dict[str, Json] = {"type": "object", "properties": {"id": number, "paid": {"type": "boolean"}}}
    (order,) = propose_for_calls(spec, (), {"get_order": result})
    assert types_of(order.records[0]) == {"id": (Kind.INT, False), "paid": (Kind.BOOL, True)}


def test_a_log_is_believed_and_a_schema_adds_to_it() -> None:
    shown = [
        ("get_order", {"order_id": f"O{number}"}, {"order_id": f"O{number}", "status": "lost", "total": 2.5})
        for number in range(4)
    ]
    items: dict[str, Json] = {"type": "object", "properties": {"order_id": TEXT, "status": TEXT}}
    of_list: dict[str, Json] = {"type": "array", "items": items}
    order = record_of(proposed({"get_order": ORDER}, cast("Json", shown)), "order")
    types = types_of(order)
    assert (types["status"], types["total"]) == ((Kind.STR, False), (Kind.DECIMAL, False))
    assert (types["placed_on"], types["lines"]) == ((Kind.DATE, True), (Kind.LIST, True))
    both = proposed({"get_order": ORDER, "list_orders": of_list}, cast("Json", shown))
    assert {one.tool for record in both.records for one in record.results} == {"list_orders"}
    assert proposed({}, cast("Json", shown)).records[0].fields == order.fields[:2]


RECURSIVE: Json = {"type": "object", "properties": {"order_id": TEXT, "parent": {"$ref": "#"}}}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"oneOf": [ORDER, LINE]}, "may have one of 2 types"),
        ({"$ref": "https://x.example/order.json"}, "has a schema outside of its tool's"),
        ({"$ref": "#/$defs/Lost"}, "has a schema that its tool's lacks"),
        ({"$ref": "#"}, "has a recursive schema"),
        ({"type": "object"}, "says no fields"),
        ({"type": "array"}, "is a list of anything"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "no names of fields"),
        ({"type": "array", "items": {"type": "array", "items": ORDER}}, "elements may be null, or are lists"),
        ({"type": "object", "properties": {f"f{n}": TEXT for n in range(5_000)}}, "has more than 400 parts"),
        ({"type": "object", "properties": {"order_id": {}}}, "no field with a type"),
        ({"type": ["object", "string"], "properties": 3}, "one of 2 types"),
        (RECURSIVE, "parent has a recursive schema"),
    ],
)
def test_a_schema_that_cannot_be_read_proposes_nothing_and_says_so_once(
    result: dict[str, Json], said: str
) -> None:
    assert proposed({"get_order": result}).records == ()
    (sentence,) = described_calls(TOOLS, {"get_order": result}).unread
    assert said in sentence
    assert len(sentence) <= 300


def test_what_was_assumed_is_one_question() -> None:
    spec = AgentSpec("desk", tools=TOOLS)
    proposals = propose_for_calls(spec, (), {"get_order": ORDER})
    (question,) = [
        one.question for one in confirmations(proposals, TOOLS, {}, ["status"]) if "schemas" in one.question
    ]
    assert "get_order" in question
    assert "order by order_id (looked up by get_order)" in question


_NAMES = (
    "id",
    "order_id",
    "customer_id",
    "name",
    "status",
    "price",
    "lines",
    "class",
    "date",
    "größe",
    "a b",
)
_SINGLE: list[Json] = [
    TEXT,
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"enum": ["a", "b"]},
    {"type": "string", "format": "date"},
    {"type": "string", "format": "date-time"},
    {"type": ["string", "null"]},
    {"$ref": "#/$defs/Line"},
    {},
]
_SCHEMAS: st.SearchStrategy[Json] = st.recursive(
    st.sampled_from(_SINGLE),
    lambda inner: st.one_of(
        inner.map(lambda items: cast("Json", {"type": "array", "items": items})),
        inner.map(lambda items: cast("Json", {"type": "object", "additionalProperties": items})),
        st.lists(inner, min_size=2, max_size=2).map(lambda parts: cast("Json", {"anyOf": parts})),
        st.dictionaries(st.sampled_from(_NAMES), inner, max_size=5).flatmap(
            lambda properties: st.lists(st.sampled_from(_NAMES), unique=True).map(
                lambda needed: cast("Json", {"type": "object", "properties": properties, "required": needed})
            )
        ),
    ),
    max_leaves=10,
)


_VALUES: dict[Json, st.SearchStrategy[Json]] = {
    "integer": st.integers(-2, 9),
    "number": st.sampled_from([0, 1.5, -2.25]),
    "boolean": st.booleans(),
    "string": st.sampled_from("xy"),
    "date": st.just("2026-01-31"),
    "date-time": st.just("2026-01-31T09:00:00+01:00"),
}


def real(draw: st.DrawFn, of: Json) -> Json:
    """A value of a schema, as a tool may return it."""
    one = of if isinstance(of, dict) else {}
    choices, members, properties = one.get("anyOf"), one.get("enum"), one.get("properties")
    if isinstance(choices, list):
        return real(draw, draw(st.sampled_from(choices)))
    if isinstance(members, list):
        return draw(st.sampled_from(members))
    if isinstance(properties, dict):
        needed = one.get("required")
        required = needed if isinstance(needed, list) else []
        # what is known by an id is taken to have one, whether or not its schema requires it
        kept = [key for key in properties if key in required or key == "id" or draw(st.booleans())]
        return {key: real(draw, properties[key]) for key in kept}
    if one.get("type") == "array":
        return [real(draw, one.get("items")) for _ in range(draw(st.integers(0, 2)))]
    if one.get("type") == "object":
        held = one.get("additionalProperties")
        return {f"k{n}": real(draw, held) for n in range(draw(st.integers(0, 2)))}
    kind = one.get("format", one.get("type"))
    if "$ref" in one:
        return real(draw, LINE)
    return draw(_VALUES[kind]) if isinstance(kind, str) else draw(st.sampled_from([None, "x"]))


@st.composite
def results(draw: st.DrawFn) -> tuple[dict[str, dict[str, Json]], list[tuple[str, Json]]]:
    """Schemas of the results of the tools, and results of these forms, each with its key."""
    schemas: dict[str, dict[str, Json]] = {}
    told: list[tuple[str, Json]] = []
    for tool, key in (("get_order", "order_id"), ("cancel_order", "order_id")):
        parts = draw(st.dictionaries(st.sampled_from(_NAMES), _SCHEMAS, max_size=5))
        properties: dict[str, Json] = {**parts, key: TEXT}
        needed = draw(st.lists(st.sampled_from([*properties]), unique=True))
        whole: dict[str, Json] = {"type": "object", "properties": properties, "required": [key, *needed]}
        schemas[tool] = {**whole, "$defs": {"Line": LINE}}
        told += [(tool, {**cast("dict[str, Json]", real(draw, whole)), key: "O-1"}) for _ in range(2)]
    schemas["list_orders"] = {"type": "array", "items": draw(_SCHEMAS), "$defs": {"Line": LINE}}
    return schemas, told


@settings(max_examples=examples(150))
@given(results(), st.sampled_from(["", "get_order", "cancel_order"]))
def test_all_that_is_proposed_is_written_has_classes_and_reads_real_results(
    given_results: tuple[dict[str, dict[str, Json]], list[tuple[str, Json]]], logged: str
) -> None:
    schemas, told = given_results
    calls: list[Json] = [[tool, {"order_id": "O-1"}, value] for tool, value in told if tool == logged]
    accepted = proposed(schemas, calls)
    assert read_agent(write_agent(accepted)) == accepted
    ast.parse(stub(agent_types(accepted)))
    values = RecordValues(accepted.records, "UTC")
    for record in accepted.records:
        for tool, value in told:
            if record.look_up is not None and tool == record.look_up.tool and isinstance(value, dict):
                values.record(record, cast("dict[str, Json]", json.loads(json.dumps(value))))


@pytest.mark.parametrize(
    "name", ["class", "last", "earlier", "since", "said", "context", "none", "call", "run", "text"]
)
def test_a_record_has_a_name_that_a_policy_can_read(name: str) -> None:
    tool = Tool(f"get_{name}", parameters={"type": "object", "properties": {"id": TEXT}, "required": ["id"]})
    result: dict[str, Json] = {
        "type": "object",
        "properties": {"id": TEXT, "state": TEXT},
        "required": ["id"],
    }
    spec = AgentSpec("desk", tools=(tool,))
    proposals = propose_for_calls(spec, (), {tool.name: result})
    accepted = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    (record,) = accepted.records
    assert record.key == "id"
    ast.parse(stub(agent_types(accepted)))
