"""The compiled policy and the direct interpreter of its terms always agree."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict
from workbench.policy.evaluate import evaluate, evaluate_decision

_SLOW = settings(
    max_examples=examples(150),
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@_SLOW
@given(st.data())
def test_every_decision_of_a_random_policy_is_the_one_its_terms_say(data: st.DataObject) -> None:
    terms = check(data.draw(policies(records=data.draw(st.booleans()))))
    policy = compile_policy(terms)
    for _ in range(5):
        arguments = data.draw(arguments_for(terms))
        expected = evaluate_decision(terms, arguments)
        assert policy.allows(arguments) is expected
        decision = policy.decide(arguments)
        holds = all(
            evaluate(terms, precondition.term, arguments) is True for precondition in terms.preconditions
        )
        fired = {rule.name for rule in terms.rules if evaluate(terms, rule.body, arguments) is True}
        forbidden = any(name.startswith("forbid_") for name in fired)
        permitted = terms.default_allow or any(name.startswith("permit_") for name in fired)
        verdict = Verdict.ALLOW if expected else Verdict.ASK
        verdict = verdict if permitted and not forbidden else Verdict.DENY
        assert decision.verdict is (verdict if holds else Verdict.CANNOT_EVALUATE), decision.reasons
        if holds:
            assert {violation.rule for violation in decision.violations} - {"default"} | set(
                decision.permitted_by
            ) == fired
        assert {step.rule for step in policy.path(arguments) if step.fired} == fired
        for clause in terms.clauses:
            value = evaluate(terms, clause.term, arguments, expected) is True
            assert policy.clause_holds(clause.id, arguments) is (value or not holds)
