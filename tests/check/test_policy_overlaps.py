"""Conflicts and overlaps of several policies, compared with trying every input one by one."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from workbench.check.policy_overlaps import PolicyOverlap, PolicyRelation, policy_overlaps
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict
from workbench.policy.terms import PolicyTerms

HEAD = '''"""A policy."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result


'''
TOOLS = ("read", "pay", "send")


def policy(*rules: str, clauses: tuple[str, ...] = (), default: str = "not") -> PolicyTerms:
    """A policy on ``tool`` and ``amount`` with a rule per condition; ``default`` decides their effect."""
    parameters = 'tool: Literal["read", "pay", "send"], amount: int'
    word = "forbid" if default == "not" else "permit"
    functions = "\n\n".join(
        f'def {word}_{place}({parameters}) -> bool:\n    """Rule {place}."""\n    return {rule}\n'
        for place, rule in enumerate(rules)
    )
    contract = "".join(f"    Ensures({clause})\n" for clause in clauses)
    calls = " or ".join(f"{word}_{place}(tool, amount)" for place in range(len(rules)))
    decision = f"not ({calls})" if default == "not" else calls
    return check(f"{HEAD}{functions}\n\ndef allow({parameters}) -> bool:\n{contract}    return {decision}\n")


def relations_of(overlaps: tuple[PolicyOverlap, ...]) -> set[tuple[str, str, str]]:
    return {(overlap.relation.value, overlap.policy, overlap.part) for overlap in overlaps}


def test_a_promise_that_another_policy_breaks_is_a_conflict_with_an_input() -> None:
    bank = policy(
        'tool == "pay" and amount > 100', clauses=('Implies(tool == "pay" and amount <= 100, Result())',)
    )
    night = policy('tool == "pay" and amount > 50')
    (conflict,) = [
        overlap
        for overlap in policy_overlaps({"bank": bank, "night": night})
        if overlap.relation is PolicyRelation.CONFLICT
    ]
    assert (conflict.policy, conflict.part, conflict.other, conflict.rules) == (
        "bank",
        "C1",
        "night",
        ("forbid_0",),
    )
    assert conflict.witness is not None
    assert conflict.witness["tool"] == "pay"
    amount = conflict.witness["amount"]
    assert isinstance(amount, int)
    assert 50 < amount <= 100


def test_a_rule_that_another_policy_makes_needless_is_covered_and_the_other_one_overlaps() -> None:
    overlaps = policy_overlaps(
        {"bank": policy('tool == "pay" and amount > 100'), "night": policy('tool == "pay" and amount > 50')}
    )
    assert relations_of(overlaps) == {
        ("covered", "bank", "forbid_0"),
        ("overlap", "night", "forbid_0"),
    }


def test_a_permission_that_another_policy_denies_is_a_conflict() -> None:
    overlaps = policy_overlaps(
        {"list": policy('tool == "pay"', default="permit"), "night": policy("amount > 50")}
    )
    assert ("conflict", "list", "permit_0") in relations_of(overlaps)


def test_policies_that_do_not_meet_have_nothing_to_say() -> None:
    assert policy_overlaps({"one": policy('tool == "pay"'), "other": policy('tool == "send"')}) == ()


def test_an_undecided_question_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.engines.smt.search import Solved
    from workbench.engines.smt.solver import SolverAnswer

    def undecided(*_args: object, **_options: object) -> Solved:
        return Solved(SolverAnswer.UNKNOWN, None, "it took too long")

    monkeypatch.setattr("workbench.engines.smt.policy_pair.PolicyPair.solve", undecided)
    overlaps = policy_overlaps({"one": policy('tool == "pay"'), "other": policy('tool == "pay"')})
    assert {(overlap.relation, overlap.why) for overlap in overlaps} == {
        (PolicyRelation.UNKNOWN, "it took too long")
    }


CONDITIONS = st.sampled_from(
    [
        'tool == "pay"',
        'tool in {"pay", "send"}',
        "amount > 1",
        "amount < 3",
        'tool == "pay" and amount > 2',
        'tool != "read" and amount == 2',
    ]
)
POLICIES = st.lists(CONDITIONS, min_size=1, max_size=2, unique=True).map(lambda rules: policy(*rules))
INPUTS = [{"tool": tool, "amount": amount} for tool, amount in product(TOOLS, range(-1, 6))]


@settings(max_examples=examples(25), deadline=None)
@given(first=POLICIES, other=POLICIES)
def test_overlaps_are_those_of_all_inputs_tried_one_by_one(first: PolicyTerms, other: PolicyTerms) -> None:
    relation_by_part = {
        (item.policy, item.part): item.relation for item in policy_overlaps({"one": first, "other": other})
    }
    for name, mine, theirs in (("one", first, other), ("other", other, first)):
        ours, others = compile_policy(mine), compile_policy(theirs)
        for rule in mine.rules:
            fired = [
                arguments
                for arguments in INPUTS
                if rule.name in {violation.rule for violation in ours.decide(arguments).violations}
            ]
            denied = [arguments for arguments in fired if others.decide(arguments).verdict is Verdict.DENY]
            expected = (
                None if not denied else PolicyRelation.COVERED if denied == fired else PolicyRelation.OVERLAP
            )
            assert relation_by_part.get((name, rule.name)) == expected
