"""The slow critics, strength and Nagini, for a version without other findings."""

from __future__ import annotations

import time
from collections.abc import Iterator

from workbench.author.model.draft_findings import evaluable
from workbench.author.model.whole_file.critics import (
    CheckedVersion,
    Critic,
    CriticFinding,
    WrittenPart,
    refuted,
    shortened,
)
from workbench.check.proof import Prover
from workbench.check.strength import strength
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Proof
from workbench.policy.terms import PolicyTerms

LATE = frozenset({Critic.STRENGTH, Critic.NAGINI})
_MOST_MUTANTS = 200
_STRENGTH_SECONDS = 120.0
_MOST_SURVIVORS = 5


def late_findings(judged: CheckedVersion, on: frozenset[Critic]) -> tuple[CriticFinding, ...]:
    """The findings of the late critics that are ``on``, for a version without other findings."""
    terms = judged.terms
    if terms is None or not terms.clauses or judged.findings:
        return ()
    survivors = tuple(_survivors(terms)) if Critic.STRENGTH in on else ()
    return (*survivors, *(tuple(_unproved(terms)) if Critic.NAGINI in on else ()))


def _survivors(terms: PolicyTerms) -> Iterator[CriticFinding]:
    """Findings about inputs that a mutant decides differently without breaking a clause.

    The mutant is not shown to the model.
    """
    end = time.monotonic() + _STRENGTH_SECONDS
    report = strength(terms, most=_MOST_MUTANTS, cancelled=lambda: time.monotonic() > end)
    for survivor in report.survived[:_MOST_SURVIVORS]:
        if survivor.example is None or survivor.policy_decision is None:
            continue
        shown_input = shortened(evaluable(terms, survivor.example))
        yield CriticFinding(
            Critic.STRENGTH,
            WrittenPart.CONTRACT,
            f"For {shown_input} the policy says {survivor.policy_decision}; a wrong version of it that says "
            f"{survivor.mutant_decision} there keeps all your clauses. "
            "Add a clause if the request says which is right.",
            f"strength:{survivor.mutant.id}",
        )


def _unproved(terms: PolicyTerms) -> Iterator[CriticFinding]:
    """Clauses that Nagini refutes with an input that the policy confirms."""
    proof = _proved(terms)
    compiled = compile_policy(terms)
    clauses = {clause.id: clause for clause in terms.clauses}
    for clause in proof.clauses:
        if clause.counterexample is not None and clause.counterexample.confirmed:
            yield refuted(compiled, clause, clauses[clause.clause], Critic.NAGINI)


def _proved(terms: PolicyTerms) -> Proof:
    prover = Prover()
    try:
        return prover.prove(terms)
    finally:
        prover.close()
