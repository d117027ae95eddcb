"""Live runs of an agent under the session's policy, recorded as runs that replay to the same decisions."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from workbench.clean_text import clean
from workbench.guard import DecisionLog, Guard, Mode, Outcome, Strategy
from workbench.guard.log import FORMAT
from workbench.guard.several_policies import none_denies, together
from workbench.guard.subagents import concerns
from workbench.live.harness import Harness, OpenQuestion, OpenQuestions
from workbench.live.protocol import (
    Agent,
    EventKind,
    Limits,
    LiveEvent,
    LiveResult,
    LiveState,
    LiveTally,
    Task,
    World,
    tallies,
)
from workbench.live.world_worker import error_text
from workbench.model import CallDecision, WorkbenchError
from workbench.policy.names import free_name
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.app.enforced import Enforced
    from workbench.app.guardagent_guard import KeptGuarding
    from workbench.app.policy import Policy
    from workbench.app.results import Logs
    from workbench.session import Session


__all__ = [
    "EventKind",
    "Limits",
    "Live",
    "LiveEvent",
    "LiveOrder",
    "LiveReport",
    "LiveResult",
    "LiveSettings",
    "LiveState",
    "LiveTally",
    "OpenQuestion",
    "OpenQuestions",
    "Outcome",
    "Strategy",
    "Task",
]


def _nobody(_event: LiveEvent) -> None:
    """Ignore the event."""


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """Settings of live runs: tasks of the world, by their ids, each under every one of the strategies.

    Without ``tasks`` all of them run. Under the strategy None nothing is enforced. ``log`` is the file of the
    recording; without it, a new file of the session. With ``look_up`` the guards ask the world for records
    that the agent did not look up.
    """

    strategies: tuple[Strategy | None, ...] = (Strategy.BLOCK_CALL,)
    tasks: tuple[str, ...] = ()
    log: Path | None = None
    limits: Limits = field(default_factory=Limits)
    look_up: bool = False


DEFAULT_SETTINGS = LiveSettings()


@dataclass(frozen=True, slots=True)
class LiveOrder:
    """An order for live runs: agent and world by their names, ``MODULE:NAME``.

    ``ask_seconds`` is how long a call waits for a person's answer; None if no person is asked. ``also`` are
    the folders of other sessions whose policies guard the agent too.
    """

    agent: str
    world: str
    settings: LiveSettings = DEFAULT_SETTINGS
    ask_seconds: float | None = None
    also: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveReport:
    """A report on live runs that have ended.

    ``decided`` is the number of their decisions, ``alike`` the number that a replay of ``log`` repeats.
    ``notices`` are sentences about sessions that differ from the accepted versions, which guarded.
    """

    results: tuple[LiveResult, ...]
    log: Path
    decided: int
    alike: int
    notices: tuple[str, ...] = ()

    @property
    def tallies(self) -> tuple[LiveTally, ...]:
        """The sums for each strategy."""
        return tallies(self.results)

    @property
    def orderly(self) -> bool:
        """Whether every run was ended by its agent or strategy, and a replay repeats every decision."""
        return self.alike == self.decided and all(result.state.orderly for result in self.results)


json_form(LiveReport, ("runs", "results"), ("strategies", "tallies"), "log", "decided", "alike", "notices")


class Live:
    """Runs an agent under the session's policy, and replays the recording."""

    def __init__(self, session: Session, policy: Policy) -> None:
        self._session = session
        self._policy = policy

    def named(self, agent: str, world: str) -> tuple[Agent, type[World]]:
        """The agent and the world of these names, ``MODULE:NAME``; their modules are run."""
        return agent_named(agent), world_named(world)

    def tasks(self, world: type[World], task_names: Sequence[str] = ()) -> tuple[Task, ...]:
        """The tasks of a world, or those with these ids. Raises WorkbenchError for an unknown id."""
        return tasks_of(world.tasks, tuple(task_names))

    def log_path(self) -> Path:
        """The default file of a recorded run: a new one among the logs of the session."""
        from workbench.session.atomic import inside
        from workbench.session.session import LOGS

        return inside(self._session.path, f"{LOGS}/live-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl")

    def run(
        self,
        agent: Agent,
        world: type[World],
        settings: LiveSettings = DEFAULT_SETTINGS,
        *,
        questions: OpenQuestions | None = None,
        on_event: Callable[[LiveEvent], object] = _nobody,
        stop: threading.Event | None = None,
        also: Sequence[Live] = (),
    ) -> LiveReport:
        """Run the agent on the tasks under each strategy, and replay the recording.

        ``on_event`` is called with each event at once, in the threads of agent and world; ``questions`` asks
        a person where the policy asks. ``stop`` ends the runs. ``also`` are other sessions whose policies
        guard the agent too.
        """
        chosen = self.tasks(world, settings.tasks)
        path = settings.log or self.log_path()
        decisions = _opened(path)
        begun = path.stat().st_size
        halt = stop or threading.Event()
        until = time.monotonic()

        def over() -> bool:
            return halt.is_set() or time.monotonic() > until

        sessions = (self, *also)
        notices: dict[str, None] = {}
        asking = sessions if settings.look_up else ()
        look_ups = frozenset[str]().union(*(live.look_ups for live in asking))
        tools = self._policy.enforced.spec.tools
        harness = Harness(agent, world, tools, settings.limits, on_event, halt, look_ups)
        results: list[LiveResult] = []
        for strategy in settings.strategies:
            guard = _guard(sessions, strategy, decisions, questions, over, notices.setdefault)
            for task in chosen:
                if halt.is_set():
                    break
                name = f"{task.id}:{strategy.value if strategy else 'unguarded'}"
                until = time.monotonic() + settings.limits.seconds
                results.append(harness.run(guard.run(name, context=task.context), task, strategy, until))
        others = [live.policy for live in also]
        every = frozenset[str]()
        guarding = [*(live.policy.enforced for live in sessions), *self._policy.baselines(others)]
        decided, alike = _replayed(
            [*((one, every) for one in guarding), *self._policy.subagents(others).every], path, begun
        )
        return LiveReport(tuple(results), path, decided, alike, tuple(notices))

    @property
    def look_ups(self) -> frozenset[str]:
        """The read-only tools that look up the session's records."""
        records = self._policy.enforced.spec.records
        return frozenset(record.look_up.tool for record in records if record.look_up is not None)

    @property
    def policy(self) -> Policy:
        """The policy of the session, under which its agent runs."""
        return self._policy


