"""A small agent with five tools and three records, and runs of it, for tests of expressions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from workbench.dialect.call_types import agent_types
from workbench.dialect.check import run_expression
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    CallExpression,
    ContextField,
    Extracted,
    FieldNote,
    Json,
    Kind,
    LookUpTool,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
    Tool,
)
from workbench.policy.operations import Known
from workbench.runs.expressions.moment import AgentReader, Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.record_finder import RecordFinder

_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "number"}
_ITEM: Json = {
    "type": "object",
    "properties": {
        "user_id": _TEXT,
        "price": _NUMBER,
        "count": {"type": "integer"},
        "payment": {"type": "object", "properties": {"amount": _NUMBER}, "required": ["amount"]},
    },
    "required": ["user_id", "price", "count", "payment"],
}
SPEC = AgentSpec(
    "desk",
    tools=(
        Tool(
            "pay_invoice",
            parameters={
                "type": "object",
                "properties": {
                    "total": _NUMBER,
                    "iban": _TEXT,
                    "note": _TEXT,
                    "due": {"type": "string", "format": "date-time"},
                },
                "required": ["total", "iban"],
            },
            fields={"iban": FieldNote(normal="code")},
        ),
        Tool(
            "order",
            parameters={
                "type": "object",
                "properties": {
                    "booking_id": _TEXT,
                    "items": {"type": "array", "items": _ITEM},
                    "names": {"type": "array", "items": _TEXT},
                    "prices": {"type": "object", "additionalProperties": _NUMBER},
                },
                "required": ["booking_id", "items"],
            },
            fields={"prices": FieldNote(key="product")},
        ),
        Tool("get_user", parameters={"type": "object", "properties": {"id": _TEXT}, "required": ["id"]}),
        Tool("get_booking", parameters={"type": "object", "properties": {"id": _TEXT}, "required": ["id"]}),
        Tool(
            "get_seat",
            parameters={
                "type": "object",
                "properties": {"booking_id": _TEXT, "user_id": _TEXT},
                "required": ["booking_id", "user_id"],
            },
        ),
    ),
    records=(
        Record(
            "user",
            (
                RecordField("id", ArgumentType(Kind.STR)),
                RecordField("age", ArgumentType(Kind.INT)),
                RecordField("limit", ArgumentType(Kind.DECIMAL, optional=True)),
            ),
            "id",
            (RecordResult("get_user"),),
            look_up=LookUpTool("get_user", {"id": "key"}),
            normal="code",
            absent=("no such",),
        ),
        Record(
            "booking",
            (
                RecordField("id", ArgumentType(Kind.STR)),
                RecordField("user_id", ArgumentType(Kind.STR)),
                RecordField("kind", ArgumentType(Kind.ENUM, ("room", "desk"))),
                RecordField("guest", ArgumentType(Kind.STR, optional=True), kind="mail_address"),
                RecordField("guest_domain", ArgumentType(Kind.STR, optional=True)),
                RecordField("made_at", ArgumentType(Kind.DATETIME, optional=True)),
            ),
            "id",
            (RecordResult("get_booking"),),
            changed_by={"order": "$.arguments.booking_id"},
            look_up=LookUpTool("get_booking", {"id": "key"}),
            absent=("no such",),
            normal="code",
        ),
        Record(
            "seat",
            (
                RecordField("booking", ArgumentType(Kind.STR)),
                RecordField("user_id", ArgumentType(Kind.STR)),
                RecordField("row", ArgumentType(Kind.INT)),
            ),
            "booking",
            (RecordResult("get_seat"),),
            look_up=LookUpTool("get_seat", {"booking_id": "key.booking", "user_id": "key.user_id"}),
            absent=("no such",),
            key_parts=("user_id",),
            normal="code",
        ),
    ),
    zone="UTC",
    context={
        "role": ContextField(ArgumentType(Kind.STR)),
        "budget": ContextField(ArgumentType(Kind.DECIMAL, optional=True)),
    },
)
TYPES = agent_types(SPEC)


def call(
    index: int,
    tool: str | None,
    arguments: Mapping[str, Json] | None,
    result: str | None = "done",
    **others: object,
) -> RecordedCall:
    """A recorded call; its arguments stand in the text of this name."""
    texts = {} if arguments is None else {"arguments": json.dumps(arguments)}
    others = {"time": f"2026-05-01T10:{index // 60:02}:{index % 60:02}+00:00", "texts": texts, **others}
    return RecordedCall("run", index, tool, arguments, result=result, **others)  # type: ignore[arg-type] # fields by name


def reader() -> AgentReader:
    """A reader without any knowledge of runs, as after a restart."""
    return AgentReader(SPEC, TYPES.calls.values(), RecordFinder(SPEC.records, SPEC.zone))


def read(text: str, tool: str = "pay_invoice") -> ReadExpression:
    """An expression about the calls of a tool."""
    return ReadExpression(run_expression(text, TYPES, tool))


def naive(text: str, calls: Sequence[RecordedCall], tool: str = "") -> Known:
    """The value of an expression about the last of these calls, from scratch."""
    *_, last = calls
    moment = Moment(reader(), last, Earlier(tuple(calls), len(calls) - 1))
    return naive_value(read(text, tool or last.tool or ""), moment, Trace(), {})


def extracted(
    type_: ArgumentType, text: str, calls: Sequence[RecordedCall], fields: Mapping[str, str] | None = None
) -> Extracted:
    """What an expression gives for the last of these calls."""
    *_, last = calls
    expression = CallExpression(text, last.tool or "", (), fields or {})
    argument = Argument("value", type_, expression=expression)
    return Extractor([argument], SPEC).extract(last, Earlier(tuple(calls), len(calls) - 1))["value"]
