"""A clause holds exactly if all of its obligations do, under any conditions of their proof."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.engines.nagini.lowering.lowered_run import encode, holds
from tests.engines.nagini.lowering.test_lower import SLOW, drawn_policy
from tests.engines.nagini.lowering.test_lower_lists import clause, rule
from tests.examples import examples
from tests.plain_policies import check
from tests.policy.flat.listed import draws, goal, policy, some_arguments
from tests.policy.policy_strategies import arguments_for
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.lowering.lower import (
    Lowered,
    LoweringFault,
    LoweringLimit,
    ReadyPolicy,
    lower_goals,
)
from workbench.engines.nagini.lowering.obligations import Obligation, obligations
from workbench.engines.smt.contradicting_conditions import NeededConditions
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.terms import And, Constant, ImpliesTerm, Not, Or, PolicyTerms, ResultTerm

if TYPE_CHECKING:
    from collections.abc import Generator

    from workbench.model import Arguments


@contextmanager
def only_what_can_be_lowered() -> Generator[None]:
    """Let Hypothesis skip a policy that cannot be lowered."""
    try:
        yield
    except LoweringFault:
        raise
    except LoweringLimit as limit:
        event(str(limit)[:40])
        assume(False)


def met(ready: ReadyPolicy, obligation: Obligation, arguments: Arguments) -> bool:
    """Whether all conditions of an obligation are true; the obligation claims that they cannot be."""
    opened = ready.opened.explode(arguments)
    return all(evaluate(ready.terms, condition, opened) is True for condition in obligation.conditions)


def check_obligations(terms: PolicyTerms, arguments: Arguments, broken: set[str], draw: Random) -> None:
    """Compare the obligations on arguments with the clauses that are broken there."""
    ready = ReadyPolicy.of(terms)
    for contract_clause in ready.terms.clauses:
        clause_obligations = obligations(ready.terms, contract_clause)
        fails = [obligation for obligation in clause_obligations if met(ready, obligation, arguments)]
        event(f"{len(clause_obligations) > 0} {bool(fails)}")
        assert bool(fails) is (contract_clause.id in broken)
        for obligation in (*fails[:1], *clause_obligations[:1]):
            every = range(len(obligation.conditions))
            some = obligation.guarded([place for place in every if draw.random() < 0.5])
            lowered = lower_goals(ready, [obligation.goal()])
            fewer = lower_goals(ready, [obligation.goal(some)])
            encoded = encode(lowered, arguments)
            assert holds(lowered, obligation.name, encoded) is (obligation not in fails)
            if obligation in fails:
                assert not holds(fewer, obligation.name, encode(fewer, arguments))
        for obligation in clause_obligations:
            plain = obligation.without_tests(ready.terms, range(len(obligation.conditions)))
            event(f"by its connectives {plain is not None}")
            if plain is not None:
                assert obligation not in fails
                check_all_truths(lower_goals(ready, [plain]), obligation.name)


def check_all_truths(lowered: Lowered, name: str) -> None:
    """Check that a goal without tests holds whatever is true of them."""
    parameters = lowered.parameters(name)
    assert set(parameters.values()) <= {"bool"}
    for truths in product((False, True), repeat=len(parameters)):
        assert holds(lowered, name, dict(zip(parameters, truths, strict=True)))


@SLOW
@given(st.data(), draws)
def test_obligations_fail_where_their_clause_does(data: st.DataObject, draw: Random) -> None:
    terms = drawn_policy(data)
    assume(terms.clauses)
    arguments = data.draw(arguments_for(terms))
    compiled = compile_policy(terms)
    assume(all(compiled.clause_holds(precondition.id, arguments) for precondition in terms.preconditions))
    broken = {
        contract_clause.id
        for contract_clause in terms.clauses
        if not compiled.clause_holds(contract_clause.id, arguments)
    }
    with only_what_can_be_lowered():
        check_obligations(terms, arguments, broken, draw)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(draws)
def test_obligations_over_lists_fail_where_their_clause_does(draw: Random) -> None:
    condition = And((goal(draw), Or((goal(draw), goal(draw)))))
    contract = draw.choice(
        (
            ImpliesTerm(condition, Not(ResultTerm())),
            ImpliesTerm(And((ResultTerm(), goal(draw))), goal(draw)),
            ImpliesTerm(goal(draw), ResultTerm()),
        )
    )
    rules = (rule("forbid_it", Or((goal(draw), condition))), rule("forbid_that", goal(draw)))
    terms = policy(rules=rules, clauses=(clause(1, contract),))
    arguments = some_arguments(draw)
    allowed = evaluate_decision(terms, arguments)
    broken = {
        contract_clause.id
        for contract_clause in terms.clauses
        if not evaluate(terms, contract_clause.term, arguments, allowed)
    }
    with only_what_can_be_lowered():
        check_obligations(terms, arguments, broken, draw)


SIGNS = ":+^~*?@{}[]|!;"


def branches(signs: str) -> PolicyTerms:
    """A policy that denies a text with any of many signs, of which a clause demands the same."""
    tests = " or ".join(f'"{sign}" in branch' for sign in signs)
    return check(
        f'''
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_odd(branch: str, force: bool) -> bool:
    """R1: No odd branches."""
    return branch == "main" or {tests}


def forbid_force(branch: str, force: bool) -> bool:
    """R2: No force."""
    return force


def allow(branch: str, force: bool) -> bool:
    # R1: No odd branches.
    Ensures(Implies(branch == "main" or {tests}, not Result()))
    # R2: No force.
    Ensures(Implies(not force and not (branch == "main" or {tests}), Result()))
    return not (forbid_odd(branch, force) or forbid_force(branch, force))
'''
    )


@settings(max_examples=examples(10))
@given(st.sampled_from(("main", "", *SIGNS[:7], f"a{SIGNS[:3]}b")), st.booleans(), draws)
def test_obligations_about_many_tests_of_a_text_hold(branch: str, force: bool, draw: Random) -> None:
    check_obligations(branches(SIGNS[:7]), {"branch": branch, "force": force}, set(), draw)


def test_no_goal_has_more_tests_of_a_text_than_its_proof_needs() -> None:
    ready = ReadyPolicy.of(branches(SIGNS))
    needed = NeededConditions(ready.terms)
    for contract_clause in ready.terms.clauses:
        found = ready.obligations(contract_clause.id)
        assert len(found) > len(SIGNS)
        for obligation in found:
            places = needed.of(obligation.conditions, obligation.likely(ready.terms.rules))
            assert places is not None
            lower_goals(ready, [obligation.goal(obligation.guarded(places))])


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(draws)
def test_conditions_that_are_needed_are_never_true_together(draw: Random) -> None:
    ready = ReadyPolicy.of(policy())
    conditions = [ready.opened.term(goal(draw)) for _ in range(3)]
    conditions += [Not(conditions[0]), Constant(True)]
    needed = NeededConditions(ready.terms).of(conditions, range(3))
    if needed is None:
        event("not known")
        return
    event(f"{len(needed)} needed")
    for _ in range(20):
        opened = ready.opened.explode(some_arguments(draw))
        assert not all(evaluate(ready.terms, conditions[place], opened) for place in needed)


def test_what_does_not_contradict_each_other_needs_nothing() -> None:
    conditions = NeededConditions(ReadyPolicy.of(policy()).terms)
    assert conditions.of([Constant(True), Constant(True)], (0,)) is None
    assert conditions.of([Constant(True), Constant(False), Constant(True)], (0,)) == frozenset({1})


def test_conditions_are_contradictory_by_connectives_only_if_no_truth_values_meet_them() -> None:
    policy_text = """
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_far(near: int, far: int, late: bool) -> bool:
    \"\"\"R1: Not far.\"\"\"
    return near < far and (late or near == 7)


def allow(near: int, far: int, late: bool) -> bool:
    # R1: Not far and late.
    Ensures(Implies(far > near and late, not Result()))
    # R1: Not far at seven.
    Ensures(Implies(near == 7 and far >= 8, not Result()))
    return not forbid_far(near, far, late)
"""
    ready = ReadyPolicy.of(check(policy_text))
    found = {
        contract_clause.id: [
            obligation.without_tests(ready.terms, range(len(obligation.conditions)))
            for obligation in obligations(ready.terms, contract_clause)
        ]
        for contract_clause in ready.terms.clauses
    }
    (mirrored,), (other,) = found.values()
    assert mirrored is not None, "the other order of a comparison is the same test"
    assert other is None, "that seven is less than eight is no matter of connectives"
