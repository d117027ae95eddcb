"""Random calls of the hospital agent, run and decided, to check that no forbidden reading is allowed.

Run: python benchmarks/extraction_oracle.py --programs N [--from 0] [--seed 1] [--inside N] [--processes N]

Every call is run with instrumented tools and decided by the shipped session, once for each role, as
``workbench replay`` decides it. A call counts as silently allowed if it is allowed for a role that may not
read what the call really read. It counts as overlooked if the extraction did not determine something that it
read. Calls are numbered: ``--from`` continues after an earlier run. Exits with 1 if any call was wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.runs.extract.program_judge import Judge, Judged
from tests.runs.extract.program_oracle import INSIDE, Call, random_call, subset_program
from tests.runs.sql.sql_oracle import random_query

_BATCH = 500
_COLUMNS = ("run", "forbidden", "denied", "cannot-evaluate", "silently allowed", "overlooked", "decided")


def _calls(seed: int, numbers: Sequence[int], *, inside: bool) -> Iterator[Call]:
    for number in numbers:
        if inside:
            text = subset_program(random.Random(f"{seed}:inside:{number}"))
            yield Call.of(INSIDE, "run_python", "code", "python", text)
        else:
            yield random_call(random.Random(f"{seed}:{number}"), random_query)


def _facts(judged: Judged) -> Iterator[str]:
    """The columns of the table that a call counts in."""
    yield "run"
    if judged.decided:
        yield "decided"
    if judged.missed:
        yield "overlooked"
    if judged.forbidden_anywhere:
        yield "forbidden"
        if judged.silent:
            yield "silently allowed"
        else:
            yield "denied" if judged.decided else "cannot-evaluate"


def _batch(numbers: range, *, seed: int, inside: bool) -> tuple[dict[str, Counter[str]], list[str]]:
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, Judge(Path(folder)) as judge:
        calls = list(_calls(seed, numbers, inside=inside))
        for number, judged in zip(numbers, judge.judge(calls), strict=True):
            counted[judged.call.kind].update(_facts(judged))
            if judged.wrong:
                wrong.append(f"seed {seed}:{number}\n{judged}")
    return dict(counted), wrong


def _print(counted: dict[str, Counter[str]]) -> None:
    total = Counter[str]()
    print(f"{'class':24}" + "".join(f"{name:>18}" for name in _COLUMNS))
    for kind, facts in sorted(counted.items()):
        print(f"{kind:24}" + "".join(f"{facts[name]:>18}" for name in _COLUMNS))
        total += facts
    print(f"{'all':24}" + "".join(f"{total[name]:>18}" for name in _COLUMNS))
    print(f"share decided: {total['decided'] / max(1, total['run']):.2%}\n")


def main() -> int:
    """Print the calls that are wrong, then the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=3_000)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    for inside, count in ((False, options.programs), (True, options.inside)):
        last = options.first + count
        batches = [range(first, min(first + _BATCH, last)) for first in range(options.first, last, _BATCH)]
        counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
        with ProcessPoolExecutor(options.processes) as pool:
            work = partial(_batch, seed=options.seed, inside=inside)
            for facts, wrong in pool.map(work, batches):
                for kind, counts in facts.items():
                    counted[kind] += counts
                for text in wrong:
                    print(text, end="\n\n")
                failures += len(wrong)
        print("programs inside the subset" if inside else "calls at large")
        _print(counted)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
