"""Theorems of random policies against small runs: what is proved holds, and each breaking run is let through.

Run: python benchmarks/small_theorems.py [NUMBER] [--from SEED] [--runs RUNS]

Each policy has random rules, rules about sums and counts of its run, and up to three theorems, some of which
follow from them. The preview and the search for runs decide the theorems. Then small runs are made: up to
five calls, each decided in its place, with results that come late or never. It exits with 1 and names the
seeds if a run that is let through breaks a theorem that is proved (or vacuous), or if a run that refutes a
theorem is not let through or does not break it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.check.theorems.theorem_runs import judged, text_with_theorems
from workbench.model import ProofStatus

RUNS = 150


def main() -> None:
    """Judge the theorems of random policies, and print how many there are of each verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=500)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    counts: Counter[tuple[ProofStatus, bool]] = Counter()
    wrong: list[str] = []
    for seed in range(options.first, options.first + options.number):
        random = Random(seed)
        for one in judged(text_with_theorems(random), random, options.runs):
            counts[one.status, one.broken is not None] += 1
            if one.is_defect:
                wrong.append(f"{seed}:{one.theorem}")
    print(f"{options.number} policies, {counts.total()} theorems, {options.runs} small runs for each policy")
    for status in sorted({status for status, _ in counts}):
        broken, other = counts[status, True], counts[status, False]
        print(f"{status}: {broken + other} theorems, {broken} of them broken by a small run")
    print(f"defects: {len(wrong)}" + (f" ({', '.join(wrong)})" if wrong else ""))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
