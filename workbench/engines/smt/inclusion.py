"""Two policies as sets of allowed inputs: whether one includes the other, and their common inputs."""

from __future__ import annotations

from workbench.engines.smt.formula import SolverAnswer
from workbench.engines.smt.policy_pair import PolicyPair
from workbench.model import Arguments, WorkbenchError
from workbench.policy.connectives import conjunction
from workbench.policy.terms import PolicyTerms


def allows_no_more(terms: PolicyTerms, other: PolicyTerms) -> bool:
    """Whether it is proved that ``terms`` allows nothing that ``other`` denies.

    It is also False if the solver cannot decide, and if the two cannot be compared.
    """
    try:
        pair = PolicyPair(other, terms)
        solved = pair.solve(pair.turns(True), lambda arguments: pair.turned(arguments) is True)
    except WorkbenchError:
        return False
    return solved.status is SolverAnswer.UNSAT


def narrower(terms: PolicyTerms, other: PolicyTerms) -> bool:
    """Whether it is proved that ``terms`` allows strictly less than ``other``."""
    try:
        pair = PolicyPair(other, terms)
        lost = pair.solve(pair.turns(False), lambda arguments: pair.turned(arguments) is False)
    except WorkbenchError:
        return False
    return lost.status is SolverAnswer.SAT and allows_no_more(terms, other)


def allowed_by_both(policy_terms: PolicyTerms, other: PolicyTerms) -> Arguments | None:
    """An input that both policies allow, or None if it is proved that there is none.

    Raises WorkbenchError if the two cannot be compared or the solver cannot decide.
    """
    pair = PolicyPair(policy_terms, other)

    def both_allow(arguments: Arguments) -> bool:
        policies = (pair.old, pair.new)
        return pair.evaluable(arguments) and all(pair.allows(policy, arguments) for policy in policies)

    solved = pair.solve(conjunction((pair.precondition, pair.old.allowed(), pair.new.allowed())), both_allow)
    if solved.status is SolverAnswer.UNKNOWN:
        raise WorkbenchError(f"The solver cannot say whether both policies allow an input: {solved.why}.")
    return solved.arguments
