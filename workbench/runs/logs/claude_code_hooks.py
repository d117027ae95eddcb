"""The JSON that Claude Code gives to its hooks, one event a line."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.model import UNANSWERED, ImportProblem, Run
from workbench.runs.logs.importer import InterleavedSessions, LoggedCall, give_result, result_text, text_at
from workbench.runs.logs.log_stream import LogSource, Sample

_FACTS = ("cwd", "permission_mode")
_BEFORE = frozenset({"PreToolUse", "PermissionRequest"})
_AFTER = frozenset({"PostToolUse", "PostToolUseFailure"})


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
        for record in source.first_records():
            value = record.value
            if record.error is not None or not isinstance(value, dict):
                yield _problem(source, record.line, record.error or "the record is not a JSON object")
                continue
            event, session = text_at(value, "hook_event_name"), text_at(value, "session_id")
            if event is None or session is None:
                yield _problem(source, record.line, "the record has no hook_event_name or no session_id")
                continue
            context = {name: value[name] for name in _FACTS if value.get(name) is not None}
            if event not in _BEFORE | _AFTER:
                yield from sessions.add(session, None, context, record.line)
                continue
            call_id = text_at(value, "tool_use_id")
            result = result_text(value.get("tool_response", value.get("tool_error")))
            failed = event == "PostToolUseFailure" or "tool_error" in value
            calls = sessions.calls(session)
            if event in _AFTER and call_id and give_result(calls, call_id, result, failed=failed):
                continue
            ids = ids_by_session.setdefault(session, set())
            if not calls:
                ids.clear()
            if call_id in ids:
                continue
            if call_id:
                ids.add(call_id)
            call = LoggedCall(
                tool=text_at(value, "tool_name"),
                raw=value.get("tool_input"),
                call_id=call_id,
                time=text_at(value, "ts", "timestamp"),
                result=result if event in _AFTER else None,
                failed=event in _AFTER and failed,
                known_from=0 if event in _AFTER else UNANSWERED,
            )
            yield from sessions.add(session, call, context, record.line)
        yield from sessions.finish()


def _problem(source: LogSource, line: int, reason: str) -> ImportProblem:
    return ImportProblem(str(source.path), line, reason)
