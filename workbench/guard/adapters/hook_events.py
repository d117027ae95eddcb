"""The events that coding agents give to their hooks, and the answers that each of them takes for a denial.

What each client sends and how it treats an answer was measured on the clients, not taken from their pages:
one line too many on standard output, one unknown field, an empty reason let a tool run in some of them.

The tools of coding agents under the names of one of them, so that one policy guards all.

The names and parameters are Claude Code's. Those of the others were taken from what the clients offer to a
model and give to their hooks. A parameter that a table does not name is passed on under its own name: the
schema of the session does not have it, so that nothing of the call is determinable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from workbench.clean_text import one_line
from workbench.guard.adapters.strict_json import LARGEST_RESULT, Unclear, read_json
from workbench.guard.run_messages import SOMEBODY
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
    ``role`` is who speaks, and ``prompt`` the client's name for the prompt that this is part of.
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
    role: str = ""
    prompt: str = ""
    facts: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What a hook's process ends with: its exit code and the texts of both streams."""

    code: int = 0
    out: str = "{}"
    err: str = ""


_BEFORE = frozenset({"PreToolUse", "BeforeTool", "tool.execute.before"})
_AFTER = frozenset({"PostToolUse", "PostToolUseFailure", "AfterTool", "tool.execute.after"})
_MESSAGES = frozenset({"UserPromptSubmit", "BeforeAgent", "chat.message"})
_FACTS = ("cwd", "permission_mode", "model")
_OF_AGENT = ("agent_id", "agent_type")
_OF_PROMPT = ("prompt_id", "turn_id")
_OF_CLIENT = ("<task-notification>", "<system-reminder>", "<local-command-", "<bash-stdout>", "<bash-stderr>")
# So begins what clients themselves put in the place of a prompt: events, and messages of other agents.
_MARKED = re.compile(r"\s*<<?[A-Za-z][\w-]*[\s/>]")


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
    # What is no text tells of a subagent all the same, of an unknown kind.
    facts |= {key: event[key] for key in _OF_AGENT if event.get(key) is not None}
    prompt = next((given for key in _OF_PROMPT if isinstance(given := event.get(key), str)), "")
    if name in _MESSAGES:
        text = _text(event, "prompt")
        # Of a client that does not name its prompts nobody knows whether one was not heard.
        role = _speaker(text) if prompt else SOMEBODY
        return HookEvent(EventKind.MESSAGE, run, text=text, role=role, prompt=prompt, facts=facts)
    if name not in _BEFORE | _AFTER:
        if not name or "tool_name" in event or "tool_input" in event:
            raise BadEvent(f"its hook_event_name {name!r} is not known")
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
        prompt=prompt,
        facts=facts,
    )


def _speaker(text: str) -> str:
    """The role of a prompt: the event of a prompt is the same whoever wrote it."""
    if text.lstrip().startswith(_OF_CLIENT):
        return "client"
    return SOMEBODY if _MARKED.match(text) else "user"


def may_prompt(tool: str) -> bool:
    """Whether a call of a tool may make the client prompt itself later, with words of the agent.

    Claude Code gives the words of ScheduleWakeup and CronCreate to its hooks as it gives those of the user.
    """
    return tool not in _NO_PROMPTS and not tool.startswith("mcp__")


def _calls(client: Client, tool: str, arguments: Mapping[str, Json]) -> tuple[Sequence[NamedCall], str]:
    try:
        return _named_calls(client, tool, arguments), ""
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
    if all(call.tool not in _SHELL_TOOLS for call in calls):
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


