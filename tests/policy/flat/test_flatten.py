"""Flat terms against the lists that they stand for."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, event, given, settings

from tests.policy.flat.listed import arguments, goals, policy
from workbench.model import Value
from workbench.policy.evaluate import evaluate
from workbench.policy.flat.flatten import flatten
from workbench.policy.flat.limit import FlatLimit
from workbench.policy.flat.opening import open_policy
from workbench.policy.terms import Term


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(goals(), arguments())
def test_flat_terms_are_true_exactly_where_the_policy_says_so(goal: Term, given: dict[str, Value]) -> None:
    terms = policy()
    opened = open_policy(terms)
    try:
        flat = flatten(opened.terms, [opened.term(goal)], opened.terms.arguments)
    except FlatLimit as limit:
        event(str(limit)[:40])
        assume(False)
        raise
    values = flat.abstract(opened.explode(given))
    for required in flat.requires:
        assert evaluate(terms, required, values) is True, required
    assert evaluate(terms, flat.parts[0], values) == evaluate(terms, goal, given)
