"""Hostile agents and worlds, judged by the effects in the world and by the record."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast, override

import pytest

from tests.live.toy import TASK, Bank, played, send
from workbench.app.live import agent_named, recorded_decisions, tasks_of
from workbench.app.value_texts import call_arguments
from workbench.guard import Approval, Outcome, ToolCall
from workbench.live import (
    Call,
    Judged,
    Limits,
    LiveResult,
    LiveRun,
    LiveState,
    OpenQuestion,
    OpenQuestions,
    RunOver,
)
from workbench.model import Json, WorkbenchError
from workbench.runs.logs import load_runs


class Wordless(Exception):
    """Raises when its text is needed."""

    @override
    def __str__(self) -> str:
        raise ValueError("no text")


class WordlessExit(BaseException):
    """Ends a thread, and raises when its text is needed."""

    @override
    def __str__(self) -> str:
        raise ValueError("no text")


class Watched:
    """A run with its worlds, so that effects can be counted."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.worlds: list[Bank] = []

    def play(self, agent: Callable[[LiveRun], object], kind: type[Bank] = Bank, **options: Any) -> LiveResult:
        def world(task: object) -> Bank:
            self.worlds.append(kind(cast("Any", task)))
            return self.worlds[-1]

        return played(agent, self.log, world=world, **options)

    @property
    def effects(self) -> list[Json]:
        """All transfers, in every world."""
        return [amount for world in self.worlds for amount in world.sent]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def check(self, result: LiveResult, state: LiveState) -> None:
        """Check the end of the run and of its record; each effect belongs to a call that ran."""
        assert result.state is state
        assert self.lines[-1]["ended"]["state"] == state.value
        assert load_runs([self.log]).problems == ()
        ran = [line for line in self.lines if line.get("runs")]
        assert len(self.effects) <= len(ran) == result.ran
        assert all(isinstance(effect, int) and effect <= 100 for effect in self.effects)
        ended = {line["call"] for line in self.lines if "result" in line}
        assert ended == {line["call"] for line in ran}


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "live.jsonl")


# --- agents ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["on and on", "x" * 2_000])
def test_an_agent_that_talks_without_end_is_ended(watched: Watched, text: str) -> None:
    def agent(run: LiveRun) -> None:
        while True:
            run.say(text)

    result = watched.play(agent, limits=Limits(messages=20, characters=1_000))
    watched.check(result, LiveState.MESSAGE_LIMIT)
    messages = [line for line in watched.lines if line.get("message", {}).get("role") == "assistant"]
    assert len(messages) == (20 if text == "on and on" else 0)


@pytest.mark.parametrize("error", [Wordless, WordlessExit])
def test_an_agent_whose_failure_has_no_text_has_failed(watched: Watched, error: type[BaseException]) -> None:
    def agent(run: LiveRun) -> None:
        run.act([send(5)])
        raise error

    watched.check(watched.play(agent), LiveState.AGENT_FAILED)
    assert watched.lines[-1]["ended"]["detail"] == error.__name__


def test_a_list_that_hides_its_length_does_not_hide_calls_from_the_limit(watched: Watched) -> None:
    class Short(list[Call]):
        @override
        def __len__(self) -> int:
            return 1

    result = watched.play(lambda run: run.act(Short([send(1)] * 60)), limits=Limits(calls=50))
    watched.check(result, LiveState.CALL_LIMIT)
    assert watched.effects == []


class Moody(Mapping[str, Json]):
    """Raises when it is read."""

    @override
    def __getitem__(self, key: str) -> Json:
        raise RuntimeError(key)

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(["amount"])

    @override
    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    "call",
    [
        *[Call(cast("str", tool), {"amount": 5}) for tool in (None, 5, b"transfer", ["transfer"])],
        *[Call(tool, {"amount": 5}) for tool in ("transfer ", "ｔransfer", "TRANSFER", "transfer\x00")],
        Call("transfer", Moody()),
        Call("transfer", cast("dict[str, Json]", {"amount": 500, 1: "amount"})),
        Call("transfer", {"amount": "100"}),
        Call("transfer", {"amount": 10**400}),
    ],
)
def test_what_is_no_call_of_a_tool_is_refused_on_the_record(watched: Watched, call: Call) -> None:
    def agent(run: LiveRun) -> None:
        (observation,) = run.act([call])
        assert observation.refused

    result = watched.play(agent)
    watched.check(result, LiveState.FINISHED)
    assert (watched.effects, result.refused) == ([], 1)


