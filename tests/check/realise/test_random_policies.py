"""Random policies of calls: realised inputs really refute, and no small run breaks a clause that holds."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.realise.test_wrong_versions import live_verdict
from tests.dialect.call_policies import policy_text, random_run
from tests.dialect.naive_decision import Translated
from tests.examples import EVERY, examples
from tests.runs.expressions.small_agent import SPEC, reader
from workbench.check.realise.realised_proof import realised_proof
from workbench.dialect.run_values import RunExpression
from workbench.engines.smt.preview import preview
from workbench.engines.smt.rule_by_rule import with_result
from workbench.model import ClauseProof, Proof, ProofStatus, RecordedCall, Verdict
from workbench.policy.connectives import FALSE, TRUE
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.world.earlier_calls import Earlier

_randoms = st.integers(0, 2**32).map(Random)
_RUNS = 12 if EVERY else 6
"""The number of small runs that are tried on each policy."""


def _settings(every: int) -> settings:
    return settings(max_examples=examples(every), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def proved(policy: Translated) -> Proof:
    terms = policy.lowered.terms
    return realised_proof(terms, SPEC, preview(terms))


def breaks(policy: Translated, clause_id: str, run: Sequence[RecordedCall], verdict: Verdict) -> bool:
    """Whether a decision on the last call of a run breaks a clause as it is written."""
    clause = policy.lowered.terms.clauses[int(clause_id[1:]) - 1]
    written = [(one.tool, one.term) for whole in policy.calls.clauses for one in whole.terms]
    tool, term = written[int(clause_id[1:]) - 1]
    last = run[-1]
    if verdict is Verdict.CANNOT_EVALUATE or tool not in ("", last.tool) or last.tool is None:
        return False
    decided = with_result(term, TRUE if verdict is Verdict.ALLOW else FALSE)
    read = ReadExpression(RunExpression(tool, clause.source, decided, policy.calls.values))
    moment = Moment(reader(), last, Earlier(tuple(run), len(run) - 1))
    return naive_value(read, moment, Trace(), {}) is False


@_settings(60)
@given(_randoms)
def test_a_realised_input_breaks_its_clause_and_no_small_run_breaks_one_that_holds(random: Random) -> None:
    policy = Translated(policy_text(random, 2))
    clauses = proved(policy).clauses
    for clause in clauses:
        _is_broken_where_it_says(policy, clause)
    holding = [
        clause.clause for clause in clauses if clause.status in (ProofStatus.PROVED, ProofStatus.VACUOUS)
    ]
    for run in (random_run(random) for _ in range(_RUNS if holding else 0)):
        for count in range(1, len(run) + 1):
            verdict = policy.core(run, count - 1)
            for clause in holding:
                assert not breaks(policy, clause, run[:count], verdict), (policy.calls.source, run[:count])


def _is_broken_where_it_says(policy: Translated, clause: ClauseProof) -> None:
    """Assert that a realised input breaks its clause as it is written, when a guard decides it."""
    example = clause.counterexample
    if clause.status is ProofStatus.REFUTED:
        assert example is not None
        assert example.realised is not None
        run = example.realised.calls
        assert policy.naive(run, len(run) - 1) is example.decision
        assert live_verdict(policy.lowered, example.realised, SPEC) is example.decision
        assert breaks(policy, clause.clause, run, policy.naive(run, len(run) - 1))
    elif example is not None:
        assert clause.status is ProofStatus.POSSIBLE
        assert example.realised is None
