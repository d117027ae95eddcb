"""Inputs that the engines find and no run gives are possible, never refuted and never proved."""

from __future__ import annotations

from dataclasses import replace

from tests.check.realise.desk_policies import MISTAKES, POLICY, spec, with_mistake
from tests.check.realise.test_wrong_versions import proof_of
from workbench.check.disagreement import contradictory
from workbench.check.realise.realised_differences import Versions
from workbench.check.realise.realised_proof import RealisedVerdicts
from workbench.check.realise.realiser import Realiser
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.same_expressions import named_alike
from workbench.engines.smt.diff import SemanticDiff, semantic_diff
from workbench.engines.smt.preview import vacuity
from workbench.guard.export import proof_summary
from workbench.model import Engine, ProofStatus

SPEC = spec()
ABSENT = (
    "    # R10: What is not booked is not cancelled.\n"
    "    Ensures(Implies(run.booking(call.booking_id) is None, not Result()))\n"
)
"""A clause about absent bookings, which no result of this agent reports."""
NOT_NONE = POLICY.replace(
    "return booking is None or booking.kind", "return booking is not None and booking.kind"
)


def difference(old: str, new: str) -> SemanticDiff:
    before, after = lowered_policy(old, SPEC).terms, lowered_policy(new, SPEC).terms
    after = named_alike(after, before)
    return Versions(before, after, SPEC).of_diff(semantic_diff(before, after))


def test_an_input_that_no_result_gives_is_possible() -> None:
    _, proof = proof_of(f"{NOT_NONE}{ABSENT}")
    verdict = proof.clauses[-1]
    assert verdict.status is ProofStatus.POSSIBLE
    assert "no run was found" in verdict.why
    assert verdict.counterexample is not None
    assert verdict.counterexample.realised is None
    assert proof.status is ProofStatus.POSSIBLE
    summary = proof_summary(proof)
    assert summary.startswith("not proved: 7 of 8 clauses proved")
    assert "possible: C8" in summary


def test_the_same_input_is_refuted_where_a_look_up_can_say_that_there_is_none() -> None:
    records = tuple(
        replace(record, absent=("no such booking",)) if record.name == "booking" else record
        for record in SPEC.records
    )
    _, proof = proof_of(f"{NOT_NONE}{ABSENT}", replace(SPEC, records=records))
    verdict = proof.clauses[-1]
    assert verdict.status is ProofStatus.REFUTED
    assert verdict.counterexample is not None
    assert verdict.counterexample.realised is not None
    results = [call.result for call in verdict.counterexample.realised.calls]
    assert results == ["no such booking", None]


def test_possible_contradicts_proved() -> None:
    _, proof = proof_of(f"{NOT_NONE}{ABSENT}")
    possible = proof.clauses[-1]
    proved = replace(possible, status=ProofStatus.PROVED, engine=Engine.NAGINI, counterexample=None)
    assert contradictory([possible, proved])


def test_a_newly_allowed_region_is_realised() -> None:
    found = difference(POLICY, with_mistake(next(iter(MISTAKES))))
    assert [region.realised for region in found.newly_allowed] == [True]


def test_a_region_that_no_run_gives_is_not_realised() -> None:
    found = difference(POLICY, NOT_NONE)
    assert [region.realised for region in found.newly_allowed] == [False]


def test_that_a_clause_can_happen_is_shown_by_a_run() -> None:
    lowered = lowered_policy(f"{POLICY}{ABSENT}", SPEC)
    found = RealisedVerdicts(Realiser(lowered.terms, SPEC)).of_vacuity(vacuity(lowered.terms))
    assert [found[clause.id].realised for clause in lowered.terms.clauses] == [True] * 7 + [False]
    assert "possible, not realised" in found["C8"].text
