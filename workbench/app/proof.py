"""The proof of a session's policy: preview, verdicts, counterexamples, evidence."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.model import (
    AgentSpec,
    CallDecision,
    ClauseProof,
    Counterexample,
    Proof,
    TheoremVerdict,
    WorkbenchError,
)
from workbench.serialization.json_form import Nested, json_form

if TYPE_CHECKING:
    from workbench.app.owed import Owed
    from workbench.app.request import Request
    from workbench.check.evidence import Evidence, EvidenceRow
    from workbench.check.proof.prover import Prover
    from workbench.check.realise.realised_proof import RealisedVerdicts
    from workbench.check.strength import StrengthReport
    from workbench.engines.smt.vacuity import Vacuity
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session

__all__ = ["Evidence", "EvidenceRow", "Proving", "solve_beside"]


def solve_beside() -> None:
    """Solve queries in processes of their own from now on, as a front end needs that draws meanwhile."""
    from workbench.engines.smt.solver import solve_in_processes

    solve_in_processes()


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """The evidence, a report for each clause on which the engines disagree, and what the session owes."""

    evidence: Evidence
    disagreements: tuple[str, ...]
    owed: tuple[Owed, ...]


json_form(EvidenceReport, Nested(None, "evidence"), "disagreements", "owed")


class Proving:
    """Proves the clauses of a policy, and collects the evidence for each."""

    def __init__(self, session: Session, request: Request, prover: Prover | None = None) -> None:
        self._session = session
        self._request = request
        self._given_prover = prover
        self._prover: Prover | None = None
        self._making = threading.Lock()
        self._closed = False
        self._proved: tuple[PolicyTerms, Proof] | None = None
        self._realising: tuple[PolicyTerms, AgentSpec, RealisedVerdicts] | None = None
        self._tell: Callable[[str], None] = lambda _phase: None

    def watch(self, tell: Callable[[str], None]) -> None:
        """Call ``tell`` with the phase of the prover at every change, from any thread."""
        self._tell = tell

    def prover(self) -> Prover | None:
        """The prover; it starts its verifier where no stored verdict does. None after closing."""
        if self._given_prover is not None:
            return self._given_prover
        with self._making:
            if self._closed:
                return None
            if self._prover is None:
                from workbench.check.proof.prover import Prover

                self._prover = Prover(on_state=lambda state: self._tell(str(state.phase)))
            return self._prover

    def cancel(self) -> None:
        """Stop a running proof."""
        if self._prover is not None:
            self._prover.cancel()

    def close(self) -> None:
        """End the prover, if this object started it."""
        with self._making:
            self._closed = True
            prover = self._prover
        if prover is not None:
            prover.close()

    def preview(self, terms: PolicyTerms) -> Proof:
        """The instant verdict of the solver on every clause; a policy of calls is refuted by runs only."""
        from workbench.engines.smt.preview import preview

        return self._realised(terms, preview(terms))

    def _realised(self, terms: PolicyTerms, proof: Proof) -> Proof:
        """The verdicts on a policy of calls, with the runs that realise their inputs."""
        return self._verdicts(terms).of_proof(proof)

    def _verdicts(self, terms: PolicyTerms) -> RealisedVerdicts:
        """The realised verdicts on the policy that was asked about last are kept: each search takes time."""
        from workbench.check.realise.realised_proof import RealisedVerdicts
        from workbench.check.realise.realiser import Realiser

        kept, spec = self._realising, self._session.agent
        if kept is not None and kept[0] is terms and kept[1] is spec:
            return kept[2]
        verdicts = RealisedVerdicts(Realiser(terms, spec))
        self._realising = terms, spec, verdicts
        return verdicts

    def prove(
        self,
        terms: PolicyTerms,
        *,
        time_limit: float | None = None,
        on_clause: Callable[[ClauseProof], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Proof:
        """Prove every clause with Nagini, in one process that stays warm for the next call.

        ``time_limit`` is in seconds of work per clause; None for the usual one.
        """
        from workbench.check.proof.prover import TIME_LIMIT

        prover = self.prover()
        if prover is None or (cancelled is not None and cancelled.is_set()):
            return Proof((), why="The proof was cancelled.")
        limit = TIME_LIMIT if time_limit is None else time_limit

        def tell(verdict: ClauseProof) -> None:
            if on_clause is not None:
                on_clause(self._verdicts(terms).of_clause(verdict))

        proof = prover.prove(terms, time_limit=limit, on_clause=tell, cancelled=cancelled)
        proof = self._realised(terms, proof)
        self._proved = (terms, proof)
        return proof

    def verified(self, terms: PolicyTerms, clauses: Collection[str]) -> Proof:
        """The verifier's verdicts on some clauses of a policy that is made for a question."""
        prover = self.prover()
        return Proof((), why="The proof was cancelled.") if prover is None else prover.prove(terms, clauses)

    def lowered(self, terms: PolicyTerms) -> str:
        """The program that Nagini gets."""
        from workbench.engines.nagini.lowering.lower import lower

        return lower(terms).text

    def counterexample(self, terms: PolicyTerms, clause: str) -> Counterexample:
        """The preview's counterexample to a clause, with the conditions on the path of each rule.

        Raises WorkbenchError for an unknown clause and for a clause that is not refuted.
        """
        clause_proof = next((proof for proof in self.preview(terms).clauses if proof.clause == clause), None)
        if clause_proof is None:
            clause_ids = ", ".join(known_clause.id for known_clause in terms.clauses) or "none"
            raise WorkbenchError(f"The policy has no clause {clause!r}; it has {clause_ids}.")
        if clause_proof.counterexample is None:
            raise WorkbenchError(
                f"{clause} has no counterexample: the preview says {clause_proof.status}.", exit_code=1
            )
        return clause_proof.counterexample

    def known(self, terms: PolicyTerms) -> Proof:
        """The stored verdict of earlier proofs on each clause; no prover is started."""
        from workbench.check.known_proof import known_proof

        return self._realised(terms, known_proof(terms))

    def evidence(
        self,
        terms: PolicyTerms,
        *,
        strength: StrengthReport | None = None,
        decisions: Sequence[CallDecision] | None = None,
        theorems: Sequence[TheoremVerdict] = (),
    ) -> Evidence:
        """The evidence for every clause: sentence, verdicts, vacuity, cases, mutants and log calls.

        The verdicts are those of the preview and of the verifier. The verifier's are from the last proof of
        these terms by this object if there is one, else from stored earlier proofs.
        """
        from workbench.check.evidence import evidence
        from workbench.engines.smt.preview import vacuity

        return evidence(
            terms,
            requirements=self._request.draft().requirements,
            assumptions=self._request.assumptions,
            proofs=(self.preview(terms), self._verified(terms)),
            vacuity=self._realised_vacuity(terms, vacuity(terms)),
            cases=self._session.cases,
            strength=strength,
            decisions=decisions,
            theorems=theorems,
        )

    def _realised_vacuity(self, terms: PolicyTerms, found: Mapping[str, Vacuity]) -> Mapping[str, Vacuity]:
        """The vacuity of clauses; for a policy of calls with whether a run shows that they can happen."""
        return self._verdicts(terms).of_vacuity(found)

    def _verified(self, terms: PolicyTerms) -> Proof:
        proved = self._proved
        return proved[1] if proved is not None and proved[0] == terms else self.known(terms)

    def disagreements(self, terms: PolicyTerms, evidence: Evidence) -> tuple[str, ...]:
        """A report for each clause on which the engines contradict each other."""
        from workbench.check.disagreement import disagreement

        return tuple(
            disagreement(terms, row.clause, row.verdicts) for row in evidence.rows if row.engines_disagree
        )
