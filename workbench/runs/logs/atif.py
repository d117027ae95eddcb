"""ATIF, the Agent Trajectory Interchange Format of Harbor: an agent with its steps.

A step of the agent has its calls and, in one place, what each of them returned. A result names the
trajectory of the subagent that gave it, which is in the same record or in a file beside: its calls stand
between that step and its results. The format has no flag for a failed call; ``is_error``, which some writers
add to a result or to its ``extra``, is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.clean_text import counted
from workbench.guard.run_messages import MessagesSoFar
from workbench.guard.subagents import SUBAGENT
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    RunSoFar,
    dict_at,
    dicts_at,
    facts,
    judged_by,
    list_at,
    lost_result,
    not_understood,
    read_each,
    run_id,
    text_at,
    waiting_call,
)
from workbench.runs.logs.log_stream import LogSource, ReadFailed, Sample, file_below
from workbench.runs.values.jsontext import as_text

_NAMES = ("trajectory_id", "session_id")
_PATH = re.compile(r'"trajectory_path"\s*:\s*"([^"\\]+)"')
_LEAVE_OUT = frozenset({"steps", "final_metrics", "subagent_trajectories", "notes", "extra"})


class Atif:
    """Reads each trajectory as one run."""

    name = "atif"

    def matches(self, sample: Sample) -> float:
        """The share of records that name the format, or have its steps."""
        return sample.mean(_is_trajectory)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each trajectory with those of its subagents as one run."""

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
    family = _Family(source)
    trajectory = _Trajectory(record, family, RunSoFar("step", line))
    trajectory.follow()
    run = text_at(record, "trajectory_id") or run_id(record, source, line)
    judged = judged_by(record)
    known = facts(record, _LEAVE_OUT.union(judged))
    yield from trajectory.read.finished(run, known, format_name, source, judged)
    if missing := family.missing:
        verb = "is" if missing == 1 else "are"
        reason = (
            f"run {run}, {counted(missing, 'reference')} to a subagent {verb} to another file, and not read"
        )
        yield ImportProblem(str(source.path), line, reason, missing)
    if record.get("continued_trajectory_ref") is not None:
        yield ImportProblem(
            str(source.path), line, f"run {run} goes on in another file, which is not read with it"
        )


def subagent_files(path: Path) -> list[Path]:
    """The files of the trajectories of subagents that a trajectory names, in its own folder or below."""
    if path.suffix != ".json" or not path.is_file():
        return []
    source = LogSource(path)
    try:
        if '"ATIF-' not in source.head():
            return []
        named = _PATH.findall(source.text())
    except ReadFailed:
        return []
    return [file for name in named if (file := file_below(path.parent, name)) is not None and file != path]


