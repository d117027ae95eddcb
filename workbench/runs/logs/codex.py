"""Rollout files of Codex: one line an item of the model, an event, or facts of the session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.conversation import unknown_blocks
from workbench.runs.logs.importer import (
    InterleavedSessions,
    dict_at,
    facts,
    lost_result,
    not_understood,
    stem,
    text_at,
    waiting_call,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.response_items import CALLS, QUIET, RESULTS, answered_call, call_of, result_of
from workbench.runs.values.jsontext import BadJson, as_text, parse_json

_OF_A_ROLLOUT = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
# Lines about the state of the application and its use of the model.
_QUIET_LINES = frozenset({"world_state", "token_usage_record", "event_msg", "inter_agent_communication"})
_LONG = frozenset({"instructions", "base_instructions", "user_instructions"})
# Events that are no call and about none: messages, thoughts, the state of the application and of its servers.
_QUIET_KINDS = frozenset({
    "error", "warning", "stream_error", "deprecation_notice", "background_event", "guardian_warning",
    "task_started", "task_complete", "turn_started", "turn_complete", "turn_aborted", "turn_diff",
    "user_message", "agent_message", "agent_message_delta", "agent_message_content_delta", "agent_reasoning",
    "agent_reasoning_delta", "agent_reasoning_section_break", "agent_reasoning_raw_content",
    "agent_reasoning_raw_content_delta", "reasoning_content_delta", "reasoning_raw_content_delta",
    "plan_update", "plan_delta", "session_configured", "thread_settings_applied", "thread_name_updated",
    "thread_rolled_back", "context_compacted", "token_count", "model_reroute", "model_verification",
    "shutdown_complete", "skills_update_available", "mcp_startup_update", "mcp_startup_complete",
    "mcp_list_tools_response", "list_skills_response", "list_custom_prompts_response",
    "get_history_entry_response", "conversation_path", "undo_started", "undo_completed",
    "entered_review_mode", "exited_review_mode", "hook_started", "hook_completed", "elicitation_request",
    "guardian_assessment",
})  # fmt: skip
# Items of events that repeat messages and thoughts. Other items, and events with a ``call_id``, repeat calls.
_QUIET_EVENTS = frozenset(
    {
        *("UserMessage", "AgentMessage", "Reasoning", "Plan", "TodoList", "ContextCompaction", "HookPrompt"),
        *("EnteredReviewMode", "ExitedReviewMode", "Error"),
    }
)
# What the application writes under the user's name.
_BY_APPLICATION = ("<environment_context>", "<user_instructions>", "<skill>", "<turn_aborted>")
_MOST_EVENTS = 100_000
# The tools whose results Codex itself begins: the text of another tool's result is the tool's own.
_BY_CODEX = frozenset({"exec_command", "shell", "shell_command", "local_shell", "write_stdin", "apply_patch"})
_BLOCKED = re.compile(r"Command blocked by PreToolUse hook")
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})$", re.MULTILINE)
_OUTPUT = "\nOutput:\n"


class Codex:
    """Reads each session as one run. ``event_msg`` lines repeat the calls: each must have its item."""

    name = "codex"

    def matches(self, sample: Sample) -> float:
        """The share of records of the rollout's types."""
        kinds = _OF_A_ROLLOUT | _QUIET_LINES
        return sample.mean(
            lambda record: str(record.get("type")) in kinds and isinstance(record.get("payload"), dict)
        )

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each session of the file."""
        rollout = _Rollout(InterleavedSessions(self.name, source), stem(source.path))
        for record in source.first_records():
            if (
                record.error is not None
                or not isinstance(record.value, dict)
                or not isinstance(record.value.get("payload"), dict)
            ):
                reason = record.error or "the record is no line of a rollout"
                yield ImportProblem(str(source.path), record.line, reason)
                yield from rollout.gap(record.line)
                continue
            yield from rollout.add(record.value, record.line)
            for reason in rollout.lost:
                yield ImportProblem(str(source.path), record.line, reason)
            rollout.lost.clear()
        rollout.compare_events()
        yield from rollout.sessions.finish()


class _Rollout:
    """The calls of the sessions of a file, line by line."""

    def __init__(self, sessions: InterleavedSessions, session: str) -> None:
        self.sessions = sessions
        self.lost: list[str] = []
        self._session = session
        self._messages: dict[str, MessagesSoFar] = {}
        self._named: set[str] = set()
        self._events: dict[str, tuple[str, int]] = {}

    def gap(self, line: int) -> Iterator[Run]:
        """Note that a call may be missing here."""
        yield from self.sessions.add(self._session, not_understood(), {}, line)

    def _miss(self, what: str, kind: Json, line: int) -> Iterator[Run]:
        return self.sessions.miss(self._session, what, kind, line)

    def add(self, record: Mapping[str, Json], line: int) -> Iterator[Run]:
        """Add the next line; yields the runs that had to be closed for space."""
        kind, payload = text_at(record, "type"), dict_at(record, "payload")
        if kind == "session_meta":
            self._session = text_at(payload, "id", "session_id") or self._session
            self._messages.setdefault(self._session, MessagesSoFar())
            yield from self.sessions.add(self._session, None, facts(payload, _LONG), line)
        elif kind == "turn_context":
            yield from self.sessions.add(self._session, None, facts(payload, _LONG), line)
        elif kind == "response_item":
            yield from self._item(payload, text_at(record, "timestamp"), line)
        elif kind == "compacted":
            self._heard().interrupt()
        elif kind == "event_msg":
            self._event(payload, line)
        elif kind not in _QUIET_LINES:
            yield from self._miss("line", kind, line)

    def compare_events(self) -> None:
        """Count the events of calls that the file has no item of."""
        for call_id, (kind, line) in self._events.items():
            if call_id not in self._named:
                self.sessions.unread.note("event of a call without an item,", kind, line)

    def _heard(self) -> MessagesSoFar:
        # A rollout that does not begin with its session's facts begins in the middle.
        return self._messages.setdefault(self._session, MessagesSoFar(from_start=False))

    def _event(self, payload: Mapping[str, Json], line: int) -> None:
        item = dict_at(payload, "item")
        kind = str(payload.get("type"))
        if (kind in _QUIET_KINDS) if not item else (text_at(item, "type") in _QUIET_EVENTS):
            return
        call_id = text_at(item, "id") if item else text_at(payload, "call_id")
        if call_id is None or len(self._events) >= _MOST_EVENTS:
            self.sessions.unread.note("event", text_at(item, "type") or payload.get("type"), line)
        elif payload.get("source") != "user_shell":
            self._events.setdefault(call_id, (text_at(item, "type") or kind, line))

    def _item(self, payload: dict[str, Json], time: str | None, line: int) -> Iterator[Run]:
        kind, messages = text_at(payload, "type"), self._heard()
        for unknown in unknown_blocks(payload) if kind in ("message", None) else ():
            yield from self._miss("block", unknown, line)
        if kind in CALLS:
            messages.interrupt()
            call = call_of(payload, time, messages.texts())  # a line does not name its response
            self._named.update(name for name in (text_at(payload, "call_id"), text_at(payload, "id")) if name)
            yield from self.sessions.add(self._session, call, {}, line)
        elif kind in RESULTS:
            messages.interrupt()
            self._answer(payload)
        elif payload.get("role") == "user" and kind in ("message", None):
            text = as_text(payload.get("content"))
            messages.add("system" if (text or "").startswith(_BY_APPLICATION) else "user", text)
        elif kind not in QUIET:
            messages.interrupt()
            yield from self._miss("item", kind, line)
        elif payload.get("role") not in ("system", "developer"):
            messages.interrupt()

    def _answer(self, payload: Mapping[str, Json]) -> None:
        calls = self.sessions.calls(self._session)
        call_id, tool = answered_call(calls, payload)
        call = waiting_call(calls, call_id, tool)
        if call is None:
            self.lost.append(lost_result(calls, call_id, tool))
            return
        _, flagged = result_of(payload)
        output = payload.get("output", payload.get("tools"))
        text = _output(output)
        flagged = flagged or (isinstance(output, dict) and output.get("success") is False)
        by_codex = call.tool in _BY_CODEX
        blocked = by_codex and _BLOCKED.match(text) is not None
        call.result, call.known_from = text, len(calls)
        call.failed = flagged or blocked or (by_codex and _exit_code(text) not in (0, None))
        call.ran = call.ran and not blocked


def _exit_code(text: str) -> int | None:
    """The exit code that Codex writes before the output of a command."""
    if text.startswith("{"):
        try:
            value = parse_json(text)
        except BadJson:
            return None
        code = dict_at(value, "metadata").get("exit_code") if isinstance(value, dict) else None
        return code if isinstance(code, int) else None
    head, found, _ = text.partition(_OUTPUT)
    match = _EXIT.search(head) if found else None
    return int(match[1]) if match else None


def _output(value: Json) -> str:
    """The text of an output, which is a text or an object with the text in ``content`` or ``output``."""
    if isinstance(value, dict):
        inner = value.get("content", value.get("output"))
        if inner is not None:
            return as_text(inner) or ""
    return as_text(value) or ""
