"""An item that no importer knows, put into every list of a log: counted, and nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest

from tests.runs.logs.log_samples import (
    AGENTS_SDK,
    ANTHROPIC,
    ATIF,
    CHAT,
    INSPECT,
    LANGFUSE,
    LANGSMITH,
    NOTHING,
    OPENHANDS,
    RESPONSES,
    SAMPLES,
    attributes,
    lines,
    otlp,
)
from tests.runs.logs.test_nothing_lost import SIGNS, load, unread, values_of
from workbench.model import Json
from workbench.runs.logs import Imported


def records(text: str) -> list[dict[str, object]]:
    """The records of a sample."""
    return cast("list[dict[str, object]]", values_of(text))


# Documents with the lists that the samples lack: nested records, choices, wrapped requests, blocks.
SECOND_FORM: list[object] = [
    {
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "Tidy up."}]},
    },
    {
        "kind": "ActionEvent",
        "source": "agent",
        "id": "e1",
        "tool_name": "run",
        "tool_call_id": "c1",
        "thought": [{"type": "text", "text": "I look."}],
        "action": {"kind": "RunAction", "command": "ls"},
    },
    {
        "kind": "ObservationEvent",
        "source": "environment",
        "action_id": "e1",
        "tool_call_id": "c1",
        "observation": {"kind": "RunObservation", "content": "a.txt"},
    },
]
SPAN: dict[str, object] = {
    "traceId": "aa",
    "spanId": "01",
    "name": "execute_tool pay",
    "attributes": attributes(gen_ai__operation__name="execute_tool", gen_ai__tool__name="pay"),
    "events": [{"name": "x", "attributes": attributes(a="1")}],
}
ASKS: dict[str, object] = {
    "schema_version": "ATIF-v1.7",
    "trajectory_id": "a1",
    "steps": [
        {
            "step_id": 1,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "ask", "arguments": NOTHING}],
            "observation": {
                "results": [
                    {
                        "source_call_id": "c1",
                        "content": "done",
                        "subagent_trajectory_ref": [{"trajectory_id": "a2"}],
                    }
                ]
            },
        }
    ],
    "subagent_trajectories": json.loads(ATIF)["subagent_trajectories"],
}
LOOKS_UP: dict[str, object] = {
    "format": "workbench-decision/1",
    "run": "d1",
    "call": 0,
    "tool": "pay",
    "arguments": {"amount": 3},
    "look_ups": [{"tool": "get", "arguments": {"id": 1}, "result": "{}"}],
}
EVENTS = json.loads(INSPECT)["samples"][0]["events"]
SAYS = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Pay."}]}]}


def turn(text: str) -> object:
    """The agent's first turn in a conversation."""
    return cast("list[object]", records(text)[0]["messages"])[1]


OTHERS: dict[str, tuple[str, str]] = {
    "langsmith, nested": (
        "langsmith",
        lines({**records(LANGSMITH)[2], "child_runs": records(LANGSMITH)[:2]}),
    ),
    "langfuse, a trace": ("langfuse", lines({"id": "tr1", "observations": records(LANGFUSE)})),
    "agents-sdk, a page": ("agents-sdk", lines({"data": records(AGENTS_SDK)})),
    "openai-chat, a response": (
        "openai-chat",
        lines({"request": SAYS, "response": {"choices": [{"index": 0, "message": turn(CHAT)}]}}),
    ),
    "openai-responses, wrapped": ("openai-responses", lines({"response": records(RESPONSES)[0]})),
    "anthropic, a response": ("anthropic", lines({"id": "a2", "request": SAYS, "response": turn(ANTHROPIC)})),
    "openhands, second form": ("openhands", json.dumps(SECOND_FORM)),
    "openhands, pairs": (
        "openhands",
        lines({"id": "h1", "history": [json.loads(OPENHANDS)[1:3], json.loads(OPENHANDS)[3:5]]}),
    ),
    "inspect, events in events": (
        "inspect",
        lines({"samples": [{"id": "s", "events": [{"event": "subtask", "events": EVENTS}]}]}),
    ),
    "otel-genai, events": ("otel-genai", lines(otlp(SPAN))),
    "atif, references": ("atif", json.dumps(ASKS)),
    "tool-calls, look-ups": ("tool-calls", lines(LOOKS_UP)),
    "openai-chat, runs in a list": ("openai-chat", lines({"results": [*records(CHAT), *records(CHAT)]})),
}
LOGS = {name: (name, SAMPLES[name]) for name in sorted(SIGNS)} | OTHERS

