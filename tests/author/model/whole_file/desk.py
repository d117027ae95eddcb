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
            "properties": {"amount": {"type": "number"}},
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
[context.role]
type = "str"
path = "role"
"""
CONTRACT = """
LIMIT = Decimal("100.00")


def contract_pay(call: Pay, run: Run) -> None:
    # R1
    Ensures(Implies(call.amount > LIMIT, not Result()))
    # R2
    Ensures(Implies(run.context.role == "guest", not Result()))


def contract_look_up(call: GetInvoice) -> None:
    # R3
    Ensures(Result())
"""


def policy(limit: str = "100", guests: str = 'run.context.role == "guest"') -> str:
    """The policy with a limit, and with the condition for guests."""
    return f'''
DEFAULT = "allow"
LIMIT = Decimal("{limit}")


def forbid_large(call: Pay) -> bool:
    """R1"""
    return call.amount > LIMIT


def forbid_guest(call: Pay, run: Run) -> bool:
    """R2"""
    return {guests}
'''


def case(tool: str, role: str, amount: str | None, expected: str, requirement: str, *said: str) -> Json:
    """A case in the form in which a model writes it."""
    arguments: dict[str, Json] = {"invoice_id": "I-1"} if amount is None else {"amount": float(amount)}
    reason = f"{tool} of {amount} by {role}"
    call: Json = {"tool": tool, "arguments": arguments}
    return {
        "call": call,
        "context": {"role": role},
        "said": list(said),
        "expected": expected,
        "requirement": requirement,
        "reason": reason,
    }


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


QUICK = "replay,cases,preview,vacuity"
"""The critics but those that take seconds."""


@dataclass
class Writer:
    """Replies by part (``design``, ``policy``, ``contract``, ``cases``), one per request; the last repeats.

    ``texts`` has the replies about texts that a reading leaves to a model.

    ``sent_prompts`` has the parts with their prompts.
    """

    replies: Mapping[str, Sequence[str]]
    sent_prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def answer(self, body: dict[str, Json]) -> str:
        """The reply to one request of the client."""
        messages = cast("list[dict[str, str]]", body["messages"])
        task = re.search(r"# Your task: (.*)", messages[1]["content"])
        parts = {"the policy file": "policy", "the contract": "contract", "test cases": "cases"}
        part = "texts" if task is None else parts.get(task[1], "design")
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
        ("pay", {"amount": 50}),
        ("pay", {"amount": 500}),
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
def serving(model: Writer, monkeypatch: pytest.MonkeyPatch, critics: str = QUICK) -> Generator[ModelServer]:
    """Let the environment name a server whose model is the writer."""
    with model_server(Behaviour(answer=model.answer)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        monkeypatch.setenv("WORKBENCH_MODEL", "scripted")
        monkeypatch.setenv("WORKBENCH_CRITICS", critics)
        yield server


@contextmanager
def drafted(
    model: Writer,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: str = REQUEST,
    *,
    critics: str = QUICK,
) -> Generator[Workbench]:
    """A new session of the desk, drafted by the writer, which can still be asked afterwards."""
    (folder / "request.md").write_text(request)
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    with serving(model, monkeypatch, critics):
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
