"""A line of a Claude Code transcript: the run that it belongs to, its calls, and what the user said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, Json
from workbench.runs.logs.importer import LoggedCall, dict_at, dicts_at, text_at
from workbench.runs.values.jsontext import as_text

_MOST_SESSIONS = 10_000
_MOST_LINES = 1_000_000
# Messages in the user's name that the user did not write: notes of the application, printed output.
_NOT_THE_USER = ("isMeta", "isVisibleInTranscriptOnly", "isCompactSummary", "isSynthetic")
_PRINTED = ("<local-command-", "<bash-stdout>", "<bash-stderr>", "<task-notification", "<system-reminder>")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with a session. ``key`` names its run: each side agent has a run of its own."""

    record: Mapping[str, Json]
    message: Mapping[str, Json]
    session: str
    key: str
    aside: bool

    def call(self, block: Mapping[str, Json]) -> LoggedCall:
        """The call that a block of its message makes, with the arguments that really ran if they differ."""
        call_id = text_at(block, "id")
        ran = dict_at(self.record, "wireToolInputs").get(call_id or "")
        return LoggedCall(
            tool=text_at(block, "name"),
            raw=block.get("input") if ran is None else ran,
            call_id=call_id,
            time=text_at(self.record, "timestamp"),
            message=text_at(self.message, "id"),
            known_from=UNANSWERED,
        )

    def is_by_user(self) -> bool:
        """Whether its message is the user's own, rather than a result or a note in the user's name."""
        if self.message.get("role") != "user" or any(self.record.get(key) is True for key in _NOT_THE_USER):
            return False
        if any(str(block.get("type")).endswith("tool_result") for block in dicts_at(self.message, "content")):
            return False
        if dict_at(self.record, "origin").get("kind", "human") != "human":
            return False
        return not (text_of(self.message) or "").lstrip().startswith(_PRINTED)


def line_of(record: Mapping[str, Json], before: str | None, spoken: Spoken) -> Line | None:
    """A record as a line; None for notes. Without a session it belongs to the session ``before``."""
    inner = dict_at(dict_at(record, "data"), "message")
    if record.get("type") == "progress" and "message" in inner:
        # The main transcript also has lines for what a side agent does.
        agent = text_at(dict_at(record, "data"), "agentId")
        record = {**record, **inner, "agentId": agent or text_at(record, "parentToolUseID") or "side"}
    session = text_at(record, "sessionId", "session_id")
    message = dict_at(record, "message")
    if session is None and (not message or before is None):
        return None
    session = session or before or ""
    spoken.follow(record)
    agent = text_at(record, "agentId", "parent_tool_use_id")
    if agent is None and record.get("isSidechain") is True:
        agent = spoken.side(record)
    return Line(record, message, session, f"{session}/{agent}" if agent else session, agent is not None)


class Spoken:
    """The messages that each agent of a file received. The agent, not the user, speaks to a side agent."""

    def __init__(self) -> None:
        """Begin a file, without messages."""
        self._messages_by_key: dict[str, MessagesSoFar] = {}
        self._message: dict[str, str | None] = {}
        self._from_start: set[str] = set()
        self._sides: dict[str, str] = {}

    def follow(self, record: Mapping[str, Json]) -> None:
        """Note a line that may be the parent of later lines."""
        name, parent = text_at(record, "uuid"), text_at(record, "parentUuid")
        if name and (parent is None or parent in self._from_start) and len(self._from_start) < _MOST_LINES:
            self._from_start.add(name)

    def side(self, record: Mapping[str, Json]) -> str:
        """The name of the side agent of a line that does not name it: the id of the agent's first line."""
        name, parent = text_at(record, "uuid") or "side", text_at(record, "parentUuid")
        agent_name = self._sides.get(parent or "", name)
        if len(self._sides) < _MOST_LINES:
            self._sides[name] = agent_name
        return agent_name

    def hear(self, line: Line) -> MessagesSoFar:
        """The messages before the calls of a line, including the line's own message."""
        messages = self._messages_to(line)
        if not line.message:
            return messages
        place = text_at(line.message, "id")
        if self._message.get(line.key) != place or place is None:
            messages.forget("assistant")
        self._message[line.key] = place
        text = text_of(line.message)
        if line.message.get("role") != "user":
            messages.interrupt()
            if text:
                messages.add("assistant", text)
        elif line.is_by_user():
            messages.add("user", text)
        elif line.record.get("isMeta") is not True:
            messages.interrupt()
        return messages

    def _messages_to(self, line: Line) -> MessagesSoFar:
        messages = self._messages_by_key.get(line.key)
        if messages is None:
            parent = text_at(line.record, "parentUuid")
            messages = MessagesSoFar(
                from_start=not line.aside and (parent is None or parent in self._from_start)
            )
            if len(self._messages_by_key) < _MOST_SESSIONS:
                self._messages_by_key[line.key] = messages
            else:
                messages.interrupt()
        return messages


def text_of(message: Mapping[str, Json]) -> str | None:
    """The text of a message, without its other blocks."""
    content = message.get("content")
    if not isinstance(content, list):
        return as_text(content)
    texts = [
        block.get("text") if isinstance(block, dict) and block.get("type") == "text" else block
        for block in content
    ]
    return "\n".join(text for text in texts if isinstance(text, str)) or None