_NOTHING: Mapping[str, Json] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool of a client: its name and parameters for the policy.

    ``renamed`` has the names of its parameters; None for one that changes nothing of what the tool does.
    ``folder`` is the parameter that names the folder in which it works. ``fixed`` are values of parameters
    that the client's tool does not have.
    """

    name: str
    renamed: Mapping[str, str | None]
    folder: str = ""
    fixed: Mapping[str, Json] = field(default_factory=lambda: _NOTHING)


def _same(*names: str) -> dict[str, str | None]:
    return {name: name for name in names}


_SHELL = "Bash"
_SHELL_TOOLS = frozenset({_SHELL})
"""The tools whose failure says nothing about what they did before."""

_CLAUDE_CODE = {
    "NotebookEdit": KnownTool(
        "Edit",
        {
            "notebook_path": "file_path",
            "new_source": "new_string",
            "cell_id": None,
            "cell_type": None,
            "edit_mode": None,
        },
        fixed=MappingProxyType({"old_string": ""}),
    ),
}
_CODEX = {
    "view_image": KnownTool("Read", {"path": "file_path", "detail": None}),
}
_GEMINI = {
    "run_shell_command": KnownTool(
        _SHELL,
        {**_same("command", "description"), "is_background": "run_in_background", "delay_ms": None},
        folder="dir_path",
    ),
    "read_file": KnownTool("Read", {**_same("file_path"), "start_line": None, "end_line": None}),
    "write_file": KnownTool("Write", _same("file_path", "content")),
    "replace": KnownTool(
        "Edit",
        {
            **_same("file_path", "old_string", "new_string"),
            "instruction": None,
            "allow_multiple": "replace_all",
        },
    ),
    "list_directory": KnownTool(
        "Glob",
        {"dir_path": "path", "ignore": None, "file_filtering_options": None},
        fixed=MappingProxyType({"pattern": "*"}),
    ),
    "glob": KnownTool(
        "Glob",
        {
            **_same("pattern"),
            "dir_path": "path",
            "case_sensitive": None,
            "respect_git_ignore": None,
            "respect_gemini_ignore": None,
        },
    ),
    "grep_search": KnownTool(
        "Grep",
        {
            **_same("pattern"),
            "dir_path": "path",
            "include_pattern": "glob",
            "exclude_pattern": None,
            "names_only": None,
            "max_matches_per_file": None,
            "total_max_matches": None,
        },
    ),
    "google_web_search": KnownTool("WebSearch", _same("query")),
    "write_todos": KnownTool("TodoWrite", _same("todos")),
    "invoke_agent": KnownTool(
        "Agent",
        {**_same("prompt"), "agent_name": "subagent_type", "wait_for_previous": None},
        fixed=MappingProxyType({"description": ""}),
    ),
    "activate_skill": KnownTool("Skill", {"name": "skill"}),
}
_OPENCODE = {
    "bash": KnownTool(_SHELL, _same("command", "description", "timeout"), folder="workdir"),
    "read": KnownTool("Read", {"filePath": "file_path", "offset": "offset", "limit": "limit"}),
    "write": KnownTool("Write", {"filePath": "file_path", "content": "content"}),
    "edit": KnownTool(
        "Edit",
        {
            "filePath": "file_path",
            "oldString": "old_string",
            "newString": "new_string",
            "replaceAll": "replace_all",
        },
    ),
    "glob": KnownTool("Glob", _same("pattern", "path")),
    "grep": KnownTool("Grep", {**_same("pattern", "path"), "include": "glob"}),
    "webfetch": KnownTool(
        "WebFetch",
        {"url": "url", "format": None, "timeout": None},
        fixed=MappingProxyType({"prompt": ""}),
    ),
    "task": KnownTool(
        "Agent", {**_same("description", "prompt", "subagent_type"), "task_id": None, "command": None}
    ),
    "skill": KnownTool("Skill", {"name": "skill"}),
    "todowrite": KnownTool("TodoWrite", _same("todos")),
}
_TOOLS: Mapping[str, Mapping[str, KnownTool]] = {
    "claude-code": _CLAUDE_CODE,
    "codex": _CODEX,
    "gemini": _GEMINI,
    "opencode": _OPENCODE,
}
_NAMES = frozenset(tool.name for tools in _TOOLS.values() for tool in tools.values()) | {"DeleteFile"}
_NO_PROMPTS = _NAMES | {
    *("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "KillShell", "BashOutput", "ToolSearch"),
    *("TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate"),
    *("update_plan", "update_topic", "request_user_input", "write_stdin"),
    *("complete_task", "enter_plan_mode", "exit_plan_mode", "list_background_processes"),
    *("read_background_output", "invalid", "question"),
}
"""The tools that put no words into the client's prompt."""
_OWN_NAMES = {"claude-code": _NAMES - {"DeleteFile"}, "codex": frozenset({_SHELL})}
"""The names of the policy by which clients themselves call these tools."""
_PATCH = "apply_patch"


