"""One evaluation from its settings to its report: the call that a front end makes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from guard_comparison.evaluation_calls import EvaluationCalls
from guard_comparison.figures_report import Evaluation, tables
from guard_comparison.figures_report import evaluate as score
from guard_comparison.plot import evaluation_plot
from guard_comparison.readers import read_dataset
from guard_comparison.run_guards import run_guards
from guard_comparison.setup import Ablation, GuardFactory, WantedGuards
from guard_comparison.stages import stage_costs
from workbench.app.workbench import Workbench
from workbench.author.model.settings import settings_from
from workbench.model import ImportProblem, WorkbenchError


@dataclass(frozen=True, slots=True)
class ComparedRequest:
    """The settings of a comparison of guards.

    ``folder`` keeps ``results.jsonl``, ``calls.jsonl`` and for each dataset a report (Markdown) and a plot
    (SVG). ``kind`` selects the examples whose kind begins with it; ``limit`` the first examples, 0
    all. ``database`` is a folder that answers for records of which a run has no facts; ``readings`` has what
    a model read in the texts of the data.
    """

    guards: tuple[str, ...] = ("policy",)
    ablations: tuple[str, ...] = ()
    k: int = 3
    functions: tuple[str, ...] = ()
    folder: Path | None = None
    parallel: int = 1
    kind: str = ""
    limit: int = 0
    replay_only: bool = False
    database: Path | None = None
    readings: Path | None = None


class GuardComparison:
    """A comparison of guards of one session, on one dataset after the other."""

    def __init__(self, bench: Workbench, request: ComparedRequest) -> None:
        """Raises WorkbenchError for an unknown ablation or a function that cannot be registered."""
        unknown = sorted(set(request.ablations) - set(Ablation))
        if unknown:
            raise WorkbenchError(f"There is no ablation {unknown[0]!r}; known are {', '.join(Ablation)}.")
        self._request = request
        self._calls = EvaluationCalls(request.folder / "calls.jsonl" if request.folder else None)
        wanted_guards = WantedGuards(
            request.guards,
            tuple(Ablation(ablation) for ablation in request.ablations),
            request.k,
            functions=request.functions,
            database=request.database,
            readings=request.readings,
        )
        named = settings_from(os.environ)
        model = None if named is None else replace(named, parallel=request.parallel)
        self._factory = GuardFactory(
            bench, wanted_guards, model, self._calls, replay_only=request.replay_only
        )

    def run(
        self, data: str, on_progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> tuple[Evaluation, tuple[ImportProblem, ...]]:
        """Compare on one dataset, with what could not be read of it; raises WorkbenchError."""
        request = self._request
        path = Path(data)
        dataset = read_dataset(path)
        chosen = tuple(example for example in dataset.examples if example.kind.startswith(request.kind))
        if not chosen:
            kinds = ", ".join(sorted({example.kind for example in dataset.examples}))
            raise WorkbenchError(f"{data} has no example of the kind {request.kind!r}; there are {kinds}.")
        dataset = replace(dataset, examples=chosen[: request.limit or None])
        results = run_guards(
            dataset,
            self._factory.guards(dataset),
            self._factory.fingerprint(path),
            results_path=request.folder / "results.jsonl" if request.folder else None,
            parallel=request.parallel,
            on_progress=on_progress,
        )
        evaluation = score(dataset, results, stages=stage_costs(self._calls.calls))
        if request.folder is not None:
            _write(request.folder, evaluation)
        return evaluation, dataset.problems


def _write(folder: Path, evaluation: Evaluation) -> None:
    name = re.sub(r"[^\w.-]+", "-", evaluation.dataset)
    texts = {
        "md": tables(evaluation),
        "svg": evaluation_plot(evaluation),
    }
    try:
        for ending, text in texts.items():
            (folder / f"{name}.{ending}").write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"{folder} cannot be written ({error.strerror}).") from error
