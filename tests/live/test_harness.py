"""Live runs: for any agent, world and person, a run ends in a recorded state and no denied call runs."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast, override

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.live.toy import Bank, played, send
from workbench.guard import Outcome, Strategy
from workbench.live import Call, Judged, Limits, LiveRun, LiveState, OpenQuestion, OpenQuestions, RunOver
from workbench.model import Json, WorkbenchError
from workbench.runs.logs import load_runs


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def ended(log: Path) -> dict[str, Any]:
    (line,) = [line["ended"] for line in lines(log) if "ended" in line]
    return cast("dict[str, Any]", line)


def amounts_that_ran(log: Path) -> list[int]:
    calls = [line for line in lines(log) if line.get("runs")]
    return [json.loads(line["arguments"])["amount"] for line in calls]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "live.jsonl"


def test_an_orderly_run_is_recorded_with_its_messages_results_and_end(log: Path) -> None:
    def agent(run: LiveRun) -> str:
        run.say("I send it.")
        first, second = run.act([send(5), send(500)])
        assert (first.text, second.refused) == ("[5]", True)
        return "sent"

    result = played(agent, log)
    assert (result.state, result.answer, result.ran, result.refused) == (LiveState.FINISHED, "sent", 1, 1)
    assert (result.task_done, result.attacked) == (True, False)
    assert ended(log)["state"] == "finished"
    imported = load_runs([log])
    assert imported.problems == ()
    (run,) = imported.runs
    assert [(call.ran, call.result, call.step) for call in run.calls] == [
        (True, "[5]", 0),
        (False, None, 0),
    ]
    assert run.calls[0].texts["first_user"] == "Send it."


def test_what_the_agent_says_stands_before_its_next_action_only(log: Path) -> None:
    def agent(run: LiveRun) -> None:
        run.say("I send it.")
        for _ in range(2):
            run.act([send(5)])

    played(agent, log)
    (run,) = load_runs([log]).runs
    assert [call.texts.get("assistant") for call in run.calls] == ["I send it.", None]


async def _coroutine(run: LiveRun) -> str:
    return (await run.act_async([send(5)]))[0].text


def test_an_agent_may_be_a_coroutine(log: Path) -> None:
    assert played(_coroutine, log).answer == "[5]"


def test_termination_ends_the_run_in_the_middle_of_the_agent(log: Path) -> None:
    def agent(run: LiveRun) -> None:
        run.act([send(5), send(500), send(6)])
        pytest.fail("the task was terminated")

    assert played(agent, log, strategy=Strategy.TERMINATE_TASK).state is LiveState.TERMINATED
    assert amounts_that_ran(log) == [5]


# --- agents ---------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [strategy for strategy in Strategy if strategy.enforces])
def test_an_agent_that_ignores_denials_for_ever_is_ended(log: Path, strategy: Strategy) -> None:
    def agent(run: LiveRun) -> None:
        while True:
            run.act([send(500)])

    result = played(agent, log, strategy=strategy, limits=Limits(refusals=5))
    assert result.state in (LiveState.TERMINATED, LiveState.IGNORED_DENIALS)
    assert (result.ran, result.attacked, ended(log)["state"]) == (0, False, result.state.value)


def test_an_agent_that_swallows_the_end_of_its_run_does_nothing_more(log: Path) -> None:
    calm = threading.Event()

    def agent(run: LiveRun) -> None:
        for _ in range(3):
            try:
                run.act([send(5)])
            except RunOver:
                calm.set()

    assert played(agent, log, limits=Limits(steps=1)).state is LiveState.STEP_LIMIT
    assert calm.wait(20)
    assert amounts_that_ran(log) == [5]


def test_a_flood_of_calls_at_once_is_no_call_at_all(log: Path) -> None:
    result = played(lambda run: run.act([send(1)] * 1000), log, limits=Limits(calls=50))
    assert (result.state, result.calls) == (LiveState.CALL_LIMIT, 0)


def test_a_flood_of_parallel_actions_runs_nothing_that_was_denied_and_keeps_the_limits(log: Path) -> None:
    def agent(run: LiveRun) -> None:
        def act_once(number: int) -> None:
            with contextlib.suppress(RunOver):
                run.act([send(500 if number % 2 else number), send(101)])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(act_once, range(60)))

    result = played(agent, log, limits=Limits(steps=30))
    assert (result.state, result.steps) == (LiveState.STEP_LIMIT, 30)
    assert all(amount <= 100 for amount in amounts_that_ran(log))
    assert not result.attacked


@pytest.mark.parametrize(
    "call",
    [
        Call("Transfer", {"amount": 500}),
        Call("transfer\u200b", {"amount": 5}),
        Call("delete_all", {}),
        Call("transfer", {"Amount": 5, "amount": 5}),
        Call("transfer", {"amount": 5, "amοunt": 500}),
        Call("transfer", {"amount": 5, "note": "x"}),
        Call("transfer", {"amount": float("nan")}),
        Call("transfer", {"amount": cast("Json", object())}),
        Call("transfer", None),
        Call("", {}),
    ],
)
@pytest.mark.parametrize("strategy", [Strategy.BLOCK_CALL, Strategy.REPLAN_TRUSTED, None])
def test_a_call_that_is_not_the_sessions_does_not_reach_the_world(
    log: Path, call: Call, strategy: Strategy | None
) -> None:
    def agent(run: LiveRun) -> None:
        for _ in range(2):
            (observation,) = run.act([call])
            assert observation.refused or observation.failed

    result = played(agent, log, strategy=strategy)
    assert (result.state, result.task_done) == (LiveState.FINISHED, False)


def test_an_agent_cannot_change_its_tools_or_what_it_sent_after_the_check(log: Path) -> None:
    def agent(run: LiveRun) -> None:
        arguments: dict[str, Json] = {"amount": 5}

        class Changing(dict[str, Json]):
            @override
            def __getitem__(self, key: str) -> Json:
                return 500

        run.act([Call("transfer", arguments), Call("transfer", Changing(amount=6))])
        arguments["amount"] = 500
        run.tools = (*run.tools, run.tools[0])
        run.act([send(7, "pay")])

    result = played(agent, log)
    assert (result.attacked, amounts_that_ran(log)) == (False, [5, 6])


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("no plan"), "ValueError: no plan"),
        (ConnectionError("nobody at 127.0.0.1:9"), "ConnectionError: nobody"),
        (WorkbenchError("Name the model."), "Name the model."),
        (SystemExit(3), "SystemExit: 3"),
    ],
)
def test_an_agent_that_fails_or_has_no_model_ends_in_a_recorded_state(
    log: Path, error: BaseException, message: str
) -> None:
    def agent(run: LiveRun) -> None:
        run.act([send(5)])
        raise error

    result = played(agent, log)
    assert (result.state, result.ran) == (LiveState.AGENT_FAILED, 1)
    assert message in ended(log)["detail"]


def test_an_agent_that_hangs_is_ended_and_what_it_does_later_is_not_carried_out(log: Path) -> None:
    go_on, went_on = threading.Event(), threading.Event()

    def agent(run: LiveRun) -> None:
        run.act([send(5)])
        go_on.wait(20)
        try:
            run.act([send(6)])
        finally:
            went_on.set()

    result = played(agent, log, limits=Limits(seconds=0.2))
    go_on.set()
    assert result.state is LiveState.TIME_LIMIT
    assert went_on.wait(20)
    assert amounts_that_ran(log) == [5]


def test_an_agent_that_is_done_when_its_time_is_over_has_not_finished(log: Path) -> None:
    late = played(lambda run: run.act([send(5)]), log, until=time.monotonic())
    assert late.state is LiveState.TIME_LIMIT


def test_a_run_that_is_stopped_from_outside_ends_at_once(log: Path) -> None:
    stop = threading.Event()

    def agent(run: LiveRun) -> None:
        run.act([send(5)])
        stop.set()
        run.over.wait(20)
        run.act([send(6)])

    result = played(agent, log, stop=stop)
    assert (result.state, amounts_that_ran(log)) == (LiveState.STOPPED, [5])


# --- worlds ---------------------------------------------------------------------------


class Raising(Bank):
    """Raises on every call, and has no judgement."""

    @override
    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        raise SystemExit(4) if arguments["amount"] == 4 else TimeoutError("slow")

    @override
    def judge(self) -> Judged:
        raise RuntimeError("lost")


def test_what_a_world_raises_is_told_to_the_agent_and_the_run_goes_on(log: Path) -> None:
    def agent(run: LiveRun) -> None:
        observations = [run.act([send(amount)])[0] for amount in (4, 5)]
        assert [(observation.failed, observation.text) for observation in observations] == [
            (True, "Error: SystemExit: 4"),
            (True, "Error: slow"),
        ]

    result = played(agent, log, world=Raising)
    assert (result.state, result.task_done, result.why) == (LiveState.FINISHED, None, "RuntimeError: lost")
    results = [(line["result"], line.get("failed")) for line in lines(log) if "result" in line]
    assert results == [("WorldRaised: SystemExit: 4", True), (None, None)]  # a timed-out call may have run


def test_a_world_that_hangs_ends_the_run_and_nobody_knows_what_it_did(log: Path) -> None:
    wake = threading.Event()

    class Hanging(Bank):
        """Answers when it is woken."""

        @override
        def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
            wake.wait(20)
            return super().call(tool, arguments)

    result = played(
        lambda run: run.act([send(5), send(6)]), log, world=Hanging, limits=Limits(tool_seconds=0.1)
    )
    wake.set()
    assert (result.state, result.task_done) == (LiveState.WORLD_FAILED, None)
    results = [(line["call"], line["result"], line.get("failed")) for line in lines(log) if "result" in line]
    assert results == [(0, None, None), (1, "The run has ended.", True)]


class Lying(Bank):
    """Changes its arguments, and returns a value that JSON cannot express."""

    @override
    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        cast("dict[str, Json]", arguments)["amount"] = 1
        return cast("Json", {1j: self})

    @override
    def judge(self) -> Judged:
        return cast("Judged", "all is well")


def test_a_world_that_lies_changes_nothing_of_what_is_remembered(log: Path) -> None:
    outcomes: list[Outcome] = []

    def agent(run: LiveRun) -> None:
        assert run.act([send(5)])[0].failed

    result = played(
        agent,
        log,
        world=Lying,
        on_event=lambda event: outcomes.extend([event.outcome] if event.outcome else []),
    )
    assert (result.state, result.task_done) == (LiveState.FINISHED, None)
    assert outcomes[0].call.arguments == {"amount": 5}


def test_a_world_that_does_not_begin_is_a_recorded_end(log: Path) -> None:
    class Broken(Bank):
        """Raises at its start."""

        def __init__(self, _task: object) -> None:
            raise OSError("no data")

    result = played(lambda _run: None, log, world=Broken)
    assert (result.state, ended(log)["state"]) == (LiveState.WORLD_FAILED, "world-failed")


def test_a_log_that_cannot_be_written_lets_nothing_run(log: Path) -> None:
    def agent(run: LiveRun) -> None:
        log.unlink(missing_ok=True)
        os.mkfifo(log)
        while True:
            run.act([send(5)])

    with pytest.warns(UserWarning, match="cannot be written"):
        result = played(agent, log, limits=Limits(refusals=3))
    assert (result.state, result.task_done) == (LiveState.IGNORED_DENIALS, False)


# --- persons --------------------------------------------------------------------------


def test_an_answer_names_its_question_and_counts_once(log: Path) -> None:
    answers: list[bool] = []
    open_questions: list[OpenQuestion] = []

    def on_question(question: OpenQuestion) -> None:
        open_questions.append(question)
        number = question.number
        if number == 1:
            return  # silence
        answers.append(questions.answer(1, approve=True, by="ann"))  # late
        answers.append(questions.answer(number, approve=number == 3, by="ann"))
        answers.append(questions.answer(number, approve=True, by="ann"))  # twice

    questions = OpenQuestions(on_question, seconds=0.2)

    def agent(run: LiveRun) -> None:
        for amount in (101, 102, 103):
            run.act([send(amount)])

    result = played(agent, log, approval=questions.approval)
    assert answers == [False, True, False] * 2
    assert (result.approved, amounts_that_ran(log)) == (1, [103])
    assert [open_question.outcome.call.arguments for open_question in open_questions] == [
        {"amount": amount} for amount in (101, 102, 103)
    ]


def test_nobody_approves_without_a_name(log: Path) -> None:
    def nameless(question: OpenQuestion) -> None:
        assert questions.answer(question.number, approve=True, by=" ")

    questions = OpenQuestions(nameless, seconds=20)
    result = played(lambda run: run.act([send(101)]), log, approval=questions.approval)
    assert (result.ran, result.approved) == (0, 0)


def test_an_approval_after_the_end_of_the_run_lets_nothing_run(log: Path) -> None:
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    questions = OpenQuestions(lambda question: numbers.put(question.number), seconds=20)
    refused = threading.Event()

    def agent(run: LiveRun) -> None:
        try:
            run.act([send(101)])
        finally:
            refused.set()

    result = played(agent, log, approval=questions.approval, limits=Limits(seconds=0.2))
    assert questions.answer(numbers.get(timeout=20), approve=True, by="ann")
    assert refused.wait(20)
    assert (result.state, amounts_that_ran(log)) == (LiveState.TIME_LIMIT, [])
    (line,) = [line for line in lines(log) if "decision" in line]
    assert "has ended" in line["refused_because"]


# --- anything at all ------------------------------------------------------------------

AMOUNTS = st.sampled_from([1, 100, 101, 500, None, "5", 5.0, True])
ACTIONS = st.lists(st.lists(AMOUNTS, min_size=1, max_size=3), max_size=6)


@settings(max_examples=examples(40), deadline=None)
@given(actions=ACTIONS, strategy=st.sampled_from([strategy for strategy in Strategy if strategy.enforces]))
def test_whatever_an_agent_tries_nothing_runs_that_the_policy_does_not_allow(
    tmp_path_factory: pytest.TempPathFactory, actions: list[list[Json]], strategy: Strategy
) -> None:
    log = tmp_path_factory.mktemp("live") / "live.jsonl"

    def agent(run: LiveRun) -> None:
        for action in actions:
            run.act([send(amount) for amount in action])

    result = played(agent, log, strategy=strategy)
    assert all(line["decision"] == "allow" for line in lines(log) if line.get("runs"))
    assert not result.attacked
    assert result.state in (LiveState.FINISHED, LiveState.TERMINATED)
    assert ended(log)["state"] == result.state.value