ITEMS: dict[str, Json] = {
    "a kind": {"type": "unheard_of", "kind": "unheard_of", "unheard": {"amount": 9}},
    "an object": {"unheard": 1},
    "a text": "unheard of",
    "a number": 7,
    "a truth": True,
    "null": None,
    "a list": [],
    "a list of a list": [[7]],
}
# What a tool received or returned is that tool's, and no part of the log.
OF_A_TOOL = frozenset(
    {"arguments", "args", "tool_input", "tool_response", "inputs", "outputs", "params", "input", "result"}
)
# Lists of names, which are facts of the run and no parts of it; and thoughts, which no rule reads.
NAMES = frozenset({"handoffs", "tools", "allowed_tools", "erased", "thoughts", "thought"})
# A text in these lists is one that the importer reads: words of a message.
WORDS = frozenset({"content", "prompt"})

type Path_ = tuple[str | int, ...]


def lists(value: Json, path: Path_ = (), *, of_a_tool: bool = False) -> Iterator[Path_]:
    """The places of the lists of a document, apart from those inside what tools received and returned."""
    if isinstance(value, list):
        if not of_a_tool:
            yield path
        for place, item in enumerate(value):
            yield from lists(item, (*path, place), of_a_tool=of_a_tool)
    elif isinstance(value, dict):
        returned = value.get("role") == "tool" or str(value.get("type")).endswith("tool_result")
        for key, inner in value.items():
            message = key == "input" and isinstance(inner, list) and "role" in json.dumps(inner)
            skipped = (key in OF_A_TOOL and not message) or key in NAMES
            skipped = (
                skipped
                or (returned and key in ("content", "output"))
                or (key == "result" and "status" in value)
            )
            if not skipped:
                yield from lists(inner, (*path, key))


def at(document: Json, path: Path_) -> list[Json]:
    """The list at a path of a document."""
    value = document
    for step in path:
        value = cast("dict[str | int, Json]", value)[step]
    return cast("list[Json]", value)


def calls(imported: Imported) -> Sequence[Sequence[tuple[object, ...]]]:
    """What each run did, apart from calls that are not understood."""
    found = [
        [
            (
                call.tool,
                json.dumps(call.arguments, default=dict),
                call.result,
                call.failed,
                call.ran,
                call.time,
            )
            for call in run.calls
            if call.tool is not None
        ]
        for run in imported.runs
    ]
    return sorted([run for run in found if run], key=str)


def imported_from(text: str) -> Imported:
    with TemporaryDirectory() as folder:
        return load(Path(folder), text)


def as_lines(document: Json) -> str:
    return "".join(json.dumps(value) + "\n" for value in cast("list[Json]", document))


def as_array(document: Json) -> str:
    values = cast("list[Json]", document)
    return json.dumps(values[0] if len(values) == 1 and isinstance(values[0], list) else values)


@cache
def places(name: str) -> list[Path_]:
    return list(lists(values_of(LOGS[name][1])))


CASES = [(name, path) for name in LOGS for path in places(name)]


def titled(name: str, path: Path_) -> str:
    return f"{name}: {'.'.join(map(str, path)) or 'records'}"