def test_calls_that_nobody_waits_for_any_more_are_recorded_with_what_they_did(watched: Watched) -> None:
    waiting, go_on = threading.Event(), threading.Event()

    class Slow(Bank):
        @override
        def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
            waiting.set()
            go_on.wait(20)
            return super().call(tool, arguments)

    async def agent(run: LiveRun) -> None:
        acting = asyncio.create_task(run.act_async([send(5), send(500)]))
        while not waiting.is_set():
            await asyncio.sleep(0)
        acting.cancel()
        go_on.set()

    watched.check(watched.play(agent, Slow), LiveState.FINISHED)
    assert watched.effects == [5]


def test_threads_that_an_agent_leaves_behind_do_nothing_after_its_answer(watched: Watched) -> None:
    answered, refused = threading.Event(), threading.Event()

    def agent(run: LiveRun) -> None:
        def late() -> None:
            answered.wait(20)
            try:
                run.act([send(6)])
            except RunOver:
                refused.set()

        threading.Thread(target=late, daemon=True).start()

    result = watched.play(agent)
    answered.set()
    assert refused.wait(20)
    watched.check(result, LiveState.FINISHED)
    assert watched.effects == []


# --- worlds ---------------------------------------------------------------------------


@pytest.mark.parametrize("error", [Wordless, WordlessExit, StopIteration, KeyboardInterrupt, RecursionError])
def test_whatever_a_world_raises_after_its_effect_the_call_ran(
    watched: Watched, error: type[BaseException]
) -> None:
    class Raising(Bank):
        @override
        def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
            super().call(tool, arguments)
            raise error

    def agent(run: LiveRun) -> None:
        assert run.act([send(5)])[0].failed

    watched.check(watched.play(agent, Raising), LiveState.FINISHED)
    assert watched.effects == [5]


class Unreadable(dict[str, Json]):
    """Raises when it is written."""

    @override
    def items(self) -> Any:
        raise RuntimeError("no items")

    @override
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("result", [Unreadable(a=1), {"a": Wordless()}, "x" * 1_000_001])
def test_a_result_that_cannot_be_read_or_kept_is_of_a_call_that_ran(watched: Watched, result: object) -> None:
    class Returning(Bank):
        @override
        def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
            super().call(tool, arguments)
            return cast("Json", result)

    def agent(run: LiveRun) -> None:
        assert run.act([send(5)])[0].failed

    watched.check(watched.play(agent, Returning), LiveState.FINISHED)
    assert watched.effects == [5]


def test_a_call_that_outlasts_its_run_is_counted_and_those_after_it_do_not_run(watched: Watched) -> None:
    go_on = threading.Event()

    class Slow(Bank):
        @override
        def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
            go_on.wait(20)
            return super().call(tool, arguments)

    stop = threading.Event()

    def agent(run: LiveRun) -> None:
        def over() -> None:
            run.over.wait(20)
            go_on.set()

        threading.Thread(target=over, daemon=True).start()
        stop.set()
        run.act([send(5), send(6)])

    result = watched.play(agent, Slow, stop=stop)
    assert (result.state, result.task_done, watched.effects) == (LiveState.STOPPED, True, [5])
    assert result.ran == 1


def test_a_world_that_acts_for_the_agent_from_within_a_call_lets_nothing_denied_run(watched: Watched) -> None:
    runs: list[LiveRun] = []

    class Colluding(Bank):
        @override
        def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
            if runs:
                runs.pop().act([send(500), send(7)])
            return super().call(tool, arguments)

    def agent(run: LiveRun) -> None:
        runs.append(run)
        run.act([send(5)])

    result = watched.play(agent, Colluding, limits=Limits(tool_seconds=0.1))
    assert result.state is LiveState.WORLD_FAILED
    assert 500 not in watched.effects


@pytest.mark.parametrize("judged", [Judged(cast("bool", "yes")), Judged(True, cast("bool", object()))])
def test_a_judgement_that_is_neither_yes_nor_no_is_none(watched: Watched, judged: Judged) -> None:
    class Judging(Bank):
        @override
        def judge(self) -> Judged:
            return judged

    result = watched.play(lambda run: run.act([send(5)]), Judging)
    watched.check(result, LiveState.FINISHED)
    assert (result.task_done, result.attacked) == (None, None)


# --- persons --------------------------------------------------------------------------


