"""The events that coding agents give to their hooks, and the answers that each of them takes for a denial.

What each client sends and how it treats an answer was measured on the clients, not taken from their pages:
one line too many on standard output, one unknown field, an empty reason let a tool run in some of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.clean_text import one_line
from workbench.guard.adapters.hook_tools import SHELL_TOOLS, NamedCall, UnknownCall, named_calls
from workbench.guard.adapters.strict_json import LARGEST_RESULT, Unclear, read_json
from workbench.model import Json

LONGEST_REASON = 3_000
BROKEN = 2
"""The exit code that every client takes for a denial, if there is a text on standard error."""


class Client(StrEnum):
    """The coding agents whose hooks are answered."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    OPENCODE = "opencode"


class EventKind(StrEnum):
    """What an event tells."""

    BEFORE = "before"
    AFTER = "after"
    MESSAGE = "message"
    OTHER = "other"


class BadEvent(ValueError):
    """Raised for an event that cannot be understood; its text says why."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of a client: a call before or after it is made, a message of the user, or something else.

    ``calls`` is what the call does, in the names of the policy. ``unknown`` says why it cannot be told so.
    ``result`` is None after a call whose effect is not known. ``facts`` is what the client tells of the run.
    """

    kind: EventKind
    run: str
    tool: str = ""
    calls: Sequence[NamedCall] = ()
    unknown: str = ""
    call_id: str = ""
    folder: str = ""
    result: Json = None
    failed: bool = False
    text: str = ""
    facts: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What a hook's process ends with: its exit code and the texts of both streams."""

    code: int = 0
    out: str = "{}"
    err: str = ""


_BEFORE = frozenset({"PreToolUse", "BeforeTool", "tool.execute.before"})
_AFTER = frozenset({"PostToolUse", "PostToolUseFailure", "AfterTool", "tool.execute.after"})
_MESSAGES = frozenset({"UserPromptSubmit", "BeforeAgent"})
_FACTS = ("cwd", "permission_mode", "agent_id", "agent_type", "model")


def read_event(client: Client, data: bytes) -> HookEvent:
    """The event that a client gave to its hook. Raises BadEvent."""
    try:
        event = read_json(data, largest=LARGEST_RESULT)
    except Unclear as error:
        raise BadEvent(f"the event cannot be read: {error}") from None
    if not isinstance(event, dict):
        raise BadEvent("the event is no JSON object")
    name, run = _text(event, "hook_event_name"), _text(event, "session_id")
    if not run:
        raise BadEvent("the event has no session_id")
    facts = {key: event[key] for key in _FACTS if isinstance(event.get(key), str)}
    if name in _MESSAGES:
        return HookEvent(EventKind.MESSAGE, run, text=_text(event, "prompt"), facts=facts)
    if name not in _BEFORE | _AFTER:
        return HookEvent(EventKind.OTHER, run, facts=facts)
    kind = EventKind.BEFORE if name in _BEFORE else EventKind.AFTER
    tool, arguments = _text(event, "tool_name"), event.get("tool_input")
    if not tool or not isinstance(arguments, dict):
        raise BadEvent("the event names no tool, or its tool_input is no JSON object")
    calls, unknown = _calls(client, tool, arguments)
    result, failed = (None, False) if kind is EventKind.BEFORE else _ended(client, name, event, calls)
    return HookEvent(
        kind,
        run,
        tool,
        calls,
        unknown,
        call_id=_text(event, "tool_use_id"),
        folder=_text(event, "cwd"),
        result=result,
        failed=failed,
        facts=facts,
    )


def _calls(client: Client, tool: str, arguments: Mapping[str, Json]) -> tuple[Sequence[NamedCall], str]:
    try:
        return named_calls(client, tool, arguments), ""
    except UnknownCall as error:
        return (NamedCall(tool, arguments),), str(error)


def _text(event: Mapping[str, Json], key: str) -> str:
    value = event.get(key, "")
    if not isinstance(value, str):
        raise BadEvent(f"{key} of the event is no text")
    return value


# --- results ------------------------------------------------------------------


def _ended(
    client: Client, name: str, event: Mapping[str, Json], calls: Sequence[NamedCall]
) -> tuple[Json, bool]:
    """The result of a call, None if its effect is not known, and whether it failed without an effect.

    A command of the shell that fails did what came before its failure. Codex tells no exit code.
    """
    response = event.get("tool_response", event.get("error"))
    failed = name == "PostToolUseFailure" or (isinstance(response, dict) and bool(response.get("error")))
    if all(call.tool not in SHELL_TOOLS for call in calls):
        return ("" if response is None else response), failed
    known = not failed and client is not Client.CODEX and _ended_well(client, response)
    return (response, False) if known else (None, False)


def _ended_well(client: Client, response: Json) -> bool:
    """Whether the client says that the command ran to its end, with the exit code 0."""
    if not isinstance(response, dict):
        return False
    match client:
        case Client.CLAUDE_CODE:
            return response.get("interrupted") is False and not response.get("backgroundTaskId")
        case Client.GEMINI:
            content = response.get("llmContent")
            marks = ("Exit Code:", "Signal:", "Error:", "Background PIDs:", "moved to background")
            return isinstance(content, str) and not any(mark in content for mark in marks)
        case Client.OPENCODE:
            metadata = response.get("metadata")
            return isinstance(metadata, dict) and metadata.get("exit") == 0
        case Client.CODEX:
            return False


# --- answers ------------------------------------------------------------------


def let_go_on() -> HookAnswer:
    """The answer that leaves everything to the client: its own prompt stays in place."""
    return HookAnswer()


def denial(client: Client, reason: str) -> HookAnswer:
    """The answer that a client takes for a denial, with a reason that the model is told."""
    return HookAnswer(out=_decision(client, "deny", reason))


def asking(client: Client, reason: str) -> HookAnswer:
    """The answer by which a client asks the person in front of it; a denial where it cannot ask."""
    if not asks(client):
        return denial(client, reason)
    return HookAnswer(out=_decision(client, "ask", reason))


def asks(client: Client) -> bool:
    """Whether a client asks its person if a hook says so; the others let the tool run, or hang."""
    return client is Client.CLAUDE_CODE


def broken(reason: str) -> HookAnswer:
    """The answer of a guard that cannot decide: every client takes it for a denial."""
    return HookAnswer(BROKEN, "", f"The guard is broken, so nothing runs: {_bounded(reason)}\n")


def _decision(client: Client, decision: str, reason: str) -> str:
    text = _bounded(reason) or "The policy does not allow this call."
    answer: dict[str, Json] = {"decision": decision, "reason": text}
    if client in (Client.CLAUDE_CODE, Client.CODEX):
        answer = {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": text,
            }
        }
    return json.dumps(answer)


def _bounded(reason: str) -> str:
    text = one_line(reason).strip()
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} …"