class UnknownCall(ValueError):
    """Raised for a call that cannot be told in the names of the policy; its text says why."""


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call in the names of the policy, and the folder that the call itself names for it."""

    tool: str
    arguments: Mapping[str, Json]
    folder: str = ""


def _named_calls(client: str, tool: str, arguments: Mapping[str, Json]) -> Sequence[NamedCall]:
    """What a client's call does, in the names of the policy. Raises UnknownCall."""
    if client == "codex" and tool == _PATCH:
        return _patched(arguments)
    known = _TOOLS[client].get(tool)
    if known is None:
        if tool in _NAMES - _OWN_NAMES.get(client, frozenset()):
            raise UnknownCall(f"the tool {tool} of {client} has the name of another one")
        return (NamedCall(tool, arguments),)
    folder = arguments.get(known.folder, "") if known.folder else ""
    if not isinstance(folder, str):
        raise UnknownCall(f"{known.folder} of {tool} is no text")
    named: dict[str, Json] = dict(known.fixed)
    for name, value in arguments.items():
        if name == known.folder:
            continue
        new = known.renamed.get(name, name)
        if new is None:
            continue
        if new in named:
            raise UnknownCall(f"{tool} has two values for {new}")
        named[new] = value
    return (NamedCall(known.name, named, folder),)


_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "


def _patched(arguments: Mapping[str, Json]) -> Sequence[NamedCall]:
    """The files that a patch of Codex writes, edits and deletes, one call each."""
    text = arguments.get("command")
    if not isinstance(text, str) or set(arguments) != {"command"}:
        raise UnknownCall("apply_patch has something else than the text of a patch")
    first, *lines = text.strip().split("\n")
    if first != "*** Begin Patch" or not lines or lines[-1] != "*** End Patch":
        raise UnknownCall("the patch does not begin and end as patches do")
    calls: list[NamedCall] = []
    for line in lines[:-1]:
        if line.startswith(_ADD):
            calls.append(_file("Write", line.removeprefix(_ADD), content=""))
        elif line.startswith(_UPDATE):
            calls.append(_file("Edit", line.removeprefix(_UPDATE), old_string="", new_string=""))
        elif line.startswith(_DELETE):
            calls.append(_file("DeleteFile", line.removeprefix(_DELETE)))
        elif line.startswith(_MOVE) and calls and calls[-1].tool == "Edit":
            edited = calls.pop()
            calls.append(NamedCall("DeleteFile", {"file_path": edited.arguments["file_path"]}))
            calls.append(_file("Write", line.removeprefix(_MOVE), content=""))
        elif calls and (line[:1] in "+- @" or line == "*** End of File"):
            _add_line(calls[-1], line)
        else:
            raise UnknownCall(f"the patch has the line {line[:80]!r}, which is not understood")
    if not calls:
        raise UnknownCall("the patch names no file")
    return calls


def _file(tool: str, path: str, **more: str) -> NamedCall:
    if not path or path != path.strip():
        raise UnknownCall("the patch names a file with blanks around its name")
    return NamedCall(tool, {"file_path": path, **more})


def _add_line(call: NamedCall, line: str) -> None:
    """Add a line of the patch to the text that the call writes."""
    texts = call.arguments
    if not isinstance(texts, dict):
        return
    for key, signs in (("content", "+ "), ("new_string", "+ "), ("old_string", "- ")):
        text = texts.get(key)
        if isinstance(text, str) and line[:1] in signs:
            texts[key] = f"{text}{line[1:]}\n"
