"""An agent whose calls have lists, sets, kinds of values and keys of every type, and a policy of it."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import (
    AgentSpec,
    ArgumentType,
    FieldNote,
    Json,
    Kind,
    LookUpTool,
    Record,
    RecordField,
    RecordResult,
    Tool,
)

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_WHOLE: Json = {"type": "integer"}


def _tool(name: str, properties: Mapping[str, Json], required: list[Json], **fields: FieldNote) -> Tool:
    schema: dict[str, Json] = {"type": "object", "properties": dict(properties), "required": required}
    return Tool(name, parameters=schema, fields=fields)


_SEND: Mapping[str, Json] = {
    "kind": {"enum": ["a", "b"]},
    "to": {"enum": ["b", "c"]},
    "nr": _WHOLE,
    "tags": _TEXTS,
    "names": _TEXTS,
    "links": _TEXTS,
    "url": _TEXT,
    "command": _TEXT,
    "mail": _TEXT,
    "path": _TEXT,
    "fee": _TEXT,
}
SPEC = AgentSpec(
    "parcels",
    tools=(
        _tool(
            "send",
            _SEND,
            [name for name in _SEND if name not in ("names", "links")],
            url=FieldNote(type="url"),
            command=FieldNote(type="command"),
            mail=FieldNote(type="mail_address"),
            path=FieldNote(type="path"),
            fee=FieldNote(type="amount"),
            **{"links[]": FieldNote(type="url")},
        ),
        _tool("see", {"kind": {"enum": ["a", "b", "c"]}, "nr": _WHOLE}, ["kind", "nr"]),
        _tool("get_place", {"id": _TEXT}, ["id"]),
        _tool("get_box", {"nr": _WHOLE}, ["nr"]),
    ),
    records=(
        Record(
            "place",
            (RecordField("id", ArgumentType(Kind.STR)), RecordField("size", ArgumentType(Kind.INT))),
            "id",
            (RecordResult("get_place"),),
            look_up=LookUpTool("get_place", {"id": "key"}),
            absent=("no such",),
        ),
        Record(
            "box",
            (RecordField("nr", ArgumentType(Kind.INT)), RecordField("size", ArgumentType(Kind.DECIMAL))),
            "nr",
            (RecordResult("get_box"),),
            look_up=LookUpTool("get_box", {"nr": "key"}),
            absent=("no such",),
        ),
    ),
    zone="UTC",
)
HEAD = '''\
"""What may be sent."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import GetBox, GetPlace, Run, See, Send

DEFAULT = "allow"


'''


def policy(rule: str, *clauses: str) -> str:
    """A policy with one rule about ``send``, and clauses about it."""
    said = "".join(f"    # R1: It holds.\n    Ensures({clause})\n" for clause in clauses)
    contract = f"\n\ndef contract_it(call: Send, run: Run) -> None:\n{said}" if clauses else ""
    return (
        f'{HEAD}def forbid_it(call: Send, run: Run) -> bool:\n    """R1: No."""\n    return {rule}\n'
        f"{contract}"
    )
