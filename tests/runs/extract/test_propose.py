"""What tool schemas say of the values in calls: typed, and named for the dialect."""

from __future__ import annotations

import json
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.recordings import DATA, needs_recordings
from workbench.model import Json, Kind, Tool
from workbench.runs.extract.propose import SchemaField, fields_of, name_of, take_name


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


def by_path(tool: Tool) -> dict[tuple[str, ...], SchemaField]:
    return {field.path: field for field in fields_of(tool)}


def test_every_property_that_a_policy_can_take_has_a_type() -> None:
    fields = by_path(PAY)
    assert {".".join(path): (field.type.kind, field.needed) for path, field in fields.items()} == {
        "amount": (Kind.DECIMAL, True),
        "to": (Kind.STR, True),
        "urgent": (Kind.BOOL, False),
        "tags": (Kind.SET, False),
        "kind": (Kind.ENUM, False),
        "when": (Kind.DATE, False),
        "receiver.name": (Kind.STR, False),
        "class": (Kind.STR, False),
        "bankCode": (Kind.INT, False),
    }
    assert fields["kind",].type.values == ("once", "monthly")


def test_a_path_has_a_name_of_the_dialect_and_no_name_is_given_twice() -> None:
    assert [name_of(path) for path in (("class",), ("bankCode",), ("receiver", "name"), ("9",))] == [
        "class_",
        "bank_code",
        "receiver_name",
        "argument_9",
    ]
    taken = {"to"}
    assert [take_name("to", taken), take_name("to", taken)] == ["to_2", "to_3"]


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
def test_any_schema_gives_fields_with_names(schemas: list[dict[str, Json]]) -> None:
    for number, tool_schema in enumerate(schemas):
        fields = list(fields_of(Tool(f"t{number}", parameters=tool_schema)))
        assert len({field.path for field in fields}) == len(fields)
        names = [name_of(field.path) for field in fields]
        assert all(name.isidentifier() and name.isascii() for name in names)


@needs_recordings
def test_a_real_tool_set_gets_its_recipients_and_amounts() -> None:
    listed = cast(
        "list[dict[str, dict[str, Json]]]", json.loads((DATA / "agentdojo/tools_banking.json").read_text())
    )
    (parameters,) = (
        cast("dict[str, Json]", entry["function"]["parameters"])
        for entry in listed
        if str(entry["function"]["name"]) == "send_money"
    )
    fields = by_path(Tool("send_money", parameters=parameters))
    assert fields["recipient",].type.kind is Kind.STR
    assert fields["amount",].type.kind is Kind.DECIMAL
