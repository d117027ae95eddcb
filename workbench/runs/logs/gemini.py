"""Sessions of the Gemini CLI: one document, or one record a line.

A line is the session's header, a message, ``$set`` with members of the session, or ``$rewindTo``. A message
is written again, with the same id, when its calls and results are known; a later ``$set`` may replace all
messages. Calls of a message that was replaced or taken back have run all the same, so they stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    build_run,
    dict_at,
    dicts_at,
    facts,
    list_at,
    not_understood,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.unread import Unread
from workbench.runs.values.jsontext import as_text

_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_PATCHES = ("$set", "$rewindTo")
_DONE = "success"
_RUNNING = ("validating", "scheduled", "executing", "awaiting_approval")
# The context that the application gives under the user's name.
_BY_APPLICATION = "<session_context>"
_QUIET_PARTS = frozenset(
    {"text", "thought", "thoughtSignature", "inlineData", "fileData", "videoMetadata", "mediaResolution"}
)
_LEAVE_OUT = frozenset({"messages", "$set", "projectHash", "lastUpdated"})
_MOST_MESSAGES = 100_000


class Gemini:
    """Reads each session as one run; the calls of one message are one action."""

    name = "gemini-cli"

    def matches(self, sample: Sample) -> float:
        """The share of records that are a session, a message or a change of one."""
        has_header = any("projectHash" in record for record in sample.records)
        return sample.mean(_is_ours) if has_header else 0.0

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each session of the file."""
        source.named_by = "sessionId"
        sessions: dict[str, _Session] = {}
        session = sessions.setdefault("", _Session(stem(source.path), 1))
        path = str(source.path)
        for record in source.records():
            value = record.value
            if record.error is not None or not isinstance(value, dict):
                yield ImportProblem(path, record.line, record.error or "the record is not a JSON object")
                session.gap()
                continue
            if (name := text_at(value, "sessionId")) is not None:
                session = sessions.setdefault(name, _Session(name, record.line))
            session.add(value, record.line)
        for name, known in sessions.items():
            if name or known.messages:
                yield from known.run(source, self.name)
        for known in sessions.values():
            yield from known.unread.problems(source, known.name)


def _is_ours(record: Mapping[str, Json]) -> bool:
    whole = "sessionId" in record and "projectHash" in record
    return (
        whole
        or any(key in record for key in _PATCHES)
        or (str(record.get("type")) in _TYPES and "id" in record)
    )


