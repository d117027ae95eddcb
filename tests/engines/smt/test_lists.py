"""The preview solver on policies over records and lists: it excludes nothing that there is."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings

from tests.policy.flat.listed import arguments, goals, policy
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.model import Value
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import Term


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(goals(), arguments())
def test_what_an_input_shows_is_never_excluded(goal: Term, given: dict[str, Value]) -> None:
    formula = Formula(policy())
    solved = formula.solve(goal)
    event(solved.status)
    if evaluate(formula.terms, goal, given) is True:
        assert solved.status is not SolverAnswer.UNSAT
    if solved.arguments is not None:
        assert evaluate(formula.terms, goal, solved.arguments) is True
