"""ATIF, the Agent Trajectory Interchange Format of Harbor: an agent with its steps.

A step of the agent has its calls and, in one place, what each of them returned. Trajectories of subagents
that are in the same record are runs of their own; those of other files are counted. The format has no flag
for a failed call; ``is_error``, which some writers add to a result or to its ``extra``, is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.clean_text import counted
from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    dict_at,
    dicts_at,
    facts,
    judged_by,
    list_at,
    lost_result,
    not_understood,
    read_each,
    result_text,
    run_id,
    text_at,
    waiting_call,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.unread import Unread
from workbench.runs.values.jsontext import as_text

_ROLES = {"user": "user", "system": "system"}
_NAMES = ("trajectory_id", "session_id")
_LEAVE_OUT = frozenset({"steps", "final_metrics", "subagent_trajectories", "notes", "extra"})


class Atif:
    """Reads each trajectory as one run."""

    name = "atif"

    def matches(self, sample: Sample) -> float:
        """The share of records that name the format, or have its steps."""
        if not sample.records:
            return 0.0
        return sum(map(_is_trajectory, sample.records)) / len(sample.records)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each trajectory as one run, and those of its subagents as further runs."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            if not _is_trajectory(record):
                raise NotThisFormat("the record is no trajectory with steps")
            yield from _runs(record, line, source, self.name)

        return read_each(source, convert)


def _is_trajectory(record: Mapping[str, Json]) -> bool:
    if not isinstance(record.get("steps"), list):
        return False
    named = str(record.get("schema_version")).startswith("ATIF-")
    return named or any("step_id" in step and "source" in step for step in dicts_at(record, "steps"))


def _runs(
    record: Mapping[str, Json], line: int, source: LogSource, format_name: str
) -> Iterator[Run | ImportProblem]:
    trajectory = _Trajectory()
    for step in list_at(record, "steps"):
        trajectory.add(step, line)
    run = text_at(record, "trajectory_id") or run_id(record, source, line)
    judged = judged_by(record)
    known = facts(record, _LEAVE_OUT.union(judged))
    yield build_run(run, trajectory.calls, known, format_name, source, f"line {line}", judged)
    for lost in trajectory.lost:
        yield ImportProblem(str(source.path), line, f"run {run}, {lost}")
    yield from trajectory.unread.problems(source, run)
    inner = _listed(record, "subagent_trajectories")
    yield from _elsewhere(record, trajectory, inner, run, line, str(source.path))
    for child in inner:
        if isinstance(child, dict) and isinstance(child.get("steps"), list):
            yield from _runs(child, line, source, format_name)
        else:
            yield ImportProblem(str(source.path), line, f"run {run}, a trajectory of a subagent has no steps")


def _elsewhere(
    record: Mapping[str, Json], trajectory: _Trajectory, inner: list[Json], run: str, line: int, path: str
) -> Iterator[ImportProblem]:
    """Problems that count the trajectories which the record names and does not hold."""
    held = {
        name for child in inner if isinstance(child, dict) for key in _NAMES if (name := text_at(child, key))
    }
    missing = sum(
        not isinstance(ref, dict) or held.isdisjoint(name for key in _NAMES if (name := text_at(ref, key)))
        for ref in trajectory.references
    )
    if missing:
        verb = "is" if missing == 1 else "are"
        reason = (
            f"run {run}, {counted(missing, 'reference')} to a subagent {verb} to another file, and not read"
        )
        yield ImportProblem(path, line, reason, missing)
    if record.get("continued_trajectory_ref") is not None:
        yield ImportProblem(path, line, f"run {run} goes on in another file, which is not read with it")


def _listed(holder: Mapping[str, Json], key: str) -> list[Json]:
    """The list at a key; a value in place of a list is its only element."""
    value = holder.get(key)
    return value if isinstance(value, list) else [] if value is None else [value]


class _Trajectory:
    """The calls of a trajectory, step by step."""

    def __init__(self) -> None:
        self.calls: list[LoggedCall] = []
        self.lost: list[str] = []
        self.unread = Unread()
        self.references: list[Json] = []
        self._messages = MessagesSoFar()
        self._place = 0

    def add(self, value: Json, line: int) -> None:
        """Add the next step."""
        self._place += 1
        step = value if isinstance(value, dict) else {}
        role = step.get("source")
        if role not in ("agent", *_ROLES):
            self._messages.interrupt()
            self.unread.note("step", role if step else value, line, self._place)
            self.calls.append(not_understood())
            return
        if role != "agent":
            self._messages.add(_ROLES[str(role)], as_text(step.get("message")))
        self._act(step, line)

    def _act(self, step: Mapping[str, Json], line: int) -> None:
        """Add the calls of a step, and what they returned."""
        entries = _listed(step, "tool_calls")
        observation = step.get("observation")
        results = list_at(dict_at(step, "observation"), "results")
        for result in results:
            self.references += _listed(result, "subagent_trajectory_ref") if isinstance(result, dict) else []
        if observation is not None and not isinstance(dict_at(step, "observation").get("results"), list):
            self._lose("its observation has no list of results")
        if step.get("source") == "agent":
            self._messages.forget("assistant")
            self._messages.add("assistant", as_text(step.get("message")))
            if results and not entries:
                # The agent acted in a form of its own, which only its message tells.
                self.unread.note("step", "with a result but no call", line, self._place)
                self.calls.append(not_understood(str(self._place)))
                return
        for entry in entries:
            call = _call(entry, step, self._messages.texts())
            call.message = str(self._place)
            if call.tool is None:
                self._lose("a call there does not tell its tool, so that it cannot be evaluated")
            self.calls.append(call)
        if entries:
            self._messages.interrupt()
        for result in results:
            self._answer(result, len(entries), alone=len(entries) == len(results) == 1)

    def _answer(self, value: Json, calls: int, *, alone: bool) -> None:
        result = value if isinstance(value, dict) else {}
        call_id = text_at(result, "source_call_id")
        if call_id is None and not alone:
            if calls:  # without calls, the system did something by itself
                self._lose("a result there does not tell its call")
            return
        call = waiting_call(self.calls, call_id)
        if call is None:
            self._lose(lost_result(self.calls, call_id, None))
            return
        call.result = result_text(result.get("content"))
        call.failed = result.get("is_error") is True or dict_at(result, "extra").get("is_error") is True
        call.known_from = len(self.calls)

    def _lose(self, problem: str) -> None:
        self.lost.append(f"step {self._place}: {problem}")


def _call(entry: Json, step: Mapping[str, Json], texts: dict[str, str]) -> LoggedCall:
    if not isinstance(entry, dict):
        return not_understood(texts=texts)
    return LoggedCall(
        tool=text_at(entry, "function_name"),
        raw=entry.get("arguments"),
        call_id=text_at(entry, "tool_call_id"),
        time=text_at(step, "timestamp"),
        texts=texts,
        known_from=UNANSWERED,
    )
