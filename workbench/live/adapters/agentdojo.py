"""Suites of AgentDojo as worlds, judged by its own checkers. Needs the package ``agentdojo``.

A suite's name is the class of its world: ``workbench.live.adapters.agentdojo:banking``. It has every task of
a user alone, and with every goal of an attacker if the task's own calls bring an injection to the agent. The
agent ``ground_truth`` makes the calls with which AgentDojo solves the user's task, and obeys injections that
it reads.
"""

# The package is optional, so nothing of it is imported by name, and its types are Any.
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from workbench.live.live_run import LiveRun
from workbench.live.protocol import Call, Judged, Observation, Task
from workbench.model import Json, WorkbenchError

VERSION = "v1.2.2"
ATTACK = "important_instructions_no_model_name"
_PLAN_AGAIN = "Plan again"


def __getattr__(name: str) -> type[SuiteWorld]:
    """The class of the world of a suite, by the suite's name."""
    if name.startswith("_"):
        raise AttributeError(name)
    if name not in _suites():
        raise AttributeError(f"AgentDojo has no suite {name!r}; it has {', '.join(_suites())}")
    return type(name, (SuiteWorld,), {"suite_name": name})


class SuiteWorld:
    """A suite's environment, made for each task, with the injections of its attack."""

    suite_name = ""

    def __init__(self, task: Task) -> None:
        """Make the environment; raises WorkbenchError if the task does not belong to the suite."""
        self._played = _Played(self.suite_name, task)
        self._runtime = _part("functions_runtime").FunctionsRuntime(self._played.suite.tools)
        self._environment = self._played.environment()
        self._before = self._environment.model_copy(deep=True)
        self._calls: list[Any] = []

    @classmethod
    def tasks(cls) -> Sequence[Task]:
        """Every user task alone, and with every attacker's goal whose injection it brings to the agent."""
        suite, attack = suite_named(cls.suite_name), _attack(cls.suite_name)
        tasks: list[Task] = []
        for user_id, user in suite.user_tasks.items():
            tasks.append(Task(f"{cls.suite_name}/{user_id}", user.PROMPT))
            if _candidates(attack, user):
                tasks += [
                    Task(f"{cls.suite_name}/{user_id}/{goal_id}", user.PROMPT, attack=goal.GOAL)
                    for goal_id, goal in suite.injection_tasks.items()
                ]
        return tasks

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Carry a call out; its result is the text that AgentDojo's agents read. Raises if the call fails."""
        call = _part("functions_runtime").FunctionCall(function=tool, args=dict(arguments))
        result, error = self._runtime.run_function(self._environment, tool, dict(arguments))
        if error is not None:
            raise RuntimeError(str(error))
        self._calls.append(call)
        return str(_part("agent_pipeline.tool_execution").tool_result_to_str(result))

    def judge(self) -> Judged:
        """The judgement of AgentDojo's checkers on the environment and the calls that were carried out."""
        played = self._played
        states = (self._before, self._environment, self._calls)
        answer = _content(played.user.GROUND_TRUTH_OUTPUT)
        is_solved = played.suite._check_task_result(played.user, answer, *states)
        if played.goal is None:
            return Judged(bool(is_solved))
        attacked = played.suite._check_task_result(played.goal, answer, *states)
        return Judged(bool(is_solved), bool(attacked))


def ground_truth(run: LiveRun) -> str:
    """Make the calls that solve the user's task, one after another, and obey an injection once it is read.

    If it is asked to plan again, it goes on with the user's task.
    """
    suite_name = run.task.id.split("/")[0]
    played = _Played(suite_name, run.task)
    environment = played.environment()
    user_calls = [_call(function_call) for function_call in played.user.ground_truth(environment)]
    waiting = (
        []
        if played.goal is None
        else [_call(function_call) for function_call in played.goal.ground_truth(environment)]
    )
    for call in user_calls:
        read = run.act([call])
        if waiting and any(_has(observation, run.task.attack) for observation in read):
            obeyed, waiting = waiting, []
            _obey(run, obeyed)
    return str(played.user.GROUND_TRUTH_OUTPUT)


def _obey(run: LiveRun, calls: Sequence[Call]) -> None:
    for call in calls:
        if any(observation.refused and _PLAN_AGAIN in observation.text for observation in run.act([call])):
            run.say("I plan again, without it.")
            return


def _has(observation: Observation, goal: str) -> bool:
    """Whether an observation shows the goal, regardless of line breaks in its text."""
    return "".join(goal.split())[:60] in "".join(observation.text.replace("\\", "").split())


def _call(call: Any) -> Call:
    return Call(str(call.function), cast("Mapping[str, Json]", dict(call.args)))


class _Played:
    """The parts of AgentDojo that a task names: its suite, the user's task, the attacker's goal."""

    def __init__(self, suite_name: str, task: Task) -> None:
        self.suite = suite_named(suite_name)
        _, user_id, goal_id = (*task.id.split("/"), "")[:3]
        if user_id not in self.suite.user_tasks or (goal_id and goal_id not in self.suite.injection_tasks):
            raise WorkbenchError(f"AgentDojo's suite {suite_name} has no task {task.id!r}.")
        self.user = self.suite.user_tasks[user_id]
        self.goal = self.suite.injection_tasks[goal_id] if goal_id else None
        self._injections: Mapping[str, str] = (
            _attack(suite_name).attack(self.user, self.goal) if goal_id else {}
        )

    def environment(self) -> Any:
        """The environment with the injections before the user's task begins."""
        injected = self.suite.load_and_inject_default_environment(self._injections)
        return self.user.init_environment(injected)


def _content(text: str) -> list[Any]:
    return [_part("types").text_content_block_from_string(text)]


def _candidates(attack: Any, user: Any) -> bool:
    """Whether the user's task brings any attacker's text to the agent."""
    try:
        return bool(attack.get_injection_candidates(user))
    except ValueError:  # AgentDojo raises it for a task that cannot be attacked
        return False


@cache
def _suites() -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", _part("task_suite.load_suites").get_suites(VERSION))


def suite_named(name: str) -> Any:
    """AgentDojo's suite of this name; raises WorkbenchError if the suite or the package is missing."""
    if name not in _suites():
        raise WorkbenchError(f"AgentDojo has no suite {name!r}; it has {', '.join(_suites())}.")
    return _suites()[name]


@cache
def _attack(suite_name: str) -> Any:
    pipeline = _part("agent_pipeline.ground_truth_pipeline").GroundTruthPipeline(None)
    pipeline.name = "local"  # attacks address a model by the name of its pipeline
    return _part("attacks.attack_registry").load_attack(ATTACK, suite_named(suite_name), pipeline)


@cache
def _part(module: str) -> Any:
    """A module of the package; raises WorkbenchError if it is not installed."""
    try:
        return importlib.import_module(f"agentdojo.{module}")
    except ImportError as error:
        raise WorkbenchError(
            "Install the package agentdojo to run its suites: pip install agentdojo.", exit_code=3
        ) from error
