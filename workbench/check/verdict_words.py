"""Words for the verdicts on a clause, wherever people see them, and whether two contradict.

Only what Nagini proved is called proved: a clause that the solver alone found to hold "holds in preview".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.model import ClauseProof, Engine, ProofStatus

ENGINE_NAME: Mapping[Engine, str] = {Engine.NAGINI: "Nagini", Engine.CVC5: "preview"}


def verdict_words(verdict: ClauseProof) -> str:
    """A verdict with the engine that reached it: ``proved (Nagini)``, ``holds in preview``, ``unknown``."""
    if _only_previewed(verdict):
        return "holds in preview"
    if verdict.status is ProofStatus.UNKNOWN:
        return verdict.status.value
    return f"{verdict.status} ({ENGINE_NAME[verdict.engine]})"


def _only_previewed(verdict: ClauseProof) -> bool:
    return verdict.status is ProofStatus.PROVED and verdict.engine is Engine.CVC5


DISAGREEMENT = (
    "Nagini proves this clause, but running the policy violates it on an input that the preview found. "
    "This is an error of the workbench; please report it with the policy."
)
"""Why a clause is unknown although the prover proves it."""


def contradictory(verdicts: Iterable[ClauseProof]) -> bool:
    """Whether one engine found that a clause holds which another refuted."""
    clause_proofs = tuple(verdicts)
    decided = {clause_proof.status for clause_proof in clause_proofs}
    holds = decided & {ProofStatus.PROVED, ProofStatus.VACUOUS}
    return bool(holds and ProofStatus.REFUTED in decided) or any(
        clause_proof.why == DISAGREEMENT for clause_proof in clause_proofs
    )
