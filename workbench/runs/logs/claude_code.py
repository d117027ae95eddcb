"""Transcripts of Claude Code: one event a line, each with one block of a message's content.

A message that calls several tools takes that many lines, which share the message's id; results may
come between them. Lines that were copied from an earlier transcript when a session was resumed count
once. The events that ``claude --output-format stream-json`` prints are read too.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from workbench.guard.run_messages import MessagesSoFar
from workbench.guard.subagents import SUBAGENT
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.conversation import is_known_block
from workbench.runs.logs.importer import (
    LONG_AGO,
    InterleavedSessions,
    LoggedCall,
    dict_at,
    dicts_at,
    give_result,
    instant,
    list_at,
    lost_result,
    not_understood,
    text_at,
    waiting_call,
)
from workbench.runs.logs.log_stream import LogRecord, LogSource, ReadFailed, Sample, file_below
from workbench.runs.values.jsontext import as_text

_FACTS = ("cwd", "gitBranch", "version", "isSidechain", "agentId", "permissionMode")
_SPOKEN_LINES = ("user", "assistant")
# Lines without a message: notes of the application, and how the session goes on.
_QUIET_LINES = frozenset({
    "summary", "system", "attachment", "progress", "queue-operation", "last-prompt", "result",
    "saved_hook_context", "file-history-snapshot", "stream_event", "custom-title", "ai-title", "agent-name",
    "agent-color", "agent-setting", "tag", "pr-link", "mode", "permission-mode", "worktree-state",
    "content-replacement", "task-summary", "rate_limit_event", "tool_progress", "tool_use_summary",
    "auth_status", "bridge-session",
})  # fmt: skip
# --- A line of a Claude Code transcript: the run that it belongs to, its calls, and what the user said

_MOST_LINES = 1_000_000
_AGENT = "agent-"


class ClaudeCode:
    """Reads transcripts; a subagent makes calls of its session's run.

    Its lines stand in the file of the session, or in a file of its own in the folder beside it. The context
    of its calls has ``agent_id``, and ``agent_type`` where the session tells it.
    """

    name = "claude-code"

    def matches(self, sample: Sample) -> float:
        """The share of records with a session and a type."""
        stored = sample.share(frozenset({"sessionId", "type"}))
        return 0.95 * max(stored, sample.share(frozenset({"session_id", "type", "message"})))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each session, with its tool calls in order."""
        tree = _Tree(source)
        transcript = _Transcript(InterleavedSessions(self.name, source), tree.kinds())
        for path, record in tree.records():
            if record.error is not None or not isinstance(record.value, dict):
                transcript.lose(record.error or "the record is not a JSON object", gap=True)
            else:
                yield from transcript.add(record.value, record.line)
            for reason in transcript.lost():
                yield ImportProblem(str(path), record.line, reason)
        yield from transcript.sessions.finish()


def subagent_files(path: Path) -> list[Path]:
    """The files of the subagents of a session, in the folder beside its own file, or next to that file.

    Next to it stand those of all sessions of a folder, each with the session in its first line. One that
    cannot be read may be of any of them.
    """
    if path.suffix != ".jsonl":
        return []
    within = (path.with_suffix("") / "subagents").glob(f"{_AGENT}*.jsonl")
    own = path.name.startswith(_AGENT) or not path.is_file()
    others = () if own else _agents_in(path.parent, path.parent.stat().st_mtime_ns)
    return sorted([*within, *(one for one in others if _session_of(one) in (path.stem, None))])


@lru_cache(maxsize=8)
def _agents_in(folder: Path, _changed: int) -> tuple[Path, ...]:
    """The files of subagents that stand in a folder themselves."""
    return tuple(folder.glob(f"{_AGENT}*.jsonl"))


def _session_of(path: Path) -> str | None:
    """The session that the first line of a subagent's file names; None if it cannot be read."""
    try:
        return _first_session(path, path.stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=10_000)
def _first_session(path: Path, _changed: int) -> str | None:
    if file_below(path.parent, path.name) is None:
        return None
    try:
        first = next(iter(LogSource(path).records()), LogRecord(1, {}))
    except ReadFailed:
        return None
    value = first.value if isinstance(first.value, dict) else {}
    return None if first.error is not None else text_at(value, "sessionId") or ""


