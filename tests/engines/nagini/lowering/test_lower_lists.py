"""The lowered program of a policy over records and lists, run as Python, decides as the policy does."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, assume, event, given, settings

from tests.engines.nagini.lowering.lowered_run import checker, encode, run
from tests.examples import examples
from tests.policy.flat.listed import ARGUMENTS, draws, goal, policy, some_arguments
from workbench.engines.nagini.lowering.lower import LoweringFault, LoweringLimit, lower
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.model import ProofStatus
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.terms import Clause, ImpliesTerm, Not, ResultTerm, Rule, Term


def clause(number: int, term: Term) -> Clause:
    """A postcondition."""
    return Clause(f"C{number}", term, ("R1",), "", "", number, number)


def rule(name: str, body: Term) -> Rule:
    """A rule over all arguments."""
    return Rule(name, ARGUMENTS, body, name, ("R1",), 1, 2)


@settings(
    max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(draws)
def test_the_lowered_program_means_the_policy(draw: Random) -> None:
    never = ImpliesTerm(goal(draw), Not(ResultTerm()))
    terms = policy(
        rules=(rule("forbid_it", goal(draw)),),
        clauses=(clause(1, never), clause(2, ImpliesTerm(ResultTerm(), goal(draw)))),
    )
    arguments = some_arguments(draw)
    try:
        lowered = lower(terms)
        encoded = encode(lowered, arguments)
    except LoweringFault:
        raise
    except LoweringLimit as limit:
        event(str(limit)[:40])
        assume(False)
        raise
    allowed = evaluate_decision(terms, arguments)
    python = checker(lowered)
    assert run(lowered, encoded) is allowed
    for contract_clause in terms.clauses:
        requires, ensures = python.contract(lowered.methods[contract_clause.id], encoded)
        assert requires, "the flat arguments of concrete lists meet what is required of them"
        assert ensures is evaluate(terms, contract_clause.term, arguments, allowed)


@settings(max_examples=examples(30))
@given(draws)
def test_a_stored_counterexample_comes_back_as_it_was(draw: Random) -> None:
    terms, arguments = policy(), some_arguments(draw)
    with tempfile.TemporaryDirectory() as folder:
        cache = VerdictCache(Path(folder))
        cache.put("key", StoredVerdict(ProofStatus.REFUTED, arguments))
        stored_verdict = cache.get("key", terms)
    assert stored_verdict is not None
    assert stored_verdict.arguments == arguments
