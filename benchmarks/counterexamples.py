"""Count the false clauses that Nagini's own models refute if nothing else finds a counterexample.

``python benchmarks/counterexamples.py`` proves one false clause for each construct of the dialect. The
preview is replaced by one that finds nothing, and so is the search for plain values.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from unittest import mock

from tests.check.proof.test_constructs import CONSTRUCTS, all_in_one
from workbench.check.proof.counterexamples import CounterexampleSearch
from workbench.check.proof.prover import Prover
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.smt.confirm import Runner
from workbench.policy.check import check

ATTEMPT = "workbench.check.proof.prover"


def main() -> None:
    """Prove, count, and print the clauses that were not refuted."""
    terms = check(all_in_one())
    false = [f"C{2 * number + 2}" for number in range(len(CONSTRUCTS))]
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch(f"{ATTEMPT}.from_preview", return_value=CounterexampleSearch(None)),
        mock.patch(f"{ATTEMPT}.search", return_value=None),
    ):
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)
        try:
            proof = prover.prove(terms, false, time_limit=60)
        finally:
            prover.close()
    clauses = {clause.id: clause for clause in terms.clauses}
    runner, refuted = Runner(terms), 0
    for clause in proof.clauses:
        example = clause.counterexample
        if example is not None and runner.breaks(clauses[clause.clause], example.arguments):
            refuted += 1
        else:
            print(f"{CONSTRUCTS[int(clause.clause[1:]) // 2 - 1].name}: {clause.status} {clause.why}")
    seconds = time.perf_counter() - started
    print(f"{refuted} of {len(false)} refuted by Nagini's own model, confirmed by a run; {seconds:.0f} s")


if __name__ == "__main__":
    main()