type _Timed = tuple[tuple[int, str], int, LogRecord]


class _Tree:
    """The file of a session and those of its subagents."""

    def __init__(self, source: LogSource) -> None:
        """Take the file of the session."""
        paths = subagent_files(source.path)
        agents = [LogSource(path, record_limit=source.record_limit, enough=source.enough) for path in paths]
        source.others += paths
        self._sources = (source, *agents)
        self._agents = frozenset(path.stem.removeprefix(_AGENT) for path in paths)
        self._blocks: set[int] = set()

    def records(self) -> Iterator[tuple[Path, LogRecord]]:
        """The records in the order of their times; one without a time stays behind the one before it.

        A file is open from its first time to its last: a tree may have more files than may be open at once.
        """
        waiting: list[tuple[tuple[int, str], int, LogRecord, Iterator[_Timed] | None]] = []
        for place, source in enumerate(self._sources):
            waiting.extend((*one, None) for one in islice(self._timed(place, source), 1))
        heapq.heapify(waiting)
        while waiting:
            _, place, record, following = heapq.heappop(waiting)
            yield self._sources[place].path, record
            if following is None:
                following = islice(self._timed(place, self._sources[place]), 1, None)
            for one in islice(following, 1):
                heapq.heappush(waiting, (*one, following))

    def _timed(self, place: int, source: LogSource) -> Iterator[_Timed]:
        latest = LONG_AGO
        for number, record in enumerate(self._readable(place, source)):
            value = record.value if isinstance(record.value, dict) else {}
            if place == 0 and self._repeats(value):
                continue
            latest = max(latest, instant(text_at(value, "timestamp")) or latest)
            # Nothing of a subagent comes before the first line of its session.
            yield latest if place or number else LONG_AGO, place, record

    def _repeats(self, value: Mapping[str, Json]) -> bool:
        """Whether a line of the session has what stands in the file of a subagent too."""
        told = dict_at(value, "data")
        blocks = dicts_at(dict_at(dict_at(told, "message"), "message"), "content")
        return text_at(told, "agentId") in self._agents and self._blocks.issuperset(map(_mark, blocks))

    def _readable(self, place: int, source: LogSource) -> Iterator[LogRecord]:
        """The records of a file; in place of what cannot be read of a subagent's, one with the reason."""
        if place == 0:
            yield from source.first_records()
            return
        folder = self._sources[0].path.parent
        if file_below(folder, str(source.path.relative_to(folder))) is None:
            yield LogRecord(0, error="it is no file of the folder of its session, and is not read")
            return
        try:
            yield from source.first_records()
            failure = source.failure
        except ReadFailed as error:
            failure = error
        if failure is not None:
            yield LogRecord(0, error=str(failure))

    def kinds(self) -> dict[str, str]:
        """The kinds of the subagents that have files, as far as the calls that began them tell."""
        begun: dict[str, str] = {}
        kinds: dict[str, str] = {}
        for place, source in enumerate(self._sources if self._agents else ()):
            for record in self._readable(place, source):
                value = record.value if isinstance(record.value, dict) else {}
                agent = text_at(dict_at(value, "toolUseResult"), "agentId")
                for block in dicts_at(dict_at(value, "message"), "content"):
                    if place and len(self._blocks) < _MOST_LINES:
                        self._blocks.add(_mark(block))
                    if (kind := text_at(dict_at(block, "input"), "subagent_type")) is not None:
                        begun[text_at(block, "id") or ""] = kind
                    elif agent is not None and (kind := begun.get(text_at(block, "tool_use_id") or "")):
                        kinds[agent] = kind
        return kinds


def _mark(block: Mapping[str, Json]) -> int:
    return hash(str(block))


