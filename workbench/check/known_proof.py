"""The stored verdicts on a policy's contract, read without running the verifier."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache as once

from workbench.check.disagreement import DISAGREEMENT
from workbench.check.proof.counterexamples import confirm
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.nagini.lowering.lower import LoweringLimit, ReadyPolicy
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.engines.smt.preview import preview
from workbench.model import ClauseProof, Engine, Proof, ProofStatus
from workbench.policy.terms import Clause, PolicyTerms

NOT_RUN = "no proof was run"
NOT_AGREED = "the preview cannot say whether the stored proof still holds; prove it again"


def known_proof(terms: PolicyTerms, cache: VerdictCache | None = None) -> Proof:
    """The stored verdict on every clause; unknown if none is stored for exactly this policy.

    A stored proof counts only if the preview finds again that the clause holds, and a stored refutation only
    if its arguments still break the clause.
    """
    stored = cache if cache is not None else VerdictCache()

    @once
    def ready() -> ReadyPolicy:
        return ReadyPolicy.of(terms)

    @once
    def fresh() -> dict[str, ClauseProof]:
        return {verdict.clause: verdict for verdict in preview(terms).clauses}

    @once
    def compiled() -> CompiledPolicy:
        return compile_policy(terms)

    def known_verdict(clause: Clause) -> ClauseProof:
        try:
            entry = stored.get(ready().key(clause.id), terms)
        except LoweringLimit as limit:
            return _verdict(clause, ProofStatus.UNKNOWN, str(limit))
        if entry is None:
            return _verdict(clause, ProofStatus.UNKNOWN, NOT_RUN)
        if entry.status is ProofStatus.PROVED:
            return _agreed(clause, fresh()[clause.id])
        return _broken(clause, entry, compiled)

    return Proof(tuple(known_verdict(clause) for clause in terms.clauses), stored.unused)


def _agreed(clause: Clause, now: ClauseProof) -> ClauseProof:
    """The verdict on a clause that is stored as proved, given the preview's present verdict."""
    match now.status:
        case ProofStatus.PROVED | ProofStatus.VACUOUS:
            return _verdict(clause, now.status, now.why, cached=True)
        case ProofStatus.REFUTED | ProofStatus.POSSIBLE:
            return _verdict(clause, ProofStatus.UNKNOWN, DISAGREEMENT)
        case ProofStatus.UNKNOWN:
            return _verdict(clause, ProofStatus.UNKNOWN, NOT_AGREED)


def _broken(clause: Clause, entry: StoredVerdict, compiled: Callable[[], CompiledPolicy]) -> ClauseProof:
    example = confirm(compiled(), clause.id, entry.arguments or {})
    if example is None:
        return _verdict(clause, ProofStatus.UNKNOWN, NOT_RUN)
    return ClauseProof(
        clause.id, clause.requirements, ProofStatus.REFUTED, Engine.NAGINI, example, cached=True
    )


def _verdict(clause: Clause, status: ProofStatus, why: str, *, cached: bool = False) -> ClauseProof:
    return ClauseProof(clause.id, clause.requirements, status, Engine.NAGINI, why=why, cached=cached)
