"""Random policies of calls with random runs: how often each translation of a policy decides as it is written.

Run: python benchmarks/random_policies.py [NUMBER] [--from SEED]

Each policy is checked, lowered to plain arguments, and decides four short runs, with every outcome of a call,
and with missing and undetermined values: the compiled core on extracted arguments (kept from call to call),
the same for each call from a new extractor as after a restart, and the rules as they are written, from
scratch. It exits with 1 if two of them differ, and names the seeds. A list of which one element is not
determined is undetermined as a whole once it is extracted; the calls that are decided as written for all that
are counted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.dialect.call_policies import policy_text, random_run
from tests.dialect.naive_decision import Translated
from workbench.model import Verdict

RUNS = 4


def main() -> None:
    """Compare the decisions on random runs, and print how many there are of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=500)
    parser.add_argument("--from", type=int, default=0, dest="first")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    differing: list[int] = []
    for seed in range(options.first, options.first + options.number):
        random = Random(seed)
        policy = Translated(policy_text(random))
        for _ in range(RUNS):
            run = random_run(random)
            for index in range(len(run)):
                decided, written = policy.core(run, index), policy.naive(run, index)
                counts[decided.value] += 1
                if decided is Verdict.CANNOT_EVALUATE and policy.lacks_element(run, index):
                    counts["known only as written"] += written is not decided
                elif decided is not written:
                    differing.append(seed)
                if policy.restarted(run, index) is not decided:
                    differing.append(seed)
    decisions = sum(counts[verdict.value] for verdict in Verdict)
    figures = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    print(f"{options.number} policies, {decisions} decisions: {figures}")
    print(f"differing: {len(differing)}" + (f" (seeds {sorted(set(differing))})" if differing else ""))
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