class _Transcript:
    """The calls of the sessions of a file, line by line."""

    def __init__(self, sessions: InterleavedSessions, kinds: Mapping[str, str]) -> None:
        self.sessions = sessions
        self._spoken = _Spoken()
        self._agents = _Agents(kinds)
        self._session: str | None = None
        self._key: str | None = None
        self._seen: set[tuple[str, int]] = set()
        self._lost: list[str] = []

    def lost(self) -> list[str]:
        """The reasons why lines were not understood since the last call of this method."""
        lost, self._lost = self._lost, []
        return lost

    def lose(self, reason: str, *, gap: bool = False) -> None:
        """Note why a line was not understood; with ``gap`` it may have been a call of the current run."""
        self._lost.append(reason)
        if gap and self._key is not None:
            self.sessions.calls(self._key).append(not_understood())

    def add(self, record: Mapping[str, Json], number: int) -> Iterator[Run]:
        """Add the next line, with its number; yields the runs that had to be closed for space."""
        line = line_of(record, self._session, self._spoken, self._agents)
        if line is None:
            self._without_session(record, number)
            return
        self._session, self._key = line.session, line.key
        if self._is_copy(record):
            return
        self._agents.tell(line)
        yield from self.sessions.add(line.key, None, {}, number)
        if self._agents.came_before(line):
            self.lose("calls of a subagent stand before the first line of its session", gap=True)
        messages = self._spoken.hear(line)
        if str(line.record.get("type")) not in (_SPOKEN_LINES if line.message else _QUIET_LINES):
            self._miss("line", record.get("type"), number)
        yield from self._read(line, messages, number)

    def _without_session(self, record: Mapping[str, Json], number: int) -> None:
        if "message" in record:
            self.lose("the record has no sessionId")
        elif str(record.get("type")) not in _QUIET_LINES:
            self._miss("line", record.get("type"), number)

    def _read(self, line: Line, messages: MessagesSoFar, number: int) -> Iterator[Run]:
        """Read the blocks of a line's message."""
        for block in list_at(line.message, "content"):
            kind = str(block.get("type")) if isinstance(block, dict) else ""
            if not isinstance(block, dict | str):
                self.lose("a block of the message cannot be read, so that a call may be missing", gap=True)
            elif isinstance(block, dict) and kind.endswith("tool_use"):
                if (call := self._call(line, block)) is not None:
                    call.texts, call.context = messages.texts(), self._agents.facts(line)
                    yield from self.sessions.add(line.key, call, {}, number)
            elif isinstance(block, dict) and kind.endswith("tool_result"):
                self._answer(line, block)
            elif not is_known_block(block):
                self._miss("block", block.get("type") if isinstance(block, dict) else block, number)

    def _miss(self, what: str, kind: Json, number: int) -> None:
        self.sessions.unread.note(what, kind, number)
        if self._key is not None:
            self.sessions.calls(self._key).append(not_understood())

    def _is_copy(self, record: Mapping[str, Json]) -> bool:
        """Whether a line with the same id and the same text came before."""
        name = text_at(record, "uuid")
        if name is None or len(self._seen) > _MOST_LINES:
            return False
        line = (name, hash(str(record.get("message", record))))
        if line in self._seen:
            return True
        self._seen.add(line)
        return False

    def _call(self, line: Line, block: Mapping[str, Json]) -> LoggedCall | None:
        """The call that a block makes; None if it is already among the calls."""
        call = line.call(block)
        self._agents.delegates(block)
        for known_call in reversed(self.sessions.calls(line.key)[-200:]):
            if known_call.call_id != call.call_id or call.call_id is None:
                continue
            if (known_call.tool, known_call.raw, known_call.message) == (call.tool, call.raw, call.message):
                return None
            self.lose(f"a second call has the id {call.call_id}")
            break
        if call.tool is None:
            self.lose("a call does not tell its tool, so that it cannot be evaluated")
        return call

    def _answer(self, line: Line, block: Mapping[str, Json]) -> None:
        calls, call_id = self.sessions.calls(line.key), text_at(block, "tool_use_id")
        logged_call = waiting_call(calls, call_id) if call_id is not None else None
        if logged_call is None:
            self.lose(lost_result(calls, call_id, None))
            return
        content = block.get("content")
        result = as_text(line.record.get("toolUseResult") if content is None else content) or ""
        give_result(calls, call_id, result, failed=block.get("is_error") is True)
        logged_call.ran = logged_call.ran and line.record.get("toolDenialKind") is None


