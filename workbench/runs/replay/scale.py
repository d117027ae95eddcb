"""Replay of a folder or an object store of logs by many processes, through Dask.

A file is the unit of work. Each file is streamed: memory holds one run and one batch of rows, however
long the file is. The results are Parquet, one part a file, in one folder that readers of Parquet take as
one table. Needs the extra ``scale`` (dask, pyarrow, fsspec).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import (
    AgentSpec,
    Argument,
    CallDecision,
    Demonstration,
    ImportProblem,
    Run,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.result_cache import Recent
from workbench.policy.written import speaking_of
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.methods import MODEL
from workbench.runs.logs import read_runs
from workbench.runs.replay.decide import replay
from workbench.runs.replay.summary import ReplaySummary

SHOWN_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """The input of every worker: the text of a checked policy, and the extraction of its arguments.

    ``memory`` holds demonstrations for the extractions that learn from them.
    """

    policy: str
    arguments: tuple[Argument, ...]
    spec: AgentSpec
    memory: tuple[Demonstration, ...] = ()


@dataclass(frozen=True, slots=True)
class FileFigures:
    """The figures of one file; ``problems`` are the first of ``problem_count``."""

    path: str
    calls: int = 0
    verdicts: Mapping[str, int] = field(default_factory=dict[str, int])
    rules: Mapping[str, int] = field(default_factory=dict[str, int])
    problem_count: int = 0
    problems: tuple[ImportProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class ScaleReport:
    """The figures of all files, in the order of their names."""

    files: tuple[FileFigures, ...]

    @property
    def summary(self) -> ReplaySummary:
        """The sums over all files."""
        rules: dict[str, int] = {}
        for file in self.files:
            for rule, count in file.rules.items():
                rules[rule] = rules.get(rule, 0) + count

        def of(verdict: Verdict) -> int:
            return sum(file.verdicts.get(verdict.value, 0) for file in self.files)

        return ReplaySummary(
            calls=sum(file.calls for file in self.files),
            allow=of(Verdict.ALLOW),
            ask=of(Verdict.ASK),
            deny=of(Verdict.DENY),
            cannot_evaluate=of(Verdict.CANNOT_EVALUATE),
            by_rule=dict(sorted(rules.items())),
        )

    @property
    def problem_count(self) -> int:
        """The number of records of all files that could not be read."""
        return sum(file.problem_count for file in self.files)


def refuse_model_arguments(job: ReplayJob) -> None:
    """Raise WorkbenchError if the agent has a reading that only a model can give.

    Many processes that ask one model would share neither its budget nor the record of its calls.
    """
    read = [one.name for one in job.spec.readings if one.extraction.method == MODEL]
    if read:
        raise WorkbenchError(
            f"A model reads {', '.join(read)}, and many processes cannot share its calls and its budget. "
            "Replay without --folder, or give the reading another method."
        )


def replay_folder(
    job: ReplayJob,
    folder: str,
    output: str,
    *,
    scheduler: str = "",
    workers: int = 0,
    on_file: Callable[[FileFigures], None] = lambda _figures: None,
) -> ScaleReport:
    """Replay every file below ``folder`` and write the decisions below ``output``.

    Args:
        job: policy and extraction.
        folder: a folder, or an address of a file system that fsspec knows, such as ``s3://bucket/logs``.
        output: the folder of the results, which must not exist; local, or an address that every
            worker can write to.
        scheduler: the address of a Dask scheduler; empty for processes on this machine.
        workers: the number of processes on this machine; 0 for one a core.
        on_file: called with the figures of each file when it is done, in the order in which files finish.

    Raises:
        WorkbenchError: there is no file, the output exists, a model would have to read an argument, or a
            package or the scheduler is missing.
    """
    from workbench.runs.replay.scale_cluster import files_below, make_folder, run_all

    if workers < 0:
        raise WorkbenchError("The number of workers cannot be negative; give 0 for one a core.")
    files = files_below(folder)
    if not files:
        raise WorkbenchError(f"There are no log files in {folder}.")
    refuse_model_arguments(job)  # a wrong policy is refused here, once, before any worker starts
    results = make_folder(output)
    tasks = [(path, f"{results}/part-{place:06}.parquet") for place, path in enumerate(files)]
    all_figures = run_all(
        functools.partial(replay_file, job), tasks, scheduler=scheduler, workers=workers, on_done=on_file
    )
    return ScaleReport(tuple(sorted(all_figures, key=lambda file_figures: file_figures.path)))


def replay_file(job: ReplayJob, task: tuple[str, str]) -> FileFigures:
    """Replay one file and write its part; an error in the file becomes one of its problems."""
    from workbench.runs.replay.scale_cluster import PartWriter, local_copy

    path, part = task
    counts = _Counts(path)
    policy, extractor = _prepared(job)
    digest = hashlib.sha256(job.policy.encode()).hexdigest()
    with ExitStack() as stack:
        try:
            local = stack.enter_context(local_copy(path))
        except OSError as error:
            counts.problem(ImportProblem(path, 0, f"the file cannot be read: {error}"))
            return counts.figures()
        writer = stack.enter_context(PartWriter(part, path, digest))
        for decision in replay(policy, extractor, _runs(local, counts, job)):
            counts.add(decision)
            writer.write(decision)
    return counts.figures()


_compiled: Recent[tuple[str, str], CompiledPolicy] = Recent(4)
"""The policies of this process, each compiled once, by text and arguments."""


def _policy_of(job: ReplayJob) -> CompiledPolicy:
    """The policy of a job; the checker sees its text before any of it runs."""
    key = job.policy, str(job.arguments)
    policy = _compiled.get(key)
    if policy is None:
        policy = compile_policy(speaking_of(check(job.policy), job.arguments))
        _compiled.put(key, policy)
    return policy


def _prepared(job: ReplayJob) -> tuple[CompiledPolicy, Extractor]:
    return _policy_of(job), Extractor(job.arguments, job.spec, memory=job.memory)


def _runs(path: Path, counts: _Counts, job: ReplayJob) -> Iterator[Run]:
    tools = [tool.name for tool in job.spec.tools]
    for item in read_runs(path, tools=tools):
        if isinstance(item, ImportProblem):
            counts.problem(item)
        else:
            yield item


class _Counts:
    """The figures of a file while it is read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._calls = 0
        self._verdicts: dict[str, int] = {}
        self._rules: dict[str, int] = {}
        self._problems: list[ImportProblem] = []
        self._problem_count = 0

    def add(self, decision: CallDecision) -> None:
        self._calls += 1
        verdict = decision.decision.verdict.value
        self._verdicts[verdict] = self._verdicts.get(verdict, 0) + 1
        for rule in {violation.rule for violation in decision.decision.violations}:
            self._rules[rule] = self._rules.get(rule, 0) + 1

    def problem(self, problem: ImportProblem) -> None:
        self._problem_count += problem.count
        if len(self._problems) < SHOWN_PROBLEMS:
            self._problems.append(replace(problem, path=self._path))

    def figures(self) -> FileFigures:
        return FileFigures(
            self._path,
            self._calls,
            self._verdicts,
            self._rules,
            self._problem_count,
            tuple(self._problems),
        )
