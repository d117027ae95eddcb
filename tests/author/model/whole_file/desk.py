"""A small desk with a scripted model that writes whole files, behind the real client and a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.model import Json

REQUEST = """# The desk

The desk pays what suppliers send. Payments above 100 euros are forbidden. Guests pay nothing.
Looking things up is always allowed.
"""
TOOLS = [
    {
        "name": "get_invoice",
        "description": "An invoice.",
        "parameters": {
            "type": "object",
            "properties": {"invoice_id": {"type": "string"}},
            "required": ["invoice_id"],
        },
    },
    {
        "name": "pay",
        "description": "Pay an amount.",
        "parameters": {
            "type": "object",
            "properties": {"amount": {"type": "string"}},
            "required": ["amount"],
        },
    },
]
REQUIREMENTS: list[dict[str, Json]] = [
    {
        "id": "R1",
        "quote": "Payments above 100 euros are forbidden.",
        "statement": "pay is denied above 100.",
    },
    {"id": "R2", "quote": "Guests pay nothing.", "statement": "pay is denied for the role guest."},
    {"id": "R3", "quote": "Looking things up is always allowed.", "statement": "get_invoice is allowed."},
]
READING: dict[str, Json] = {
    "title": "What the desk may pay",
    "otherwise": "allow",
    "requirements": [*REQUIREMENTS],
    "context": [{"quote": "The desk pays what suppliers send.", "why": "it says what the desk is"}],
    "questions": [],
}
AGENT = """
[arguments.tool]
type = "enum"
values = ["get_invoice", "pay"]
extract = {method = "jsonpath", path = "$.tool"}

[arguments.role]
type = "str"
extract = {method = "jsonpath", path = "$.context.context.role"}

[arguments.amount]
type = "decimal"
optional = true
extract = {method = "jsonpath", path = {pay = "$.arguments.amount"}}
"""
SIGNATURE = "def allow(tool: Tool, role: str, amount: Decimal | None) -> bool:"
CONTRACT = f"""
LIMIT = Decimal("100.00")


{SIGNATURE}
    # R1: Nothing above 100 is paid.
    Ensures(Implies(tool == "pay" and amount is not None and amount > LIMIT, not Result()))
    # R2: Guests pay nothing.
    Ensures(Implies(tool == "pay" and role == "guest", not Result()))
    # R3: Looking things up is allowed.
    Ensures(Implies(tool == "get_invoice", Result()))
    return False
"""


def policy(limit: str = "100", guests: str = 'role == "guest"') -> str:
    """The policy with a limit, and with the condition for guests."""
    return f'''
LIMIT = Decimal("{limit}")


def forbid_large(tool: Tool, amount: Decimal | None) -> bool:
    """R1: Payments above 100 euros are forbidden."""
    return tool == "pay" and (amount is None or amount > LIMIT)


def forbid_guest(tool: Tool, role: str) -> bool:
    """R2: Guests pay nothing."""
    return tool == "pay" and {guests}


{SIGNATURE}
    return not (forbid_large(tool, amount) or forbid_guest(tool, role))
'''


def case(tool: str, role: str, amount: str | None, expected: str, requirement: str) -> Json:
    """A case in the form in which a model writes it."""
    arguments: Json = {"tool": tool, "role": role, "amount": amount}
    reason = f"{tool} of {amount} by {role}"
    return {"arguments": arguments, "expected": expected, "requirement": requirement, "reason": reason}


CASES: list[Json] = [
    case("pay", "clerk", "100.00", "allow", "R1"),
    case("pay", "clerk", "100.01", "deny", "R1"),
    case("pay", "guest", "5.00", "deny", "R2"),
    case("get_invoice", "guest", None, "allow", "R3"),
]


def design(agent: str = AGENT, **changed: Json) -> str:
    """A reply with the reading of the request and the agent file."""
    return f"```json\n{json.dumps({**READING, **changed})}\n```\n\n```toml\n{agent}\n```\n"


def python(text: str) -> str:
    """A reply with a file."""
    return f"Here it is.\n\n```python\n{text}\n```\n"


def listed(cases: Sequence[Json]) -> str:
    """A reply with cases."""
    return f"```json\n{json.dumps(list(cases))}\n```\n"


@dataclass
class Writer:
    """Replies by part (``design``, ``policy``, ``contract``, ``cases``), one per request; the last repeats.

    ``sent_prompts`` has the parts with their prompts.
    """

    replies: Mapping[str, Sequence[str]]
    sent_prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def answer(self, body: dict[str, Json]) -> str:
        """The reply to one request of the client."""
        messages = cast("list[dict[str, str]]", body["messages"])
        task = re.search(r"# Your task: (.*)", messages[1]["content"])
        assert task is not None
        part = {"the policy file": "policy", "the contract": "contract", "test cases": "cases"}.get(
            task[1], "design"
        )
        self.sent_prompts.append((part, "\n\n".join(message["content"] for message in messages[1:])))
        replies = self.replies[part]
        number = sum(asked_part == part for asked_part, _ in self.sent_prompts) - 1
        return replies[min(number, len(replies) - 1)]

    def prompts(self, part: str) -> list[str]:
        """The prompts of a part, in order."""
        return [prompt for asked_part, prompt in self.sent_prompts if asked_part == part]


def writer(**changed: Sequence[str] | str) -> Writer:
    """A model that writes everything well except for the changed parts."""
    replies: dict[str, Sequence[str]] = {
        "design": [design()],
        "policy": [python(policy())],
        "contract": [python(CONTRACT)],
        "cases": [listed([])],  # each run of pytest takes most of a second
    }
    more = {part: [reply] if isinstance(reply, str) else reply for part, reply in changed.items()}
    return Writer({**replies, **more})


def log(folder: Path) -> Path:
    """A log of three calls."""
    calls = [
        ("get_invoice", {"invoice_id": "I-1"}),
        ("pay", {"amount": "50.00"}),
        ("pay", {"amount": "500.00"}),
    ]
    messages: list[Json] = [{"role": "user", "content": "Pay it."}]
    for number, (tool, arguments) in enumerate(calls):
        function: Json = {"name": tool, "arguments": json.dumps(arguments)}
        call: Json = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": '{"ok": true}'})
    run = {"id": "run-1", "context": {"role": "clerk"}, "messages": messages}
    path = folder / "runs.jsonl"
    path.write_text(json.dumps(run) + "\n")
    return path


@contextmanager
def serving(model: Writer, monkeypatch: pytest.MonkeyPatch) -> Generator[ModelServer]:
    """Let the environment name a server whose model is the writer."""
    with model_server(Behaviour(answer=model.answer)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        monkeypatch.setenv("WORKBENCH_MODEL", "scripted")
        monkeypatch.setenv("WORKBENCH_MODEL_STYLE", "file")
        yield server


@contextmanager
def drafted(
    model: Writer, folder: Path, monkeypatch: pytest.MonkeyPatch, request: str = REQUEST
) -> Generator[Workbench]:
    """A new session of the desk, drafted by the writer, which can still be asked afterwards."""
    (folder / "request.md").write_text(request)
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    with serving(model, monkeypatch):
        created = new_session(
            folder / "session",
            folder / "request.md",
            agent=folder / "tools.json",
            logs=[log(folder)],
            author="openai",
        )
        try:
            created.workbench.request.draft_first()
            yield created.workbench
        finally:
            created.workbench.close()
