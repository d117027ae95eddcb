"""A guard's logged decisions are the same when its log is imported and replayed."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.accepting import accept
from tests.dialect.lowered_agents import lowered_agent
from tests.examples import examples
from tests.live_guarding import live_guard
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.guard import Approval, DecisionLog, Guard, Outcome, Strategy, ToolCall
from workbench.model import (
    CallDecision,
    Json,
    Verdict,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay

ROOT = Path(__file__).resolve().parents[2]

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "docs" / "reference" / "schemas" / "decisions.json").read_text())
)

AGENT = """
name = "bank"
[tools.pay.parameters]
type = "object"
properties = {amount = {type = "number"}, payee = {type = "string"}}
required = ["amount", "payee"]
[tools.read]
[readings.place]
type = "str"
extract = {method = "field", key = "place"}
"""
SOURCE = '''"""Payments."""

from decimal import Decimal

from agent import Pay, Run

DEFAULT = "allow"


def total(call: Pay, run: Run) -> Decimal:
    """what is paid in the run"""
    return call.amount + sum(c.amount for c in run.earlier(Pay))


def forbid_large(call: Pay, run: Run) -> bool:
    """R1: No more than 100 in all."""
    return total(call, run) > Decimal("100")


def forbid_unseen(call: Pay, run: Run) -> bool:
    """R2: Pay only whom a bill names."""
    return "read.payee" not in call.payee.source and call.payee != "alice"


def forbid_night(call: Pay, run: Run) -> bool:
    """R3: Nothing is paid from abroad."""
    return run.said.place == "abroad"
'''
TERMS, SPEC = lowered_agent(AGENT, SOURCE)


def parts() -> tuple[CompiledPolicy, Extractor]:
    return compile_policy(TERMS), Extractor(SPEC.arguments, SPEC)


def make_guard(path: Path, strategy: Strategy, approvers: tuple[str, ...] = ()) -> Guard:
    policy, extractor = parts()
    answers = iter(approvers)

    def approve(_outcome: Outcome) -> str:
        return next(answers, "")

    approval = Approval(approve, timeout=20) if approvers else None
    return live_guard(
        policy, extractor, strategy=strategy, log=DecisionLog(path), approval=approval, measuring=True
    )


def replayed(path: Path) -> dict[tuple[str, int], CallDecision]:
    policy, extractor = parts()
    imported = load_runs([path])
    assert imported.problems == ()
    assert {run.format for run in imported.runs} <= {"tool-calls", "workbench"}
    return {(item.run, item.index): item for item in replay(policy, extractor, imported.runs)}


TEXTS = st.sampled_from(["alice", "bob", "bob\u202e", "", "e\x1bve", "bob\ud800", "a" * 40])
AMOUNTS = st.one_of(
    st.integers(-5, 120),
    st.sampled_from([0.1, 1e400, float("nan"), "12.50", "many", None, True, 99.99999999999999, 1e-9]),
)
PLACES = st.sampled_from(["place: home", "place: abroad", "no such line", "place: home\nplace: abroad"])
type Calls = list[tuple[str, dict[str, Json] | None, object]]


@st.composite
def some_arguments(draw: st.DrawFn) -> dict[str, Json] | None:
    if draw(st.booleans()) and draw(st.booleans()):
        return None
    arguments: dict[str, Json] = {"amount": draw(AMOUNTS), "payee": draw(TEXTS)}
    if draw(st.booleans()):
        arguments["user"] = draw(PLACES)
    return arguments


RESULTS: st.SearchStrategy[object] = st.one_of(st.none(), TEXTS, st.lists(TEXTS, max_size=2))
ACTION: st.SearchStrategy[Calls] = st.lists(
    st.tuples(st.sampled_from(["pay", "read"]), some_arguments(), RESULTS), min_size=1, max_size=3
)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    actions=st.lists(ACTION, max_size=5),
    place=PLACES,
    strategy=st.sampled_from(Strategy),
    approvers=st.sampled_from([(), ("eve",)]),
)
def test_every_decision_of_a_log_is_made_again_when_it_is_replayed(
    actions: list[Calls],
    place: str,
    strategy: Strategy,
    approvers: tuple[str, ...],
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "decisions.jsonl"
        outcomes: list[Outcome] = []
        base = make_guard(path, strategy, approvers)
        for run in (base.run("one", context={"user": place}), base.run("two", context={"user": place})):
            for calls in actions:
                checked = run.check_action([ToolCall(tool, arguments) for tool, arguments, _ in calls])
                outcomes += checked
                for outcome, (_, _, result) in zip(checked, calls, strict=True):
                    if outcome.runs and result is not None:
                        run.finish(outcome, result)
        decisions = replayed(path) if actions else {}
        lines = path.read_text().splitlines() if actions else []
    assert all(SCHEMA.is_valid(json.loads(line)) for line in lines)
    assert len(decisions) == len(outcomes)
    for outcome in outcomes:
        again = decisions[outcome.call.run, outcome.call.index].decision
        assert again.verdict is outcome.decision.verdict
        if again.verdict is not Verdict.CANNOT_EVALUATE:
            assert again.violations == outcome.decision.violations
            assert again.arguments == outcome.decision.arguments


def test_arguments_that_a_log_lacks_matter_where_they_are_read_and_unreadable_ones_always(
    tmp_path: Path,
) -> None:
    lines = [
        {"run": "r", "tool": "read", "context": {"user": "place: home"}},
        {"run": "s", "tool": "pay", "context": {"user": "place: home"}},
        {"run": "t", "tool": "read", "context": {"user": "place: home"}, "arguments": "[1]"},
    ]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    verdicts = [item.decision.verdict for item in replayed(path).values()]
    assert verdicts == [Verdict.ALLOW, Verdict.CANNOT_EVALUATE, Verdict.CANNOT_EVALUATE]


def total_of(decision: CallDecision) -> Decimal:
    """What is paid in a run, this payment included."""
    parts = [decision.extracted[name].value for name in ("pay_amount", "sum_amount_pay")]
    return sum((part for part in parts if isinstance(part, Decimal)), Decimal(0))


def test_two_runs_of_one_name_are_two_runs_of_a_replay(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    base = make_guard(path, Strategy.BLOCK_CALL)
    runs = [base.run("r", context={"user": "place: home"}) for _ in range(2)]
    for run in runs:
        run.message("user", "place: home")
    for amount in (60, 30):
        for run in runs:
            outcome = run.check(ToolCall("pay", {"amount": amount, "payee": "alice"}))
            assert outcome.runs
            run.finish(outcome, "paid")
    for run in runs:
        run.end({"state": "finished"})
    decisions = replayed(path)
    assert {place: str(total_of(decision)) for place, decision in decisions.items()} == {
        ("r", 0): "60", ("r", 1): "90", ("r#2", 0): "60", ("r#2", 1): "90",
    }  # fmt: skip
    assert all(SCHEMA.is_valid(json.loads(line)) for line in path.read_text().splitlines())


def test_two_runs_of_one_name_without_an_instance_part_where_a_number_comes_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for amount in (60, 30):
        run = make_guard(path, Strategy.BLOCK_CALL).run("r", context={"user": "place: home"})
        run.finish(run.check(ToolCall("pay", {"amount": amount, "payee": "alice"})), "paid")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**line, "instance": ""}) + "\n" for line in lines))
    assert {(place, str(total_of(decision))) for place, decision in replayed(path).items()} == {
        (("r", 0), "60"),
        (("r#2", 0), "30"),
    }


def test_an_argument_of_the_agent_cannot_pass_for_what_the_application_knows(tmp_path: Path) -> None:
    stand = make_guard(tmp_path / "log.jsonl", Strategy.BLOCK_CALL).run(context={"user": "place: abroad"})
    arguments: dict[str, Json] = {"amount": 5, "payee": "alice", "user": "place: home"}
    outcome = stand.check(ToolCall("pay", arguments))
    assert [item.rule for item in outcome.decision.violations] == ["forbid_night"]


def test_a_refused_payment_does_not_count_for_the_total_live_or_replayed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    stand = make_guard(path, Strategy.BLOCK_CALL).run("r", context={"user": "place: home"})
    runs: list[bool] = []
    for amount in (60, 60, 30):
        outcome = stand.check(ToolCall("pay", {"amount": amount, "payee": "alice"}))
        if outcome.runs:
            stand.finish(outcome, "paid")
        runs.append(outcome.runs)
    assert runs == [True, False, True]
    decisions = replayed(path)
    verdicts = [decisions["r", place].decision.verdict for place in range(3)]
    assert verdicts == [Verdict.ALLOW, Verdict.DENY, Verdict.ALLOW]


def test_a_result_that_is_not_in_the_log_makes_the_replay_refuse_to_decide(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    policy, extractor = parts()
    log = DecisionLog(path, keep_results=False)
    stand = live_guard(policy, extractor, log=log).run("r", context={"user": "place: home"})
    bill = stand.check(ToolCall("read", {}))
    stand.finish(bill, '{"payee": "DE93-4711"}')
    assert stand.check(ToolCall("pay", {"amount": 1, "payee": "DE93-4711"})).runs
    assert replayed(path)["r", 1].decision.verdict is Verdict.CANNOT_EVALUATE


def test_a_log_without_arguments_cannot_be_evaluated(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    policy, extractor = parts()
    log = DecisionLog(path, keep_arguments=False)
    stand = live_guard(policy, extractor, log=log).run("r", context={"user": "place: home"})
    assert stand.check(ToolCall("pay", {"amount": 1, "payee": "alice"})).runs
    assert "alice" not in path.read_text()
    assert SCHEMA.is_valid(json.loads(path.read_text()))
    assert not SCHEMA.is_valid({**json.loads(path.read_text()), "decision": "perhaps"})
    assert replayed(path)["r", 0].decision.verdict is Verdict.CANNOT_EVALUATE


@pytest.mark.parametrize("line", ['{"format": "workbench-decision/1", "run": "r", "step": 9, "result": "x"}'])
def test_a_result_without_its_call_is_a_problem_and_hides_nothing(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.jsonl"
    policy, extractor = parts()
    live_guard(policy, extractor, log=DecisionLog(path)).run("r").check(ToolCall("pay", {"amount": 1}))
    path.write_text(line + "\n" + path.read_text())
    imported = load_runs([path])
    assert [item.line for item in imported.problems] == [1]
    assert [len(item.calls) for item in imported.runs] == [1]


def test_a_shipped_session_guards_live_as_it_replays(tmp_path: Path) -> None:
    from contextlib import closing

    from workbench.guard import Mode

    path = tmp_path / "log.jsonl"
    folder = accept(Path(shutil.copytree(ROOT / "sessions" / "web-shopping", tmp_path / "web-shopping")))
    with closing(Workbench.open(folder, read_only=True)) as bench:
        logs = bench.runs.load()
        recorded = bench.runs.decide(bench.policy.terms(), logs)
        base = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, log=DecisionLog(path))
        for call in logs.calls:
            context = {name: text for name, text in call.texts.items() if name in ("user", "agent_input")}
            base.run(call.run, context=cast(dict[str, Json], context)).check(
                ToolCall(call.tool or "act", call.arguments or {})
            )
        again = bench.runs.decide(bench.policy.terms(), bench.runs.load([path]))
    assert {item.run: item.decision.verdict for item in again} == {
        item.run: item.decision.verdict for item in recorded
    }
    assert {json.loads(line)["decision"] for line in path.read_text().splitlines()} >= {"allow", "deny"}
