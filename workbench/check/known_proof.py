"""What is known of a policy's contract without running the verifier: the verdicts of earlier proofs."""

from __future__ import annotations

from workbench.check.proof.cache import VerdictCache
from workbench.model import ClauseProof, Engine, Proof, ProofStatus
from workbench.policy.lowering.lower import LoweringLimit, clause_key
from workbench.policy.terms import Clause, PolicyTerms

NOT_RUN = "no proof was run"


def known_proof(terms: PolicyTerms, cache: VerdictCache | None = None) -> Proof:
    """The stored verdict on every clause; unknown where none is stored for this very policy."""
    stored = cache if cache is not None else VerdictCache()
    return Proof(tuple(_known(terms, clause, stored) for clause in terms.clauses))


def _known(terms: PolicyTerms, clause: Clause, cache: VerdictCache) -> ClauseProof:
    try:
        entry = cache.get(clause_key(terms, clause.id), terms)
    except LoweringLimit as limit:
        entry, why = None, str(limit)
    else:
        why = "" if entry else NOT_RUN
    status = entry.status if entry else ProofStatus.UNKNOWN
    return ClauseProof(
        clause.id, clause.requirements, status, Engine.NAGINI, why=why, cached=entry is not None
    )  # fmt: skip
