"""The classes of calls, from the schemas of tools and the notes on them; a sentence for what has no type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from workbench.dialect.call_fields import CallField
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.stub import stub
from workbench.model import (
    AgentSpec,
    ArgumentType,
    FieldNote,
    Json,
    Kind,
    Record,
    RecordField,
    Tool,
    WorkbenchError,
)
from workbench.policy.problems import PolicyError
from workbench.runs.kinds.kinds_by_name import KINDS

TEXT: dict[str, Json] = {"type": "string"}
LEG: dict[str, Json] = {
    "type": "object",
    "properties": {"minutes": {"type": "integer"}},
    "required": ["minutes"],
}


def of(schemas: Mapping[str, Any], notes: Mapping[str, FieldNote] | None = None, **more: Any) -> AgentTypes:
    """The types of an agent with one tool, all of whose parameters are required unless ``more`` says it."""
    parameters: dict[str, Any] = {
        "properties": schemas,
        "required": [*schemas],
        "$defs": more.pop("definitions", {}),
        **more,
    }
    return agent_types(AgentSpec("desk", tools=(Tool("pay", "", parameters, fields=notes or {}),)))


def field_of(schema: Any, note: FieldNote | None = None, **more: Any) -> CallField:
    """The field of the one parameter ``a``."""
    types = of({"a": schema}, {"a": note} if note else None, **more)
    assert not types.unreadable
    (field,) = types.calls["Pay"].fields
    return field


def why_not(schema: Any, **more: Any) -> str:
    """The reason why the parameter ``a`` has no type, while the parameter beside it has one."""
    types = of({"a": schema, "b": TEXT}, **more)
    assert [field.name for field in types.calls["Pay"].fields] == ["b"]
    assert types.unreadable["Pay.a"].startswith('The parameter "a" of the tool "pay" ')
    return types.unreadable["Pay.a"].removeprefix('The parameter "a" of the tool "pay" ')


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        (TEXT, ArgumentType(Kind.STR)),
        ({"type": "integer"}, ArgumentType(Kind.INT)),
        ({"type": "number"}, ArgumentType(Kind.DECIMAL)),
        ({"type": "boolean"}, ArgumentType(Kind.BOOL)),
        ({"type": "string", "format": "date"}, ArgumentType(Kind.DATE)),
        ({"type": "string", "format": "time"}, ArgumentType(Kind.TIME)),
        ({"type": "string", "format": "date-time"}, ArgumentType(Kind.DATETIME)),
        ({"type": "string", "format": "uri"}, ArgumentType(Kind.STR)),
        ({"enum": ["b", "a", "b"]}, ArgumentType(Kind.ENUM, ("b", "a"))),
        ({"const": "a"}, ArgumentType(Kind.ENUM, ("a",))),
        ({"enum": [1, 2]}, ArgumentType(Kind.INT)),
        ({"enum": [1, 2.5]}, ArgumentType(Kind.DECIMAL)),
        ({"enum": ["a", None]}, ArgumentType(Kind.ENUM, ("a",), optional=True)),
        ({"type": ["string", "null"]}, ArgumentType(Kind.STR, optional=True)),
        ({"type": "string", "nullable": True}, ArgumentType(Kind.STR, optional=True)),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, ArgumentType(Kind.INT, optional=True)),
        ({"oneOf": [{"const": "a"}, {"enum": ["b"]}]}, ArgumentType(Kind.ENUM, ("a", "b"))),
        ({"type": "array", "items": TEXT}, ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR))),
        ({"items": {"enum": ["a"]}}, ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR, ("a",)))),
        ({"$ref": "#/$defs/Id"}, ArgumentType(Kind.STR)),
        ({"allOf": [{"$ref": "#/$defs/Id"}], "description": "x"}, ArgumentType(Kind.STR)),
        ({"type": "string", "anyOf": [{"required": ["x"]}]}, ArgumentType(Kind.STR)),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, ArgumentType(Kind.DECIMAL)),
        ({"oneOf": [{"type": "string", "format": "date"}, TEXT]}, ArgumentType(Kind.STR)),
        ({"$ref": "#/$defs/Way", "enum": ["b", "c"]}, ArgumentType(Kind.ENUM, ("b",))),
        ({"allOf": [{"type": ["string", "null"]}, TEXT]}, ArgumentType(Kind.STR)),
    ],
)
def test_a_type_follows_from_the_schema(schema: Any, type_: ArgumentType) -> None:
    assert field_of(schema, definitions={"Id": TEXT, "Way": {"enum": ["a", "b"]}}).type == type_


def test_a_parameter_that_is_not_required_may_be_none_and_a_list_may_not() -> None:
    types = of({"a": TEXT, "b": {"type": "array", "items": TEXT}, "c": LEG}, required=[])
    assert [field.type.optional for field in types.calls["Pay"].fields] == [True, False, True]
    noted = of({"b": {"type": "array", "items": TEXT}}, {"b": FieldNote(optional=True)}, required=[])
    assert noted.calls["Pay"].fields[0].type.optional, "the values are those of an empty list"
    assert dict(noted.calls["Pay"].decided.fields)["b"].optional is False


def test_objects_and_lists_of_objects_are_records() -> None:
    types = of({"leg": LEG, "legs": {"type": "array", "items": LEG}})
    leg, legs = types.calls["Pay"].fields
    assert leg.type.record is not None and legs.type.element is not None
    assert leg.type.record.name == "PayLeg" and legs.type.element.record is not None
    assert legs.type.element.record.name == "PayLegsItem"
    assert leg.type.record.fields == legs.type.element.record.fields == (("minutes", ArgumentType(Kind.INT)),)


def test_an_object_keyed_by_ids_is_a_list_whose_elements_have_the_id() -> None:
    types = of(
        {
            "legs": {"type": "object", "additionalProperties": LEG},
            "seats": {"patternProperties": {"^x": {"type": "integer"}}, "type": "object"},
        },
        {"legs": FieldNote(key="id")},
    )
    legs, seats = types.calls["Pay"].fields
    assert (legs.keyed_by, [(one.name, one.key) for one in legs.fields]) == (
        "id",
        [("id", ""), ("minutes", "minutes")],
    )
    assert (seats.keyed_by, [(one.name, one.key) for one in seats.fields]) == (
        "key",
        [("key", ""), ("value", "")],
    )
    assert legs.type.kind is seats.type.kind is Kind.LIST


def test_parts_that_all_hold_are_one_object() -> None:
    schema = {"allOf": [LEG, {"properties": {"price": {"type": "number"}}, "required": ["price"]}]}
    field = field_of(schema)
    assert [(one.name, one.type.optional) for one in field.fields] == [("minutes", False), ("price", False)]


def test_notes_say_what_schemas_do_not() -> None:
    places = field_of({"type": "number"}, FieldNote(places=4))
    assert places.type.places == 4
    assert field_of({}, FieldNote(type="str")).type.kind is Kind.STR
    assert field_of({"type": "array", "items": TEXT}, FieldNote(type="set")).type == ArgumentType(Kind.SET)
    command = field_of(TEXT, FieldNote(type="command", options={"folder": "/"}))
    assert (command.kind, command.type.kind, command.options) == (
        "command",
        Kind.STR,
        {"folder": "/", "shell": "undeclared"},
    )
    at = field_of(TEXT, FieldNote(type="datetime", zone="Europe/Oslo"))
    assert (at.type.kind, at.options) == (Kind.DATETIME, {"zone": "Europe/Oslo"})
    paths = of({"a": {"type": "array", "items": {}}}, {"a[]": FieldNote(type="path")}).calls["Pay"].fields[0]
    assert paths.type.element == ArgumentType(Kind.RECORD, record=KINDS["path"].type)
    assert field_of(TEXT, FieldNote(optional=True)).type.optional


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({}, "has no type in its schema"),
        (True, "has no type in its schema"),
        ({"type": "odd"}, 'is of the unknown type "odd"'),
        ({"type": ["string", "integer"]}, 'may have one of 2 types ("type" is a list)'),
        ({"oneOf": [TEXT, {"type": "integer"}]}, 'may have one of 2 types ("oneOf")'),
        ({"anyOf": [TEXT, LEG, {"type": "null"}]}, 'may have one of 2 types ("anyOf")'),
        ({"enum": []}, "has no value that its schema allows"),
        ({"enum": ["a", 1]}, "may have values of several types"),
        ({"$ref": "other.json#/a"}, "has a schema outside of its tool's (\"$ref\" is \"other.json#/a\")"),
        ({"$ref": "#/$defs/none"}, "has a schema that its tool's lacks (\"$ref\" is \"#/$defs/none\")"),
        ({"$ref": "#"}, 'has a recursive schema ("#" contains itself)'),
        ({"$ref": "#/$defs/Loop"}, 'has a recursive schema ("#/$defs/Loop" contains itself)'),
        ({"allOf": [TEXT, {"type": "date"}]}, 'has parts that say different things about "type" ("allOf")'),
        ({"items": {"items": TEXT}}, "is a list of lists, or of objects whose schema names no fields"),
        ({"items": {"type": ["string", "null"]}}, "is a list whose elements may be null"),
        ({"prefixItems": [TEXT], "items": TEXT}, 'is a list whose elements have a type each ("prefixItems")'),
        ({"type": "null"}, "has no value but null"),
        ({"type": "object"}, "is an object whose schema names no fields"),
    ],
)  # fmt: skip
def test_what_no_schema_says_is_left_out_with_its_reason(schema: Any, reason: str) -> None:
    loop = {"Loop": {"$ref": "#/$defs/Loop"}}
    in_schema = "recursive" in reason
    remedy = LEVELS if in_schema else 'Say its type in [tools.pay.fields."a"] of agent.toml.'
    assert why_not(schema, definitions=loop) == f"{reason}. {remedy}"


LEVELS = (
    "Write out as many levels of it as the policy reads, the last with additionalProperties = true, in the "
    "parameters of the tool, [tools.pay] of agent.toml."
)
CARD: Json = {"type": "object", "properties": {"card": TEXT, "name": TEXT}, "required": ["card", "name"]}
IBAN: Json = {"type": "object", "properties": {"iban": TEXT, "name": TEXT}, "required": ["iban", "name"]}


def test_alternatives_that_are_objects_are_written_as_one() -> None:
    remedy = (
        "Write one object with the properties of all, of which it requires what all of them require, in the "
        "parameters of the tool, [tools.pay] of agent.toml."
    )
    union: Json = {"oneOf": [CARD, IBAN]}
    assert why_not(union) == f'may have one of 2 types ("oneOf"). {remedy}'
    of_list = why_not({"type": "array", "items": union})
    assert of_list == f'is a list whose element may have one of 2 types ("oneOf"). {remedy}'


def test_what_the_sentences_say_to_write_has_fields() -> None:
    both: Json = {
        "type": "object",
        "properties": {"card": TEXT, "iban": TEXT, "name": TEXT},
        "required": ["name"],
    }
    last: Json = {"type": "object", "properties": {"value": TEXT}, "additionalProperties": True}
    node: Json = {"type": "object", "properties": {"value": TEXT, "below": {"type": "array", "items": last}}}
    pay, tree = of({"pay": both, "tree": node}).calls["Pay"].fields
    assert [(one.name, one.type.optional) for one in pay.fields] == [
        ("card", True),
        ("iban", True),
        ("name", False),
    ]
    assert [one.name for one in tree.fields] == ["value", "below"]


def test_the_sentence_about_a_list_names_its_elements() -> None:
    reason = "is a list whose element has no type in its schema."
    assert why_not({"type": "array"}) == f'{reason} Say its type in [tools.pay.fields."a[]"] of agent.toml.'


def test_a_recursive_schema_leaves_out_the_field_that_recurs() -> None:
    tree = {"properties": {"value": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}
    types = of({"tree": {"$ref": "#/$defs/Tree"}}, definitions={"Tree": tree})
    assert [one.name for one in types.calls["Pay"].fields[0].fields] == ["value"]
    assert '"#/$defs/Tree" contains itself' in types.unreadable["PayTree.children"]


def test_schemas_that_multiply_end_in_a_sentence() -> None:
    definitions = {
        f"D{number}": {"properties": {key: {"$ref": f"#/$defs/D{number + 1}"} for key in "abcdefgh"}}
        for number in range(11)
    }
    types = of({"a": {"$ref": "#/$defs/D0"}, "b": TEXT}, definitions={**definitions, "D11": TEXT})
    assert any("more than 20,000 parts" in reason for reason in types.unreadable.values())
    chain = {f"D{number}": {"$ref": f"#/$defs/D{number + 1}"} for number in range(5000)}
    types = of({"a": {"$ref": "#/$defs/D0"}, "b": TEXT}, definitions={**chain, "D5000": TEXT})
    assert "has more than 60 schemas within one another" in types.unreadable["Pay.a"]
    assert [field.name for field in types.calls["Pay"].fields] == ["b"]
    deep: Any = TEXT
    for _ in range(40):
        deep = {"properties": {"x": deep}}
    assert "more than 12 objects within one another" in str(of({"a": deep}).unreadable)


@pytest.mark.parametrize(
    ("key", "name"),
    [("class", "class_"), ("time", "time_"), ("source", "source_"), ("none", "none_"), ("date", "date")],
)
def test_a_name_that_is_taken_gets_an_underscore(key: str, name: str) -> None:
    (field,) = of({key: TEXT}).calls["Pay"].fields
    assert (field.name, field.key) == (name, key)


@pytest.mark.parametrize("key", ["größe", "user-id", "_hidden", "2fa", ""])
def test_a_name_that_is_no_name_needs_one(key: str) -> None:
    types = of({key: TEXT, "b": TEXT})
    assert [field.name for field in types.calls["Pay"].fields] == ["b"]
    assert f'The parameter "{key}" of the tool "pay" has ' in types.unreadable[f"Pay.{key}"]
    assert ("Give it a `name`" if key else "No policy can read it") in types.unreadable[f"Pay.{key}"]
    if key:
        named = of({key: TEXT}, {key: FieldNote(name="size")})
        assert [(field.name, field.key) for field in named.calls["Pay"].fields] == [("size", key)]


def test_two_parameters_of_one_name_are_both_left_out() -> None:
    types = of({"class": TEXT, "class_": TEXT, "b": TEXT})
    assert [field.name for field in types.calls["Pay"].fields] == ["b"]
    assert 'has the name "class_" of another. Give one a `name`' in types.unreadable["Pay.class_"]


def test_a_path_of_two_parameters_takes_no_note() -> None:
    schemas = {"a.b": TEXT, "a": {"properties": {"b": TEXT}}}
    of(schemas)
    with pytest.raises(WorkbenchError, match=r'has two parameters with the path "a\.b"'):
        of(schemas, {"a.b": FieldNote(name="q")})


def spec(*tools: Tool, records: tuple[Record, ...] = ()) -> AgentSpec:
    return AgentSpec("desk", tools=tools, records=records)


def record(name: str, key: str = "id") -> Record:
    return Record(name, (RecordField("id", ArgumentType(Kind.STR)),), key)


COLLISIONS = [
    (
        spec(Tool("pay_invoice"), Tool("payInvoice")),
        'The tools "pay_invoice" and "payInvoice" would both have the class `PayInvoice`; '
        "give one a `class_name` in agent.toml.",
    ),
    (
        spec(Tool("booking"), records=(record("booking"),)),
        'The record "booking" and the tool "booking" would both have the class `Booking`; '
        "give the tool a `class_name` in agent.toml.",
    ),
    (
        spec(records=(record("run"),)),
        'The record "run" would have the class `Run`, which every policy has; '
        'call it "own_run" in agent.toml, for example.',
    ),
    (
        spec(records=(record("earlier"),)),
        'The record "earlier" cannot be read as `run.earlier(...)`; '
        'call it "own_earlier" in agent.toml, for example.',
    ),
    (
        spec(records=(record("class"),)),
        'The record "class" cannot be read as `run.class(...)`; '
        'call it "own_class" in agent.toml, for example.',
    ),
]


@pytest.mark.parametrize(("agent", "sentence"), COLLISIONS)
def test_two_classes_of_one_name_are_a_sentence(agent: AgentSpec, sentence: str) -> None:
    with pytest.raises(WorkbenchError) as raised:
        agent_types(agent)
    assert str(raised.value) == sentence


def test_a_class_name_mends_two_tools_of_one_class() -> None:
    types = agent_types(spec(Tool("pay_invoice"), replace(Tool("payInvoice"), class_name="PayOld")))
    assert {name: call.tool for name, call in types.calls.items()} == {
        "PayInvoice": "pay_invoice",
        "PayOld": "payInvoice",
    }


def test_a_tool_whose_name_gives_no_class_breaks_no_other() -> None:
    types = agent_types(spec(Tool("überweisen"), Tool("2fa"), Tool("run"), Tool("pay-now.v2")))
    assert [*types.calls] == ["Run_", "PayNowV2"]
    assert types.unreadable["überweisen"].endswith("give it a `class_name` in agent.toml.")
    assert "2fa" in types.unreadable


def test_a_nested_class_gives_way_to_that_of_a_tool() -> None:
    search = Tool("search", "", {"properties": {"flights": LEG, "b": TEXT}})
    types = agent_types(spec(search, Tool("search_flights")))
    assert [field.name for field in types.calls["Search"].fields] == ["b"]
    assert (
        "would have the class `SearchFlights`, which is another's. Give it another `name`"
        in types.unreadable["Search.flights"]
    )


def test_two_hundred_tools_and_five_hundred_fields_have_classes() -> None:
    wide: dict[str, Json] = {"properties": {f"field_{number}": {"type": "string"} for number in range(500)}}
    types = agent_types(
        spec(*(Tool(f"tool_{number}", "", wide if number < 2 else {}) for number in range(200)))
    )
    assert len(types.calls) == 200
    assert len(types.calls["Tool0"].fields) == 500
    assert stub(types).count("class EarlierTool") == 200
    with pytest.raises(
        WorkbenchError, match=r"The agent has 2,001 tools, and the calls of at most 2,000 have classes"
    ):
        agent_types(spec(*(Tool(f"tool_{number}") for number in range(2001))))


def test_the_checker_says_why_a_field_is_none() -> None:
    agent = of({"payload": {"oneOf": [TEXT, LEG]}, "b": TEXT})
    text = """from agent import Pay, Run

DEFAULT = "allow"


def forbid_payload(call: Pay, run: Run) -> bool:
    \"\"\"R1: No payload.\"\"\"
    return any(item == call.b for item in call.payload)
"""
    with pytest.raises(PolicyError) as raised:
        check_calls(text, agent)
    assert str(raised.value.problems[0]) == (
        'line 8:43: Pay has no field `payload`. The parameter "payload" of the tool "pay" may have one of 2 '
        'types ("oneOf"). Say its type in [tools.pay.fields."payload"] of agent.toml.'
    )


def test_the_outcome_is_that_of_earlier_calls_only() -> None:
    call = of({"a": TEXT}).calls["Pay"]
    assert [name for name, _ in call.decided.fields if "." not in name] == ["a", "time"]
    assert [name for name, _ in call.earlier.fields if "." not in name] == [
        "a",
        "time",
        "succeeded",
        "failed",
        "approved",
        "result",
    ]
