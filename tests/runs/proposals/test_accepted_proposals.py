"""Whatever is proposed from tools and results can be stored, read again, and be the input of a policy."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.dialect.call_fields import type_of_record
from workbench.dialect.call_types import agent_types
from workbench.dialect.stub import stub
from workbench.model import AgentSpec, ArgumentType, Json, Kind, Record, RecordedCall, RecordField, Tool
from workbench.runs.proposals.call_proposals import propose_for_calls, with_accepted
from workbench.runs.values.jsontext import parse_json
from workbench.runs.world.record_values import RecordValues
from workbench.session.agent_file import read_agent, write_agent

_WORDS = ("id", "name", "when", "lines", "price", "note", "class", "date")
_SINGLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**12),
    st.sampled_from(["", "O-1", "O-2", "2026-01-31", "2026-01-31T09:00:00Z", "3.20", "a@b.example", "/x/y"]),
    st.floats(0, 9, allow_nan=False).map(lambda number: round(number, 2)),
)
_VALUES = st.recursive(
    _SINGLE,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)
_ALIKE = st.sampled_from(("texts", "numbers", "things")).flatmap(
    lambda kind: st.lists(
        {
            "texts": st.sampled_from(["a", "b", "2026-01-31"]),
            "numbers": st.integers(0, 9),
            "things": st.fixed_dictionaries({"sku": st.sampled_from(["x", "y"]), "count": st.integers(1, 3)}),
        }[kind],
        min_size=1,
        max_size=3,
    )
)
_SCHEMAS = st.recursive(
    st.sampled_from([{"type": kind} for kind in ("string", "integer", "number", "boolean")]),
    lambda inner: st.one_of(
        inner.map(lambda items: {"type": "array", "items": items}),
        st.dictionaries(st.sampled_from(_WORDS), inner, max_size=3).flatmap(
            lambda properties: st.lists(st.sampled_from([*properties, "id"]), unique=True).map(
                lambda needed: {"type": "object", "properties": properties, "required": needed}
            )
        ),
    ),
    max_leaves=8,
)


_ANY = cast("st.SearchStrategy[Json]", st.one_of(_ALIKE, _VALUES))
_ANY_SCHEMA = cast("st.SearchStrategy[Json]", _SCHEMAS)


@st.composite
def calls_of_tools(draw: st.DrawFn) -> tuple[tuple[Tool, ...], list[RecordedCall]]:
    """Tools with schemas of any shape, and calls whose results lack any field here and there."""
    names = ("get_order", "list_orders", "change_order")
    parameters = st.dictionaries(st.sampled_from(_WORDS), _ANY_SCHEMA, max_size=3)
    tools = tuple(
        Tool(
            name,
            "",
            {
                "type": "object",
                "properties": {"order_id": {"type": "string"}, **draw(parameters)},
                "required": ["order_id"],
            },
        )
        for name in names
    )
    shape = draw(st.dictionaries(st.sampled_from(_WORDS), _ANY, max_size=5))
    calls: list[RecordedCall] = []
    for index in range(draw(st.integers(2, 7))):
        number = draw(st.integers(0, 2))
        kept = {key: value for key, value in shape.items() if draw(st.integers(0, 3))}
        order: Json = {"order_id": f"O-{index}", **kept}
        result: Json = [order, {"order_id": f"O-{index + 1}"}] if number == 1 else order
        more = draw(st.dictionaries(st.sampled_from(_WORDS), _ANY, max_size=3))
        arguments = {"order_id": f"O-{index}", **more}
        calls.append(RecordedCall("r", index, names[number], arguments, result=json.dumps(result)))
    return tools, calls


@settings(max_examples=examples(200))
@given(calls_of_tools())
def test_every_accepted_proposal_has_its_classes_and_reads_all_that_was_seen(
    given_calls: tuple[tuple[Tool, ...], list[RecordedCall]],
) -> None:
    tools, calls = given_calls
    spec = AgentSpec("desk", tools=tools, zone="UTC")
    proposals = propose_for_calls(spec, calls)
    accepted = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    assert read_agent(write_agent(accepted)) == accepted
    ast.parse(stub(agent_types(accepted)))
    known = {(record.name, record.look_up.tool) for record in accepted.records if record.look_up is not None}
    values = RecordValues(accepted.records, "UTC")
    for record in accepted.records:
        for call in calls:
            item = parse_json(call.result or "")
            if (record.name, call.tool) in known and isinstance(item, dict):
                values.record(record, item)  # raises for what cannot be read


def test_a_record_with_a_list_of_addresses_is_written_so_that_it_is_read() -> None:
    event: dict[str, Json] = {"event_id": "E1", "attendees": ["bob@north.example", "ada@north.example"]}
    other: dict[str, Json] = {"event_id": "E2", "attendees": ["carl@other.example"]}
    calls = [
        RecordedCall("r", number, "get_event", {"event_id": one["event_id"]}, result=json.dumps(one))
        for number, one in enumerate((event, other))
    ]
    properties: dict[str, Json] = {"event_id": {"type": "string"}}
    schema: dict[str, Json] = {"type": "object", "properties": properties, "required": ["event_id"]}
    spec = AgentSpec("desk", tools=(Tool("get_event", "", schema),), zone="UTC")
    proposals = propose_for_calls(spec, calls)
    accepted = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    assert 'of = "mail_address"' in write_agent(accepted)
    assert read_agent(write_agent(accepted)).records[0].name == "event"


def test_a_list_that_some_results_lack_is_a_list_in_the_policy() -> None:
    optional: Mapping[str, ArgumentType] = {
        "lines": ArgumentType(Kind.LIST, optional=True, element=ArgumentType(Kind.STR)),
        "note": ArgumentType(Kind.STR, optional=True),
    }
    record = Record("order", tuple(RecordField(name, type_) for name, type_ in optional.items()), "id")
    assert [held.optional for _, held in type_of_record(record).fields] == [False, True]
