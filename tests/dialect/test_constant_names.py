"""No name of a policy of calls meets a name of the policy over plain arguments."""

from __future__ import annotations

import pytest

from tests.dialect.call_policies import HEAD
from tests.dialect.naive_decision import Translated
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus
from workbench.policy.problems import PolicyError

_RULE = '''

def forbid_it(call: GetUser, run: Run) -> bool:
    """R1: No."""
    return call.id == "u1" and run.user(call.id) is not None


def contract_it(call: GetUser, run: Run) -> None:
    # R1: No.
    Ensures(Implies(call.id == "u1" and run.user(call.id) is not None, not Result()))
'''


def with_constant(name: str, value: str) -> str:
    return HEAD.format(default="allow").replace("LIMIT =", f"{name} = {value}\nLIMIT =") + _RULE


@pytest.mark.parametrize("name", ["get_user_id", "get_user_user", "now", "Tool", "User"])
def test_a_constant_may_have_the_name_that_an_argument_would_get(name: str) -> None:
    policy = Translated(with_constant(name, '"b1"'))
    assert name not in [argument.name for argument in policy.lowered.arguments]
    assert [one.status for one in preview(policy.lowered.terms).clauses] == [ProofStatus.PROVED]


def test_a_constant_with_the_name_of_the_tool_of_a_call_is_refused_at_its_line() -> None:
    text = with_constant("tool", '{"b1"}')
    with pytest.raises(PolicyError) as refused:
        Translated(text)
    (problem,) = refused.value.problems
    assert problem.message == "`tool` is the tool of a call."
    assert text.splitlines()[problem.line - 1].startswith("tool = ")


@pytest.mark.parametrize("name", ["Tool", "User", "tool", "allow", "now"])
def test_a_fact_may_have_any_name_of_the_lowered_text(name: str) -> None:
    fact = (
        f'def {name}(run: Run) -> int:\n    """how many"""\n    return sum(1 for c in run.earlier(Order))\n'
    )
    rule = _RULE.replace("return call.id", f"return {name}(run) > 2 or call.id")
    policy = Translated(f"{HEAD.format(default='allow')}\n\n{fact}{rule}")
    assert [one.status for one in preview(policy.lowered.terms).clauses] == [ProofStatus.PROVED]


def test_a_rule_may_have_the_name_of_the_rule_that_is_added() -> None:
    rule = (
        'def permit_other_tools(call: GetUser, run: Run) -> bool:\n    """R1: No."""\n'
        '    return call.id == "u1"\n\n\ndef contract_it(call: Call, run: Run) -> None:\n'
        '    # R1: No.\n    Ensures(Implies(call.tool != "get_user", Result()))\n'
    )
    policy = Translated(f"{HEAD.format(default='allow')}\n\n{rule}")
    assert [rule.name for rule in policy.lowered.terms.rules] == [
        "permit_other_tools",
        "permit_other_tools_2",
    ]
    assert [one.status for one in preview(policy.lowered.terms).clauses] == [ProofStatus.PROVED]
