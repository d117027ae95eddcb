"""Proofs of contracts by Nagini, whose process is kept running between proofs."""

from workbench.check.proof.prover import TIME_LIMIT, Phase, Prover, ProverState, self_check
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.nagini.verifier.connection import ProverCancelled
from workbench.files.private import cache_folder

__all__ = [
    "TIME_LIMIT",
    "Phase",
    "Prover",
    "ProverCancelled",
    "ProverState",
    "VerdictCache",
    "cache_folder",
    "self_check",
]
