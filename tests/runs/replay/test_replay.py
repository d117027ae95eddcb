"""Replay: real policies over real calls, summaries, comparisons, and the recorded benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.recordings import DATA, needs_recordings
from tests.runs.logs.log_samples import call, chat, lines
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import EnforcedPolicy
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    CallDecision,
    Decision,
    Extracted,
    Extraction,
    Json,
    Kind,
    RecordedCall,
    Run,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import FlipKind, call_to_json, decide_calls, flips, replay, summarise
from workbench.runs.replay.record import place_to_json

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
SPEC = AgentSpec(
    "payer",
    arguments=(
        Argument("tool", ArgumentType(Kind.STR), extraction=Extraction("jsonpath", {"path": "$.tool"})),
        Argument(
            "amount",
            ArgumentType(Kind.DECIMAL, optional=True),
            extraction=Extraction("jsonpath", {"path": "$.arguments.amount"}),
        ),
    ),
)
EXTRACTOR = Extractor(SPEC.arguments, SPEC)
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
    assert decisions[3].decision.reasons == ("amount: the log does not say which arguments the call had",)


def test_a_summary_counts_verdicts_and_rules(tmp_path: Path) -> None:
    assert summarise(decided(tmp_path)).to_json() == {
        "calls": 5,
        "allow": 2,
        "ask": 0,
        "deny": 2,
        "cannot_evaluate": 1,
        "by_rule": {"forbid_delete": 1, "forbid_large": 1},
    }


def test_a_call_as_json_names_values_and_their_characters(tmp_path: Path) -> None:
    record = call_to_json(decided(tmp_path)[1])
    assert json.loads(json.dumps(record)) == {
        "run": "t1",
        "step": 0,
        "call": 1,
        "decision": "deny",
        "violations": [{"rule": "forbid_large", "message": "No payment above 100.", "items": []}],
        "arguments": {
            "tool": {
                "value": "pay",
                "source": [{"method": "jsonpath", "text": "tool", "spans": [[0, 3]], "confidence": 1.0}],
            },
            "amount": {
                "value": "250",
                "source": [
                    {"method": "jsonpath", "text": "arguments", "spans": [[11, 14]], "confidence": 1.0}
                ],
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
    calls = [RecordedCall("t", index, None, None) for index in range(len(values))]
    decide_calls(policy, calls, [{"x": Extracted(value)} for value in values])
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
    assert imported.formats == {str(path): name}
    calls = [recorded_call for run in imported.runs for recorded_call in run.calls]
    places = [place_to_json(recorded_call) for recorded_call in calls]
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


# --- the recorded hospital benchmark ----------------------------------------------


def hospital() -> tuple[AgentSpec, str]:
    """A spec and a policy from the facts of the permission table."""
    facts = json.loads((DATA / "eicu_ac" / "permissions.json").read_text())
    roles: dict[str, dict[str, list[str]]] = facts["roles"]
    tables: dict[str, list[str]] = facts["databases"]
    schema = {table: tuple(columns) for table, columns in tables.items()}
    bounds = ("temperature", "sao2", "heart_rate", "respiration", "systolic_bp", "diastolic_bp", "mean_bp")
    options: dict[str, Json] = {
        "table": ["LoadDB"],
        "conditions": ["FilterDB"],
        "columns": ["GetValue"],
        "sql": ["SQLInterpreter"],
        "pure": ["Calculate", "Calendar"],
        # The agent's database fills in the bounds of a normal vital sign under these names.
        "constants": [f"{name}_{side}" for name in bounds for side in ("lower", "upper")],
    }
    arguments = (
        Argument(
            "role",
            ArgumentType(Kind.ENUM, tuple(roles)),
            extraction=Extraction("field", {"key": "Identity"}),
        ),
        Argument("columns", ArgumentType(Kind.SET), extraction=Extraction("code_columns", options)),
    )
    table = {
        role: sorted(f"{name}.{column}" for name, columns in readable.items() for column in columns)
        for role, readable in roles.items()
    }
    entries = "".join(
        f"    {json.dumps(role)}: {{{json.dumps(items)[1:-1]}}},\n" for role, items in table.items()
    )
    policy = (
        "from typing import Literal\n\nRole = Literal[" + json.dumps(list(roles))[1:-1] + "]\n"
        "READABLE = {\n" + entries + "}\n\n\n"
        "def forbid_column(role: Role, columns: frozenset[str]) -> bool:\n"
        '    """R1: Only listed columns."""\n'
        "    return any(column not in READABLE[role] for column in columns)\n\n\n"
        "def allow(role: Role, columns: frozenset[str]) -> bool:\n"
        "    return not (forbid_column(role, columns))\n"
    )
    return AgentSpec("ehr", arguments=arguments, schema=schema), policy


@needs_recordings
@pytest.mark.parametrize(("name", "labels", "items"), [("original", 0.99, 0.97), ("paper_like", 1.0, 1.0)])
def test_recorded_hospital_calls_are_decided_as_labelled(name: str, labels: float, items: float) -> None:
    spec, policy = hospital()
    path = DATA / "eicu_ac" / f"{name}.jsonl"
    truth = {record["example_id"]: record for record in map(json.loads, path.read_text().splitlines())}
    right = exact = denied = 0
    decisions = list(
        replay(compile_policy(check(policy)), Extractor(spec.arguments, spec), load_runs([path]).runs)
    )
    assert len(decisions) == len(truth)
    for call_decision in decisions:
        record = truth[call_decision.run]
        right += call_decision.decision.verdict is (Verdict.DENY if record["label"] else Verdict.ALLOW)
        if record["label"]:
            denied += 1
            wanted = {
                f"{table}.{column}" for table, columns in record["inaccessible"].items() for column in columns
            }
            exact += {
                item for violation in call_decision.decision.violations for item in violation.items
            } == wanted
        if call_decision.decision.verdict is Verdict.ALLOW:
            assert call_decision.extracted["columns"].value
    assert right >= labels * len(decisions)
    assert exact >= items * denied
