"""Verdicts on policies of calls: refuted only by an input that a run and a call really give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.check.realise.realiser import NO_VALUES, Executed, Realiser, tools_of
from workbench.engines.compiled.compile import compile_policy, only_what_matters
from workbench.engines.smt.vacuity import Vacuity
from workbench.model import (
    TOOL_ARGUMENT,
    AgentSpec,
    Arguments,
    ClauseProof,
    Counterexample,
    Engine,
    Proof,
    ProofStatus,
)
from workbench.policy.decisive_part import left_out
from workbench.policy.terms import Clause, PolicyTerms

NOT_REALISED = "the engines find this input, but no run was found that gives it"
"""The reason of the status possible."""


class RealisedVerdicts:
    """The verdicts of engines on one policy of calls, with the runs that realise their inputs."""

    def __init__(self, realiser: Realiser) -> None:
        """Take the realiser of the policy."""
        self._realiser = realiser
        self._clauses = {clause.id: clause for clause in realiser.terms.clauses}
        self._found: dict[tuple[str, str], Executed | None] = {}

    def of_proof(self, proof: Proof) -> Proof:
        """The proof, each refutation with a run or as possible."""
        return replace(proof, clauses=tuple(map(self.of_clause, proof.clauses)))

    def of_clause(self, verdict: ClauseProof) -> ClauseProof:
        """The verdict, a refutation with a run or as possible; any other verdict unchanged."""
        if verdict.status is not ProofStatus.REFUTED:
            return verdict
        clause, example = self._clauses[verdict.clause], verdict.counterexample
        executed = self._given(clause, example) if verdict.engine is Engine.NAGINI else None
        values = NO_VALUES if example is None else example.arguments
        for tool in tools_of(self._realiser.terms, values) if executed is None else ():
            executed = executed or self._broken(clause, tool)
        if executed is None and verdict.engine is not Engine.NAGINI:
            executed = self._given(clause, example)
        if executed is not None:
            return replace(verdict, counterexample=self._counterexample(clause, executed, example))
        why = "; ".join(part for part in (verdict.why, NOT_REALISED) if part)
        return replace(verdict, status=ProofStatus.POSSIBLE, why=why)

    def of_vacuity(self, found: Mapping[str, Vacuity]) -> dict[str, Vacuity]:
        """The vacuity of clauses, for each that can happen with whether a run was found in which it does."""
        return {name: self._with_run(self._clauses[name], one) for name, one in found.items()}

    def _with_run(self, clause: Clause, vacuity: Vacuity) -> Vacuity:
        if not vacuity.fires:
            return vacuity
        tools = tools_of(self._realiser.terms, NO_VALUES)
        runs = (self._realiser.happening(clause, tool) for tool in tools)
        return replace(vacuity, realised=any(run is not None for run in runs))

    def _given(self, clause: Clause, example: Counterexample | None) -> Executed | None:
        """A run that gives the values of an engine's input, on which the decision breaks the clause.

        The verifier may find one where the solver of this search is silent. The preview's own input is no
        better than those that are searched, so it comes after them.
        """
        tool = None if example is None else example.arguments.get(TOOL_ARGUMENT)
        if example is None or not example.confirmed or not isinstance(tool, str):
            return None
        # A call may not be evaluated where what is left out is unknown, so the whole input comes second.
        decisive = self._giving(clause, tool, example.shown)
        return self._giving(clause, tool, example.arguments) if decisive is None else decisive

    def _giving(self, clause: Clause, tool: str, values: Arguments) -> Executed | None:
        key = clause.id, repr(sorted(values.items()))
        if key not in self._found:
            self._found[key] = self._realiser.given(
                values, tool, lambda executed: self._realiser.breaks(clause, executed)
            )
        return self._found[key]

    def _broken(self, clause: Clause, tool: str) -> Executed | None:
        key = clause.id, tool
        if key not in self._found:
            self._found[key] = self._realiser.breaking(clause, tool)
        return self._found[key]

    def _counterexample(
        self, clause: Clause, executed: Executed, engines: Counterexample | None
    ) -> Counterexample:
        """The counterexample that a run gives; what the run leaves open is as in that of the engines."""
        terms = self._realiser.terms
        whole = {**(engines.arguments if engines is not None else {}), **executed.arguments}
        path = compile_policy(terms).path(whole) if len(whole) == len(terms.arguments) else ()
        own = Counterexample(
            executed.arguments, confirmed=True, decision=executed.decision.verdict, path=path
        )
        found = only_what_matters(terms, clause, own)
        left = left_out(whole, found.decisive_arguments or {})
        return replace(found, arguments=whole, left_out=left, realised=executed.run)


def realised_proof(terms: PolicyTerms, spec: AgentSpec, proof: Proof) -> Proof:
    """The verdicts on a policy of calls, its refutations with runs."""
    return RealisedVerdicts(Realiser(terms, spec)).of_proof(proof)
