"""A sentence on each imported file: how many runs it gave, and how their ids are made."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.clean_text import counted
from workbench.model import Run


def import_report(runs: Iterable[Run]) -> tuple[str, ...]:
    """A sentence for each file that runs were read from, in the order of the files."""
    by_path: dict[str, list[Run]] = {}
    for run in runs:
        by_path.setdefault(run.path, []).append(run)
    return tuple(_sentence(path, path_runs) for path, path_runs in by_path.items())


def _sentence(path: str, runs: list[Run]) -> str:
    calls = sum(len(run.calls) for run in runs)
    first, again = runs[0], sum("#" in run.id for run in runs)
    named = f"; the id of a run is {first.named_by}" if first.named_by else ""
    twice = (
        f"; {again} of them {'has' if again == 1 else 'have'} a number, because its id was taken"
        if again and first.named_by
        else ""
    )
    held = f"{counted(len(runs), 'run')} ({first.format}), {counted(calls, 'call')}"
    return f"{Path(path).name}: {held}{named}{twice}."
