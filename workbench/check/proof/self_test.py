"""A small proof that shows whether proofs work on this machine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from workbench.check.proof.prover import Prover
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.model import ProofStatus, WorkbenchError
from workbench.policy.check import check

_POLICY = '''
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_minor(age: int) -> bool:
    """R1: Users under 18 may not book."""
    return age < 18


def allow(age: int) -> bool:
    # R1: Users under 18 may not book.
    Ensures(Implies(age < 18, not Result()))
    # R2: This one is false and must be refuted.
    Ensures(Implies(age < 19, not Result()))
    return not (forbid_minor(age))
'''


def self_check(time_limit: float = 60.0) -> tuple[bool, str]:
    """Prove a true clause and refute a false one with the real verifier.

    Returns whether it worked, and one sentence about it.
    """
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)))
        try:
            proof = prover.prove(check(_POLICY), time_limit=time_limit)
        except WorkbenchError as error:
            return False, str(error)
        finally:
            prover.close()
    true, false = proof.clauses
    if true.status is ProofStatus.PROVED and false.status is ProofStatus.REFUTED:
        return True, "Nagini proves a true clause and refutes a false one."
    why = true.why or false.why or f"it said {true.status.value} and {false.status.value}"
    return False, f"Nagini does not decide a two-line proof: {why}"
