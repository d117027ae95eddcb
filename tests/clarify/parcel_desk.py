"""A small invented agent whose recorded calls show all kinds of facts: arguments, results, context, times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, RecordedCall, Tool
from workbench.runs.logs import load_runs
from workbench.session import Session


def made_tool(name: str, required: tuple[str, ...], **properties: Json) -> Tool:
    """A tool with these parameters."""
    return Tool(name, "", {"type": "object", "properties": properties, "required": list[Json](required)})


TEXT: Json = {"type": "string"}
AMOUNT: Json = {"type": "string", "pattern": r"^\d+(\.\d{1,2})?$"}
WAY: Json = {"type": "string", "enum": ["cash", "card"]}
TOOLS = (
    made_tool("check_person", ("person",), person=TEXT),
    made_tool("look_up_parcel", ("parcel",), parcel=TEXT),
    made_tool("pay_back", ("parcel", "amount"), parcel=TEXT, amount=AMOUNT, way=WAY),
    made_tool("send_mail", ("to",), to={"type": "array", "items": TEXT}),
)
SPEC = AgentSpec(
    "parcel desk",
    tools=TOOLS,
    arguments=(
        Argument(
            "tool",
            ArgumentType(Kind.ENUM, tuple(tool.name for tool in TOOLS)),
            "the tool that is called",
            Extraction("jsonpath", {"path": "$.tool"}),
        ),
    ),
)
REQUEST = """# Paying back

The desk sends parcels to four cities.

Money goes back only for parcels of a person who was checked. Nobody gets more than 40 euros from us.

Everything else is forbidden.
"""
type Call = tuple[str, Mapping[str, Json], Mapping[str, Json]]
P1: Mapping[str, Json] = {
    "parcel": "p1",
    "person": "bob",
    "price": "60.00",
    "delivered": "2026-03-01T08:00:00Z",
}
P2: Mapping[str, Json] = {
    "parcel": "p2",
    "person": "ann",
    "price": "9.00",
    "delivered": "2026-01-01T08:00:00Z",
}
CALLS: Sequence[Call] = (
    ("check_person", {"person": "ann"}, {"passed": True}),
    ("look_up_parcel", {"parcel": "p1"}, P1),
    ("pay_back", {"parcel": "p1", "amount": "20.00", "way": "cash"}, {"ok": True}),
    ("check_person", {"person": "bob"}, {"passed": True}),
    ("pay_back", {"parcel": "p1", "amount": "20.00", "way": "cash"}, {"ok": True}),
    ("pay_back", {"parcel": "p1", "amount": "70.00", "way": "cash"}, {"error": "too much"}),
    ("look_up_parcel", {"parcel": "p2"}, P2),
    ("pay_back", {"parcel": "p2", "amount": "5.00", "way": "card"}, {"ok": True}),
    ("send_mail", {"to": ["ann@x.example", "eve@y.example"]}, {"sent": 2}),
)


CLERK: Mapping[str, Json] = {"role": "clerk"}


def log_text(calls: Sequence[Call], context: Mapping[str, Json] = CLERK) -> str:
    """A line of a log of messages: one run of these calls, a minute apart."""
    messages: list[Json] = [{"role": "user", "content": "Hello", "time": "2026-03-04T08:00:00Z"}]
    for place, (tool, arguments, result) in enumerate(calls):
        time = f"2026-03-04T08:{place + 1:02}:00Z"
        function: Json = {"name": tool, "arguments": json.dumps(arguments)}
        call: Json = {"id": f"c{place}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call], "time": time})
        content = json.dumps(result)
        messages.append({"role": "tool", "tool_call_id": f"c{place}", "content": content, "time": time})
    return json.dumps({"id": "run-1", "context": dict(context), "messages": messages}) + "\n"


def calls_of(
    calls: Sequence[Call], tools: Sequence[Tool] = TOOLS, context: Mapping[str, Json] = CLERK
) -> tuple[RecordedCall, ...]:
    """The imported calls of a run of these calls in a context."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_text(log_text(calls, context), encoding="utf-8")
        (run,) = load_runs([path], tools=[tool.name for tool in tools]).runs
    return tuple(run.calls)


def drafted_desk(folder: Path) -> Path:
    """A session of the parcel desk with one recorded run and a first draft."""
    session = Session.create(folder, REQUEST, SPEC)
    (folder / "logs" / "run.jsonl").write_text(log_text(CALLS), encoding="utf-8")
    with closing(Workbench(session)) as bench:
        bench.request.redraft()
    return folder
