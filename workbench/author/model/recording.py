"""Recorded model calls: every call is kept, so that the same session runs again offline.

A call is found by the hash of everything that was sent. Records are JSON lines. They never contain secrets,
since neither headers nor the key are part of a call.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from workbench.author.model.progress import Usage
from workbench.model import Json


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Sent:
    """The content sent to a model, which identifies a call."""

    purpose: str
    model: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Json]
    temperature: float
    seed: int | None
    reply_tokens: int

    @property
    def key(self) -> str:
        """The hash by which a recorded reply is found again."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        parts["messages"] = [asdict(message) for message in self.messages]
        text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


class StoredCall(BaseModel):
    """A line of ``calls.jsonl``: what was sent to a model, and its reply.

    ``key`` is the hash of what was sent before secrets were removed from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    sent: Sent
    reply: str
    usage: Usage = Usage()
    replied_by: str = ""
    when: str = ""


class CallRecords(Protocol):
    """The store of calls: of a session, of an evaluation, of both, or in memory."""

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        ...

    def keep(self, recorded: StoredCall) -> None:
        """Record a call."""
        ...


class RecordedModelCalls:
    """Calls held in memory: read from a session's records, and appended to by ``keep``."""

    def __init__(self, records: Sequence[StoredCall] = ()) -> None:
        """Take the records; if two have the same key, the later one counts."""
        self._replies = {record.key: record.reply for record in records}
        self.calls: list[StoredCall] = []

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        return self._replies.get(key)

    def keep(self, recorded: StoredCall) -> None:
        """Record a call."""
        self._replies[recorded.key] = recorded.reply
        self.calls.append(recorded)
