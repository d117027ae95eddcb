"""Small labelled recordings of every format, and scripted guards."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from guard_comparison.guards.evaluated_guard import JudgedCall

from workbench.model import Decision, Json, RecordedCall, Run, Verdict, Violation


def action(number: int, label: int, **more: Json) -> dict[str, Json]:
    """A labelled action in GuardAgent's layout."""
    return {
        "example_id": f"e{number}",
        "agent_input": f"Task: look at thing {number}.\n\nuser_info:\n  age: {number}",
        "agent_output": f"click {number}",
        "label": label,
        **more,
    }


def run_of_tools(name: str, tools: list[str], own: list[str], success: int) -> dict[str, Json]:
    """A run of an agent that has its own list of tools."""
    steps: list[Json] = [
        {
            "kind": "tool_call",
            "role": "assistant",
            "tool": tool,
            "args": None,
            "observation": "ok",
            "text": None,
        }
        for tool in tools
    ]
    return {
        "run_id": name,
        "agent": "a",
        "attack_type": "some_attack",
        "allowed_tools": list[Json](own),
        "steps": steps,
        "outcome": {"original_task_successful": success},
    }


def run_of_calls(name: str, calls: list[tuple[str, str]], kind: str = "hijacked") -> dict[str, Json]:
    """A run in OpenAI's chat form; calls are pairs of tool and origin."""
    messages: list[Json] = [{"role": "user", "content": "please do it"}]
    labels: list[Json] = []
    for number, (tool, origin) in enumerate(calls):
        call: Json = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "done"})
        labels.append({"tool_call_id": f"c{number}", "tool": tool, "origin": origin})
    return {
        "trace_id": name, "suite": "s", "kind": kind, "user_task_id": "u", "messages": messages,
        "call_labels": labels, "label": 1, "injection_goal": "SECRET GOAL",
    }  # fmt: skip


def write_lines(path: Path, records: list[dict[str, Json]]) -> Path:
    """A JSONL file."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


class Scripted:
    """A guard that decides by a function of the call and counts its calls."""

    def __init__(
        self, decide: Callable[[RecordedCall], JudgedCall | Verdict], name: str = "scripted"
    ) -> None:
        """Take the function, which may return only a verdict."""
        self.name = name
        self.seen: list[tuple[RecordedCall, Run]] = []
        self._decide = decide

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """Return the function's decision."""
        self.seen.append((call, run))
        judged = self._decide(call)
        return judged if isinstance(judged, JudgedCall) else JudgedCall(decision(judged))


def decision(
    verdict: Verdict, *messages: str, items: Mapping[str, tuple[str, ...]] | None = None
) -> Decision:
    """A decision; a denial has at least one violation."""
    if verdict is not Verdict.DENY:
        return Decision(verdict)
    reasons = messages or ("no",)
    return Decision(
        verdict, tuple(Violation("r", message, (items or {}).get(message, ())) for message in reasons)
    )


def task(name: str, label: int) -> dict[str, Json]:
    """A task of SeeAct with its label, as Mind2Web-SC is published."""
    return {
        "annotation_id": name,
        "confirmed_task": "Book a room",
        "user_info": {"age": 17},
        "gpt_output": ["I click."],
        "label": label,
        "violation": "SECRET RULE",
    }


def labels_beside_log(folder: Path) -> Path:
    """A file of labels next to the log that they are about."""
    call: dict[str, Json] = {"run": "r", "tool": "pay", "arguments": {"amount": 3}}
    write_lines(folder / "runs.jsonl", [call])
    labels: dict[str, Json] = {"run": "r", "call": 0, "label": "deny", "because": "SECRET REASON"}
    return write_lines(folder / "labels.jsonl", [labels])


def result_table(folder: Path) -> Path:
    """A result table of Agent Security Bench."""
    content = "[Action]: I will call the steal with the params as None;"
    messages = repr([{"role": "assistant", "content": content}]).replace('"', '""')
    path = folder / "d.csv"
    columns = "Agent Name,Attack Tool,Original Task Successful,messages"
    path.write_text(f'{columns}\nclerk,steal,1,"{messages}"\n', encoding="utf-8")
    return path


def _lines(*records: dict[str, Json]) -> Callable[[Path], Path]:
    return lambda folder: write_lines(folder / "d.jsonl", list(records))


# For each reader what writes a small file of its format, and words that only its labels have.
RECORDINGS: Mapping[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "labelled-actions": (
        _lines(action(1, 1, violation="SECRET RULE", inaccessible={"lab": ["result"]})),
        ("label", "SECRET RULE", "inaccessible"),
    ),
    "seeact-tasks": (_lines(task("t", 1)), ("label", "SECRET RULE")),
    "labelled-calls": (
        _lines(run_of_calls("a", [("read_file", "user"), ("send_money", "injected")])),
        ("call_labels", "injected", "hijacked", "SECRET GOAL"),
    ),
    "labels-of-calls": (labels_beside_log, ("label", "SECRET REASON")),
    "listed-tools": (
        _lines(run_of_tools("a", ["own", "other"], ["own"], 1)),
        ("outcome", "successful", "some_attack"),
    ),
    "listed-tools-csv": (result_table, ("Attack Tool", "Successful")),
}
