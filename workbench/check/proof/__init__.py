"""Proofs of contracts by Nagini, in a process of its own that stays warm."""

from workbench.check.proof.cache import VerdictCache, cache_folder
from workbench.check.proof.client import TIME_LIMIT, Phase, Prover, ProverState
from workbench.check.proof.doctor import self_check
from workbench.check.proof.verifier import ProverCancelled

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