class _Session:
    """The messages of a session by id, in the order in which they first came."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.messages: dict[str, dict[str, Json]] = {}
        self.unread = Unread()
        self._line = line
        self._facts: dict[str, Json] = {}
        self._lost: list[str] = []

    def gap(self) -> None:
        """Note that a message may be missing here."""
        self.messages[f"\n{len(self.messages)}"] = {}

    def add(self, record: Mapping[str, Json], line: int) -> None:
        """Add a record of the session."""
        if "sessionId" in record or "$set" in record:
            patch = record if "sessionId" in record else dict_at(record, "$set")
            self._facts.update(facts(patch, _LEAVE_OUT))
            messages = patch.get("messages")
            for message in messages if isinstance(messages, list) else [] if messages is None else [messages]:
                self._add_message(message, line)
            if "sessionId" not in record and not isinstance(record["$set"], dict):
                self._add_message(record["$set"], line)
        elif "$rewindTo" not in record:
            self._add_message(dict(record), line)

    def _add_message(self, message: Json, line: int) -> None:
        if not isinstance(message, dict) or str(message.get("type")) not in _TYPES:
            kind = message.get("type") if isinstance(message, dict) else message
            self.unread.note("message", kind, line)
            self.gap()
            return
        if len(self.messages) >= _MOST_MESSAGES:
            self.unread.note("message", f"after the first {_MOST_MESSAGES}", line)
            return
        name = text_at(message, "id") or f"\n{len(self.messages)}"
        before = dicts_at(self.messages.get(name, {}), "toolCalls")
        entries = message.get("toolCalls")
        after: list[Json] = entries if isinstance(entries, list) else [] if entries is None else [entries]
        known = {text_at(entry, "id") for entry in after if isinstance(entry, dict)}
        kept: list[Json] = [entry for entry in before if text_at(entry, "id") not in known]
        self.messages[name] = {**message, "toolCalls": [*kept, *after]}

    def run(self, source: LogSource, format_name: str) -> Iterator[Run | ImportProblem]:
        """The run of the messages."""
        calls: list[LoggedCall] = []
        heard = MessagesSoFar()
        every = {
            text_at(entry, "id")
            for message in self.messages.values()
            for entry in dicts_at(message, "toolCalls")
        }
        for name, message in self.messages.items():
            if not message:
                heard.interrupt()
                calls.append(not_understood())
                continue
            self._check_parts(message, every, calls)
            text = _text(message.get("content"))
            if message["type"] == "gemini":
                heard.forget("assistant")
                heard.add("assistant", text)
                self._act(name, message, heard, calls)
            elif message["type"] == "user":
                _hear(heard, text)
        yield build_run(self.name, calls, self._facts, format_name, source, f"line {self._line}")
        for lost in self._lost:
            yield ImportProblem(str(source.path), self._line, f"run {self.name}, {lost}")

    def _act(
        self, name: str, message: Mapping[str, Json], heard: MessagesSoFar, calls: list[LoggedCall]
    ) -> None:
        made: list[LoggedCall] = []
        for entry in list_at(message, "toolCalls"):
            call = _call(entry, heard.texts()) if isinstance(entry, dict) else not_understood()
            call.message = name
            if call.tool is None:
                self._lost.append(f"message {name.strip()}: a call there does not tell its tool")
            made.append(call)
        calls.extend(made)
        for call in made:
            call.known_from = len(calls) if call.known_from != UNANSWERED else UNANSWERED
        if made:
            heard.interrupt()

    def _check_parts(
        self, message: Mapping[str, Json], every: set[str | None], calls: list[LoggedCall]
    ) -> None:
        """Count the parts of a message that are not known, or that name a call which no message has."""
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            inner = part if isinstance(part, dict) else {}
            kinds = [key for key in inner if key not in _QUIET_PARTS]
            for key in kinds if isinstance(part, dict) else [] if isinstance(part, str) else ["none"]:
                call_id = text_at(dict_at(inner, key), "id")
                if key in ("functionCall", "functionResponse") and call_id in every:
                    continue
                self.unread.note("part of a message", key, self._line)
                calls.append(not_understood())


def _hear(heard: MessagesSoFar, text: str | None) -> None:
    if text is None:
        heard.interrupt()  # the results of calls
    else:
        heard.add("system" if text.startswith(_BY_APPLICATION) else "user", text)


def _text(content: Json) -> str | None:
    """The text of a message; None if it has none."""
    if not isinstance(content, list):
        return as_text(dict_at({"content": content}, "content").get("text", content)) or None
    texts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "\n".join(text for text in texts if isinstance(text, str)) or None


def _call(entry: Mapping[str, Json], texts: dict[str, str]) -> LoggedCall:
    status = entry.get("status")
    answered = status not in _RUNNING
    return LoggedCall(
        tool=text_at(entry, "name"),
        raw=entry.get("args"),
        call_id=text_at(entry, "id"),
        time=text_at(entry, "timestamp"),
        result=_result(entry.get("result")) if answered else None,
        texts=texts,
        failed=answered and status != _DONE,
        known_from=0 if answered else UNANSWERED,
    )


def _result(value: Json) -> str | None:
    """The text of a result: what the tool returned, or its error."""
    parts = value if isinstance(value, list) else [value]
    responses = [
        dict_at(dict_at(part, "functionResponse"), "response") for part in parts if isinstance(part, dict)
    ]
    texts = [response.get("output", response.get("error")) for response in responses if response]
    return "\n".join(as_text(text) or "" for text in texts) if texts else as_text(value)
