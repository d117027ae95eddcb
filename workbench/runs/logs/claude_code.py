"""Transcripts of Claude Code (one event a line) and the records that its hooks receive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.said import Said
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.anthropic import answer, blocks_of, call_of
from workbench.runs.logs.importer import LoggedCall, Sessions, dict_at, give_result, result_text, text_at
from workbench.runs.logs.source import Sample, Source
from workbench.runs.values.jsontext import as_text

_MOST_SESSIONS = 10_000
_FACTS = ("cwd", "gitBranch", "version", "isSidechain", "agentId", "permissionMode", "permission_mode")
_BEFORE = frozenset({"PreToolUse", "PermissionRequest"})
_AFTER = frozenset({"PostToolUse", "PostToolUseFailure"})


class ClaudeCode:
    """Reads transcripts; a side agent's events are a run of their own."""

    name = "claude-code"

    def matches(self, sample: Sample) -> float:
        """The share of records with a session and a type."""
        return 0.95 * sample.share(frozenset({"sessionId", "type"}))

    def read(self, source: Source) -> Iterator[Run | ImportProblem]:
        """One run for each session, with its tool calls in order."""
        sessions = Sessions(self.name, source)
        prompts: dict[str, Said] = {}
        for record in source.records():
            value = record.value
            if record.error is not None or not isinstance(value, dict):
                yield _problem(source, record.line, record.error or "the record is not a JSON object")
                continue
            session = text_at(value, "sessionId")
            if session is None:
                if text_at(value, "type") != "summary":
                    yield _problem(source, record.line, "the record has no sessionId")
                continue
            agent = text_at(value, "agentId")
            key = f"{session}/{agent}" if agent else session
            context = {name: value[name] for name in _FACTS if value.get(name) is not None}
            yield from sessions.add(key, None, context, record.line)
            message = dict_at(value, "message")
            said = _said(prompts, key, value)
            _hear(said, message)
            for block in blocks_of(message, "tool_use"):
                call = _call(value, block, said)
                if all(
                    known.call_id != call.call_id or call.call_id is None
                    for known in sessions.calls(key)[-200:]
                ):
                    yield from sessions.add(key, call, {}, record.line)
            answer(sessions.calls(key), message)
        yield from sessions.finish()


def _said(prompts: dict[str, Said], key: str, record: Mapping[str, Json]) -> Said:
    """What was said to this agent; a side agent is spoken to by the agent, not by the user."""
    aside = record.get("isSidechain") is True or record.get("agentId") is not None
    name = f"{key} aside" if aside else key
    found = prompts.get(name)
    if found is None:
        found = Said(from_start=not aside and record.get("parentUuid") is None)
        if len(prompts) < _MOST_SESSIONS:
            prompts[name] = found
        else:
            found.interrupt()
    return found


def _hear(said: Said, message: Mapping[str, Json]) -> None:
    """Take a message of the transcript: only the user's own words count, not results in the user's name."""
    content = message.get("content")
    if message.get("role") != "user":
        if message:
            said.interrupt()
        return
    if blocks_of(message, "tool_result"):
        said.interrupt()
    else:
        said.add("user", as_text(content))


def _call(record: Mapping[str, Json], block: Mapping[str, Json], said: Said) -> LoggedCall:
    message = text_at(dict_at(record, "message"), "id")
    call = call_of(block, said.texts(), text_at(record, "timestamp"), message)
    # What really ran may differ from what the model wrote.
    ran = dict_at(record, "wireToolInputs").get(call.call_id or "")
    if ran is not None:
        call.raw = ran
    return call


class ClaudeCodeHooks:
    """Reads the JSON that hooks are given, one event a line."""

    name = "claude-code-hooks"

    def matches(self, sample: Sample) -> float:
        """The share of records with the name of a hook event."""
        return sample.share(frozenset({"hook_event_name"}))

    def read(self, source: Source) -> Iterator[Run | ImportProblem]:
        """One run for each session; the event after a tool's use gives its result."""
        sessions = Sessions(self.name, source)
        for record in source.records():
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
            if call_id and any(call.call_id == call_id for call in calls):
                continue
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


def _problem(source: Source, line: int, reason: str) -> ImportProblem:
    return ImportProblem(str(source.path), line, reason)
