"""Running guards over a dataset: parallel, resumable, with reports of progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from guard_comparison.dataset import Dataset
from guard_comparison.guard_decisions import GuardResult, read_results, result_line
from guard_comparison.guards.evaluated_guard import ComparedGuard
from workbench.model import RecordedCall, Run, WorkbenchError

type _Key = tuple[str, str, str, str, int]


def run_guards(
    dataset: Dataset,
    guards: Sequence[ComparedGuard],
    fingerprint: str,
    *,
    results_path: Path | None = None,
    parallel: int = 1,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    cancelled: threading.Event | None = None,
) -> dict[str, tuple[GuardResult, ...]]:
    """Every guard's results on every call, in the order of the dataset.

    Args:
        dataset: the labelled recordings; guards never see a label.
        guards: each with a name of its own.
        fingerprint: identifies everything that the results depend on besides guard and call.
        results_path: a JSONL file; results in it are reused, new ones are appended at once.
        parallel: how many decisions are made at the same time.
        on_progress: called with the number of decisions made and of all decisions.
        cancelled: set it to stop after the decisions that are being made.

    Raises:
        WorkbenchError: two guards have one name, the file cannot be written, or it was cancelled.
    """
    names = [guard.name for guard in guards]
    if len(set(names)) != len(names):
        raise WorkbenchError("Two guards have the same name; give each its own.")
    comparison = _Comparison(dataset, guards, fingerprint)
    result_by_key = read_results(results_path) if results_path is not None else {}
    todo = comparison.undecided(result_by_key)
    total = len(guards) * dataset.calls
    keep = _Keeper(results_path)
    try:
        for number, result in enumerate(_decide_all(todo, dataset.name, fingerprint, parallel, cancelled)):
            result_by_key[result.key] = result
            keep.add(result)
            on_progress(total - len(todo) + number + 1, total)
    finally:
        keep.close()
    if cancelled is not None and cancelled.is_set():
        raise WorkbenchError("The evaluation was stopped; run it again to go on.", exit_code=130)
    return comparison.results(result_by_key)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Every call of a dataset with every guard."""

    dataset: Dataset
    guards: Sequence[ComparedGuard]
    fingerprint: str

    def undecided(
        self, stored_results: Mapping[_Key, GuardResult]
    ) -> list[tuple[ComparedGuard, Run, RecordedCall]]:
        """The calls without a stored result, guard by guard."""
        return [
            (guard, example.run, call)
            for guard in self.guards
            for example in self.dataset.examples
            for call in example.run.calls
            if self._key(guard, call) not in stored_results
        ]

    def results(self, stored_results: Mapping[_Key, GuardResult]) -> dict[str, tuple[GuardResult, ...]]:
        """The results of each guard, in the order of the dataset."""
        calls = [call for example in self.dataset.examples for call in example.run.calls]
        return {
            guard.name: tuple(stored_results[self._key(guard, call)] for call in calls)
            for guard in self.guards
        }

    def _key(self, guard: ComparedGuard, call: RecordedCall) -> _Key:
        return self.fingerprint, self.dataset.name, guard.name, call.run, call.index


def _decide_all(
    todo: Sequence[tuple[ComparedGuard, Run, RecordedCall]],
    dataset: str,
    fingerprint: str,
    parallel: int,
    cancelled: threading.Event | None,
) -> Iterator[GuardResult]:
    """The results in the order of their completion; no more than a few decisions wait at a time."""

    def decide(guard: ComparedGuard, run: Run, call: RecordedCall) -> GuardResult:
        started = time.perf_counter()
        judged = guard.decide(call, run)
        spent = time.perf_counter() - started
        return GuardResult.of(fingerprint, dataset, guard.name, (call.run, call.index), judged, spent)

    if parallel <= 1:
        for guard, run, call in todo:
            if cancelled is not None and cancelled.is_set():
                return
            yield decide(guard, run, call)
        return
    waiting = iter(todo)
    with ThreadPoolExecutor(parallel) as pool:
        running: set[Future[GuardResult]] = {
            pool.submit(decide, *task) for task in islice(waiting, 2 * parallel)
        }
        while running:
            finished_futures, running = wait(running, return_when=FIRST_COMPLETED)
            if cancelled is None or not cancelled.is_set():
                running |= {pool.submit(decide, *task) for task in islice(waiting, len(finished_futures))}
            for future in finished_futures:
                yield future.result()


class _Keeper:
    """Appends results to a file; each is written before the next is waited for."""

    def __init__(self, path: Path | None) -> None:
        self._stream = None
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
            self._stream = path.open("a", encoding="utf-8")
            if cut:
                self._stream.write("\n")
        except OSError as error:
            raise WorkbenchError(f"{path} cannot be written ({error.strerror}).") from error

    def add(self, result: GuardResult) -> None:
        if self._stream is not None:
            self._stream.write(result_line(result))
            self._stream.flush()

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
