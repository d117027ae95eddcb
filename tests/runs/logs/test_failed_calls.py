"""The failed calls of a log, and from which later call on their results were known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.model import UNANSWERED
from workbench.runs.logs import load_runs

NONE: dict[str, object] = {}

type Found = list[tuple[bool, int]]


def call_outcomes(tmp_path: Path, *records: object) -> Found:
    """For each call, whether it failed and from which call on its result is known."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    imported = load_runs([path])
    assert not imported.problems
    return [(call.failed, call.known_from) for run in imported.runs for call in run.calls]


def used(*ids: str) -> dict[str, object]:
    blocks: list[dict[str, object]] = [
        {"type": "tool_use", "id": call_id, "name": "pay", "input": NONE} for call_id in ids
    ]
    return {"role": "assistant", "content": blocks}


def result_message(call_id: str, **flags: object) -> dict[str, object]:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call_id, "content": "x", **flags}],
    }


@pytest.mark.parametrize(("flag", "failed"), [(True, True), (False, False), ("true", False), (None, False)])
def test_anthropic_flags_a_result(tmp_path: Path, flag: object, failed: bool) -> None:
    messages = [used("a", "b"), result_message("b", is_error=flag), used("a"), result_message("a")]
    assert call_outcomes(tmp_path, {"id": "r", "messages": messages}) == [
        (False, UNANSWERED),
        (failed, 2),
        (False, 3),
    ]


def test_claude_code_flags_a_result(tmp_path: Path) -> None:
    events = [
        {"sessionId": "s", "type": message["role"], "message": message}
        for message in (used("a"), result_message("a", is_error=True))
    ]
    assert call_outcomes(tmp_path, *events) == [(True, 1)]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({"hook_event_name": "PostToolUse", "tool_response": "ok"}, [(False, 1)]),
        ({"hook_event_name": "PostToolUseFailure", "error": "no"}, [(True, 1)]),
        ({"hook_event_name": "Stop"}, [(False, UNANSWERED)]),
    ],
)
def test_hooks_name_a_failure(tmp_path: Path, after: dict[str, object], expected: Found) -> None:
    shared: dict[str, object] = {
        "session_id": "s",
        "tool_name": "pay",
        "tool_input": NONE,
        "tool_use_id": "a",
    }
    assert (
        call_outcomes(tmp_path, {**shared, "hook_event_name": "PreToolUse"}, {**shared, **after}) == expected
    )


def test_frameworks_flag_a_tool_message_by_its_status(tmp_path: Path) -> None:
    calls = [{"id": call_id, "function": {"name": "pay", "arguments": "{}"}} for call_id in ("a", "b")]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "x", "status": "error"},
        {"role": "tool", "tool_call_id": "b", "content": "x", "status": "success"},
    ]
    assert call_outcomes(tmp_path, {"id": "r", "messages": messages}) == [(True, 2), (False, 2)]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"type": "mcp_call", "output": "x"}, [(False, 0)]),
        ({"type": "mcp_call", "error": "no"}, [(True, 0)]),
        ({"type": "mcp_call", "output": None, "error": {"type": "http", "code": 500}}, [(True, 0)]),
        ({"type": "mcp_call", "status": "failed", "output": "x"}, [(True, 0)]),
        ({"type": "mcp_call", "status": "incomplete"}, [(False, UNANSWERED)]),
        ({"type": "function_call", "status": "completed"}, [(False, UNANSWERED)]),
    ],
)
def test_responses_have_a_status_and_an_error(
    tmp_path: Path, item: dict[str, object], expected: Found
) -> None:
    call = {"id": "a", "call_id": "a", "name": "pay", "arguments": "{}", **item}
    assert call_outcomes(tmp_path, {"object": "response", "id": "r", "output": [call]}) == expected


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        ({"result": {"content": [], "isError": True}}, True),
        ({"result": {"content": []}}, False),
        ({"error": {"code": -32602, "message": "no"}}, True),
        ({"error": {"code": -32603, "message": "no"}}, False),
    ],
)
def test_mcp_flags_a_result_or_refuses_a_request(
    tmp_path: Path, answer: dict[str, object], failed: bool
) -> None:
    request: dict[str, object] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "pay", "arguments": NONE},
    }
    assert call_outcomes(tmp_path, request, {"jsonrpc": "2.0", "id": 1, **answer}) == [(failed, 1)]


def test_spans_tell_by_their_ends_what_a_call_could_know(tmp_path: Path) -> None:
    def span(number: int, start: int, end: int, **more: object) -> dict[str, object]:
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}
        times = {"startTimeUnixNano": str(start), "endTimeUnixNano": str(end)}
        return {
            "traceId": "t",
            "spanId": str(number),
            "name": "pay",
            "attributes": attributes,
            **times,
            **more,
        }

    spans = [
        span(0, 100, 350),
        span(1, 200, 250, status={"code": 2}),
        span(2, 300, 400),
        span(3, 400, 500, status={"code": "STATUS_CODE_OK"}),
    ]
    assert call_outcomes(tmp_path, *spans) == [(False, 3), (True, 2), (False, 3), (False, 4)]


def test_a_second_result_of_a_call_does_not_count_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    line = {"format": "workbench-decision/1", "run": "r", "call": 0}
    first, second = ({**line, "result": text} for text in ("first", "second"))
    path.write_text("".join(json.dumps(record) + "\n" for record in ({**line, "tool": "pay"}, first, second)))
    imported = load_runs([path])
    (call,) = imported.runs[0].calls
    assert (call.result, call.known_from) == ("first", 1)
    assert "has a result already" in imported.problems[0].reason
