"""A desk whose policy a model drafts as whole files, with recorded replies for every answer of a person.

The model offers readings of one sentence. It drafts the first, although another is stricter, and follows what
a person decided as soon as it is told. Its replies are canned: there is no connection.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from typing import override

from tests.app.stateful.desks import ELSE_ALLOWED, Desk, desk_of
from tests.app.stateful.said import Answer, DeskCall, DeskSentence
from workbench.app.session_style import SessionDrafting, SessionMemory, SessionNotation, SessionRuns
from workbench.author.model.client import ModelClient
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.author.model.whole_file.author import FileAuthor, FileStyle
from workbench.model import Json
from workbench.session import Session

GUESTS, SMALL = "Guests must not pay.", "Clerks pay small sums only."
LIMITS = {"a": 100, "b": 40, "c": 200}
READINGS = {value: f"Clerks pay at most {limit} at a time." for value, limit in LIMITS.items()}


def _above(limit: int) -> Answer:
    value = next(value for value, known in LIMITS.items() if known == limit)

    def forbids(call: DeskCall) -> bool:
        return call.tool == "pay" and call.role == "clerk" and (call.amount or 0) > limit

    return Answer(value, forbids)


SENTENCES = (
    DeskSentence(GUESTS, lambda call: call.tool == "pay" and call.role == "guest"),
    DeskSentence(SMALL, answers=tuple(_above(limit) for limit in LIMITS.values())),
)
MODEL_DESK: Desk = desk_of("model-desk", "pay", "refund", "checked", sentences=SENTENCES, told_by_draft=True)
_SIGNATURE = "def allow(tool: Tool, amount: int | None, role: Role) -> bool:"


def _policy(limit: int) -> str:
    return f'''
def forbid_guest(tool: Tool, role: Role) -> bool:
    """R1: Guests must not pay."""
    return tool == "pay" and role == "guest"


def forbid_large(tool: Tool, amount: int | None, role: Role) -> bool:
    """R2: Clerks pay small sums only."""
    return tool == "pay" and role == "clerk" and (amount is None or amount > {limit})


{_SIGNATURE}
    return not (forbid_guest(tool, role) or forbid_large(tool, amount, role))
'''


def _contract(limit: int) -> str:
    return f"""
{_SIGNATURE}
    # R1: Guests must not pay.
    Ensures(Implies(tool == "pay" and role == "guest", not Result()))
    # R2: Clerks pay small sums only.
    Ensures(Implies(tool == "pay" and role == "clerk" and (amount is None or amount > {limit}), not Result()))
    # R3: Everything else is allowed.
    Ensures(Implies(tool != "pay" or role == "boss", Result()))
    return False
"""


def _reading() -> Mapping[str, Json]:
    quotes = {"R1": GUESTS, "R2": SMALL, "R3": ELSE_ALLOWED}
    doubt: Json = {
        "quote": SMALL,
        "question": "Which sums are small?",
        "readings": list(READINGS.values()),
        "requirements": ["R2"],
    }
    return {
        "title": "The desk",
        "otherwise": "allow",
        "requirements": [{"id": name, "quote": quote, "statement": quote} for name, quote in quotes.items()],
        "context": [],
        "questions": [doubt],
    }


class CannedClient(ModelClient):
    """A client whose replies are made from what the prompt says that a person decided."""

    def __init__(self) -> None:
        super().__init__(ModelSettings("canned"), RecordedModelCalls(), replay_only=True)

    @override
    def ask_text(
        self,
        purpose: str,
        messages: tuple[Message, ...],
        *,
        reply_tokens: int = 0,
        cancelled: threading.Event | None = None,
    ) -> str:
        """The part that the prompt asks for."""
        prompt = "\n\n".join(message.content for message in messages[1:])
        limit = _told_limit(prompt)
        task = re.search(r"# Your task: (.*)", prompt)
        part = "" if task is None else task[1]
        if part == "the policy file":
            return f"```python\n{_policy(limit)}\n```\n"
        if part == "the contract":
            return f"```python\n{_contract(limit)}\n```\n"
        if part == "test cases":
            return "```json\n[]\n```\n"
        return f"```json\n{json.dumps(_reading())}\n```\n\n```toml\n```\n"


def _told_limit(prompt: str) -> int:
    """The limit in the reading that a person decided; that of the first reading if there is none."""
    told = re.search(
        rf"^- “{re.escape(SMALL)}”: Which sums are small\? Clerks pay at most (\d+) ", prompt, re.M
    )
    return LIMITS["a"] if told is None else int(told[1])


def author_of(session: Session) -> FileAuthor:
    """The author of whole files for a session, with the canned replies."""
    style = FileStyle(
        SessionNotation(), SessionRuns(session), SessionDrafting(session), SessionMemory(session)
    )
    return FileAuthor(CannedClient(), style, rounds=1)
