"""Many random histories of sessions, compared with an independent model of what was said.

Run: python benchmarks/stateful.py [--runs N] [--histories N] [--seeds N] [--within N] [--first SEED]

Each run has another seed, ``--first`` and those after it, and ends at its first disagreement, which is made
short. One run in four is of a session that a model drafted, by recorded replies. Then every planted defect of
the tests is put into the program, and histories are played until one shows it: at most ``--within`` histories
from each seed. A defect counts as found if half of the seeds found it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from tests.app.stateful.playing import Played, played
from tests.app.stateful.recorded_machine import RecordedMachine
from tests.app.stateful.written_defects import WRITTEN_DEFECTS
from tests.app.stateful.written_machine import WrittenMachine

type Plant = Callable[[pytest.MonkeyPatch], None]

FRESH = 611_000
"""The first seed: those of the tests are smaller, and no machine or defect was made with these."""


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


def measure(runs: int, histories: int, first: int) -> Figures:
    """Play histories on the program as it is, and count."""
    figures, machines = Figures(), (*[WrittenMachine] * 3, RecordedMachine)
    for number in range(runs):
        machine, seed = machines[number % len(machines)], first + number
        run = played(machine, histories, first=seed, shrink=True)
        figures.add(f"{machine.__name__} {seed}", run)
        said = run.finding or "agrees"
        print(f"{machine.__name__:15} seed {seed:4}: {run.tally.histories:5} histories, {said}", flush=True)
    return figures


def found_at(plant: Plant, histories: int, seed: int) -> int:
    """The number of histories until one shows a defect; 0 if none does."""
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        run = played(WrittenMachine, histories, first=seed)
    return run.tally.histories if run.finding else 0


def main() -> int:
    """Measure and print; 1 if a history disagrees, or more than one defect in ten is missed."""
    parser = argparse.ArgumentParser(description="Random histories of sessions against what was said.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--within", type=int, default=60)
    parser.add_argument("--first", type=int, default=FRESH)
    options = parser.parse_args()
    figures = measure(options.runs, options.histories, options.first)
    print(f"{figures.histories} histories, {figures.acts} acts, {figures.compared} comparisons")
    print(f"{figures.good} comparisons of a session that is good, {len(figures.findings)} disagreements")
    seeds = range(options.first, options.first + options.seeds)
    counts = measure_defects(seeds, options.within)
    tries = [count for found in counts for count in found]
    found = sum(sum(map(bool, each)) * 2 >= len(each) for each in counts)
    print("", f"{found} of {len(counts)} defects found by half of the seeds", sep="\n")
    print(f"{sum(map(bool, tries))} of {len(tries)} tries, each of at most {options.within} histories")
    return int(bool(figures.findings) or found * 10 < len(counts) * 9)


def measure_defects(seeds: Sequence[int], within: int) -> list[list[int]]:
    """Print for each defect after how many histories each seed found it; 0 is not found."""
    head = "| put into the program | found after so many histories, from each seed |"
    print("", head, "|---|---|", sep="\n")
    every: list[list[int]] = []
    for name, plant in WRITTEN_DEFECTS.items():
        counts = [found_at(plant, within, seed) for seed in seeds]
        every.append(counts)
        shown = ", ".join(str(count) if count else "not found" for count in counts)
        print(f"| {name} | {shown} |", flush=True)
    return every


if __name__ == "__main__":
    sys.exit(main())