@dataclass(frozen=True, slots=True)
class LiveReplay:
    """A recorded live run, decided again by one session: its calls and decisions in order.

    It decides the calls of subagents of the kinds ``agents`` alone, if there are some.
    """

    name: str
    logs: Logs
    decided: tuple[CallDecision, ...]
    guardagent: KeptGuarding | None
    agents: frozenset[str]


def _opened(path: Path) -> DecisionLog:
    """A log of decisions that can be written, in a folder that is made if needed. Raises WorkbenchError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkbenchError(f"{path.parent} cannot be made: {error.strerror or error}.") from error
    decisions = DecisionLog(path)
    decisions.open()
    return decisions


def _guard(
    sessions: Sequence[Live],
    strategy: Strategy | None,
    decisions: DecisionLog,
    questions: OpenQuestions | None,
    stopped: Callable[[], bool],
    note: Callable[[str], None],
) -> Guard:
    """The guard of the accepted policies under a strategy; under None it only decides and records."""
    first, *other_policies = (session.policy for session in sessions)
    return first.guard(
        strategy or Strategy.BLOCK_CALL,
        mode=Mode.SHADOW if strategy is None else Mode.ENFORCE,
        log=decisions,
        approval=questions.approval if questions and strategy else None,
        measuring=True,
        also=other_policies,
        stopped=stopped,
        note=note,
    )


def _replayed(guarding: Sequence[tuple[Enforced, frozenset[str]]], path: Path, begun: int) -> tuple[int, int]:
    """The number of decisions written to a log since ``begun``, and how many of them its replay repeats."""
    written = recorded_decisions(path, begun)
    replays = [
        LiveReplay(enforced.name, *enforced.replayed([path]), enforced.kept_guarding(), agents)
        for enforced, agents in guarding
    ]
    replayed: dict[str, list[Decided]] = {}
    for place, first in enumerate(replays[0].decided):
        if first.run in written:
            replayed.setdefault(first.run, []).append(_again(replays, place))
    alike = sum(
        recorded == again
        for run, decided in written.items()
        for recorded, again in zip(decided, replayed.get(run, ()), strict=False)
    )
    return sum(map(len, written.values())), alike


def _again(replays: Sequence[LiveReplay], place: int) -> Decided:
    """The joint decision of a guard's policies, and of GuardAgent if it guards too, on a call."""
    decisions = {
        replay.name: replay.decided[place].decision
        for replay in replays
        if concerns(replay.agents, replay.logs.calls[place].context)
    }
    for replay in replays:
        kept_guarding = replay.guardagent
        if kept_guarding is not None and (not kept_guarding.behind or none_denies(decisions)):
            call = replay.logs.calls[place]
            run = next(run for run in replay.logs.runs if run.id == call.run)
            decisions[kept_guarding.name] = kept_guarding.decide(call, run)
    several = len(replays) > 1 or replays[0].guardagent is not None
    decision = together(decisions) if several else replays[0].decided[place].decision
    return decision.verdict.value, tuple(violation.rule for violation in decision.violations)


