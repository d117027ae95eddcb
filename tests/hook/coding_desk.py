"""A small session of calls for the hooks of coding agents, with rules over the run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.accepting import accept
from workbench.app.hook_guard import Client, HookAnswer, HookGuard, HookOrder, Mode
from workbench.model import Json

POLICY = '''"""What the agent may do."""

from agent import Bash, Path, Read, Run, Write

DEFAULT = "allow"


def is_outside(path: Path, run: Run) -> bool:
    """whether a file is outside the repository"""
    return not any(any(place == folder for place in run.context.folders) for folder in path.inside)


def forbid_outside(call: Read | Write, run: Run) -> bool:
    """R1: Only files of the repository."""
    return is_outside(call.file_path, run)


def forbid_third_write(call: Write, run: Run) -> bool:
    """R2: Two files at most are written."""
    return sum(1 for c in run.earlier(Write) if not c.failed) >= 2


def forbid_untested(call: Bash, run: Run) -> bool:
    """R3: Nothing is pushed before the tests passed."""
    return "git push" in call.command.calls and not any(
        c.succeeded and c.command == "npm test" for c in run.earlier(Bash)
    )


def ask_deleting(call: Bash) -> bool:
    """R4: A person is asked before a file is deleted."""
    return "rm" in call.command.programs


def forbid_unasked_release(call: Bash, run: Run) -> bool:
    """R5: Nothing is merged before the user spoke of a release."""
    return "git merge" in call.command.calls and not "release" in run.said


def forbid_release_on_older_words(call: Bash, run: Run) -> bool:
    """R6: Nothing is rebased unless the user's last words are of a release."""
    return "git rebase" in call.command.calls and not "release" in run.last_said
'''
AGENT = """name = "coding-desk"
zone = "UTC"

[context.folders]
type = "list"
of = "str"

[tools.Bash]
cwd_parameter = "cwd"
shell = "bash"

[tools.Bash.parameters]
type = "object"
required = ["command"]
additionalProperties = false

[tools.Bash.parameters.properties]
command = {type = "string"}
description = {type = "string"}
run_in_background = {type = "boolean"}
cwd = {type = "string"}

[tools.Bash.fields]
command = {type = "command"}

[tools.Agent]

[tools.Agent.parameters]
type = "object"
required = ["prompt"]

[tools.Agent.parameters.properties]
description = {type = "string"}
prompt = {type = "string"}
subagent_type = {type = "string"}

[tools.ScheduleWakeup]

[tools.ScheduleWakeup.parameters]
type = "object"
required = ["prompt"]

[tools.ScheduleWakeup.parameters.properties]
prompt = {type = "string"}
"""
FILE = """
[tools.TOOL]
cwd_parameter = "cwd"

[tools.TOOL.parameters]
type = "object"
required = ["file_path"]
additionalProperties = false

[tools.TOOL.parameters.properties]
file_path = {type = "string"}
content = {type = "string"}
old_string = {type = "string"}
new_string = {type = "string"}
cwd = {type = "string"}

[tools.TOOL.fields]
file_path = {type = "path"}
"""
SESSION = """format = 1
name = "coding-desk"
title = "A coding desk"
author = "written"
created = "2026-01-05T09:00:00+00:00"
"""


def coding_desk(folder: Path) -> Path:
    """The session in a new folder, accepted."""
    session = folder / "coding-desk"
    session.mkdir(parents=True)
    texts = {
        "policy.py": POLICY,
        "agent.toml": AGENT + "".join(FILE.replace("TOOL", tool) for tool in ("Read", "Write", "Edit")),
        "session.toml": SESSION,
        "request.md": "Only files of the repository.\n",
        "cases.toml": "",
    }
    for name, text in texts.items():
        (session / name).write_text(text, encoding="utf-8")
    return accept(session)


def before(tool: str, call_id: str = "t1", run: str = "r1", cwd: str = "/repo", **arguments: Json) -> bytes:
    """An event of Claude Code before a call."""
    return event("PreToolUse", tool, call_id, run, cwd, arguments)


def prompt(text: str, prompt_id: str = "", run: str = "r1") -> bytes:
    """An event of Claude Code at a prompt, whoever wrote it."""
    more = {"prompt_id": prompt_id} if prompt_id else {}
    told = {"session_id": run, "cwd": "/repo", "hook_event_name": "UserPromptSubmit", "prompt": text, **more}
    return json.dumps(told).encode()


def after(tool: str, call_id: str = "t1", run: str = "r1", cwd: str = "/repo", **arguments: Json) -> bytes:
    """An event of Claude Code after a call that ended well."""
    response: Json = {"stdout": "", "stderr": "", "interrupted": False}
    return event("PostToolUse", tool, call_id, run, cwd, arguments, tool_response=response)


def event(
    name: str, tool: str, call_id: str, run: str, cwd: str, arguments: dict[str, Json], **more: Json
) -> bytes:
    """An event in the form of Claude Code."""
    return json.dumps(
        {
            "session_id": run,
            "cwd": cwd,
            "permission_mode": "default",
            "hook_event_name": name,
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": call_id,
            **more,
        }
    ).encode()


def order(client: Client = Client.CLAUDE_CODE, mode: Mode = Mode.ENFORCE, pin: str = "") -> HookOrder:
    """The order of a hook in the folder /repo."""
    return HookOrder(client, pin, mode, "/repo")


def verdict(answer: HookAnswer) -> str:
    """What a client does with an answer of the guard: go on, deny, ask; broken where the guard failed."""
    if answer.code:
        assert answer.code == 2
        assert answer.err.strip()
        assert answer.out == ""
        return "broken"
    assert "\n" not in answer.out
    told = json.loads(answer.out)
    if told == {}:
        return "goes on"
    if "hookSpecificOutput" in told:
        assert set(told) == {"hookSpecificOutput"}
        inner = told["hookSpecificOutput"]
        assert set(inner) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
        assert inner["permissionDecisionReason"].strip()
        return inner["permissionDecision"]
    assert set(told) == {"decision", "reason"}
    assert told["reason"].strip()
    return told["decision"]


def guard(session: Path, folder: Path) -> HookGuard:
    """A guard behind hooks that has seen nothing yet in this process."""
    return HookGuard(session, folder)
