"""Engines that contradict each other: an error of the workbench, and the text of a report about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.model import ClauseProof, ProofStatus
from workbench.policy.terms import PolicyTerms

DISAGREEMENT = (
    "Nagini proves this clause, but running the policy violates it on an input that the preview found. "
    "This is an error of the workbench; please report it with the policy."
)
"""The reason why a clause is unknown although the prover proves it."""


def contradictory(verdicts: Iterable[ClauseProof]) -> bool:
    """Whether one engine found that a clause holds and another refuted it."""
    clause_proofs = tuple(verdicts)
    decided = {clause_proof.status for clause_proof in clause_proofs}
    holds = decided & {ProofStatus.PROVED, ProofStatus.VACUOUS}
    broken = decided & {ProofStatus.REFUTED, ProofStatus.POSSIBLE}
    return bool(holds and broken) or any(clause_proof.why == DISAGREEMENT for clause_proof in clause_proofs)


def disagreement(terms: PolicyTerms, clause: str, verdicts: Sequence[ClauseProof]) -> str:
    """A report about contradicting engines: versions, verdicts, policy, program."""
    from workbench.engines.nagini.lowering.lower import LoweringLimit, lower
    from workbench.engines.nagini.verdict_cache import code_hash, engine_versions

    source = next(
        (contract_clause.source for contract_clause in terms.clauses if contract_clause.id == clause), ""
    )
    try:
        program = lower(terms, [clause]).text
    except LoweringLimit as limit:
        program = str(limit)
    lines = [
        f"clause: {clause}: {source}",
        *(f"verdict: {verdict.engine}: {verdict.status} {verdict.why}".rstrip() for verdict in verdicts),
    ]
    for verdict in verdicts:
        if verdict.counterexample is not None:
            values = ", ".join(
                f"{name}={value!r}" for name, value in verdict.counterexample.arguments.items()
            )
            confirmed = "confirmed" if verdict.counterexample.confirmed else "not confirmed"
            lines.append(f"counterexample of {verdict.engine}, {confirmed} by running the policy: {values}")
    lines += [f"versions: {engine_versions()}, code of dialect, lowering and checks {code_hash()}"]
    return "\n".join([*lines, "", "policy:", terms.file.text, "program:", program])
