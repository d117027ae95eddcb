"""The preview solver on policies over records and lists: it excludes no possible input."""

from __future__ import annotations

from random import Random

from hypothesis import event, given, settings

from tests.examples import examples
from tests.policy.flat.listed import draws, goal, policy, some_arguments
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.policy.evaluate import evaluate


@settings(max_examples=examples(60))
@given(draws)
def test_what_an_input_shows_is_never_excluded(draw: Random) -> None:
    formula = Formula(policy())
    term, arguments = goal(draw), some_arguments(draw)
    solved = formula.solve(term)
    event(solved.status)
    if evaluate(formula.terms, term, arguments) is True:
        assert solved.status is not SolverAnswer.UNSAT
    if solved.arguments is not None:
        assert evaluate(formula.terms, term, solved.arguments) is True
