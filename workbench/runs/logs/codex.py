"""Rollout files of Codex: ``session_meta``, ``turn_context`` and ``response_item`` lines."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    dict_at,
    facts,
    give_result,
    result_text,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.openai_responses import calls_of

_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_LONG = frozenset({"instructions", "base_instructions", "user_instructions"})


class Codex:
    """Reads each session as one run. ``event_msg`` lines repeat the calls and are left out."""

    name = "codex"

    def matches(self, sample: Sample) -> float:
        """The share of records of the rollout's types."""
        if not sample.records:
            return 0.0
        hits = sum(
            str(record.get("type")) in _TYPES and isinstance(record.get("payload"), dict)
            for record in sample.records
        )
        return hits / len(sample.records)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each session of the file."""
        sessions = InterleavedSessions(self.name, source)
        session = stem(source.path)
        prompts: dict[str, MessagesSoFar] = {}
        for record in source.first_records():
            value = record.value
            if (
                not isinstance(value, dict)
                or record.error is not None
                or str(value.get("type")) not in _TYPES
            ):
                reason = record.error or "the record is no line of a rollout"
                yield ImportProblem(str(source.path), record.line, reason)
                continue
            payload = dict_at(value, "payload")
            kind = value["type"]
            if kind == "session_meta":
                session = text_at(payload, "id", "session_id") or session
                prompts.setdefault(session, MessagesSoFar())
                yield from sessions.add(session, None, facts(payload, _LONG), record.line)
            elif kind == "turn_context":
                yield from sessions.add(session, None, facts(payload, _LONG), record.line)
            elif kind == "response_item":
                # A rollout that does not begin with its session's facts begins in the middle.
                messages = prompts.setdefault(session, MessagesSoFar(from_start=False))
                time = text_at(value, "timestamp")
                yield from self._item(sessions, session, payload, time, messages, record.line)
            elif kind == "compacted":
                prompts.setdefault(session, MessagesSoFar(from_start=False)).interrupt()
        yield from sessions.finish()

    def _item(
        self,
        sessions: InterleavedSessions,
        session: str,
        payload: dict[str, Json],
        time: str | None,
        messages: MessagesSoFar,
        line: int,
    ) -> Iterator[Run]:
        call_id = text_at(payload, "call_id")
        if payload.get("type") in ("function_call_output", "custom_tool_call_output"):
            output = payload.get("output")
            failed = isinstance(output, dict) and output.get("success") is False
            if call_id is not None and give_result(
                sessions.calls(session), call_id, _output(output), failed=failed
            ):
                return
        if payload.get("type") == "local_shell_call":
            action = dict_at(payload, "action")
            messages.interrupt()
            call = LoggedCall("local_shell", dict(action), call_id, time, known_from=UNANSWERED)
            yield from sessions.add(session, call, {}, line)
            return
        if payload.get("role") == "user":
            messages.add("user", result_text(payload.get("content")))
        elif payload.get("role") not in ("system", "developer"):
            messages.interrupt()
        for call in calls_of([payload], time, MessagesSoFar(from_start=False)):
            call.texts.update(messages.texts())
            call.message = None  # a line does not name its response
            yield from sessions.add(session, call, {}, line)


def _output(value: Json) -> str:
    """The text of an output, which is a text or an object with the text in ``content`` or ``output``."""
    if isinstance(value, dict):
        inner = value.get("content", value.get("output"))
        if inner is not None:
            return result_text(inner) or ""
    return result_text(value) or ""
