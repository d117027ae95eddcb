"""Time for deciding the rules of an airline over records and lists.

``python benchmarks/lists.py`` previews and proves five true clauses and refutes five false ones a few times.
Each round has another name of an argument, so that no verdict is a stored one.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.policy.flat.airline import AIRLINE, TRUE
from workbench.check.proof.prover import Prover
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.smt.preview import preview
from workbench.engines.smt.solved_queries import forget
from workbench.model import Proof, ProofStatus
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms

NUMBERS = itertools.count()


def settled(proof: Proof) -> bool:
    """Whether the true clauses are proved, and the others refuted by arguments that break them."""
    return all(
        clause.status is ProofStatus.PROVED
        if clause.clause in TRUE
        else clause.counterexample is not None and clause.counterexample.confirmed
        for clause in proof.clauses
    )


def measured(times: int, decide: Callable[[PolicyTerms], Proof]) -> str:
    """The seconds that a decision takes, and the number of correct decisions."""
    seconds: list[float] = []
    right = 0
    for _ in range(times):
        forget()
        terms = check(AIRLINE.replace("action", f"action_{next(NUMBERS)}"))
        started = time.perf_counter()
        right += settled(decide(terms))
        seconds.append(time.perf_counter() - started)
    spread = f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} - {max(seconds):.2f})"
    return f"{spread}, {right} of {times} right"


def main() -> None:
    """Measure the preview, then the verifier."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    print(f"load {os.getloadavg()[0]:.1f}")
    print("preview, ten clauses:", measured(times, preview))
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)
        try:
            prover.prove(check(AIRLINE), ["C1"], time_limit=60)
            right = measured(times, lambda terms: prover.prove(terms, list(TRUE)))
            print("Nagini, warm, five true clauses:", right)
            print("Nagini, warm, all ten clauses:", measured(times, prover.prove))
        finally:
            prover.close()


if __name__ == "__main__":
    main()
