"""Strategies replayed on logs: the calls that they stop and lose, by the machine that enforces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from workbench.guard import EnforcedPolicy, Guard, PastCall, Strategy, ToolCall
from workbench.model import CallDecision, Decision, Json, RecordedCall, Value, Verdict, Violation
from workbench.runs.replay.strategy_comparison import Control, StrategyComparison, Tally, compare

DENY = Decision(Verdict.DENY, (Violation("forbid_it", "No."),))
ALLOW = Decision(Verdict.ALLOW)
UNKNOWN = Decision(Verdict.CANNOT_EVALUATE, reasons=("x is missing",))
DECISIONS = {"+": ALLOW, "-": DENY, "?": UNKNOWN}


def compared(*runs: str, label: str = "") -> StrategyComparison:
    """The comparison on runs, written as a tool's letter and its decision, such as ``a+ a- b+``.

    Calls joined by ``|`` are one action.
    """
    calls: list[RecordedCall] = []
    decisions: list[CallDecision] = []
    for number, run in enumerate(runs):
        context: dict[str, Json] = {"attack": "none" if "-" not in run else "injection"}
        actions = run.split("|") if "|" in run else [run]
        words = [
            (word, place if "|" in run else None)
            for place, part in enumerate(actions)
            for word in part.split()
        ]
        for index, (word, action) in enumerate(words):
            calls.append(RecordedCall(f"t{number}", index, word[0], {}, context=context, step=action))
            decisions.append(CallDecision(f"t{number}", index, DECISIONS[word[1]], step=action))
    return compare(calls, decisions, label=label)


def lost(comparison: StrategyComparison, way: Strategy | Control) -> tuple[int, ...]:
    return comparison.outcomes[way][0].lost


RUN = "a+ b- a+ b+ b- b- b+ a+"


def test_each_strategy_loses_the_harmless_calls_that_it_is_defined_to_lose() -> None:
    strategy_comparison = compared(RUN)
    assert {way.value: lost(strategy_comparison, way) for way in Strategy} == {
        "terminate-task": (2, 3, 6, 7),
        "block-call": (),
        "block-action": (),
        "halt-tool": (),
        "replan": (),
        "replan-then-halt": (),
        "replan-trusted": (),
    }


def test_strategies_are_grouped_by_what_they_do_and_runs_by_whether_they_differ() -> None:
    comparison = compared("a+ b+", RUN)
    ways = (Strategy.TERMINATE_TASK, Strategy.BLOCK_CALL, Strategy.HALT_TOOL)
    assert comparison.alike(ways) == ((Strategy.TERMINATE_TASK,), (Strategy.BLOCK_CALL, Strategy.HALT_TOOL))
    (run,) = comparison.differing(ways)
    assert {outcome.run for outcome in run} == {"t1"}
    assert tuple(run.values()) == comparison.alike(ways)
    assert comparison.differing(ways[1:]) == ()


def test_every_strategy_that_enforces_stops_every_denied_call() -> None:
    strategy_comparison = compared(RUN)
    enforcing = [way for way in Strategy if way.enforces]
    assert {strategy_comparison.outcomes[way][0].stopped for way in enforcing} == {(1, 4, 5)}
    assert all(not strategy_comparison.outcomes[way][0].let_through for way in enforcing)


def test_a_trusted_plan_is_the_action_after_a_denied_one() -> None:
    outcome = compared("a- a- a- a- a+ a-").outcomes[Strategy.REPLAN_TRUSTED][0]
    assert (outcome.stopped, outcome.let_through) == ((0, 2, 5), (1, 3))


def test_an_action_of_several_calls_is_given_back_or_ended_from_the_denied_call_on() -> None:
    strategy_comparison = compared("a+ b- a+ b+ | a+ b-")
    assert {
        way.value: (run_outcomes[0].stopped, run_outcomes[0].lost)
        for way, run_outcomes in strategy_comparison.outcomes.items()
        if way in Strategy
    } == {
        "terminate-task": ((1, 5), (2, 3, 4)),
        "block-call": ((1, 5), ()),
        "block-action": ((1, 5), (0, 2, 3, 4)),
        "halt-tool": ((1, 5), ()),
        "replan": ((1, 5), (2, 3)),
        "replan-then-halt": ((1, 5), (2, 3)),
        "replan-trusted": ((1,), (2, 3)),
    }


def test_only_so_many_actions_in_a_row_are_given_back() -> None:
    strategy_comparison = compared("a- | a- a+ | a- a+ | a+")
    assert lost(strategy_comparison, Strategy.REPLAN) == (2, 4, 5)
    assert lost(strategy_comparison, Strategy.REPLAN_THEN_HALT) == (2,)
    again = compared("a- | a- | a+ | a- a+ | a- a+ | a- a+")
    assert lost(again, Strategy.REPLAN) == (4, 6, 8)


def test_what_cannot_be_evaluated_is_stopped_like_a_denial() -> None:
    assert compared("a+ a?").tally(Strategy.BLOCK_CALL).stopped == 1


def test_what_is_carried_out_after_a_refusal_is_counted_as_unknown_except_where_nothing_is() -> None:
    strategy_comparison = compared(RUN)
    assert strategy_comparison.outcomes[Strategy.REPLAN][0].unknown == (2, 3, 6, 7)
    assert strategy_comparison.outcomes[Strategy.TERMINATE_TASK][0].unknown == ()


def test_controls_let_everything_or_nothing_through() -> None:
    strategy_comparison = compared(RUN, "a+ a+")
    assert strategy_comparison.tally(Control.ALLOW_ALL) == Tally(2, 0, 10, let_through=3)
    assert strategy_comparison.tally(Control.DENY_ALL) == Tally(2, 2, 10, stopped=3, lost=7)


def test_the_control_by_position_refuses_from_the_middle_of_the_first_denials_on() -> None:
    strategy_comparison = compared("a+ a-", "a+ a+ a- a+", "a+ a+ a+ a-", "a+ a+ a+")
    outcomes = strategy_comparison.outcomes[Control.POSITION]
    assert [outcome.stopped for outcome in outcomes] == [(), (2,), (3,), ()]
    assert [outcome.let_through for outcome in outcomes] == [(1,), (), (), ()]
    assert [outcome.lost for outcome in outcomes] == [(), (3,), (2,), (2,)]
    assert compared("a+ a+").tally(Control.POSITION).touched == 0


def test_sums_are_also_given_by_label() -> None:
    strategy_comparison = compared("a+ a- a+", "a+ a+", label="attack")
    assert strategy_comparison.labels == ("injection", "none")
    assert strategy_comparison.tally(Strategy.TERMINATE_TASK, "injection") == Tally(1, 1, 3, 1, 1)
    assert strategy_comparison.tally(Strategy.TERMINATE_TASK, "none") == Tally(1, 0, 2)


class Scripted(EnforcedPolicy):
    """A policy that decides by a list."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._decisions = decisions

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The decision in the list for this call."""
        place = arguments["place"]
        assert isinstance(place, int)
        return self._decisions[place]


def place_of(call: ToolCall, _past: Sequence[PastCall]) -> Mapping[str, Value]:
    return {"place": call.index}


@given(
    run=st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("+-?")), min_size=1, max_size=4),
        min_size=1,
        max_size=8,
    ),
    strategy=st.sampled_from(Strategy),
)
def test_the_replay_of_a_strategy_refuses_exactly_what_the_guard_refuses(
    run: list[list[tuple[str, str]]], strategy: Strategy
) -> None:
    text = " | ".join(" ".join(tool + sign for tool, sign in action) for action in run) + " |"
    run_outcome = compared(text).outcomes[strategy][0]
    decisions = [DECISIONS[sign] for action in run for _, sign in action]
    guard = Guard(Scripted(decisions), place_of, strategy=strategy, measuring=True)
    outcomes = [
        outcome
        for action in run
        for outcome in guard.check_action([ToolCall(tool, {}) for tool, _ in action])
    ]
    refused = [place for place, outcome in enumerate(outcomes) if not outcome.runs]
    assert sorted((*run_outcome.stopped, *run_outcome.lost)) == refused
    assert [outcome.decision for outcome in outcomes] == decisions
