"""Many random histories of sessions, compared with an independent model of what was said.

Run: python benchmarks/stateful.py [--runs N] [--histories N] [--json FILE]

Each run has another seed and ends at its first disagreement, which is made short. Sessions that the offline
author drafts and sessions that a model drafts (with canned replies) take turns. Then every planted defect of
the tests is put into the program, and histories are played until one shows it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from tests.app.stateful.machine import Machine, ModelMachine, SessionMachine
from tests.app.stateful.planted_defects import PLANTED
from tests.app.stateful.playing import Played, played


@dataclass(slots=True)
class Figures:
    """Histories, acts, comparisons and those with "all good"; findings by seed; histories for each defect.

    A defect that was not found has 0.
    """

    histories: int = 0
    acts: int = 0
    compared: int = 0
    good: int = 0
    findings: dict[str, str] = field(default_factory=dict[str, str])
    planted: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, name: str, run: Played) -> None:
        """Add a run on the program as it is."""
        self.histories += run.tally.histories
        self.acts += run.tally.acts
        self.compared += run.tally.judged
        self.good += run.tally.good
        if run.finding:
            self.findings[name] = run.finding


def measure(runs: int, histories: int) -> Figures:
    """Play, plant and count."""
    figures = Figures()
    machines: tuple[type[Machine], ...] = (SessionMachine, ModelMachine)
    for number in range(runs):
        machine = machines[number % len(machines)]
        run = played(machine, histories, first=number, shrink=True)
        figures.add(f"{machine.__name__} {number}", run)
        print(
            f"{machine.__name__:15} {number:4} {run.tally.histories:6} {run.finding or 'agrees'}", flush=True
        )
    for name, defect in PLANTED.items():
        with pytest.MonkeyPatch.context() as patch:
            defect.plant(patch)
            run = played(SessionMachine, histories, first=0)
        figures.planted[name] = run.tally.histories if run.finding else 0
        print(f"planted: {name:30} {figures.planted[name] or 'missed'}", flush=True)
    return figures


def main() -> int:
    """Measure and print; 1 if a history disagrees, or more than one planted defect in ten is missed."""
    parser = argparse.ArgumentParser(description="Random histories of sessions against what was said.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure(options.runs, options.histories)
    text = json.dumps(asdict(figures), indent=1)
    print(text)
    if options.json is not None:
        options.json.write_text(text + "\n", encoding="utf-8")
    missed = sum(not count for count in figures.planted.values())
    return int(bool(figures.findings) or missed * 10 > len(PLANTED))


if __name__ == "__main__":
    sys.exit(main())
