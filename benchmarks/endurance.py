"""Many proofs in a row in one prover whose verifier is killed again and again.

Run: python benchmarks/endurance.py [--proofs N] [--kills N] [--json FILE]

Every proof is of another small policy with a true and a false clause, so that no verdict comes from the
cache. At equal distances the verifier's process is killed in the middle of a proof. An answer is lost if a
proof ends without "proved" for the true clause or without "refuted" for the false one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.check.proof.prover import Phase, Prover, ProverState
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.nagini.verifier.keeper import MEMORY_LIMIT
from workbench.model import ProofStatus, WorkbenchError
from workbench.policy.check import check

WANTED = [ProofStatus.PROVED, ProofStatus.REFUTED]
_DELAY = 0.5  # seconds from the start of a job to the kill: in its translation or its proof


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a run; bytes and seconds."""

    proofs: int
    kills: int
    processes: int
    lost: int
    median_seconds: float
    largest_memory: int
    memory_after_first: int
    memory_at_end: int


def policy(number: int) -> str:
    """A policy that differs from all others, with a true and a false clause."""
    return f'''from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_young(action: str, age: int, tags: frozenset[str]) -> bool:
    """R1: Under {number} only with consent."""
    return action == "do {number}" and age < {number} and "consent" not in tags


def allow(action: str, age: int, tags: frozenset[str]) -> bool:
    # R1: Under {number} only with consent.
    Ensures(Implies(action == "do {number}" and age < {number} and "consent" not in tags, not Result()))
    # R2: False.
    Ensures(Implies(action == "do {number}" and age < {number}, not Result()))
    return not (forbid_young(action, age, tags))
'''


def memory_of(pid: int | None) -> int:
    """The resident set of a process in bytes; 0 if it cannot be read."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


class Killer:
    """Kills the verifier in the middle of a job once it is armed."""

    def __init__(self) -> None:
        self.armed = False
        self.killed = 0
        self.prover: Prover | None = None

    def __call__(self, state: ProverState) -> None:
        """Receive a state of the prover; kill at the beginning of a job if armed."""
        if self.armed and state.phase is Phase.PROVING:
            self.armed = False
            threading.Timer(_DELAY, self._kill).start()

    def _kill(self) -> None:
        pid = self.prover.pid if self.prover is not None else None
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            self.killed += 1


def measure(proofs: int, kills: int) -> Figures:
    """Prove, kill, and count."""
    killer = Killer()
    seconds: list[float] = []
    memory: list[int] = []
    pids: set[int] = set()
    lost = 0
    every = max(1, proofs // kills) if kills else proofs + 1
    with tempfile.TemporaryDirectory() as folder:
        prover = killer.prover = Prover(cache=VerdictCache(Path(folder)), on_state=killer, share=False)
        try:
            for number in range(1, proofs + 1):
                killer.armed = number % every == every // 2 and killer.killed < kills
                started = time.perf_counter()
                try:
                    statuses = [
                        clause.status
                        for clause in prover.prove(check(policy(number)), time_limit=120).clauses
                    ]
                except WorkbenchError as error:
                    statuses = []
                    print(f"proof {number}: {error}", file=sys.stderr)
                lost += statuses != WANTED
                seconds.append(time.perf_counter() - started)
                memory.append(memory_of(prover.pid))
                pids |= {prover.pid} if prover.pid is not None else set()
                print(f"{number:4} {seconds[-1]:7.2f} s {memory[-1] / 1e6:7.0f} MB {statuses}", flush=True)
        finally:
            prover.close()
    middle = statistics.median(seconds)
    return Figures(proofs, killer.killed, len(pids), lost, middle, max(memory), memory[0], memory[-1])


def main() -> int:
    """Measure and print; 1 if an answer was lost or memory exceeded its bound."""
    parser = argparse.ArgumentParser(description="Proofs in a row with a verifier that is killed.")
    parser.add_argument("--proofs", type=int, default=100)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure(options.proofs, options.kills)
    print(json.dumps(asdict(figures), indent=1))
    if options.json is not None:
        options.json.write_text(json.dumps(asdict(figures), indent=1) + "\n", encoding="utf-8")
    return int(figures.lost > 0 or figures.largest_memory > MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
