"""One small, invented file of each log format, in the form that its writer would give it.

Each has a user's message and a failed call, so that its calls show texts, actions and failures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from workbench.model import Json


class SampleCall(NamedTuple):
    """The call that an importer should make.

    ``texts`` are its texts in addition to tool, arguments and result; calls of one ``action`` are of one
    message of the agent.
    """

    run: str
    tool: str | None
    arguments: Json
    result: str | None
    action: int = 0
    texts: Mapping[str, str] = {}
    failed: bool = False


RULE = "-" * 58
NOTHING: dict[str, object] = {}


def lines(*records: Mapping[str, object]) -> str:
    """The records as JSONL."""
    return "".join(json.dumps(record) + "\n" for record in records)


def call(name: str, arguments: object, call_id: str | None = "c1") -> dict[str, object]:
    """A tool call in the OpenAI form."""
    entry: dict[str, object] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return entry if call_id is None else {"id": call_id, **entry}


def chat(*calls: object, run: str = "t1", **flags: object) -> dict[str, object]:
    """A chat record with one assistant message that makes these calls."""
    return {
        "id": run,
        "messages": [
            {"role": "user", "content": "Identity: Nursing\nPay the bill."},
            {"role": "assistant", "content": None, "tool_calls": list(calls)},
            {"role": "tool", "tool_call_id": "c1", "content": "paid", **flags},
        ],
    }


def paid(run: str) -> dict[str, object]:
    """A chat record with one payment."""
    return chat(call("pay", {"amount": 3}), run=run)


CHAT = lines(
    chat(call("send_money", '{"amount": 12.5, "to": "ann"}')),
    chat(call("read", {}), run="t2", status="error"),
)
PAID = lines(paid("g1"), paid("g2"))
OWN = lines(
    {"trace": "o1", "tool": "pay", "arguments": {"amount": 3}, "context": {"user": "ann"}, "result": "ok"},
    {"trace": "o2", "tool": "read", "arguments": None, "texts": {"agent_input": "Read it."}},
    {"trace": "o1", "tool": "pay", "arguments": {"amount": 4}, "failed": True},
)
DECISIONS = lines(
    {
        "format": "workbench-decision/1",
        "trace": "d1",
        "message": {"role": "user", "text": "Pay the bill."},
    },
    {"format": "workbench-decision/1", "trace": "d1", "step": 0, "tool": "pay", "arguments": {"amount": 3}},
    {"format": "workbench-decision/1", "trace": "d1", "step": 0, "result": "paid"},
    {
        "format": "workbench-decision/1",
        "trace": "d1",
        "step": 1,
        "tool": "pay",
        "arguments": "{",
        "runs": False,
    },
    {
        "format": "workbench-decision/1",
        "trace": "d1",
        "step": 2,
        "action": 7,
        "tool": "read",
        "arguments": NOTHING,
    },
    {
        "format": "workbench-decision/1",
        "trace": "d1",
        "step": 3,
        "action": 7,
        "tool": "read",
        "arguments": NOTHING,
    },
    {"format": "workbench-decision/1", "trace": "d1", "step": 2, "result": "no", "failed": True},
)
RESPONSES = lines(
    {
        "id": "resp_1",
        "object": "response",
        "created_at": 1760000000,
        "input": [{"role": "user", "content": "Pay the bill."}],
        "output": [
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "c1",
                "name": "pay",
                "arguments": '{"amount": 3}',
            },
            {"type": "custom_tool_call", "call_id": "c2", "name": "shell", "input": "ls -l"},
            {"type": "function_call_output", "call_id": "c1", "output": "paid"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "no", "status": "failed"},
        ],
    }
)
ANTHROPIC = lines(
    {
        "id": "a1",
        "messages": [
            {"role": "user", "content": "Pay the bill."},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I pay."},
                    {"type": "tool_use", "id": "tu1", "name": "pay", "input": {"amount": 3}},
                    {"type": "tool_use", "id": "tu2", "name": "read", "input": NOTHING},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "tu1",
                        "content": [{"type": "text", "text": "paid"}],
                    },
                    {"type": "tool_result", "tool_use_id": "tu2", "content": "no", "is_error": True},
                ],
            },
        ],
    }
)


def claude(kind: str, content: object, **more: object) -> dict[str, object]:
    """A line of a Claude Code transcript."""
    message = {"id": f"m-{kind}", "role": kind, "content": content}
    return {"type": kind, "sessionId": "s1", "uuid": "u", "cwd": "/repo", "message": message, **more}


CLAUDE = lines(
    {"type": "summary", "summary": "Tidying"},
    claude("user", "Tidy up."),
    claude("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]),
    claude("assistant", [{"type": "tool_use", "id": "t9", "name": "Read", "input": NOTHING}], agentId="side"),
    claude("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}]),
    claude(
        "assistant",
        [{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "rm a"}}],
        wireToolInputs={"t2": {"command": "rm a.txt"}},
    ),
    claude("user", [{"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True}]),
)


OPENHANDS = json.dumps(
    [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Tidy up."}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "I look."}},
        {"id": 2, "source": "agent", "observation": "run", "cause": 1, "content": "a.txt", "extras": NOTHING},
        {"id": 3, "source": "agent", "action": "run", "args": {"command": "rm a"}, "llm_response_id": "m"},
        {"id": 4, "source": "agent", "observation": "error", "cause": 3, "content": "no", "extras": NOTHING},
        {
            "id": 5,
            "source": "agent",
            "action": "finish",
            "args": {"final_thought": "Done."},
            "llm_response_id": "m",
        },
    ],
    indent=1,
)
HOOKS = lines(
    {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/repo"},
    {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "t1",
    },
    {
        "hook_event_name": "PostToolUse",
        "session_id": "s1",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "a.txt"},
        "tool_use_id": "t1",
    },
    {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s1",
        "tool_name": "Bash",
        "tool_input": {"command": "rm a"},
        "tool_error": "no",
        "tool_use_id": "t2",
    },
)


def codex(kind: str, **payload: object) -> dict[str, object]:
    """A line of a Codex rollout."""
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


CODEX = lines(
    codex("session_meta", id="r1", cwd="/repo", cli_version="1.0"),
    codex("turn_context", model="m"),
    codex("response_item", type="message", role="user", content=[{"type": "input_text", "text": "Tidy up."}]),
    codex("response_item", type="function_call", name="shell", arguments='{"command": ["ls"]}', call_id="c1"),
    codex("event_msg", type="item_completed", item={"type": "CommandExecution", "id": "c1", "command": "ls"}),
    codex("response_item", type="function_call_output", call_id="c1", output={"content": "a.txt"}),
    codex(
        "response_item", type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2"
    ),
    codex(
        "response_item",
        type="custom_tool_call_output",
        call_id="c2",
        output={"content": "no", "success": False},
    ),
)
GEMINI = lines(
    {"sessionId": "g1", "projectHash": "00", "startTime": "2026-01-01T00:00:00Z", "kind": "main"},
    {
        "$set": {
            "messages": [{"id": "m0", "type": "user", "content": [{"text": "<session_context>\nToday."}]}],
            "lastUpdated": "2026-01-01T00:00:00Z",
        }
    },
    {"id": "m1", "timestamp": "2026-01-01T00:00:01Z", "type": "user", "content": [{"text": "Tidy up."}]},
    {"id": "m2", "timestamp": "2026-01-01T00:00:02Z", "type": "gemini", "content": "", "thoughts": []},
    {
        "id": "m2",
        "timestamp": "2026-01-01T00:00:02Z",
        "type": "gemini",
        "content": "",
        "toolCalls": [
            {
                "id": "c1",
                "name": "run_shell_command",
                "args": {"command": "ls"},
                "status": "success",
                "result": [{"functionResponse": {"id": "c1", "name": "x", "response": {"output": "a.txt"}}}],
            },
            {
                "id": "c2",
                "name": "read_file",
                "args": {"file_path": "b"},
                "status": "error",
                "result": [{"functionResponse": {"id": "c2", "name": "x", "response": {"error": "no"}}}],
            },
        ],
    },
    {
        "id": "m3",
        "type": "user",
        "content": [{"functionResponse": {"id": "c1", "name": "x", "response": {"output": "a.txt"}}}],
    },
    {"$set": {"lastUpdated": "2026-01-01T00:00:03Z"}},
)
ATIF = json.dumps(
    {
        "schema_version": "ATIF-v1.7",
        "session_id": "s1",
        "trajectory_id": "a1",
        "agent": {"name": "clerk", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Pay the bill."},
            {
                "step_id": 2,
                "source": "agent",
                "message": "I pay.",
                "tool_calls": [
                    {"tool_call_id": "c1", "function_name": "pay", "arguments": {"amount": 3}},
                    {"tool_call_id": "c2", "function_name": "read", "arguments": NOTHING},
                ],
                "observation": {
                    "results": [
                        {"source_call_id": "c1", "content": "paid"},
                        {
                            "source_call_id": "c2",
                            "content": "no",
                            "extra": {"is_error": True},
                            "subagent_trajectory_ref": [{"trajectory_id": "a2"}],
                        },
                    ]
                },
            },
        ],
        "subagent_trajectories": [
            {
                "schema_version": "ATIF-v1.7",
                "trajectory_id": "a2",
                "agent": {"name": "aide", "version": "1"},
                "steps": [
                    {
                        "step_id": 1,
                        "source": "agent",
                        "message": "",
                        "tool_calls": [{"tool_call_id": "c1", "function_name": "list", "arguments": NOTHING}],
                    }
                ],
            }
        ],
    },
    indent=1,
)


def sdk_span(number: int, data: Mapping[str, object], error: object = None) -> dict[str, object]:
    """A span of the Agents SDK; spans have the order of their numbers."""
    times = {
        "started_at": f"2026-01-01T00:00:0{number}+00:00",
        "ended_at": f"2026-01-01T00:00:0{number}.5+00:00",
    }
    span = {"object": "trace.span", "id": f"span_{number}", "trace_id": "trace_1", "parent_id": None}
    return {**span, **times, "span_data": data, "error": error}


AGENTS_SDK = lines(
    {"object": "trace", "id": "trace_1", "workflow_name": "Bills", "group_id": None, "metadata": None},
    sdk_span(1, {"type": "agent", "name": "clerk", "handoffs": [], "tools": ["pay"], "output_type": "str"}),
    sdk_span(2, {"type": "function", "name": "pay", "input": '{"amount": 3}', "output": "paid"}),
    sdk_span(3, {"type": "function", "name": "read", "input": "{}", "output": "no"}, {"message": "failed"}),
)
MCP = lines(
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "pay", "arguments": {"amount": 3}},
    },
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list"}},
    {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "paid"}], "isError": False}},
    {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "no"}], "isError": True}},
)


def attributes(**values: object) -> list[object]:
    """Attributes in the form of OTLP JSON; ``__`` means a dot."""
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in values.items()]


def otlp(*spans: dict[str, object]) -> dict[str, object]:
    """An OTLP export of these spans."""
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": list(spans)}]}]}


OTEL = lines(
    otlp(
        {
            "traceId": "aa",
            "spanId": "02",
            "name": "execute_tool pay",
            "startTimeUnixNano": "20",
            "attributes": attributes(
                gen_ai__operation__name="execute_tool",
                gen_ai__tool__name="pay",
                gen_ai__tool__call__id="c1",
                gen_ai__tool__call__result="paid",
            ),
        },
        {
            "traceId": "aa",
            "spanId": "01",
            "name": "chat",
            "startTimeUnixNano": "9",
            "attributes": attributes(
                gen_ai__output__messages=json.dumps(
                    [
                        {
                            "parts": [
                                {"type": "tool_call", "id": "c1", "name": "pay", "arguments": {"amount": 3}}
                            ]
                        }
                    ]
                )
            ),
        },
        {
            "traceId": "aa",
            "spanId": "03",
            "name": "execute_tool read",
            "startTimeUnixNano": "10",
            "attributes": attributes(gen_ai__operation__name="execute_tool", gen_ai__tool__name="read"),
            "status": {"code": 2},
        },
    )
)
OPENINFERENCE = lines(
    {
        "name": "pay",
        "context": {"trace_id": "aa", "span_id": "01"},
        "start_time": "2026-01-01T00:00:00Z",
        "attributes": {
            "openinference": {"span": {"kind": "TOOL"}},
            "tool": {"name": "pay"},
            "input": {"value": '{"amount": 3}', "mime_type": "application/json"},
            "output": {"value": "paid"},
        },
    },
    {
        "name": "read",
        "context": {"trace_id": "aa", "span_id": "02"},
        "start_time": "2026-01-01T00:00:01Z",
        "status_code": "ERROR",
        "attributes": {"openinference": {"span": {"kind": "TOOL"}}, "tool": {"name": "read"}},
    },
)
LANGSMITH = lines(
    {
        "id": "run2",
        "trace_id": "tr1",
        "run_type": "tool",
        "name": "read",
        "inputs": {"input": "plain words"},
        "error": "no",
        "start_time": "2026-01-01T00:00:02",
    },
    {
        "id": "run1",
        "trace_id": "tr1",
        "run_type": "tool",
        "name": "pay",
        "inputs": {"input": '{"amount": 3}'},
        "outputs": {"output": "paid"},
        "start_time": "2026-01-01T00:00:01",
        "extra": {"metadata": {"user_id": "ann"}},
    },
    {"id": "run0", "trace_id": "tr1", "run_type": "chain", "name": "agent", "inputs": {}},
)
LANGFUSE = lines(
    {
        "id": "ob1",
        "type": "TOOL",
        "traceId": "tr1",
        "name": "pay",
        "input": '{"amount": 3}',
        "output": "paid",
        "startTime": "2026-01-01T00:00:01Z",
        "userId": "ann",
    },
    {
        "id": "ob2",
        "type": "TOOL",
        "traceId": "tr1",
        "name": "read",
        "input": "{}",
        "level": "ERROR",
        "startTime": "2026-01-01T00:00:02Z",
    },
    {"id": "ob0", "type": "GENERATION", "traceId": "tr1", "name": "llm", "input": "x"},
)
INSPECT = json.dumps(
    {
        "version": 2,
        "eval": {"task": "t"},
        "samples": [
            {
                "id": 1,
                "epoch": 1,
                "input": "Pay the bill.",
                "events": [
                    {"event": "model", "output": {}},
                    {
                        "event": "tool",
                        "id": "c1",
                        "function": "pay",
                        "arguments": {"amount": 3},
                        "result": "paid",
                    },
                    {
                        "event": "tool",
                        "id": "c2",
                        "function": "read",
                        "arguments": NOTHING,
                        "error": {"type": "timeout", "message": "no"},
                    },
                ],
            }
        ],
    },
    indent=2,
)
OPA = lines(
    {
        "decision_id": "d1",
        "timestamp": "2026-01-01T00:00:00Z",
        "path": "agent/allow",
        "input": {"tool": "pay", "arguments": {"amount": 3}, "user": "ann"},
        "result": True,
    },
    {"decision_id": "d2", "path": "agent/allow", "input": {"tool": "pay"}, "erased": ["/input/arguments"]},
)
SAMPLES: dict[str, str] = {
    "openai-chat": CHAT,
    "workbench": OWN,
    "tool-calls": DECISIONS,
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "claude-code": CLAUDE,
    "claude-code-hooks": HOOKS,
    "openhands": OPENHANDS,
    "codex": CODEX,
    "gemini-cli": GEMINI,
    "atif": ATIF,
    "agents-sdk": AGENTS_SDK,
    "mcp": MCP,
    "otel-genai": OTEL,
    "openinference": OPENINFERENCE,
    "langsmith": LANGSMITH,
    "langfuse": LANGFUSE,
    "inspect": INSPECT,
    "opa-decision-log": OPA,
}


def user(text: str, **others: str) -> Mapping[str, str]:
    """The texts of a call after this one message of the user and after other roles' messages."""
    return {"user": text, "first_user": text, "all_user": text, **others}


