"""Many random histories of sessions, compared with an independent model of what was said.

Run: python benchmarks/stateful.py [--runs N] [--histories N] [--seeds N]

Each run has another seed and ends at its first disagreement, which is made short. Sessions that the offline
author drafts and sessions that a model drafts (with canned replies) take turns. Then every planted defect of
the tests is put into the program, and from other seeds histories are played until one shows it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field

import pytest

from tests.app.stateful.machine import Machine, ModelMachine, SessionMachine
from tests.app.stateful.planted_defects import LOST_ANSWERS, PLANTED, PlantedDefect
from tests.app.stateful.playing import Played, played

MACHINES: tuple[type[Machine], ...] = (SessionMachine, ModelMachine)
FIRST, FIRST_OF_DEFECTS = 100, 1000
"""The first seeds; those of the tests are smaller."""


@dataclass(slots=True)
class Figures:
    """Histories, acts, comparisons, those with "all good", and the findings by seed."""

    histories: int = 0
    acts: int = 0
    compared: int = 0
    good: int = 0
    findings: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, name: str, run: Played) -> None:
        """Add a run on the program as it is."""
        self.histories += run.tally.histories
        self.acts += run.tally.acts
        self.compared += run.tally.judged
        self.good += run.tally.good
        if run.finding:
            self.findings[name] = run.finding


def measure(runs: int, histories: int) -> Figures:
    """Play histories on the program as it is, and count."""
    figures = Figures()
    for number in range(runs):
        machine, seed = MACHINES[number % len(MACHINES)], FIRST + number
        run = played(machine, histories, first=seed, shrink=True)
        figures.add(f"{machine.__name__} {seed}", run)
        said = run.finding or "agrees"
        print(f"{machine.__name__:15} seed {seed:4}: {run.tally.histories:5} histories, {said}", flush=True)
    return figures


def found_at(defect: PlantedDefect, histories: int, seed: int) -> int:
    """The number of histories until one shows a defect; 0 if none does."""
    with pytest.MonkeyPatch.context() as patch:
        defect.plant(patch)
        run = played(defect.machine, histories, first=seed)
    return run.tally.histories if run.finding else 0


def main() -> int:
    """Measure and print; 1 if a history disagrees, or more than one defect in ten is missed by every seed."""
    parser = argparse.ArgumentParser(description="Random histories of sessions against what was said.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    figures = measure(options.runs, options.histories)
    print(f"{figures.histories} histories, {figures.acts} acts, {figures.compared} comparisons")
    print(f"{figures.good} comparisons of a session that is good, {len(figures.findings)} disagreements")
    seeds = range(FIRST_OF_DEFECTS, FIRST_OF_DEFECTS + options.seeds)
    print(
        "", "| put into the program | found after so many histories, from each seed |", "|---|---|", sep="\n"
    )
    missed = 0
    defects = {**LOST_ANSWERS, **PLANTED}
    for name, defect in defects.items():
        counts = [found_at(defect, options.histories, seed) for seed in seeds]
        missed += not any(counts)
        shown = ", ".join(str(count) if count else "not found" for count in counts)
        print(f"| {name}: {defect.breaks} | {shown} |", flush=True)
    print("", f"{len(defects) - missed} of {len(defects)} defects found", sep="\n")
    return int(bool(figures.findings) or missed * 10 > len(defects))


if __name__ == "__main__":
    sys.exit(main())
