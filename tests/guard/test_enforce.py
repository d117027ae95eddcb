"""Enforcement: no strategy, error, time-out or parallel call lets a denied call run."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.guard import (
    ActionDenied,
    Approval,
    DecisionLog,
    EnforcedPolicy,
    Guard,
    Mode,
    Outcome,
    PastCall,
    PersonsAnswer,
    Strategy,
    TaskTerminated,
    ToolCall,
)
from workbench.guard.strategy import BLOCKED, undetermined_words
from workbench.model import Decision, Value, Verdict, Violation, WorkbenchError


class LimitPolicy(EnforcedPolicy):
    """Replaces a compiled policy: ``above`` is its decision on transfers above 100."""

    def __init__(self, above: Verdict = Verdict.DENY) -> None:
        """Deny them, unless told otherwise."""
        self._above = above

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """Deny an amount above the limit, or ask about it."""
        amount = arguments["amount"]
        if not isinstance(amount, int):
            return Decision(Verdict.CANNOT_EVALUATE, reasons=("amount is missing",))
        if amount > 100:
            return Decision(
                self._above, (Violation("forbid_large", "No transfer above 100.", ("x",)),), arguments
            )
        return Decision(Verdict.ALLOW, (), arguments)


def arguments_of(call: ToolCall, _past: Sequence[PastCall]) -> Mapping[str, Value]:
    assert call.arguments is not None
    amount = call.arguments["amount"]
    if amount == "explode":
        raise ValueError("no number")
    return {"amount": amount if isinstance(amount, int) else None}


def guard(strategy: Strategy = Strategy.BLOCK_CALL, **options: object) -> Guard:
    return Guard(LimitPolicy(), arguments_of, strategy=strategy, **options)  # pyright: ignore[reportArgumentType]  options of each test


def asking_guard(approval: Approval | None = None) -> Guard:
    return Guard(LimitPolicy(Verdict.ASK), arguments_of, approval=approval)


def call(amount: int | str | None, tool: str = "transfer") -> ToolCall:
    return ToolCall(tool, {"amount": amount})


@pytest.mark.parametrize("strategy", [strategy for strategy in Strategy if strategy.enforces])
@pytest.mark.parametrize("amount", [101, None, "explode"])
def test_no_strategy_lets_a_call_run_that_is_not_allowed(
    strategy: Strategy, amount: int | str | None
) -> None:
    stand = guard(strategy)
    for _ in range(5):
        assert not stand.check(call(amount)).runs


def test_unknown_arguments_cannot_be_evaluated_and_do_not_run() -> None:
    outcome = guard().check(ToolCall("transfer", None))
    assert outcome.decision.verdict is Verdict.CANNOT_EVALUATE
    assert not outcome.runs


def test_block_call_leaves_other_calls_alone() -> None:
    stand = guard(Strategy.BLOCK_CALL)
    assert [stand.check(call(amount)).runs for amount in (101, 5)] == [False, True]


def test_block_action_refuses_the_whole_action_of_a_denied_call_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    stand = guard(Strategy.BLOCK_ACTION, log=DecisionLog(path))
    before, denied, after = stand.check_action([call(5), call(101), call(6)])
    assert [one.runs for one in (before, denied, after)] == [False, False, False]
    assert "No transfer above 100" in denied.feedback
    assert before.feedback == after.feedback == BLOCKED
    assert [one.ran for one in stand.calls] == [False, False, False]  # what looked ahead is in no record
    logged = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["decision"], line["runs"]) for line in logged] == [
        ("allow", False),
        ("deny", False),
        ("allow", False),
    ]
    assert [one.runs for one in stand.check_action([call(5), call(6)])] == [True, True]
    assert stand.check(call(7)).runs
    assert [one.call.index for one in stand.calls] == [0, 1, 2, 3, 4, 5]


def test_block_action_asks_nobody_about_a_call_whose_action_is_refused_anyway() -> None:
    asked: list[Outcome] = []

    def approve(outcome: Outcome) -> str:
        asked.append(outcome)
        return "ann"

    class Asking(LimitPolicy):
        def decide(self, arguments: Mapping[str, Value]) -> Decision:
            decision = super().decide(arguments)
            big = arguments["amount"] == 200
            return replace(decision, verdict=Verdict.DENY) if big else decision

    stand = Guard(
        Asking(Verdict.ASK), arguments_of, strategy=Strategy.BLOCK_ACTION, approval=Approval(approve)
    )
    assert not any(one.runs for one in stand.check_action([call(101), call(200), call(5)]))
    assert asked == []
    assert all(one.runs for one in stand.check_action([call(101), call(5)]))
    assert len(asked) == 1
    alone = Guard(Asking(Verdict.ASK), arguments_of, strategy=Strategy.BLOCK_ACTION)
    before, unanswered = alone.check_action([call(5), call(101)])  # nobody can approve the second one
    assert not before.runs and not unanswered.runs and unanswered.feedback != BLOCKED == before.feedback


def test_terminate_task_refuses_every_later_call_and_says_that_it_ends() -> None:
    stand = guard(Strategy.TERMINATE_TASK)
    assert stand.check(call(101)).ends_task
    assert not stand.check(call(5, "read")).runs
    with pytest.raises(TaskTerminated):
        stand.require(call(5))


def test_halt_tool_stops_that_call_without_an_observation() -> None:
    stand = guard(Strategy.HALT_TOOL)
    denied, allowed = stand.check_action([call(101), call(5)])
    assert (denied.runs, denied.feedback, allowed.runs) == (False, "", True)
    assert stand.check(call(5)).runs


def test_replan_then_halt_asks_twice_in_a_row_and_then_stops_the_call_in_silence() -> None:
    stand = guard(Strategy.REPLAN_THEN_HALT)
    feedback = [stand.check(call(101)).feedback for _ in range(4)]
    assert ["Plan again" in text for text in feedback] == [True, True, False, False]
    assert feedback[2:] == ["", ""]
    assert stand.check(call(5)).runs
    assert "Plan again" in stand.check(call(101)).feedback


def test_replan_ends_the_task_when_every_new_plan_breaks_the_policy() -> None:
    stand = guard(Strategy.REPLAN, replans=1)
    assert [stand.check(call(101)).ends_task for _ in range(2)] == [False, True]
    assert not stand.check(call(5)).runs


def test_what_stands_after_a_denied_call_of_an_action_goes_back_with_it() -> None:
    outcomes = guard(Strategy.REPLAN).check_action([call(5), call(101), call(6), call(102)])
    assert [outcome.runs for outcome in outcomes] == [True, False, False, False]
    assert [outcome.denied for outcome in outcomes] == [False, True, False, True]
    assert [bool(outcome.refused_because) for outcome in outcomes] == [False, False, True, True]


def test_a_strategy_that_lets_denied_calls_run_is_for_measuring_only() -> None:
    with pytest.raises(WorkbenchError, match="measured only"):
        guard(Strategy.REPLAN_TRUSTED)
    stand = guard(Strategy.REPLAN_TRUSTED, measuring=True)
    outcomes = [stand.check(call(101)) for _ in range(3)]
    assert [(outcome.runs, outcome.trusted) for outcome in outcomes] == [
        (False, False),
        (True, True),
        (False, False),
    ]


async def test_an_action_is_decided_alike_in_a_coroutine() -> None:
    tool_calls = [call(5), call(101), call(6)]
    outcomes = await guard(Strategy.REPLAN, name="r").check_action_async(tool_calls)
    assert [outcome.runs for outcome in outcomes] == [
        outcome.runs for outcome in guard(Strategy.REPLAN).check_action(tool_calls)
    ]


def test_calls_are_decided_for_the_record_after_the_task_has_ended() -> None:
    stand = guard(Strategy.TERMINATE_TASK)
    stand.check(call(101))
    outcome = stand.check(call(5))
    assert (outcome.runs, outcome.decision.verdict) == (False, Verdict.ALLOW)
    assert outcome.refused_because


def test_feedback_names_the_violated_rule_message_and_items_only() -> None:
    feedback = guard().check(call(101)).feedback
    assert feedback.startswith("Refused: No transfer above 100 (x).")


def test_shadow_mode_runs_everything_and_still_records_the_denial(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    stand = guard(mode=Mode.SHADOW, log=DecisionLog(log), name="r")
    outcome = stand.check(call(101))
    assert outcome.runs and outcome.shadow and outcome.denied
    record = json.loads(log.read_text())
    assert (record["decision"], record["runs"], record["run"]) == ("deny", True, "r")


def test_approval_that_answers_lets_the_call_run() -> None:
    assert asking_guard(Approval(lambda _outcome: "alice")).check(call(101)).approved_by == "alice"


def test_what_a_policy_asks_about_is_refused_without_a_person() -> None:
    for stand, why in (
        (asking_guard(), "Refused, because no person approved it"),
        (asking_guard(Approval(lambda _outcome: "")), "Refused by a person who was asked"),
    ):
        outcome = stand.check(call(101))
        assert not outcome.runs and not outcome.approved_by
        assert outcome.feedback.startswith(f"{why}: No transfer above 100 (x).")
        assert stand.check(call(5)).runs


def test_nobody_is_asked_about_a_denial() -> None:
    asked: list[Outcome] = []

    def approve(outcome: Outcome) -> str:
        asked.append(outcome)
        return "alice"

    assert not guard(approval=Approval(approve)).check(call(101)).runs
    assert not asked


def test_what_a_policy_asks_about_is_recorded_as_such(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    stand = Guard(
        LimitPolicy(Verdict.ASK),
        arguments_of,
        approval=Approval(lambda outcome: "alice" if outcome.call.call_id else ""),
        log=DecisionLog(log),
    )
    stand.check(call(101))
    stand.check(ToolCall("transfer", {"amount": 102}, call_id="c"))
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["decision"], line["runs"], line["approved_by"]) for line in records] == [
        ("ask", False, ""),
        ("ask", True, "alice"),
    ]


def test_approval_that_stays_silent_denies() -> None:
    silence = threading.Event()

    def never(_outcome: Outcome) -> str:
        silence.wait()
        return "too late"

    try:
        outcome = asking_guard(Approval(never, timeout=0.01)).check(call(101))
    finally:
        silence.set()
    assert not outcome.runs
    assert outcome.answer is PersonsAnswer.SILENCE
    assert "nobody answered" in outcome.feedback
    assert "Refused" not in outcome.feedback


def test_approval_is_not_asked_for_what_cannot_be_evaluated() -> None:
    assert not asking_guard(Approval(lambda _outcome: "alice")).check(call(None)).runs


def test_a_failing_approver_denies() -> None:
    def fail(_outcome: Outcome) -> str:
        raise RuntimeError("pager is down")

    outcome = asking_guard(Approval(fail)).check(call(101))
    assert not outcome.runs
    assert outcome.answer is PersonsAnswer.BROKEN
    assert "no person refused" not in outcome.feedback
    assert "Refused" not in outcome.feedback


def test_a_guarded_tool_is_checked_before_its_body_with_positional_arguments_named() -> None:
    sent: list[int] = []

    def transfer(amount: int, note: str = "") -> int:
        sent.append(amount)
        return len(note)

    guarded = guard().tool(transfer)
    assert guarded(50, "hi") == 2
    with pytest.raises(ActionDenied):
        guarded(500)
    assert sent == [50]


async def test_a_guarded_coroutine_is_checked_before_its_body() -> None:
    sent: list[int] = []

    async def transfer(amount: int) -> int:
        sent.append(amount)
        return amount

    guarded = guard().tool(transfer)
    results = await asyncio.gather(guarded(5), guarded(500), guarded(7), return_exceptions=True)
    assert [results[0], results[2]] == [5, 7]
    assert isinstance(results[1], ActionDenied)
    assert sorted(sent) == [5, 7]


def test_parallel_calls_after_a_termination_are_all_refused() -> None:
    stand = guard(Strategy.TERMINATE_TASK)
    stand.check(call(101))
    ran: list[bool] = []
    threads = [threading.Thread(target=lambda: ran.append(stand.check(call(1)).runs)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran == [False] * 8


# --- runs, approval beside other calls, results -------------------------------------


class Slow:
    """An approver that a test answers by hand."""

    def __init__(self) -> None:
        self.was_asked = threading.Event()
        self.answer = threading.Event()

    def __call__(self, _outcome: Outcome) -> str:
        self.was_asked.set()
        self.answer.wait(20)
        return "alice"


def asking(stand: Guard, slow: Slow, amount: int) -> tuple[threading.Thread, list[Outcome]]:
    """Start a call that waits for its approval."""
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(stand.check(call(amount))))
    thread.start()
    assert slow.was_asked.wait(20)
    return thread, outcomes


def test_other_calls_are_decided_while_a_person_is_asked() -> None:
    slow = Slow()
    stand = asking_guard(Approval(slow, timeout=20))
    thread, outcomes = asking(stand, slow, 101)
    assert stand.check(call(5)).runs
    assert not outcomes
    slow.answer.set()
    thread.join()
    assert outcomes[0].approved_by == "alice"


def test_an_approval_that_comes_after_the_end_of_the_run_lets_nothing_run() -> None:
    slow = Slow()
    with asking_guard(Approval(slow, timeout=20)).run() as stand:
        thread, outcomes = asking(stand, slow, 101)
    slow.answer.set()
    thread.join()
    assert (outcomes[0].runs, outcomes[0].approved_by) == (False, "")


@pytest.mark.parametrize("later", [Verdict.ASK, Verdict.DENY])
def test_an_approval_does_not_cover_another_reason_or_a_denial(later: Verdict) -> None:
    slow = Slow()

    class Once(EnforcedPolicy):
        """Asks by one rule until a call ran, then asks or denies by another one."""

        def decide(self, arguments: Mapping[str, Value]) -> Decision:
            """Allow only small amounts."""
            if arguments["amount"] == 1:
                return Decision(Verdict.ALLOW, (), arguments)
            rule, verdict = ("again", later) if arguments["earlier"] else ("first", Verdict.ASK)
            return Decision(verdict, (Violation(rule, "No."),), arguments)

    def with_history(call: ToolCall, past: Sequence[PastCall]) -> Mapping[str, Value]:
        return {**arguments_of(call, past), "earlier": len(past)}

    stand = Guard(Once(), with_history, approval=Approval(slow, timeout=20))
    thread, outcomes = asking(stand, slow, 101)
    assert stand.check(call(1)).runs
    slow.answer.set()
    thread.join()
    assert not outcomes[0].runs
    assert [item.rule for item in outcomes[0].decision.violations] == ["again"]
    assert outcomes[0].decision.verdict is later


async def test_a_coroutine_that_waits_for_approval_leaves_the_loop_to_others() -> None:
    slow = Slow()
    stand = asking_guard(Approval(slow, timeout=20))
    waiting = [asyncio.create_task(stand.check_async(call(101))) for _ in range(40)]
    assert (await stand.check_async(call(5))).runs
    slow.answer.set()
    assert all(outcome.approved_by == "alice" for outcome in await asyncio.gather(*waiting))


def test_a_run_remembers_nothing_of_another_and_refuses_everything_after_its_end() -> None:
    base = guard(Strategy.TERMINATE_TASK)
    with base.run("first") as first:
        first.check(call(101))
        assert not first.check(call(5)).runs
    with base.run("second") as second:
        assert second.check(call(5)).runs

        def transfer(amount: int) -> int:
            return amount

        transfer = second.tool(transfer)
    with pytest.raises(TaskTerminated):
        transfer(5)


def test_the_context_of_a_run_is_in_every_call_and_the_agent_cannot_give_it() -> None:
    seen: list[object] = []

    def context_of(call: ToolCall, past: Sequence[PastCall]) -> Mapping[str, Value]:
        seen.append(dict(call.context))
        return arguments_of(call, past)

    with Guard(LimitPolicy(), context_of).run(context={"user": "alice"}) as run:
        run.check(ToolCall("transfer", {"amount": 5, "context": {"user": "eve"}}))
    assert seen == [{"user": "alice"}]


def test_a_call_whose_decision_cannot_be_recorded_does_not_run(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "absent" / "log.jsonl")
    assert not guard(log=log).check(call(5)).runs
    with pytest.warns(UserWarning, match="cannot be written"):
        assert guard(mode=Mode.SHADOW, log=log).check(call(5)).runs


def test_only_the_owner_can_read_a_decision_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    guard(log=DecisionLog(path)).check(call(5))
    assert path.stat().st_mode & 0o077 == 0


def test_a_spread_argument_cannot_hide_a_positional_one_of_the_same_name() -> None:
    sent: list[int] = []

    def transfer(amount: int, /, **notes: object) -> None:
        sent.append(amount + len(notes))

    with pytest.raises(ActionDenied, match="unknown"):
        guard().tool(transfer)(500, amount=5)
    assert sent == []


def test_only_calls_that_ran_are_the_past_of_later_ones_with_their_results_or_errors() -> None:
    pasts: list[list[tuple[object, str | None]]] = []

    def with_past(call: ToolCall, past: Sequence[PastCall]) -> Mapping[str, Value]:
        pasts.append([((item.call.arguments or {})["amount"], item.result) for item in past])
        return arguments_of(call, past)

    def transfer(amount: int) -> dict[str, int]:
        if amount == 7:
            raise ValueError("closed")
        return {"sent": amount}

    tool = Guard(LimitPolicy(), with_past).tool(transfer)
    tool(5)
    with pytest.raises(ActionDenied):
        tool(500)
    with pytest.raises(ValueError, match="closed"):
        tool(7)
    tool(6)
    assert pasts[-1] == [(5, '{"sent": 5}'), (7, "ValueError: closed")]


def test_the_guard_needs_the_standard_library_and_the_model_only() -> None:
    code = (
        "import sys; import workbench.guard; from workbench.guard.adapters import mcp_http, mcp_stdio;"
        "import workbench.guard.adapters.langchain, workbench.guard.adapters.openai_agents;"
        "print(*sorted(n for n in sys.modules if n.split('.')[0] not in sys.stdlib_module_names))"
    )
    source = str(Path(__file__).resolve().parents[2])
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {name for name in run.stdout.split() if name != "__main__"}
    assert "workbench.guard" in loaded
    allowed = (
        "workbench",
        "workbench.clean_text",
        "workbench.files",
        "workbench.files.regular",
        "workbench.model",
        "workbench.guard",
    )
    assert not {name for name in loaded if name not in allowed and not name.startswith("workbench.guard.")}


def test_a_refusal_names_each_reason_once_and_no_expression_of_the_policy() -> None:
    reasons = (
        "call.command.programs: the command is not followed: it is no shell command",
        'any(y == "a: b" for y in call.command.started): the command is not followed: it is no shell command',
        "whether it is a refund: the total of the call is not given",
        "it is not known what was called before.",
    )
    assert undetermined_words(reasons) == [
        "the command is not followed: it is no shell command",
        "whether it is a refund: the total of the call is not given",
        "it is not known what was called before",
    ]


def test_what_keeps_several_values_of_a_call_from_being_known_is_told_once() -> None:
    why = "what openssl does with its words is in no table."
    of = [f"any(y.name for y in call.command.{part}): {part} of command of the call: {why}" for part in "ab"]
    assert undetermined_words(of) == [why.rstrip(".")]
    assert undetermined_words(of[:1]) == [f"a of command of the call: {why.rstrip('.')}"]
