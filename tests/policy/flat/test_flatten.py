"""Flat terms, compared with the lists that they represent."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, assume, event, given, settings

from tests.examples import examples
from tests.policy.flat.abstracted import abstract
from tests.policy.flat.listed import (
    ITEM,
    STR,
    argument,
    compared_goal,
    draws,
    goal,
    part,
    policy,
    some_arguments,
)
from workbench.model import Value
from workbench.policy.evaluate import evaluate
from workbench.policy.flat.component import MOST_REGIONS
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.flatten import flatten
from workbench.policy.flat.opening import open_policy
from workbench.policy.flat.traverse import substitute
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Elements,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
    Variable,
)

MANY = settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@MANY
@given(draws)
def test_flat_terms_are_true_exactly_where_the_policy_says_so(draw: Random) -> None:
    means_the_same(goal(draw), draw)


@MANY
@given(draws)
def test_lists_that_are_compared_keep_their_meaning(draw: Random) -> None:
    means_the_same(compared_goal(draw), draw)


def means_the_same(term: Term, draw: Random) -> None:
    """Check that the flat arguments of lists meet the requirements and give the term its truth value."""
    terms = policy()
    opened = open_policy(terms)
    try:
        flat = flatten(opened.terms, [opened.term(term)], opened.terms.arguments)
    except FlatLimit as limit:
        event(str(limit)[:40])
        assume(False)
        raise
    for _ in range(3):
        arguments = some_arguments(draw)
        values = abstract(flat, opened.explode(arguments))
        for required in flat.requires:
            assert evaluate(terms, required, values) is True, (required, arguments)
        assert evaluate(terms, flat.parts[0], values) == evaluate(terms, term, arguments), arguments


def test_a_policy_that_tells_too_many_elements_apart_says_what_to_do() -> None:
    opened = open_policy(policy())
    conditions = [
        Quantified(
            Quantifier.ANY,
            ITEM,
            Elements(argument("payments")),
            Compare(Comparison.EQ, part(ITEM, "id"), Variable(f"name {number}", part(ITEM, "id").type)),
        )
        for number in range(7)
    ]
    with pytest.raises(FlatLimit) as error:
        flatten(opened.terms, [And(tuple(conditions))], opened.terms.arguments)
    assert f"more than {MOST_REGIONS} kinds of elements of `payments` apart" in str(error.value)
    assert "split the rule" in str(error.value)


def test_what_is_put_in_captures_nothing() -> None:
    word = Variable("word", STR)
    name = argument("name")
    held = Quantified(Quantifier.ANY, word, SetVariable("ids"), Compare(Comparison.EQ, word, name))
    written = substitute(held, {"name": word})
    arguments: dict[str, Value] = {"ids": frozenset({"a", "b"}), "word": "c"}
    assert evaluate(policy(), written, arguments) is False
    assert evaluate(policy(), written, {**arguments, "word": "a"}) is True


@MANY
@given(draws)
def test_records_are_opened_and_put_together_again(draw: Random) -> None:
    opened = open_policy(policy())
    arguments = some_arguments(draw)
    assert opened.implode(opened.explode(arguments)) == arguments
