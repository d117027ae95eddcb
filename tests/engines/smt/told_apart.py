"""Inputs that tell two policies apart, as the comparisons of the workbench find them."""

from __future__ import annotations

from workbench.engines.smt.policy_pair import PolicyPair
from workbench.engines.smt.preview import PreviewUndecided
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import Arguments
from workbench.policy.connectives import disjunction
from workbench.policy.terms import PolicyTerms


def distinguish(a: PolicyTerms, b: PolicyTerms) -> Arguments | None:
    """A plain input that the two policies decide differently, or None if it is proved that there is none."""
    pair = PolicyPair(a, b)
    differing = disjunction((pair.turns(True), pair.turns(False)))
    solved = pair.solve(differing, lambda arguments: pair.turned(arguments) is not None)
    if solved.status is SolverAnswer.UNKNOWN:
        raise PreviewUndecided("whether the two policies differ", solved.why)
    return solved.arguments
