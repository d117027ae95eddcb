"""A new desk that pays invoices, with a request in prose, for tests of the way through a request."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench

REQUEST = """# What the desk may pay

Our desk pays about 300 invoices a day.

*Amounts.* Nothing over 5,000 euros is paid by the agent. The boss signs what is above 3,000.

## Always

- Looking up an invoice is fine.
- The agent must not:
  - pay an invoice of which the supplier is blocked
  - pay twice
"""


def _tool(name: str, **properties: str) -> dict[str, object]:
    schema = {key: {"type": kind} for key, kind in properties.items()}
    parameters = {
        "type": "object",
        "properties": schema,
        "required": [*schema],
        "additionalProperties": False,
    }
    return {"name": name, "description": f"{name}.", "inputSchema": parameters}


TOOLS = [
    _tool("get_invoice", invoice_id="string"),
    _tool("pay_invoice", invoice_id="string", total="number", supplier="string"),
    _tool("send_note", text="string"),
]
CALLS = [
    ("get_invoice", {"invoice_id": "I-1"}),
    ("pay_invoice", {"invoice_id": "I-1", "total": 10, "supplier": "acme"}),
    ("pay_invoice", {"invoice_id": "I-2", "total": 5000, "supplier": "acme"}),
    ("pay_invoice", {"invoice_id": "I-3", "total": 6000, "supplier": "acme"}),
    ("send_note", {"text": "paid"}),
]


def invoice_desk(folder: Path, request: str = REQUEST) -> Workbench:
    """The desk as a new session in a folder, without a rule."""
    (folder / "request.md").write_text(request, encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    lines = [
        json.dumps(
            {
                "format": "workbench-decision/1",
                "runs": True,
                "run": "a",
                "call": number,
                "time": f"2026-03-17T10:44:{number:02}+01:00",
                "tool": tool,
                "arguments": json.dumps(arguments),
            }
        )
        for number, (tool, arguments) in enumerate(CALLS)
    ]
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    created = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[folder / "log.jsonl"],
        author="written",
    )  # fmt: skip
    created.draft()
    return created.workbench
