"""The proof of a session's policy: preview, verdicts, counterexamples, evidence."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.model import ClauseProof, Counterexample, Proof, StepDecision, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.request import Request
    from workbench.check.evidence import Evidence
    from workbench.check.proof import Prover
    from workbench.check.strength import StrengthReport
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


class Proving:
    """What proves the clauses of a policy, and what speaks for each."""

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._request = request

    def preview(self, terms: PolicyTerms) -> Proof:
        """The instant verdict of the solver on every clause."""
        from workbench.engines.smt.preview import preview

        return preview(terms)

    def prove(
        self,
        terms: PolicyTerms,
        prover: Prover,
        *,
        time_limit: float | None = None,
        on_clause: Callable[[ClauseProof], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Proof:
        """Prove every clause with Nagini; the prover stays warm for the next call.

        ``time_limit`` is in seconds of work per clause; None for the usual one.
        """
        from workbench.check.proof import TIME_LIMIT

        limit = TIME_LIMIT if time_limit is None else time_limit
        return prover.prove(terms, time_limit=limit, on_clause=on_clause, cancelled=cancelled)

    def lowered(self, terms: PolicyTerms) -> str:
        """The program that is handed to Nagini."""
        from workbench.engines.nagini.lowering.lower import lower

        return lower(terms).text

    def counterexample(self, terms: PolicyTerms, clause: str) -> Counterexample:
        """The preview's counterexample to a clause, with the conditions on the path of each rule.

        Raises WorkbenchError for an unknown clause and for one that is not refuted.
        """
        from workbench.engines.smt.preview import preview

        found = next((one for one in preview(terms).clauses if one.clause == clause), None)
        if found is None:
            known = ", ".join(one.id for one in terms.clauses) or "none"
            raise WorkbenchError(f"The policy has no clause {clause!r}; it has {known}.")
        if found.counterexample is None:
            raise WorkbenchError(
                f"{clause} has no counterexample: the preview says {found.status}.", exit_code=1
            )
        return found.counterexample

    def known(self, terms: PolicyTerms) -> Proof:
        """What earlier proofs found of each clause, from the verdicts on disk; no prover is started."""
        from workbench.check.known_proof import known_proof

        return known_proof(terms)

    def evidence(
        self,
        terms: PolicyTerms,
        *,
        proofs: Sequence[Proof],
        strength: StrengthReport | None = None,
        steps: Sequence[StepDecision] | None = None,
    ) -> Evidence:
        """What speaks for every clause: sentence, verdicts, vacuity, cases, mutants and log steps."""
        from workbench.check.evidence import evidence
        from workbench.engines.smt.preview import vacuity

        return evidence(
            terms,
            requirements=self._request.draft().requirements,
            assumptions=self._request.assumptions,
            proofs=proofs,
            vacuity=vacuity(terms),
            cases=self._session.cases,
            strength=strength,
            steps=steps,
        )

    def disagreements(self, terms: PolicyTerms, found: Evidence) -> tuple[str, ...]:
        """For each clause on which the engines contradict each other, everything that a report needs."""
        from workbench.check.disagreement import disagreement

        return tuple(
            disagreement(terms, row.clause, row.verdicts) for row in found.rows if row.engines_disagree
        )

    def disagreement(self, terms: PolicyTerms, clause: str, proofs: Iterable[Proof]) -> str:
        """Everything that a report of engines that contradict each other on one clause needs."""
        from workbench.check.disagreement import disagreement

        verdicts = [one for proof in proofs for one in proof.clauses if one.clause == clause]
        return disagreement(terms, clause, verdicts)
