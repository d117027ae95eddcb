"""The records of a session as the client's memory of calls, and the settings that they were made with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from workbench.author.model.progress import Usage
from workbench.author.model.recording import RecordedCall, RecordedCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import Json


class KeepsCalls(Protocol):
    """What a session offers: its recorded calls, and a way to add one."""

    @property
    def calls(self) -> Sequence[Mapping[str, Json]]:
        """The recorded calls, oldest first."""
        ...

    def append_call(self, record: Mapping[str, Json]) -> None:
        """Record one call, with secrets removed."""
        ...


class KeptCalls(RecordedCalls):
    """Reads the session's ``calls.jsonl`` once and appends each further call to it.

    The session removes secrets before it writes. A session that cannot be written keeps the calls in
    memory when ``in_memory`` is set. ``used`` is what the session's recorded calls used.
    """

    def __init__(self, session: KeepsCalls, *, in_memory: bool = False) -> None:
        """Take over the calls that the session has."""
        super().__init__(session.calls)
        self._session = session
        self._in_memory = in_memory
        self.used = used_by(session.calls)

    def keep(self, recorded: RecordedCall) -> None:
        """Record a call here and in the session."""
        super().keep(recorded)
        if not self._in_memory:
            self._session.append_call(recorded.to_json())


def used_by(records: Sequence[Mapping[str, Json]]) -> Usage:
    """What recorded calls used together; what a record does not say counts as nothing."""
    total = Usage()
    for record in records:
        usage = record.get("usage")
        given = usage if isinstance(usage, dict) else {}
        total += Usage(
            int(_number(given, "prompt_tokens")),
            int(_number(given, "reply_tokens")),
            _number(given, "seconds"),
            _number(given, "money"),
        )
    return total


def _number(given: Mapping[str, Json], name: str) -> float:
    value = given.get(name)
    return value if isinstance(value, int | float) and math.isfinite(value) and value > 0 else 0.0


def recorded_settings(records: Sequence[Mapping[str, Json]]) -> ModelSettings | None:
    """The settings of the session's first recorded call, to replay it without naming a model."""
    for record in records:
        sent = record.get("sent")
        if not isinstance(sent, dict):
            continue
        model, temperature = sent.get("model"), sent.get("temperature")
        seed, tokens = sent.get("seed"), sent.get("reply_tokens")
        if isinstance(model, str) and isinstance(temperature, int | float) and isinstance(tokens, int):
            return ModelSettings(
                model=model,
                temperature=float(temperature),
                seed=seed if isinstance(seed, int) else None,
                reply_tokens=tokens,
            )
    return None
