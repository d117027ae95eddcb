"""The JSON that Claude Code, Codex and the Gemini CLI give to their hooks, one event a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    dict_at,
    give_result,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text

_FACTS = ("cwd", "permission_mode")
_BEFORE = frozenset({"PreToolUse", "PermissionRequest", "BeforeTool"})
_AFTER = frozenset({"PostToolUse", "PostToolUseFailure", "AfterTool"})
_MOST_WAITING = 200
_QUIET = frozenset({
    "SessionStart", "SessionEnd", "Setup", "UserPromptSubmit", "UserPromptExpansion", "Stop", "StopFailure",
    "SubagentStart", "SubagentStop", "TeammateIdle", "TaskCreated", "TaskCompleted", "Notification",
    "PreCompact", "PostCompact", "PreCompress", "ConfigChange", "CwdChanged", "FileChanged",
    "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "Elicitation", "ElicitationResult",
    "PermissionDenied", "PostToolBatch", "MessageDisplay", "BeforeAgent", "AfterAgent", "BeforeModel",
    "AfterModel", "BeforeToolSelection",
})  # fmt: skip


class ClaudeCodeHooks:
    """Reads the JSON that hooks are given, one event a line."""

    name = "claude-code-hooks"

    def matches(self, sample: Sample) -> float:
        """The share of records with the name of a hook event."""
        return sample.share(frozenset({"hook_event_name"}))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each session; the event after a tool's use gives its result."""
        sessions = InterleavedSessions(self.name, source)
        ids_by_session: dict[str, set[str]] = {}

        def convert(value: dict[str, Json], line: int) -> Iterator[Run]:
            event, session = text_at(value, "hook_event_name"), text_at(value, "session_id")
            if event is None or session is None:
                raise NotThisFormat("the record has no hook_event_name or no session_id")
            context = {name: value[name] for name in _FACTS if value.get(name) is not None}
            if event not in _BEFORE | _AFTER:
                yield from sessions.add(session, None, context, line)
                if event not in _QUIET:
                    yield from sessions.miss(session, "event", event, line)
                return
            calls = sessions.calls(session)
            call = _call(value, event)
            if event in _AFTER and _ended(calls, call):
                return
            ids = ids_by_session.setdefault(session, set())
            if not calls:
                ids.clear()
            if call.call_id in ids or (event == "PermissionRequest" and _is_asked_for(calls, call)):
                return
            if call.call_id:
                ids.add(call.call_id)
            yield from sessions.add(session, call, context, line)

        return sessions.read_each(convert, in_order=True)


def _call(value: Mapping[str, Json], event: str) -> LoggedCall:
    """The call of an event; only an event after it has its result."""
    after = event in _AFTER
    response = value.get("tool_response", value.get("tool_error", value.get("error")))
    failed = event == "PostToolUseFailure" or "tool_error" in value
    failed = failed or (event == "AfterTool" and bool(dict_at(value, "tool_response").get("error")))
    return LoggedCall(
        tool=text_at(value, "tool_name"),
        raw=value.get("tool_input"),
        call_id=text_at(value, "tool_use_id"),
        time=text_at(value, "ts", "timestamp"),
        result=as_text(response) if after else None,
        failed=after and failed,
        known_from=0 if after else UNANSWERED,
    )


def _ended(calls: list[LoggedCall], after: LoggedCall) -> bool:
    """Give the result of an event to its call: by its id, or without one by its tool and arguments."""
    if after.call_id is not None:
        return give_result(calls, after.call_id, after.result, failed=after.failed)
    waiting = [
        call for call in calls[-_MOST_WAITING:] if call.known_from == UNANSWERED and call.tool == after.tool
    ]
    call = next((call for call in waiting if call.raw == after.raw), None)
    if call is None:
        return False
    call.result, call.failed, call.known_from = after.result, after.failed, len(calls)
    return True


def _is_asked_for(calls: list[LoggedCall], call: LoggedCall) -> bool:
    """Whether a request for permission, which has no id, is for the call of the event before it."""
    last = calls[-1] if calls else None
    return last is not None and call.call_id is None and (last.tool, last.raw) == (call.tool, call.raw)