class _Family:
    """The trajectories of the subagents of one run, each of which is taken once."""

    def __init__(self, source: LogSource) -> None:
        """Take the file of the run. ``missing`` counts references to trajectories that are not there."""
        self.missing = 0
        self._source = source
        self._taken: list[Mapping[str, Json]] = []
        self._files: set[Path] = set()

    def referred(self, reference: Json, held: list[Json]) -> Mapping[str, Json] | None:
        """The trajectory that a reference names: one that its record holds, or that of a file."""
        named = reference if isinstance(reference, dict) else {}
        for child in held:
            if isinstance(child, dict) and _is_named(child, named):
                return self.taken(child)
        path = self._source.path
        file = file_below(path.parent, text_at(named, "trajectory_path") or "")
        if file is None:
            self.missing += 1
            return None
        if file in self._files or file == path:
            return None
        self._files.add(file)
        try:
            values = (record.value for record in LogSource(file).records())
            found = next((one for one in values if isinstance(one, dict) and _is_trajectory(one)), None)
        except ReadFailed:
            found = None
        if found is None:
            self.missing += 1
        else:
            self._source.others.append(file)
        return found

    def taken(self, child: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """A trajectory that a record holds, if it was not taken before."""
        if any(one is child for one in self._taken):
            return None
        self._taken.append(child)
        return child


def _name(record: Mapping[str, Json]) -> str:
    return text_at(record, *_NAMES) or "subagent"


def _is_named(child: Mapping[str, Json], reference: Mapping[str, Json]) -> bool:
    """Whether a reference names a trajectory: all trajectories of a session may have its id."""
    own = next((key for key in _NAMES if text_at(child, key) and text_at(reference, key)), None)
    return own is not None and child[own] == reference[own]


def _listed(holder: Mapping[str, Json], key: str) -> list[Json]:
    """The list at a key; a value in place of a list is its only element."""
    value = holder.get(key)
    return value if isinstance(value, list) else [] if value is None else [value]


class _Trajectory:
    """The calls of a trajectory with those of its subagents, step by step."""

    def __init__(
        self, record: Mapping[str, Json], family: _Family, read: RunSoFar, *, is_subagent: bool = False
    ) -> None:
        self.read = read
        self._own: list[LoggedCall] = []
        self._record = record
        self._family = family
        self._held = _listed(record, "subagent_trajectories")
        self._roles = {"user": SUBAGENT if is_subagent else "user", "system": "system"}
        self._messages = MessagesSoFar()

    def follow(self) -> None:
        """Read every step, and then the subagents of which no step tells when they acted."""
        for step in list_at(self._record, "steps"):
            self._add(step)
        for child in self._held:
            if not isinstance(child, dict) or not isinstance(child.get("steps"), list):
                self.read.lost.append("a trajectory of a subagent has no steps")
            elif self._family.taken(child) is not None:
                self.read.lost.append(
                    f"no result names the subagent {_name(child)}, so it is not known when it acted"
                )
                self.read.calls.insert(0, not_understood())
                for call in self.read.calls:
                    call.known_from += call.known_from not in (0, UNANSWERED)
                self._take(child)

    def _take(self, child: Mapping[str, Json]) -> None:
        """Add the calls of a subagent."""
        read = RunSoFar("step", self.read.line, unread=self.read.unread)
        _Trajectory(child, self._family, read, is_subagent=True).follow()
        name, kind = _name(child), text_at(dict_at(child, "agent"), "name")
        told = {**facts(child, _LEAVE_OUT), "agent_id": name, **({"agent_type": kind} if kind else {})}
        before = len(self.read.calls)
        for call in read.calls:
            call.context = told if call.context is None else call.context
            call.message = None if call.message is None else f"{name}:{call.message}"
            call.known_from += 0 if call.known_from in (0, UNANSWERED) else before
            self.read.calls.append(call)
        self.read.lost += [f"subagent {name}, {lost}" for lost in read.lost]

    def _add(self, value: Json) -> None:
        """Add the next step."""
        self.read.place += 1
        step = value if isinstance(value, dict) else {}
        role = step.get("source")
        if role not in ("agent", *self._roles):
            self._messages.interrupt()
            self.read.miss("step", role if step else value)
            return
        if role != "agent":
            self._messages.add(self._roles[str(role)], as_text(step.get("message")))
        self._act(step)

    def _act(self, step: Mapping[str, Json]) -> None:
        """Add the calls of a step, and what they returned."""
        entries = _listed(step, "tool_calls")
        observation = step.get("observation")
        results = list_at(dict_at(step, "observation"), "results")
        if observation is not None and not isinstance(dict_at(step, "observation").get("results"), list):
            self.read.lose("its observation has no list of results")
        if step.get("source") == "agent":
            self._messages.forget("assistant")
            self._messages.add("assistant", as_text(step.get("message")))
            if results and not entries:
                # The agent acted in a form of its own, which only its message tells.
                self.read.miss("step", "with a result but no call", str(self.read.place))
        for entry in entries:
            call = _call(entry, step, self._messages.texts())
            call.message = str(self.read.place)
            if call.tool is None:
                self.read.lose("a call there does not tell its tool, so that it cannot be evaluated")
            self.read.calls.append(call)
            self._own.append(call)
        if entries:
            self._messages.interrupt()
        self._delegate(results)
        if entries or step.get("source") != "agent":
            for result in results:
                self._answer(result, len(entries), alone=len(entries) == len(results) == 1)

    def _delegate(self, results: list[Json]) -> None:
        """Add the calls of the subagents that gave these results."""
        for result in results:
            for reference in _listed(result, "subagent_trajectory_ref") if isinstance(result, dict) else ():
                missing = self._family.missing
                child = self._family.referred(reference, self._held)
                if child is not None:
                    self._take(child)
                elif self._family.missing > missing:
                    self.read.calls.append(not_understood())

    def _answer(self, value: Json, calls: int, *, alone: bool) -> None:
        result = value if isinstance(value, dict) else {}
        call_id = text_at(result, "source_call_id")
        if call_id is None and not alone:
            if calls:  # without calls, the system did something by itself
                self.read.lose("a result there does not tell its call")
            return
        call = waiting_call(self._own, call_id)
        if call is None:
            self.read.lose(lost_result(self._own, call_id, None))
            return
        call.result = as_text(result.get("content"))
        call.failed = result.get("is_error") is True or dict_at(result, "extra").get("is_error") is True
        call.known_from = len(self.read.calls)


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
