"""Replay: real policies over real calls, summaries, comparisons, and the recorded benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.plain_policies import check
from tests.runs.logs.log_samples import call, chat, lines
from tests.runs.replay.decided_calls import decide_calls
from tests.runs.replay.plain_arguments import PlainExtractor
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import EnforcedPolicy
from workbench.model import (
    Argument,
    Arguments,
    ArgumentType,
    CallDecision,
    Decision,
    Extracted,
    Kind,
    RecordedCall,
    Run,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import DecisionCache, replay
from workbench.runs.replay.flips import FlipKind, flips
from workbench.runs.replay.summary import summarise
from workbench.serialization.nouns import PLACE, json_of

POLICY = '''"""Payments."""

from decimal import Decimal


def forbid_large(tool: str, amount: Decimal | None) -> bool:
    """R1: No payment above 100."""
    return tool == "pay" and amount is not None and amount > Decimal("100")


def forbid_delete(tool: str) -> bool:
    """R2: Nothing is deleted."""
    return tool == "delete"


def allow(tool: str, amount: Decimal | None) -> bool:
    return not (forbid_large(tool, amount) or forbid_delete(tool))
'''
EXTRACTOR = PlainExtractor(
    {
        Argument("tool", ArgumentType(Kind.STR)): "tool",
        Argument("amount", ArgumentType(Kind.DECIMAL, optional=True)): "arguments.amount",
    }
)
CALLS = [
    call("pay", '{"amount": 12.5}', "a"),
    call("pay", '{"amount": 250}', "b"),
    call("delete", "{}", "c"),
    call("pay", '{"amount": ', "d"),
    call("read", "{}", "e"),
]


def decided(tmp_path: Path, policy: str = POLICY) -> list[CallDecision]:
    path = tmp_path / "log.jsonl"
    path.write_text(lines(chat(*CALLS)))
    return list(replay(compile_policy(check(policy)), EXTRACTOR, load_runs([path]).runs))


def test_every_call_gets_one_of_three_verdicts_with_rules_and_reasons(tmp_path: Path) -> None:
    decisions = decided(tmp_path)
    assert [call_decision.decision.verdict.value for call_decision in decisions] == [
        "allow",
        "deny",
        "deny",
        "cannot-evaluate",
        "allow",
    ]
    assert [violation.rule for violation in decisions[1].decision.violations] == ["forbid_large"]
    assert decisions[3].decision.reasons == ("amount: the log does not say the arguments of the call",)


def test_a_summary_counts_verdicts_and_rules(tmp_path: Path) -> None:
    assert json_of(summarise(decided(tmp_path))) == {
        "calls": 5,
        "allow": 2,
        "ask": 0,
        "deny": 2,
        "cannot_evaluate": 1,
        "by_rule": {"forbid_delete": 1, "forbid_large": 1},
    }


def test_a_call_as_json_names_values_and_their_characters(tmp_path: Path) -> None:
    record = json.loads(json.dumps(json_of(decided(tmp_path)[1])))
    assert json.loads(json.dumps(record)) == {
        "run": "t1",
        "step": 0,
        "call": 1,
        "decision": "deny",
        "violations": [{"rule": "forbid_large", "message": "No payment above 100.", "items": []}],
        "arguments": {
            "tool": {
                "value": "pay",
                "source": [{"method": "path", "text": "tool", "spans": [[0, 3]], "confidence": 1.0}],
            },
            "amount": {
                "value": "250",
                "source": [{"method": "path", "text": "arguments", "spans": [[11, 14]], "confidence": 1.0}],
            },
        },
        "reasons": [],
    }


def test_flips_put_every_call_into_one_bucket(tmp_path: Path) -> None:
    old = decided(tmp_path)
    new = decided(tmp_path, POLICY.replace('Decimal("100")', 'Decimal("300")').replace('"delete"', '"read"'))
    assert [flip.kind.value for flip in flips(old, new)] == [
        "same",
        "newly-allowed",
        "newly-allowed",
        "same",
        "newly-denied",
    ]
    assert {flip.kind for flip in flips(old, old)} == {FlipKind.SAME}
    with pytest.raises(WorkbenchError):
        list(flips(old, old[1:] + old[:1]))


def test_extracting_first_and_deciding_later_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(lines(chat(*CALLS)))
    calls = load_runs([path]).runs[0].calls
    extracted = [EXTRACTOR.extract(recorded_call, calls[:index]) for index, recorded_call in enumerate(calls)]
    policy = compile_policy(check(POLICY))
    assert list(decide_calls(policy, calls, extracted)) == decided(tmp_path)


class Counting(EnforcedPolicy):
    """Allows everything and stores its arguments."""

    def __init__(self) -> None:
        self.inputs: list[Arguments] = []

    def decide(self, arguments: Arguments) -> Decision:
        self.inputs.append(arguments)
        return Decision(Verdict.ALLOW, arguments=arguments)


def test_equal_arguments_are_decided_once_and_equal_looking_ones_apart() -> None:
    values: list[Value] = [1, True, Decimal(1), 1, "1", None, frozenset({"a"}), frozenset({"a"})]
    policy = Counting()
    cache = DecisionCache(policy)
    for value in values:
        cache.decide({"x": Extracted(value)})
    assert [(type(arguments["x"]), arguments["x"]) for arguments in policy.inputs] == [
        (int, 1),
        (bool, True),
        (Decimal, Decimal(1)),
        (str, "1"),
        (type(None), None),
        (frozenset, frozenset({"a"})),
    ]


def tool_use(name: str) -> dict[str, object]:
    return {"type": "tool_use", "id": name, "name": "read", "input": {}}


def function_call(name: str) -> dict[str, object]:
    return {"type": "function_call", "call_id": name, "name": "read", "arguments": "{}"}


CALLS_AT_ONCE: dict[str, dict[str, object]] = {
    "openai-chat": {
        "messages": [
            {"role": "assistant", "tool_calls": [call("read", "{}", "a"), call("read", "{}", "b")]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "tool", "tool_call_id": "b", "content": "2"},
            {"role": "assistant", "tool_calls": [call("read", "{}", "c")]},
        ]
    },
    "anthropic": {
        "messages": [
            {"role": "assistant", "content": [tool_use("a"), tool_use("b")]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]},
            {"role": "assistant", "content": [tool_use("c")]},
        ]
    },
    "openai-responses": {
        "input": [
            function_call("a"),
            function_call("b"),
            {"type": "function_call_output", "call_id": "a", "output": "1"},
            function_call("c"),
        ]
    },
}


@pytest.mark.parametrize("name", CALLS_AT_ONCE)
def test_calls_of_one_message_are_one_step_and_counted_as_calls(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(CALLS_AT_ONCE[name]) + "\n", encoding="utf-8")
    imported = load_runs([path])
    assert {(run.path, run.format) for run in imported.runs} == {(str(path), name)}
    calls = [recorded_call for run in imported.runs for recorded_call in run.calls]
    places = [PLACE.write(recorded_call) for recorded_call in calls]
    assert [(place["step"], place["call"]) for place in places] == [(0, 0), (0, 1), (1, 2)]


def test_replay_needs_one_run_at_a_time() -> None:
    pulled: list[str] = []

    def runs() -> Iterator[Run]:
        for name in ("a", "b"):
            pulled.append(name)
            yield Run(name, (RecordedCall(name, 0, "read", {}),), "own")

    decisions = replay(Counting(), EXTRACTOR, runs())
    next(decisions)
    assert pulled == ["a"]