# Formats without texts of messages, and formats without a flag for failed calls.
WITHOUT_WORDS = frozenset(
    (
        *("claude-code-hooks", "mcp", "agents-sdk", "otel-genai", "openinference", "langsmith", "langfuse"),
        "opa-decision-log",
    )
)
WITHOUT_FAILURES = frozenset({"opa-decision-log"})
# All calls of a sample.
CALLS: dict[str, list[SampleCall]] = {
    "openai-chat": [
        SampleCall(
            "t1",
            "send_money",
            {"amount": 12.5, "to": "ann"},
            "paid",
            texts=user("Identity: Nursing\nPay the bill."),
        ),
        SampleCall("t2", "read", {}, "paid", texts=user("Identity: Nursing\nPay the bill."), failed=True),
    ],
    "workbench": [
        SampleCall("o1", "pay", {"amount": 3}, "ok"),
        SampleCall("o1", "pay", {"amount": 4}, None, 1, failed=True),
        SampleCall("o2", "read", None, None, texts={"agent_input": "Read it."}),
    ],
    "tool-calls": [
        SampleCall("d1", "pay", {"amount": 3}, "paid", texts=user("Pay the bill.")),
        SampleCall("d1", "pay", None, None, 1, user("Pay the bill.")),
        SampleCall("d1", "read", {}, "no", 2, user("Pay the bill."), failed=True),
        SampleCall("d1", "read", {}, None, 2, user("Pay the bill.")),
    ],
    "openai-responses": [
        SampleCall("resp_1", "pay", {"amount": 3}, "paid", texts=user("Pay the bill.")),
        SampleCall("resp_1", "shell", {"input": "ls -l"}, "no", texts=user("Pay the bill."), failed=True),
    ],
    "anthropic": [
        SampleCall("a1", "pay", {"amount": 3}, "paid", texts=user("Pay the bill.", assistant="I pay.")),
        SampleCall("a1", "read", {}, "no", texts=user("Pay the bill.", assistant="I pay."), failed=True),
    ],
    "claude-code": [
        SampleCall("s1", "Bash", {"command": "ls"}, "a.txt", texts=user("Tidy up.")),
        SampleCall("s1", "Read", {}, None),
        SampleCall("s1", "Bash", {"command": "rm a.txt"}, "no", 0, user("Tidy up."), failed=True),
    ],
    "claude-code-hooks": [
        SampleCall("s1", "Bash", {"command": "ls"}, '{"stdout": "a.txt"}'),
        SampleCall("s1", "Bash", {"command": "rm a"}, "no", 1, failed=True),
    ],
    "openhands": [
        SampleCall("log", "run", {"command": "ls"}, "a.txt", texts=user("Tidy up.", assistant="I look.")),
        SampleCall("log", "run", {"command": "rm a"}, "no", 1, user("Tidy up."), failed=True),
        SampleCall("log", "finish", {"final_thought": "Done."}, None, 1, user("Tidy up.")),
    ],
    "codex": [
        SampleCall("r1", "shell", {"command": ["ls"]}, "a.txt", texts=user("Tidy up.")),
        SampleCall("r1", "apply_patch", {"input": "*** Begin Patch"}, "no", 1, user("Tidy up."), failed=True),
    ],
    "gemini-cli": [
        SampleCall(
            "g1",
            "run_shell_command",
            {"command": "ls"},
            "a.txt",
            texts=user(
                "Tidy up.", system="<session_context>\nToday.", first_system="<session_context>\nToday."
            ),
        ),
        SampleCall(
            "g1",
            "read_file",
            {"file_path": "b"},
            "no",
            texts=user(
                "Tidy up.", system="<session_context>\nToday.", first_system="<session_context>\nToday."
            ),
            failed=True,
        ),
    ],
    "atif": [
        SampleCall("a1", "pay", {"amount": 3}, "paid", texts=user("Pay the bill.", assistant="I pay.")),
        SampleCall("a1", "read", {}, "no", texts=user("Pay the bill.", assistant="I pay."), failed=True),
        SampleCall("a1", "list", {}, None, 1),
    ],
    "agents-sdk": [
        SampleCall("trace_1", "pay", {"amount": 3}, "paid"),
        SampleCall("trace_1", "read", {}, "no", 1, failed=True),
    ],
    "mcp": [
        SampleCall("log", "pay", {"amount": 3}, "paid"),
        SampleCall("log", "list", {}, "no", 1, failed=True),
    ],
    "otel-genai": [
        SampleCall("aa", "read", None, None, failed=True),
        SampleCall("aa", "pay", {"amount": 3}, "paid", 1),
    ],
    "openinference": [
        SampleCall("aa", "pay", {"amount": 3}, "paid"),
        SampleCall("aa", "read", None, None, 1, failed=True),
    ],
    "langsmith": [
        SampleCall("tr1", "pay", {"amount": 3}, '{"output": "paid"}'),
        SampleCall("tr1", "read", {"input": "plain words"}, "no", 1, failed=True),
    ],
    "langfuse": [
        SampleCall("tr1", "pay", {"amount": 3}, "paid"),
        SampleCall("tr1", "read", {}, None, 1, failed=True),
    ],
    "inspect": [
        SampleCall("1", "pay", {"amount": 3}, "paid", texts=user("Pay the bill.")),
        SampleCall(
            "1", "read", {}, '{"type": "timeout", "message": "no"}', 1, user("Pay the bill."), failed=True
        ),
    ],
    "opa-decision-log": [
        SampleCall("d1", "pay", {"amount": 3}, None),
        SampleCall("d2", "pay", None, None),
    ],
}
