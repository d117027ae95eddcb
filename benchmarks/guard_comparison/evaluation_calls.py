"""The model calls of an evaluation, kept in a file, so that it can be repeated without a network."""

from __future__ import annotations

import threading
from pathlib import Path

from workbench.author.model.recording import CallRecords, RecordedModelCalls, StoredCall, used_by
from workbench.author.model.usage_account import UsageAccount
from workbench.files.strict_reading import TablePlace, read_form
from workbench.model import WorkbenchError
from workbench.runs.logs.log_stream import LogSource


class EvaluationCalls:
    """Calls in a JSONL file, for several threads. ``account`` counts their usage, of stored calls too."""

    def __init__(self, path: Path | None) -> None:
        """Read the stored calls from the file, if it exists."""
        records: list[StoredCall] = []
        if path is not None and path.exists():
            records = [
                read_form(StoredCall, record.value, TablePlace(str(path), line=record.line))
                for record in LogSource(path).records()
                if isinstance(record.value, dict)
            ]
        self._calls = RecordedModelCalls(records)
        self._call_by_key = {record.key: record for record in records}
        self.account = UsageAccount(used_by(records))
        self._path = path
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[StoredCall, ...]:
        """All calls, oldest first."""
        with self._lock:
            return tuple(self._call_by_key.values())

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        return self._calls.find(key)

    def keep(self, recorded: StoredCall) -> None:
        """Record a call; raises WorkbenchError if the file cannot be written."""
        with self._lock:
            self._calls.keep(recorded)
            self._call_by_key[recorded.key] = recorded
            if self._path is None:
                return
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a", encoding="utf-8") as stream:
                    stream.write(recorded.model_dump_json() + "\n")
            except OSError as error:
                raise WorkbenchError(f"{self._path} cannot be written ({error.strerror}).") from error


class SessionsFirst:
    """The calls of a session, which an evaluation only reads, followed by its own calls."""

    def __init__(self, session: CallRecords, own: EvaluationCalls) -> None:
        """Take the calls of the session and of the evaluation."""
        self._session = session
        self._own = own

    def find(self, key: str) -> str | None:
        """The recorded reply of the call with this key."""
        reply = self._session.find(key)
        return self._own.find(key) if reply is None else reply

    def keep(self, recorded: StoredCall) -> None:
        """Record a call among those of the evaluation."""
        self._own.keep(recorded)