@pytest.mark.parametrize(("name", "path"), CASES, ids=[titled(name, path) for name, path in CASES])
@pytest.mark.parametrize("write", [as_lines, as_array], ids=["lines", "array"])
def test_an_unknown_item_anywhere_is_counted_and_nothing_is_lost_split_or_invented(
    name: str, path: Path_, write: Callable[[Json], str]
) -> None:
    format_name, text = LOGS[name]
    whole = imported_from(write(values_of(text)))
    assert {run.format for run in whole.runs} == {format_name}
    for place in range(len(at(values_of(text), path)) + 1):
        for kind, item in ITEMS.items():
            if (path == () and place == 0 and item == []) or (
                kind == "a text" and path and path[-1] in WORDS
            ):
                continue  # an empty array at the beginning of a file has nothing in it
            document: Json = values_of(text)
            at(document, path).insert(place, json.loads(json.dumps(item)))
            imported = imported_from(write(document))
            told = f"{kind} at {place}: {[problem.reason for problem in imported.problems]}"
            assert unread(imported) > unread(whole), told
            assert {run.format for run in imported.runs} == {format_name}, told
            assert calls(imported) == calls(whole), told


@pytest.mark.parametrize(
    ("payload", "count"),
    [
        ({"type": "unheard_of"}, 1),
        ({"type": "unheard_of", "call_id": "c9"}, 1),
        ({"type": "unheard_of", "call_id": "c1"}, 0),
        ({"type": "item_completed", "item": {"type": "Unheard"}}, 1),
        ({"type": "item_completed", "item": {"type": "Reasoning"}}, 0),
        ({"type": "token_count", "info": None}, 0),
        ({"type": 7}, 1),
        ({}, 1),
    ],
)
def test_an_event_of_codex_is_known_or_repeats_a_call_or_is_counted(
    payload: dict[str, Json], count: int
) -> None:
    event = lines({"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": payload})
    imported = imported_from(SAMPLES["codex"] + event)
    assert unread(imported) == count
    assert calls(imported) == calls(imported_from(SAMPLES["codex"]))


@pytest.mark.parametrize(
    ("references", "count"),
    [
        ([{"trajectory_id": "a2"}], 0),
        ([{"trajectory_id": "elsewhere", "trajectory_path": "agents/aide.json"}], 1),
        ([{"trajectory_path": "a.json"}, {"trajectory_id": "a2"}, {"session_id": "b"}], 2),
        ({"trajectory_path": "a.json"}, 1),
    ],
)
def test_trajectories_of_subagents_in_other_files_are_counted(references: Json, count: int) -> None:
    document = json.loads(json.dumps(ASKS))
    document["steps"][0]["observation"]["results"][0]["subagent_trajectory_ref"] = references
    imported = imported_from(json.dumps(document))
    assert sum(problem.count for problem in imported.problems if "another file" in problem.reason) == count
    assert len(imported.runs) == 1


def test_a_trajectory_that_goes_on_in_another_file_says_so() -> None:
    document = {**json.loads(json.dumps(ASKS)), "continued_trajectory_ref": "part-2.json"}
    (problem,) = imported_from(json.dumps(document)).problems
    assert "goes on in another file" in problem.reason


def test_values_of_an_array_beside_the_records_are_counted_whatever_chunk_they_end_in() -> None:
    """The file is read in pieces: a value may be cut anywhere."""
    record = json.dumps({"run": "o1", "tool": "pay", "arguments": {"amount": 3}})
    for before in range(262_120, 262_150):
        filling = " " * before
        text = f'[{filling}"a text, with [ and a comma", 12345, null,\n{record}, true,false]'
        imported = imported_from(text)
        assert unread(imported) == 5
        assert [problem.line for problem in imported.problems] == [1, 1, 1, 2, 2]
        assert sum(len(run.calls) for run in imported.runs) == 1


def test_a_value_in_a_list_of_a_span_is_kept_as_a_value() -> None:
    """OTLP writes arguments as its own values: none of them may be left out of a list."""
    values: list[Json] = [{"stringValue": "ann"}, 7, {"stringValue": "bob"}]
    arguments = {"kvlistValue": {"values": [{"key": "to", "value": {"arrayValue": {"values": values}}}]}}
    span = {
        **SPAN,
        "attributes": [
            *attributes(gen_ai__operation__name="execute_tool", gen_ai__tool__name="pay"),
            {"key": "gen_ai.tool.call.arguments", "value": arguments},
        ],
    }
    (run,) = imported_from(lines(otlp(span))).runs
    assert run.calls[0].arguments == {"to": ["ann", 7, "bob"]}
