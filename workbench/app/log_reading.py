"""Reading logs: listeners get calls as they arrive; of a log that grew only new calls are extracted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import batched
from typing import TYPE_CHECKING

from workbench.app.results import Logs
from workbench.model import Extracted, ImportProblem, RecordedCall, Run

if TYPE_CHECKING:
    from workbench.runs.extract.extractor import Extractor

type Tell = Callable[[Logs], None]
"""A listener, called with the part of the logs that is read."""

type _Known = tuple[Sequence[RecordedCall], Sequence[Mapping[str, Extracted]]]

FIRST_TOLD = 100
"""The number of calls at the first report to a listener; each further report has four times as many."""


_ASKED_RUNS = 32

RECORDS = 20
"""The number of records that are read per wanted call: results and messages are records too."""


def first_calls(items: Iterable[Run | ImportProblem], most: int = FIRST_TOLD) -> list[Run | ImportProblem]:
    """The beginning of logs, up to this number of calls."""
    first, count = list[Run | ImportProblem](), 0
    for item in items:
        if isinstance(item, Run):
            item = replace(item, calls=item.calls[: most - count])
            count += len(item.calls)
        first.append(item)
        if count >= most:
            break
    return first


def read_logs(extractor: Extractor, items: Iterable[Run | ImportProblem], tell: Tell | None = None) -> Logs:
    """The runs with every call extracted, and the problems between them."""
    return _read(extractor, items, {}, Logs(), tell)


def read_grown(
    logs: Logs,
    paths: Collection[str],
    items: Iterable[Run | ImportProblem],
    extractor: Extractor,
    tell: Tell | None = None,
) -> Logs:
    """The logs after some of their files, or further ones, were read again.

    A call is extracted anew only if it, or a call before it in its run, differs. ``extractor`` is the one
    that read the other calls, or an equal one.
    """
    known_by_run: dict[str, _Known] = {}
    before, after = _Pile(), _Pile()
    position = 0
    for run in logs.runs:
        extracted = logs.extracted[position : position + len(run.calls)]
        position += len(run.calls)
        if run.path in paths:
            known_by_run[run.id] = (run.calls, extracted)
        else:
            (after if known_by_run else before).take(run, extracted)
    problems = [problem for problem in logs.problems if problem.path not in paths]
    read = _read(extractor, items, known_by_run, before.logs(problems), tell)
    for run, extracted in after.pairs():
        read = replace(
            read,
            runs=(*read.runs, run),
            calls=(*read.calls, *run.calls),
            extracted=(*read.extracted, *extracted),
        )
    return read


class _Pile:
    """Runs and the values that were extracted from their calls."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._extracted: list[Sequence[Mapping[str, Extracted]]] = []

    def take(self, run: Run, values: Sequence[Mapping[str, Extracted]]) -> None:
        self._runs.append(run)
        self._extracted.append(values)

    def pairs(self) -> Iterator[tuple[Run, Sequence[Mapping[str, Extracted]]]]:
        return zip(self._runs, self._extracted, strict=True)

    def logs(self, problems: Sequence[ImportProblem]) -> Logs:
        calls = tuple(call for run in self._runs for call in run.calls)
        extracted = tuple(values for run_values in self._extracted for values in run_values)
        return Logs(tuple(self._runs), calls, extracted, tuple(problems))


def _read(
    extractor: Extractor,
    items: Iterable[Run | ImportProblem],
    known_by_run: Mapping[str, _Known],
    begun: Logs,
    tell: Tell | None,
) -> Logs:
    runs, calls, extracted = list(begun.runs), list(begun.calls), list(begun.extracted)
    problems = list(begun.problems)

    def so_far() -> Logs:
        return Logs(tuple(runs), tuple(calls), tuple(extracted), tuple(problems), extractor.arguments)

    to_tell = len(calls) + FIRST_TOLD
    for item in _asked_ahead(extractor, items):
        if isinstance(item, ImportProblem):
            problems.append(item)
            continue
        runs.append(item)
        for call, extracted_by_name in _extracted_calls(extractor, item, known_by_run.get(item.id)):
            calls.append(call)
            extracted.append(extracted_by_name)
            if tell is not None and len(calls) >= to_tell:
                tell(so_far())
                to_tell = 4 * len(calls)
    return so_far()


def _asked_ahead(extractor: Extractor, items: Iterable[Run | ImportProblem]) -> Iterator[Run | ImportProblem]:
    """The items; a model that reads arguments gets many calls at once, after the cost is announced."""
    if not extractor.asks_model:
        yield from items
        return
    every = list(items)
    extractor.announce(call for item in every if isinstance(item, Run) for call in item.calls)
    for batch in batched(every, _ASKED_RUNS):
        extractor.ask_model(call for item in batch if isinstance(item, Run) for call in item.calls)
        yield from batch


def _extracted_calls(
    extractor: Extractor, run: Run, known_run: _Known | None
) -> Iterator[tuple[RecordedCall, Mapping[str, Extracted]]]:
    """The calls of a run with the values of each; known values are reused up to the first difference."""
    from workbench.runs.world.earlier_calls import Earlier

    before, extracted = known_run or ((), ())
    is_same = True
    for position, call in enumerate(run.calls):
        is_same = is_same and position < len(before) and before[position] == call
        yield call, extracted[position] if is_same else extractor.extract(call, Earlier(run.calls, position))
