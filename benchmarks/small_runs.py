"""Clauses of random policies of calls against small runs: what is proved holds, what is realised refutes.

Run: python benchmarks/small_runs.py [NUMBER] [--from SEED] [--runs RUNS]

Each policy has random clauses, and those that its rules imply. The preview decides them, and their inputs are
realised. Then small runs are searched for ones on which a decision breaks a clause: up to three earlier calls
of every outcome, with missing and undetermined values, of the constants of the policy and their neighbours.
The text of the policy decides, as Python runs it; where something is not determined, the rules as they are
written, from scratch. It exits with 1, and names the seeds, if a small run breaks a clause that is proved (or
that holds and is vacuous), or if a realised run does not break its clause when the guard decides it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.check.realise.small_runs import judged
from tests.dialect.call_policies import policy_text
from tests.dialect.naive_decision import Translated

RUNS = 150


def main() -> None:
    """Judge the clauses of random policies, and print how many there are of each verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=500)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    counts: Counter[tuple[str, bool]] = Counter()
    wrong: list[str] = []
    for seed in range(options.first, options.first + options.number):
        random = Random(seed)
        policy = Translated(policy_text(random, 2))
        for one in judged(policy, random, options.runs):
            counts[one.status.value, one.broken is not None] += 1
            if one.is_defect:
                wrong.append(f"{seed}:{one.clause}")
    print(f"{options.number} policies, {counts.total()} clauses, {options.runs} small runs for each policy")
    for status in sorted({status for status, _ in counts}):
        broken, other = counts[status, True], counts[status, False]
        print(f"{status}: {broken + other} clauses, {broken} of them broken by a small run")
    print(f"defects: {len(wrong)}" + (f" ({', '.join(wrong)})" if wrong else ""))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
