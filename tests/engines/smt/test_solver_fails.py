"""A solver that raises an exception has not decided: every question to it is answered with unknown."""

from __future__ import annotations

from typing import Never

import pytest

from tests.engines.smt.told_apart import distinguish
from tests.plain_policies import check
from workbench.check.policy_overlaps import policy_overlaps
from workbench.check.strength import strength
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt import encode, solved_queries
from workbench.engines.smt.contradicting_conditions import NeededConditions
from workbench.engines.smt.diff import semantic_diff
from workbench.engines.smt.preview import PreviewUndecided, preview, vacuity
from workbench.engines.smt.solver import Solver
from workbench.model import ProofStatus, Verdict
from workbench.policy.terms import Not, PolicyTerms
from workbench.runs.replay.counterfactual import Turner

REASON = "a sort that nobody knows"


def policy(limit: int) -> PolicyTerms:
    return check(f'''
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_much(amount: int, note: str) -> bool:
    """R1: Not much."""
    return amount > {limit} and note.startswith("x")


def allow(amount: int, note: str) -> bool:
    # R1: Not much.
    Ensures(Implies(amount > {limit} and note.startswith("xy"), not Result()))
    return not forbid_much(amount, note)
''')


def fails(*_: object) -> Never:
    raise RuntimeError(REASON)


@pytest.fixture(params=["less", "starts_with", "the check", "the model"])
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that raises as cvc5 does: while a query is encoded, decided, or its model is read."""
    solved_queries.forget()
    if request.param == "the check":
        monkeypatch.setattr(Solver, "check", fails)
        monkeypatch.setattr(Solver, "contradiction", fails)
    elif request.param == "the model":
        monkeypatch.setattr(encode.Encoder, "read", fails)
    else:
        monkeypatch.setattr(Solver, request.param, fails)


@pytest.mark.usefixtures("broken")
def test_the_preview_is_unknown_and_names_the_clause() -> None:
    proof = preview(policy(5))
    assert [clause.clause for clause in proof.clauses] == ["C1"]
    assert {clause.status for clause in proof.clauses} == {ProofStatus.UNKNOWN}
    assert REASON in proof.clauses[0].why


@pytest.mark.usefixtures("broken")
def test_nothing_is_known_of_vacuity() -> None:
    assert vacuity(policy(5))["C1"].vacuous is None


@pytest.mark.usefixtures("broken")
def test_two_versions_are_not_called_equal() -> None:
    differing = semantic_diff(policy(5), policy(6))
    assert differing.equivalent is None
    assert REASON in differing.unknown


@pytest.mark.usefixtures("broken")
def test_the_strength_of_a_contract_has_no_score_by_a_failure() -> None:
    report = strength(policy(5))
    assert report.unused
    assert not report.settled


@pytest.mark.usefixtures("broken")
def test_policies_are_not_called_apart() -> None:
    overlaps = policy_overlaps({"one": policy(5), "other": policy(6)})
    unknown = [overlap for overlap in overlaps if overlap.witness is None]
    assert unknown
    assert all(REASON in overlap.why for overlap in unknown)


@pytest.mark.usefixtures("broken")
def test_a_decision_is_not_called_unchangeable() -> None:
    turning = Turner(compile_policy(policy(5))).turn({"amount": 9, "note": "x"}, Verdict.ALLOW, {})
    assert not turning.impossible


def test_conditions_that_are_simplified_away_together_are_found() -> None:
    """Each condition looks into a text; joined they are no condition about texts any more."""
    terms = policy(5)
    condition = terms.rules[0].body
    assert NeededConditions(terms).of((condition, Not(condition)), {0, 1}) == {0, 1}


@pytest.mark.usefixtures("broken")
def test_the_guess_of_needed_conditions_is_no_guess_after_a_failure() -> None:
    terms = policy(5)
    condition = terms.rules[0].body
    needed = NeededConditions(terms).of((condition, Not(condition)), {0, 1})
    assert needed in (None, {0, 1})


def test_a_solver_that_failed_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    solved_queries.forget()
    with monkeypatch.context() as failing:
        failing.setattr(Solver, "check", fails)
        assert preview(policy(7)).clauses[0].status is ProofStatus.UNKNOWN
    solved_queries.forget()
    assert preview(policy(7)).clauses[0].status is ProofStatus.PROVED


@pytest.mark.usefixtures("broken")
def test_undecided_is_an_error_with_the_reason() -> None:
    with pytest.raises(PreviewUndecided, match=REASON):
        distinguish(policy(5), policy(6))
