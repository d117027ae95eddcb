"""A log whose runs have a context, and a guard that is given the same object: one context, the same paths."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import accepted
from tests.guard.exported_files import imported
from tests.runs.logs.written_runs import Call, Turn, anthropic, openai, openhands
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import Json
from workbench.runs.logs import load_runs

POLICY = '''"""What may be paid."""

from agent import Pay, Run

DEFAULT = "allow"


def forbid_others(call: Pay, run: Run) -> bool:
    """R1: Only the own address is paid."""
    return call.to != run.context.email


def forbid_small_plans(call: Pay, run: Run) -> bool:
    """R2: The free plan pays nothing."""
    return run.context.plan == "free"
'''
ANN: dict[str, Json] = {"user": {"email": "ann@example.com", "name": None}, "plan": "pro"}
BOB: dict[str, Json] = {"user": {"email": "bob@example.com", "name": "Bob"}, "plan": "free"}
CONTEXTS: list[dict[str, Json]] = [ANN, BOB, {**ANN, "plan": "team"}, {**BOB, "plan": "pro"}, {"plan": "pro"}]
CALLS = tuple(Call("pay", {"to": to}, "paid") for to in ("ann@example.com", "bob@example.com"))
INPUT: list[Json] = [{"role": "user", "content": "Pay."}]
ITEMS: list[Json] = [
    *INPUT,
    *(
        {"type": "function_call", "call_id": to, "name": "pay", "arguments": json.dumps(call.arguments)}
        for call, to in zip(CALLS, "ab", strict=True)
    ),
]


def one_run(form: str, number: int, context: Json) -> list[dict[str, object]]:
    """The records of a run in a format, with its context."""
    record: dict[str, object] = {"id": f"run-{number}", "model": "m", "context": context}
    turns: list[Turn] = [CALLS]
    match form:
        case "openai-chat":
            return [{**record, "messages": openai(turns)}]
        case "anthropic":
            return [{**record, "messages": anthropic(turns)}]
        case "openai-responses":
            return [{**record, "input": ITEMS}]
        case "openhands":
            return [{**record, "history": openhands(turns)}]
        case _:
            lines: list[dict[str, object]] = [
                {"run": f"run-{number}", "tool": "pay", "arguments": call.arguments} for call in CALLS
            ]
            return [{**line, "context": context} for line in lines]


@pytest.mark.parametrize("form", ["openai-chat", "anthropic", "openai-responses", "openhands", "workbench"])
def test_a_guard_that_is_given_the_context_of_the_log_decides_as_the_replay(
    form: str, tmp_path: Path
) -> None:
    records = [record for number, context in enumerate(CONTEXTS) for record in one_run(form, number, context)]
    log, request = tmp_path / "runs.jsonl", tmp_path / "request.md"
    log.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    request.write_text("Only the own address is paid. The free plan pays nothing.\n", encoding="utf-8")
    (run, *_) = load_runs([log]).runs
    assert run.format == form
    assert main(["new", str(tmp_path / "desk"), "--request", str(request), "--log", str(log)]) == 0
    with closing(Workbench.open(tmp_path / "desk")) as bench:
        paths = {name: field.path or name for name, field in bench.session.spec.context.items()}
        assert {"email": "user.email", "plan": "plan"}.items() <= paths.items()
        bench.session.set_policy(POLICY)
        shown = bench.replay(bench.policy.terms(), bench.runs.load()).shown
        replayed = [one.decision.verdict.value for one in shown]
        exported = accepted(bench).policy.export().text
    assert set(replayed) == {"allow", "deny"}
    assert '# context: {"user": {"email": ...}, "plan": ...}' in exported.splitlines()
    path = tmp_path / "desk_policy.py"
    path.write_text(exported, encoding="utf-8")
    module = imported(path)
    guard = module.guard()
    decided: list[str] = []
    for number, context in enumerate(CONTEXTS):
        with guard.run(f"run-{number}", context=context) as guarded:
            outcomes = [guarded.check(module.ToolCall(call.tool, call.arguments)) for call in CALLS]
            decided += [outcome.decision.verdict.value for outcome in outcomes]
    assert decided == replayed
