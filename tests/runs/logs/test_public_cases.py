"""Logs as people have them, each of which once lost, split or invented calls without a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runs.logs.log_samples import codex
from workbench.model import UNANSWERED, Json
from workbench.runs.logs import Imported, load_runs

NONE: dict[str, object] = {}


def load(folder: Path, *records: object, name: str = "log.jsonl") -> Imported:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return load_runs([path])


def calls(imported: Imported) -> list[tuple[str | None, Json]]:
    return [
        (call.tool, None if call.arguments is None else dict(call.arguments))
        for run in imported.runs
        for call in run.calls
    ]


def reasons(imported: Imported) -> str:
    return "\n".join(f"{problem.count}: {problem.reason}" for problem in imported.problems)


# --- OpenAI's items ----------------------------------------------------------------------

HOSTED: list[tuple[dict[str, object], str, Json]] = [
    ({"type": "shell_call", "action": {"commands": ["ls"]}}, "shell", {"commands": ["ls"]}),
    ({"type": "local_shell_call", "action": {"command": ["ls"]}}, "local_shell", {"command": ["ls"]}),
    ({"type": "apply_patch_call", "operation": {"path": "a"}}, "apply_patch", {"path": "a"}),
    ({"type": "computer_call", "action": {"type": "click"}}, "computer", {"type": "click"}),
    ({"type": "computer_call", "actions": [{"type": "wait"}]}, "computer", {"actions": [{"type": "wait"}]}),
    (
        {"type": "code_interpreter_call", "code": "1", "container_id": "k"},
        "code_interpreter",
        {"code": "1", "container_id": "k"},
    ),
    ({"type": "web_search_call", "action": {"query": "x"}}, "web_search", {"query": "x"}),
    ({"type": "web_search_call"}, "web_search", None),
    ({"type": "file_search_call", "queries": ["x"]}, "file_search", {"queries": ["x"]}),
    ({"type": "image_generation_call", "result": "AAAA"}, "image_generation", None),
    ({"type": "tool_search_call", "arguments": {"query": "x"}}, "tool_search", {"query": "x"}),
]


@pytest.mark.parametrize(
    ("item", "tool", "arguments"), HOSTED, ids=[f"{n}-{c[1]}" for n, c in enumerate(HOSTED)]
)
def test_a_call_of_a_hosted_tool_is_a_call(
    item: dict[str, object], tool: str, arguments: Json, tmp_path: Path
) -> None:
    record = {"object": "response", "id": "r", "output": [{"id": "i", "call_id": "c", **item}]}
    imported = load(tmp_path, record)
    assert calls(imported) == [(tool, arguments)]
    assert not imported.problems
    lines = [codex("session_meta", id="r"), codex("response_item", **{"id": "i", "call_id": "c", **item})]
    imported = load(tmp_path, *lines)
    assert calls(imported) == [(tool, arguments)]
    assert not imported.problems


def test_what_a_shell_gave_back_is_its_result_and_tells_a_failure(tmp_path: Path) -> None:
    def outcome(**ended: object) -> list[object]:
        return [{"stdout": "x", "stderr": "", "outcome": ended}]

    items = [
        item
        for number, output in enumerate(
            (outcome(type="exit", exit_code=0), outcome(type="exit", exit_code=2), outcome(type="timeout"))
        )
        for item in (
            {"type": "shell_call", "call_id": f"c{number}", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": f"c{number}", "output": output},
        )
    ]
    imported = load(tmp_path, {"object": "response", "id": "r", "output": items})
    assert [call.failed for call in imported.runs[0].calls] == [False, True, True]
    assert all(call.known_from != UNANSWERED for call in imported.runs[0].calls)


def test_a_list_of_items_is_one_run(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "Pay."},
        {"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "paid"},
    ]
    for records in (items, [items], [{"session_id": "s", "items": items}]):
        imported = load(tmp_path, *records)
        assert not imported.problems
        assert [[call.result for call in run.calls] for run in imported.runs] == [["paid"]]


def test_an_item_that_refers_to_another_and_a_result_without_a_call_are_told(tmp_path: Path) -> None:
    items = [
        {"type": "item_reference", "id": "i"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ]
    imported = load(tmp_path, {"object": "response", "id": "r", "input": items, "output": []})
    assert "1: run r, 1 item of the unknown kind 'item_reference'" in reasons(imported)
    assert "a result of a tool belongs to no call" in reasons(imported)


# --- Codex -------------------------------------------------------------------------------


def test_lines_of_a_newer_codex_are_no_problem_and_events_without_an_item_are(tmp_path: Path) -> None:
    item = {"type": "function_call", "call_id": "c1", "name": "exec_command", "arguments": '{"cmd": "ls"}'}
    imported = load(
        tmp_path,
        codex("session_meta", id="r"),
        codex("world_state", full=True),
        codex(
            "response_item",
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "<environment_context> x"}],
        ),
        codex(
            "response_item", type="message", role="user", content=[{"type": "input_text", "text": "Look."}]
        ),
        codex("response_item", **item),
        codex("token_usage_record", usage={}),
        codex("event_msg", type="exec_command_end", call_id="c1"),
        codex("event_msg", type="item_completed", item={"type": "McpToolCall", "id": "c9"}),
        codex("response_item", type="function_call_output", call_id="c1", output="Exit code: 1\nOutput:\nx"),
    )
    (call,) = imported.runs[0].calls
    assert (call.tool, call.failed, call.texts["all_user"]) == ("exec_command", True, "Look.")
    assert reasons(imported).startswith(
        "1: 1 event of a call without an item, of the unknown kind 'McpToolCall'"
    )


@pytest.mark.parametrize(("tool", "believed"), [("exec_command", True), ("mcp__shop__pay", False)])
def test_only_codex_says_that_a_hook_blocked_a_command(tool: str, believed: bool, tmp_path: Path) -> None:
    text = "Command blocked by PreToolUse hook: no. Command: ls"
    imported = load(
        tmp_path,
        codex("session_meta", id="r"),
        codex("response_item", type="function_call", call_id="c", name=tool, arguments="{}"),
        codex("response_item", type="function_call_output", call_id="c", output=text),
    )
    (call,) = imported.runs[0].calls
    assert (call.ran, call.failed) == (not believed, believed)


# --- lines of one session ----------------------------------------------------------------


def used(name: str) -> list[dict[str, object]]:
    return [{"type": "tool_use", "name": name, "input": NONE}]


def test_a_session_of_cursor_is_one_run(tmp_path: Path) -> None:
    said = [{"type": "text", "text": "Do it."}]
    lines = [
        {"role": role, "message": {"content": content}}
        for role, content in (
            ("user", said),
            ("assistant", used("a")),
            ("user", said),
            ("assistant", used("b")),
        )
    ]
    imported = load(tmp_path, *lines, name="session.jsonl")
    assert [(run.id, [call.step for call in run.calls]) for run in imported.runs] == [("session", [0, 1])]
    assert not imported.problems


def test_a_session_of_droid_is_one_run(tmp_path: Path) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": True}]
    call: list[object] = [{"type": "tool_use", "id": "t", "name": "Execute", "input": NONE}]
    lines = [
        {"type": "message", "id": str(number), "message": {"role": role, "content": content}}
        for number, (role, content) in enumerate((("user", "Go."), ("assistant", call), ("user", result)))
    ]
    imported = load(tmp_path, {"type": "session_start", "id": "s"}, *lines)
    assert [(call.result, call.failed) for call in imported.runs[0].calls] == [("x", True)]
    assert not imported.problems


# --- trajectories ------------------------------------------------------------------------


def test_actions_of_a_trajectory_that_no_message_has_are_told(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    history = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    steps = [{"action": action, "observation": "x"} for action in ("ls", "submit", "")]
    imported = load(tmp_path, {"trajectory": steps, "history": history})
    assert len(imported.runs[0].calls) == 1
    assert "1 action of 'trajectory' is in no message" in reasons(imported)
    assert not load(tmp_path, {"trajectory": steps[:1], "history": history}).problems


@pytest.mark.parametrize(
    "entries",
    [
        [{"action": "login", "timestamp": "2026-01-01T00:00:00Z", "user": "ann"}] * 3,
        [{"action": "click", "args": "button", "source": "web"}] * 3,
        [{"kind": "ClickEvent", "at": 3}] * 3,
        [{"observation": "rain", "timestamp": 3}] * 3,
    ],
)
def test_a_list_that_merely_has_actions_is_no_log_of_calls(entries: list[object], tmp_path: Path) -> None:
    for records in (entries, [{"id": "r", "audit": entries}]):
        imported = load(tmp_path, *records)
        assert not imported.runs
        assert imported.problems


# --- spans -------------------------------------------------------------------------------


def test_phoenix_writes_the_kind_beside_the_attributes(tmp_path: Path) -> None:
    def span(number: int, kind: str, **more: object) -> dict[str, object]:
        times = {f"{edge}_time": f"2026-01-01T00:00:0{number}+00:00" for edge in ("start", "end")}
        context = {"trace_id": "t", "span_id": str(number)}
        return {"name": "pay", "context": context, "span_kind": kind, **times, "attributes": more}

    imported = load(
        tmp_path,
        span(1, "AGENT"),
        span(2, "TOOL", **{"tool.name": "pay", "input.value": '{"amount": 3}'}),
        {**span(3, "TOOL", **{"tool.name": "pay", "input.value": "{}"}), "status_code": "ERROR"},
    )
    assert not imported.problems
    assert [(call.tool, call.failed) for call in imported.runs[0].calls] == [("pay", False), ("pay", True)]


def test_calls_that_only_the_model_tells_of_are_told(tmp_path: Path) -> None:
    messages = json.dumps([{"parts": [{"type": "tool_call", "id": "c", "name": "pay", "arguments": NONE}]}])
    span = {
        "traceId": "t",
        "spanId": "1",
        "name": "chat",
        "attributes": {"gen_ai.operation.name": "chat", "gen_ai.output.messages": messages},
    }
    assert "1: run t has no span of a tool, and 1 call only in the model's messages" in reasons(
        load(tmp_path, span)
    )


# --- hooks -------------------------------------------------------------------------------


def test_hooks_of_the_gemini_cli_are_calls_paired_by_tool_and_arguments(tmp_path: Path) -> None:
    def event(name: str, command: str, **more: object) -> dict[str, object]:
        tool = {"tool_name": "run_shell_command", "tool_input": {"command": command}}
        return {"session_id": "s", "hook_event_name": name, **tool, **more}

    imported = load(
        tmp_path,
        event("BeforeTool", "ls"),
        event("BeforeTool", "pwd"),
        event("AfterTool", "pwd", tool_response={"llmContent": "/", "error": {"message": "no"}}),
        event("AfterTool", "ls", tool_response={"llmContent": "a.txt"}),
    )
    assert [(call.failed, "a.txt" in (call.result or "")) for call in imported.runs[0].calls] == [
        (False, True),
        (True, False),
    ]
    assert not imported.problems


def test_a_request_for_permission_is_no_second_call(tmp_path: Path) -> None:
    tool = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    events = (
        {**tool, "hook_event_name": "PreToolUse", "tool_use_id": "t"},
        {**tool, "hook_event_name": "PermissionRequest"},
    )
    assert len(load(tmp_path, *events).runs[0].calls) == 1


# --- Gemini's sessions -------------------------------------------------------------------


def test_calls_of_a_message_that_was_taken_back_stay(tmp_path: Path) -> None:
    def message(status: str) -> dict[str, object]:
        entry = {"id": "c", "name": "rm", "args": NONE, "status": status, "result": [{"text": "x"}]}
        return {"id": "m", "type": "gemini", "content": "", "toolCalls": [entry]}

    imported = load(
        tmp_path,
        {"sessionId": "s", "projectHash": "0"},
        message("executing"),
        {**message("x"), "toolCalls": []},
        {"$rewindTo": "m"},
        {"$set": {"messages": []}},
    )
    (call,) = imported.runs[0].calls
    assert (call.tool, call.known_from) == ("rm", UNANSWERED)
    assert [
        (call.failed, call.known_from)
        for call in load(tmp_path, {"sessionId": "s", "projectHash": "0"}, message("cancelled")).runs[0].calls
    ] == [(True, 1)]


# --- formats that are not read -----------------------------------------------------------

REFUSED: dict[str, object] = {
    "Vercel AI SDK": [
        {"role": "user", "content": "x"},
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "pay", "input": NONE}],
        },
    ],
    "Pydantic AI": [
        {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "pay", "args": NONE}]}
    ],
    "LangChain": {
        "messages": [{"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"tool_calls": []}}]
    },
    "Bedrock": {
        "messages": [
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "pay", "input": NONE}}]}
        ]
    },
    "smolagents": [{"step_number": 1, "model_output": "x", "tool_calls": []}],
    "Traceloop": {"name": "x", "context": {"trace_id": "t"}, "attributes": {"traceloop.span.kind": "tool"}},
    "OpenCode": {"part": [{"data": {"type": "tool", "callID": "c", "tool": "bash", "state": NONE}}]},
    "codex exec": {"type": "item.completed", "item": {"type": "command_execution", "command": "ls"}},
    "Copilot CLI": {"type": "tool.execution_start", "data": {"toolName": "bash"}},
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_file_of_a_format_that_is_not_read_is_refused_by_its_name(name: str, tmp_path: Path) -> None:
    imported = load(tmp_path, REFUSED[name])
    (problem,) = imported.problems
    assert not imported.runs
    assert name in problem.reason
    assert "in the format workbench" in problem.reason


def test_what_a_tool_received_or_returned_does_not_make_a_file_another_format(tmp_path: Path) -> None:
    planted = {"part_kind": "tool-call", "lc": 1, "type": "constructor", "kwargs": NONE}
    call = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": {"a": planted}}}
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [planted]},
    ]
    assert len(load(tmp_path, {"id": "r", "messages": messages}).runs[0].calls) == 1
