"""Recorded model calls: every call is kept, so that the same session runs again offline.

A call is found again by the hash of everything that was sent. Records are JSON lines; secrets
never reach them, since neither headers nor the key are part of a call.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol, cast

from workbench.model import Json


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent to a model: the identity of a call."""

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
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used: tokens, seconds and money."""

    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """The sum of two usages."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            self.seconds + other.seconds,
            self.money + other.money,
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """A call with its reply as the model wrote it, and which model said that it wrote it."""

    sent: Sent
    reply: str
    usage: Usage = field(default_factory=Usage)
    replied_by: str = ""
    when: str = ""

    def to_json(self) -> dict[str, Json]:
        """The record as it is kept."""
        sent = cast(dict[str, Json], json.loads(json.dumps(asdict(self.sent))))
        return {
            "key": self.sent.key,
            "sent": sent,
            "reply": self.reply,
            "usage": cast(dict[str, Json], asdict(self.usage)),
            "replied_by": self.replied_by,
            "when": self.when,
        }


@dataclass(frozen=True, slots=True)
class CallProgress:
    """What a call does: a piece of its reply as it arrives, a reason to try again, or its end.

    ``text`` is the piece, ``tail`` the end of what came back so far, ``pieces`` how many there were: most
    servers send a token with each. ``used`` is what the session's calls used before this one; at the end
    (``done``) with it. ``trouble`` says why an attempt is made again. ``failed`` says that the call ended
    without a reply, ``replied_by`` which model the server says that it was, ``replayed`` that a record
    answers and nothing is used. A budget of 0 is none.
    """

    purpose: str
    text: str = ""
    used: Usage = field(default_factory=Usage)
    done: bool = False
    replayed: bool = False
    model: str = ""
    replied_by: str = ""
    seconds: float = 0.0
    pieces: int = 0
    tail: str = ""
    trouble: str = ""
    failed: bool = False
    budget_tokens: int = 0
    budget_money: float = 0.0


class Calls(Protocol):
    """Where calls are kept: the session's ``calls.jsonl``."""

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        ...

    def keep(self, recorded: Recorded) -> None:
        """Record a call."""
        ...


class RecordedCalls:
    """Calls held in memory: read from a session's records, and appended to by ``keep``."""

    def __init__(self, records: Sequence[Mapping[str, Json]] = ()) -> None:
        """Take records as ``Recorded.to_json`` wrote them; later ones win."""
        self._replies = {
            key: reply
            for record in records
            if isinstance(key := record.get("key"), str) and isinstance(reply := record.get("reply"), str)
        }
        self.kept: list[Recorded] = []

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        return self._replies.get(key)

    def keep(self, recorded: Recorded) -> None:
        """Record a call."""
        self._replies[recorded.sent.key] = recorded.reply
        self.kept.append(recorded)