# --- The decisions of a decision log, by run, to compare with those of a replay


type Decided = tuple[str, tuple[str, ...]]
"""A verdict and the rules that fired."""


def recorded_decisions(path: Path, begun: int = 0) -> dict[str, list[Decided]]:
    """The decisions, in order, of the runs of a log that have lines past ``begun`` bytes.

    A run is named as an import names it: the second run of one name gets ``#2``. Lines that no guard wrote,
    which an import reports, are skipped.
    """
    names: dict[tuple[str, str], str] = {}
    decisions_by_run: dict[str, list[Decided]] = {}
    new: set[str] = set()
    place = 0
    with path.open("rb") as file:
        for line in file:
            begins, place = place, place + len(line)
            record = _record(line)
            if record is None:
                continue
            key = (clean(str(record["run"])), str(record.get("instance", "")))
            if key not in names:
                names[key] = free_name(key[0], set(names.values()), "#")
            if begins >= begun:
                new.add(names[key])
            if "decision" in record:
                rules = tuple(str(violation["rule"]) for violation in record["violations"])
                decisions_by_run.setdefault(names[key], []).append((str(record["decision"]), rules))
    return {name: decided for name, decided in decisions_by_run.items() if name in new}


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = cast("object", json.loads(line))
    except (ValueError, RecursionError):
        return None
    of_guard = isinstance(record, dict) and cast("dict[str, Any]", record).get("format") == FORMAT
    return cast("dict[str, Any]", record) if of_guard else None


# --- Names of agents and worlds: MODULE:NAME, where a module may be the path of a file


def agent_named(name: str) -> Agent:
    """The agent of this name; its module is imported and so runs. Raises WorkbenchError if it is missing."""
    agent = _named(name, "--agent")
    if not callable(agent):
        raise WorkbenchError(f"{name} is no function that takes a run.")
    return cast("Agent", agent)


def world_named(name: str) -> type[World]:
    """The class of the world of this name. Raises WorkbenchError if it is missing."""
    world = _named(name, "--world")
    missing = [method for method in ("tasks", "call", "judge") if not callable(getattr(world, method, None))]
    if not isinstance(world, type) or missing:
        raise WorkbenchError(
            f"{name} is no class of a world: it needs {', '.join(missing) or 'to be a class'}."
        )
    return cast("type[World]", world)


def tasks_of(world: Callable[[], object], task_names: tuple[str, ...] = ()) -> tuple[Task, ...]:
    """The tasks of a world, or those with the given ids. Raises WorkbenchError for an unknown id."""
    try:
        tasks = list(cast("Iterable[object]", world()))
    except (Exception, SystemExit) as error:  # a script that exits has not run the agent
        raise WorkbenchError(f"The world cannot say its tasks: {error_text(error)}") from error
    task_by_id = {task.id: task for task in tasks if isinstance(task, Task)}
    if len(task_by_id) < len(tasks):
        raise WorkbenchError("Each of the world's tasks has to be a Task, with an id of its own.")
    unknown = [id_ for id_ in task_names if id_ not in task_by_id]
    if unknown or not task_by_id:
        known_tasks = ", ".join(task_by_id) or "none"
        raise WorkbenchError(f"The world has no task {', '.join(unknown) or 'at all'}; it has {known_tasks}.")
    return tuple(task_by_id[id_] for id_ in task_names) if task_names else tuple(task_by_id.values())


def _named(name: str, option: str) -> object:
    module, colon, attribute = name.rpartition(":")
    if not colon or not module or not attribute:
        raise WorkbenchError(f"{option} {name!r} is no MODULE:NAME, such as shop.py:agent.")
    try:
        loaded = _file(Path(module)) if module.endswith(".py") else _module(module)
    except WorkbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise WorkbenchError(f"{module} cannot be imported: {error_text(error)}") from error
    if not hasattr(loaded, attribute):
        raise WorkbenchError(f"{module} has no {attribute}.")
    return getattr(loaded, attribute)


def _module(name: str) -> ModuleType:
    current_folder = str(Path.cwd())
    if current_folder not in sys.path:
        sys.path.insert(0, current_folder)
    return importlib.import_module(name)


def _file(path: Path) -> ModuleType:
    if not path.is_file():
        raise WorkbenchError(f"There is no file {path}.")
    whole = path.resolve()
    name = f"live_{whole.stem}_{hashlib.sha256(str(whole).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, whole)
    if spec is None or spec.loader is None:
        raise WorkbenchError(f"{path} is no file of Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
