"""The recorded calls of a session as the client's store of calls, and the settings of these calls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from workbench.author.model.progress import Usage
from workbench.author.model.recording import RecordedModelCalls, StoredCall
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

    The critics are those that the environment names, as for a model that is asked.
    """
    for sent in (record.sent for record in records):
        return ModelSettings(
            model=sent.model,
            temperature=sent.temperature,
            seed=sent.seed,
            reply_tokens=sent.reply_tokens,
            critics=environment.get("WORKBENCH_CRITICS", "").strip(),
        )
    return None
