"""Recorded model calls: every call is kept, so that the same session runs again offline.

A call is found by the hash of everything that was sent. Records are JSON lines. They never contain secrets,
since neither headers nor the key are part of a call.

The recorded calls of a session as the client's store of calls, and the settings of these calls.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from workbench.author.model.progress import Usage
from workbench.author.model.settings import ModelSettings
from workbench.model import Json


class KeepsCalls(Protocol):
    """The recorded calls of a session, and a way to add one: all that an author sees of the session."""

    @property
    def calls(self) -> Sequence[StoredCall]:
        """The recorded calls, oldest first."""
        ...

    def append_call(self, record: Mapping[str, Json]) -> None:
        """Record one call, with secrets removed."""
        ...


class KeptCalls:
    """Reads the session's ``calls.jsonl`` once and appends each further call to it.

    The session removes secrets before it writes. A session that cannot be written keeps the calls in
    memory when ``in_memory`` is set. ``used`` is what the session's recorded calls used.
    """

    def __init__(self, session: KeepsCalls, *, in_memory: bool = False) -> None:
        """Take over the calls that the session has."""
        self._calls = RecordedModelCalls(session.calls)
        self._session = session
        self._in_memory = in_memory
        self.used = used_by(session.calls)

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        return self._calls.find(key)

    def keep(self, recorded: StoredCall) -> None:
        """Record a call here and in the session."""
        self._calls.keep(recorded)
        if not self._in_memory:
            self._session.append_call(recorded.model_dump(mode="json"))


def used_by(records: Sequence[StoredCall]) -> Usage:
    """The sum of what the recorded calls used; values that are not positive finite numbers count as 0."""
    total = Usage()
    for usage in (record.usage for record in records):
        total += Usage(
            int(_counted(usage.prompt_tokens)),
            int(_counted(usage.reply_tokens)),
            _counted(usage.seconds),
            _counted(usage.money),
            int(_counted(usage.cached_tokens)),
            int(_counted(usage.thinking_tokens)),
            int(_counted(usage.unpriced_tokens)),
        )
    return total


def _counted(number: float) -> float:
    return number if math.isfinite(number) and number > 0 else 0.0


def recorded_settings(records: Sequence[StoredCall], environment: Mapping[str, str]) -> ModelSettings | None:
    """The settings of the session's first recorded call, to replay it without naming a model.

    The limit of replies is the smallest that was sent: parts of a draft may have more. The critics are those
    that the environment names, as for a model that is asked.
    """
    if not records:
        return None
    sent = records[0].sent
    return ModelSettings(
        model=sent.model,
        temperature=sent.temperature,
        seed=sent.seed,
        reply_tokens=min(one.sent.reply_tokens for one in records),
        critics=environment.get("WORKBENCH_CRITICS", "").strip(),
    )


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