_MOST_SESSIONS = 10_000
# Messages in the user's name that the user did not write: notes of the application, printed output.
_NOT_THE_USER = ("isMeta", "isVisibleInTranscriptOnly", "isCompactSummary", "isSynthetic")
_PRINTED = ("<local-command-", "<bash-stdout>", "<bash-stderr>", "<task-notification", "<system-reminder>")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with a session. ``key`` names its run; ``agent`` names the subagent that it is of, if any."""

    record: Mapping[str, Json]
    message: Mapping[str, Json]
    session: str
    key: str
    agent: str = ""

    @property
    def speaker(self) -> str:
        """The agent of the line among all of the file."""
        return f"{self.session}/{self.agent}" if self.agent else self.session

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


def line_of(record: Mapping[str, Json], before: str | None, spoken: _Spoken, agents: _Agents) -> Line | None:
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
    line = Line(record, message, session, session, agent or "")
    return line if agents.has_parent(line) else replace(line, key=line.speaker)


class _Agents:
    """The agents of a file: what is told of each, and of what kinds the subagents are."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        """Begin a file; ``kinds`` are those of subagents that are known beforehand."""
        self._kinds_of_agents = kinds
        self._parents: set[str] = set()
        self._alone: set[str] = set()
        self._kinds: dict[str, str] = {}
        self._facts: dict[str, Mapping[str, Json]] = {}

    def has_parent(self, line: Line) -> bool:
        """Whether a line is of a session's own agent, or of a subagent of one with lines before it."""
        if not line.agent and len(self._parents) < _MOST_SESSIONS:
            self._parents.add(line.session)
        if line.agent and line.session not in self._parents and len(self._alone) < _MOST_SESSIONS:
            self._alone.add(line.session)
        return not line.agent or line.session in self._parents

    def came_before(self, line: Line) -> bool:
        """Whether it is the first line of an agent, after some of its subagents in runs of their own."""
        if line.agent or line.session not in self._alone:
            return False
        self._alone.remove(line.session)
        return True

    def delegates(self, block: Mapping[str, Json]) -> None:
        """Note the kind of the subagent that a call begins, if it begins one."""
        call_id, kind = text_at(block, "id"), text_at(dict_at(block, "input"), "subagent_type")
        if call_id and kind and len(self._kinds) < _MOST_LINES:
            self._kinds[call_id] = kind

    def tell(self, line: Line) -> None:
        """Note what a line tells of its agent."""
        told = {name: line.record[name] for name in _FACTS if line.record.get(name) is not None}
        if line.agent:
            told["agent_id"] = line.agent
            begun_by = text_at(line.record, "parentToolUseID", "parent_tool_use_id")
            kind = self._kinds.get(begun_by or "") or self._kinds_of_agents.get(line.agent)
            if kind is not None:
                told["agent_type"] = kind
        if told and (line.speaker in self._facts or len(self._facts) < _MOST_SESSIONS):
            self._facts[line.speaker] = {**self._facts.get(line.speaker, {}), **told}

    def facts(self, line: Line) -> Mapping[str, Json]:
        """What was told of the agent of a line so far."""
        return self._facts.get(line.speaker, {"agent_id": line.agent} if line.agent else {})


class _Spoken:
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
        if self._message.get(line.speaker) != place or place is None:
            messages.forget("assistant")
        self._message[line.speaker] = place
        text = text_of(line.message)
        if line.message.get("role") != "user":
            messages.interrupt()
            if text:
                messages.add("assistant", text)
        elif line.is_by_user():
            messages.add(SUBAGENT if line.agent else "user", text)
        elif line.record.get("isMeta") is not True:
            messages.interrupt()
        return messages

    def _messages_to(self, line: Line) -> MessagesSoFar:
        messages = self._messages_by_key.get(line.speaker)
        if messages is None:
            parent = text_at(line.record, "parentUuid")
            messages = MessagesSoFar(
                from_start=not line.agent and (parent is None or parent in self._from_start)
            )
            if len(self._messages_by_key) < _MOST_SESSIONS:
                self._messages_by_key[line.speaker] = messages
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
