"""The lowered program of a policy over records and lists, run as Python, says what the policy says."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, event, given, settings

from tests.policy.flat.listed import ARGUMENTS, arguments, goals, policy
from workbench.engines.nagini.lowering.lower import LoweringFault, LoweringLimit, lower
from workbench.model import Value
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.terms import Clause, ImpliesTerm, Not, ResultTerm, Rule, Term


def clause(number: int, term: Term) -> Clause:
    """A postcondition."""
    return Clause(f"C{number}", term, ("R1",), "", "", number, number)


def rule(name: str, body: Term) -> Rule:
    """A rule over all arguments."""
    return Rule(name, ARGUMENTS, body, name, ("R1",), 1, 2)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(goals(), goals(), goals(), arguments())
def test_the_lowered_program_means_the_policy(
    forbidden: Term, when: Term, then: Term, given: dict[str, Value]
) -> None:
    terms = policy(
        rules=(rule("forbid_it", forbidden),),
        clauses=(clause(1, ImpliesTerm(when, Not(ResultTerm()))), clause(2, ImpliesTerm(ResultTerm(), then))),
    )
    try:
        lowered = lower(terms)
        encoded = lowered.encode(given)
    except LoweringFault:
        raise
    except LoweringLimit as limit:
        event(str(limit)[:40])
        assume(False)
        raise
    allowed = evaluate_decision(terms, given)
    run = lowered.checker()
    assert lowered.run(encoded) is allowed
    for one in terms.clauses:
        requires, ensures = run.contract(lowered.methods[one.id], encoded)
        assert requires, "the flat arguments of concrete lists meet what is required of them"
        assert ensures is evaluate(terms, one.term, given, allowed)