def test_an_approval_of_the_next_question_is_of_none(watched: Watched) -> None:
    accepted: list[bool] = []

    def on_question(question: OpenQuestion) -> None:
        accepted.append(questions.answer(question.number + 1, approve=True, by="eve"))

    questions = OpenQuestions(on_question, 0.1)

    def agent(run: LiveRun) -> None:
        for amount in (101, 102):
            run.act([send(amount)])

    watched.check(watched.play(agent, approval=questions.approval), LiveState.FINISHED)
    assert (accepted, watched.effects) == ([False, False], [])


@pytest.mark.parametrize("answer", [True, None, 5, Wordless])
def test_an_approver_that_names_nobody_approves_nothing(watched: Watched, answer: object) -> None:
    approval = Approval(lambda _outcome: cast("str", answer), timeout=20)
    watched.check(watched.play(lambda run: run.act([send(101)]), approval=approval), LiveState.FINISHED)
    assert watched.effects == []


# --- modules --------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["raise SystemExit(0)", "import sys\nsys.exit(0)", "1 / 0", "def (:"])
def test_a_module_that_ends_the_program_is_no_agent(tmp_path: Path, body: str) -> None:
    module = tmp_path / "agent.py"
    module.write_text(f"{body}\n")
    with pytest.raises(WorkbenchError, match="cannot be imported"):
        agent_named(f"{module}:act")


def _ends() -> object:
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (_ends, "cannot say its tasks: SystemExit: 0"),
        (lambda: [TASK, TASK], "an id of its own"),
        (lambda: [TASK, "pay"], "has to be a Task"),
        (list, "no task at all"),
    ],
)
def test_a_world_has_to_say_its_tasks(tasks: Callable[[], object], message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        tasks_of(tasks)


# --- the record -----------------------------------------------------------------------


def test_a_record_is_compared_by_the_names_of_an_import_whatever_else_stands_in_its_file(
    watched: Watched,
) -> None:
    names = ["a\n\x1b[31m", "a", "a", "a#2", ""]
    watched.log.write_text('not json\n[]\n{"run": 1}\n')
    begun = watched.log.stat().st_size
    for name in names:
        watched.play(lambda run: run.act([send(5), send(500)]), name=name)
    runs = [run.id for run in load_runs([watched.log]).runs]
    decisions_by_run = recorded_decisions(watched.log, begun)
    assert list(decisions_by_run) == runs
    assert [[verdict for verdict, _ in decided] for decided in decisions_by_run.values()] == [
        ["allow", "deny"]
    ] * 5
    assert list(recorded_decisions(watched.log, watched.log.stat().st_size)) == []


class Interrupted(threading.Event):
    """Interrupts the first caller, as a signal interrupts the main thread."""

    was_asked = False

    @override
    def is_set(self) -> bool:
        if not self.was_asked:
            self.was_asked = True
            raise KeyboardInterrupt
        return super().is_set()


def test_an_interrupt_is_an_end_on_the_record(watched: Watched) -> None:
    def agent(run: LiveRun) -> None:
        run.act([send(5)])
        run.over.wait(20)
        run.act([send(6)])

    stop = Interrupted()
    watched.check(watched.play(agent, stop=stop), LiveState.STOPPED)
    assert stop.is_set()
    assert watched.effects in ([], [5])


def test_calls_of_one_action_are_so_in_the_record_though_another_action_stands_between_them(
    watched: Watched,
) -> None:
    event, go_on = threading.Event(), threading.Event()

    def ask(_outcome: Outcome) -> str:
        event.set()
        go_on.wait(20)
        return "ann"

    def agent(run: LiveRun) -> None:
        def beside() -> None:
            event.wait(20)
            run.act([send(7)])
            go_on.set()

        thread = threading.Thread(target=beside)
        thread.start()
        run.act([send(5), send(101), send(6)])
        thread.join()

    result = watched.play(agent, approval=Approval(ask, timeout=20))
    assert (result.state, result.ran) == (LiveState.FINISHED, 4)
    (run,) = load_runs([watched.log]).runs
    by_amount = {cast("dict[str, Json]", call.arguments)["amount"]: call.step for call in run.calls}
    assert by_amount[5] == by_amount[101] == by_amount[6] != by_amount[7]


def test_a_call_that_waits_is_shown_whatever_its_arguments_are() -> None:
    within: dict[str, Json] = {}
    within["itself"] = within
    unknown = (call_arguments(ToolCall("pay", arguments)) for arguments in (None, within))
    assert [*unknown] == ["?", "?"]
    assert call_arguments(ToolCall("pay", {"to": "a\u202eb"})) == '{"to": "a<U+202E>b"}'
