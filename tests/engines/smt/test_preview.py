"""The preview: verdicts, plain counterexamples, vacuity, witnesses and distinguishing inputs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engines.smt.told_apart import distinguish
from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.smt import preview as module
from workbench.engines.smt import solved_queries
from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.diff import semantic_diff
from workbench.engines.smt.formula import Solved, SolverAnswer
from workbench.engines.smt.policy_pair import SignatureMismatch
from workbench.engines.smt.preview import left_side, preview, vacuity, witness
from workbench.engines.smt.vacuity import CONTRADICTION
from workbench.model import ClauseProof, Engine, Proof, ProofStatus, Verdict
from workbench.policy.evaluate import evaluate
from workbench.policy.problems import PolicyError
from workbench.policy.result_cache import Recent
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    ImpliesTerm,
    Not,
    Or,
    PolicyTerms,
    ResultTerm,
    Variable,
)

SLOW = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

TEMPLATE = """
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["physician", "nursing"]
READABLE = {{
    "physician": {{"allergy.drugname", "diagnosis.icd9code"}},
    "nursing": {{{nursing}}},
}}


def forbid_column(role: Role, columns: frozenset[str]) -> bool:
    \"\"\"R1: Only listed columns.\"\"\"
    return any(column not in READABLE[role] for column in columns)


def forbid_young(action: str, age: int) -> bool:
    \"\"\"R2: Nobody under 18 books.\"\"\"
    return action.startswith("book") and age < {limit}


def allow(role: Role, columns: frozenset[str], action: str, age: int, amount: Decimal) -> bool:
{contract}
    return not (forbid_column(role, columns) or forbid_young(action, age))
"""
CONTRACT = """
    # R1
    Ensures(Implies(role == "nursing", Implies(Result(), all(c in {"allergy.drugname"} for c in columns))))
    # R2
    Ensures(Implies(action.startswith("book") and age < 18, not Result()))
"""


def policy(contract: str = CONTRACT, nursing: str = '"allergy.drugname"', limit: int = 18) -> PolicyTerms:
    return check(TEMPLATE.format(nursing=nursing, limit=limit, contract=contract))


def test_a_contract_that_holds_is_proved_by_the_preview_engine() -> None:
    proof = preview(policy())
    assert proof.status is ProofStatus.PROVED
    assert {clause.engine for clause in proof.clauses} == {Engine.CVC5}


def test_a_wrong_table_entry_is_refuted_with_the_one_column_and_plain_other_arguments() -> None:
    proof = preview(policy(nursing='"allergy.drugname", "diagnosis.icd9code"'))
    example = proof.clauses[0].counterexample
    assert example is not None
    assert example.confirmed
    assert example.decision is Verdict.ALLOW
    assert example.arguments == {
        "role": "nursing",
        "columns": frozenset({"diagnosis.icd9code"}),
        "action": "other",
        "age": 0,
        "amount": Decimal(0),
    }
    assert {step.rule: step.fired for step in example.path} == {"forbid_column": False, "forbid_young": False}


def test_a_moved_boundary_is_shown_at_the_boundary_with_the_shortest_known_word() -> None:
    proof = preview(policy(limit=17))
    example = proof.clauses[1].counterexample
    assert example is not None
    assert example.arguments["age"] == 17
    assert example.arguments["action"] == "book"
    assert example.arguments["columns"] == frozenset()


def test_only_the_clauses_that_an_edit_touches_are_solved_again() -> None:
    solved_queries.forget()
    preview(policy())
    again = preview(policy(limit=17))
    assert [clause.cached for clause in again.clauses] == [False, False]
    back = preview(policy())
    assert [clause.cached for clause in back.clauses] == [True, True]


def test_a_clause_about_one_action_is_not_solved_again_when_another_rule_changes() -> None:
    cards = """
from typing import Literal
from nagini_contracts.contracts import Ensures, Implies, Requires, Result
Action = Literal["a", "b"]
def forbid_a(action: Action, age: int) -> bool:
    \"\"\"R1: a.\"\"\"
    return action == "a" and age < 18
def forbid_b(action: Action, age: int) -> bool:
    \"\"\"R2: b.\"\"\"
    return action == "b" and age < 21
def allow(action: Action, age: int) -> bool:
    Ensures(Implies(action == "a" and age < 18, not Result()))
    Ensures(Implies(action == "b" and age < 21, not Result()))
    return not (forbid_a(action, age) or forbid_b(action, age))
"""
    solved_queries.forget()
    preview(check(cards))
    edited = preview(check(cards.replace("age < 21\ndef", "age < 22\ndef")))
    assert [clause.cached for clause in edited.clauses] == [True, False]


def test_a_counterexample_behind_a_guard_that_decided_is_shown() -> None:
    guarded = """
from decimal import Decimal
from nagini_contracts.contracts import Ensures, Implies, Requires, Result
def forbid_dear(cost: Decimal | None, vip: bool) -> bool:
    \"\"\"R1: Dear.\"\"\"
    return cost is not None and (vip if cost > Decimal("9") else False)
def allow(cost: Decimal | None, vip: bool) -> bool:
    Ensures(Implies(cost is None, not Result()))
    return not (forbid_dear(cost, vip))
"""
    example = preview(check(guarded)).clauses[0].counterexample
    assert example is not None
    assert example.arguments == {"cost": None, "vip": False}
    assert [(step.rule, step.fired) for step in example.path] == [("forbid_dear", False)]


def test_contradictory_preconditions_make_every_clause_vacuous() -> None:
    contract = (
        "    Requires(age < 3)\n    Requires(age > 5)\n    Ensures(Result())\n    Ensures(not Result())\n"
    )
    proof = preview(policy(contract))
    assert [clause.status for clause in proof.clauses] == [ProofStatus.VACUOUS] * 2
    assert proof.status is ProofStatus.VACUOUS
    assert {clause.why for clause in proof.clauses} == {CONTRADICTION}


def test_a_clause_that_holds_and_says_nothing_is_vacuous_with_its_reason() -> None:
    contract = """
    Ensures(Implies(age < 3 and age > 5, not Result()))
    Ensures(Implies(Result(), Result()))
    Ensures(Implies(age == 9 and action == "book", age < 18))
    Ensures(Implies(action.startswith("book") and age < 18, not Result()))
"""
    proof = preview(policy(contract))
    assert [clause.status.value for clause in proof.clauses] == ["vacuous", "vacuous", "vacuous", "proved"]
    dead, trivial = "its left side never happens", "it holds for every policy"
    assert [clause.why for clause in proof.clauses] == [f"{dead}; {trivial}", trivial, trivial, ""]
    assert proof.status is ProofStatus.VACUOUS


def test_a_clause_about_what_a_policy_never_does_is_vacuous_of_that_policy_only() -> None:
    contract = '    Ensures(Implies(Result() and action == "book" and age < 18, amount < 5))\n'
    (never,) = preview(policy(contract)).clauses
    assert (never.status, never.why) == (ProofStatus.VACUOUS, "its left side never happens")
    assert preview(policy(contract, limit=17)).status is ProofStatus.REFUTED


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        ("proved vacuous", "vacuous"),
        ("vacuous unknown proved", "unknown"),
        ("proved vacuous unknown refuted", "refuted"),
        ("proved proved", "proved"),
        ("", "unknown"),
    ],
)
def test_a_proof_is_as_good_as_its_worst_clause(statuses: str, worst: str) -> None:
    clauses = [ClauseProof("C1", (), ProofStatus(status), Engine.CVC5) for status in statuses.split()]
    assert Proof(tuple(clauses)).status.value == worst


@SLOW
@given(st.data())
def test_a_clause_is_vacuous_exactly_if_vacuity_says_so_and_then_no_input_shows_otherwise(
    data: st.DataObject,
) -> None:
    terms = drawn_policy(data)
    says = vacuity(terms)
    for clause, clause_proof in zip(terms.clauses, preview(terms).clauses, strict=True):
        if clause_proof.status is not ProofStatus.VACUOUS:
            assert clause_proof.status is not ProofStatus.PROVED or says[clause.id].vacuous is False
            continue
        assert says[clause.id].vacuous
        assert clause_proof.why == says[clause.id].reason
        for _ in range(4):
            arguments = data.draw(arguments_for(terms))
            if not Runner(terms).evaluable(arguments):
                continue
            assert says[clause.id].reachable
            if says[clause.id].fires is False:
                assert not Runner(terms).holds(left_side(clause.term), arguments)
            if says[clause.id].trivial:
                for result in (True, False):
                    assert evaluate(terms, clause.term, arguments, result) is True


def _verdicts(terms: PolicyTerms) -> list[tuple[ProofStatus, bool]]:
    """The verdict on each clause, and whether it has an input that the preview has confirmed."""
    return [(clause.status, clause.counterexample is not None) for clause in preview(terms).clauses]


def _not_at_all(*_: object) -> tuple[Solved, bool]:
    return Solved(SolverAnswer.UNKNOWN), False


def _with_own_contract(terms: PolicyTerms) -> PolicyTerms:
    """A policy whose contract repeats its rules: each forbidden input is denied, all else is allowed."""
    forbidden = [rule for rule in terms.rules if rule.forbids]
    denied = [ImpliesTerm(rule.body, Not(ResultTerm())) for rule in forbidden]
    allowed = ImpliesTerm(Not(Or(tuple(rule.body for rule in forbidden))), ResultTerm())
    requirements = [*(rule.requirements for rule in forbidden), ("R9",)]
    clauses = (
        replace(clause, term=term, requirements=names)
        for clause, term, names in zip(_CLAUSES, (*denied, allowed), requirements, strict=False)
    )
    return replace(terms, interpreted=True, clauses=tuple(clauses))


_CLAUSES = check(
    "from nagini_contracts.contracts import Ensures, Result\n\n\ndef allow(vip: bool) -> bool:\n"
    + "    # R1\n    Ensures(Result())\n" * 4
    + "    return True\n"
).clauses


@settings(SLOW, max_examples=examples(25))
@given(policies(contract=False, records=True))
def test_asking_rule_by_rule_and_keeping_inputs_decides_as_new_queries_about_all_rules_do(
    source: str,
) -> None:
    try:
        terms = _with_own_contract(check(source))
    except PolicyError:
        assume(False)
        raise
    never = tuple(replace(rule, body=Constant(False)) for rule in terms.rules)
    for rules in (terms.rules, (*never[:1], *terms.rules[1:]), terms.rules, never):
        edited = replace(terms, rules=rules)
        verdicts = _verdicts(edited)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_by_rules", _not_at_all)
            for kept in ("_solved", "_inputs"):
                patch.setattr(solved_queries, kept, Recent[object, object](4096))
            expected = _verdicts(edited)
        for verdict, other in zip(verdicts, expected, strict=True):
            assert verdict == other or other[0] is ProofStatus.UNKNOWN


@settings(SLOW, max_examples=10)
@given(policies(contract=False, records=True))
def test_a_condition_beside_others_is_asked_with_few_of_them_and_answered_as_with_all(source: str) -> None:
    try:
        terms = check(source)
    except PolicyError:
        assume(False)
        raise
    bodies = [rule.body for rule in terms.rules]
    for place, body in enumerate(bodies):
        others = [*bodies[:place], *bodies[place + 1 :]]
        answer = module.satisfiable_beside(terms, body, others)
        expected = module.satisfiable(terms, And((body, *map(Not, others))))
        assert answer is expected or None in (answer, expected)


def test_a_policy_without_clauses_is_not_proved() -> None:
    proof = preview(policy("\n"))
    assert proof.status is ProofStatus.UNKNOWN
    assert proof.why


def test_a_time_limit_is_unknown_and_never_proved() -> None:
    hard = policy(
        "    Ensures(Implies(age * 7 % 97 == 5 and len(action) * 13 % 89 == 7 and age > 10000, Result()))\n"
    )
    clause = preview(hard, time_limit_ms=1).clauses[0]
    assert clause.status in (ProofStatus.UNKNOWN, ProofStatus.REFUTED)
    if clause.status is ProofStatus.UNKNOWN:
        assert "gave up" in clause.why


def test_vacuity_tells_dead_left_sides_and_trivial_clauses_from_real_ones() -> None:
    contract = """
    Ensures(Implies(age < 3 and age > 5, not Result()))
    Ensures(Implies(Result(), Result()))
    Ensures(Implies(action.startswith("book") and age < 18, not Result()))
"""
    vacuity_by_clause = vacuity(policy(contract))
    assert (
        vacuity_by_clause["C1"].fires,
        vacuity_by_clause["C1"].trivial,
        vacuity_by_clause["C1"].vacuous,
    ) == (False, True, True)
    assert (
        vacuity_by_clause["C2"].fires,
        vacuity_by_clause["C2"].trivial,
        vacuity_by_clause["C2"].vacuous,
    ) == (True, True, True)
    assert (
        vacuity_by_clause["C3"].fires,
        vacuity_by_clause["C3"].trivial,
        vacuity_by_clause["C3"].vacuous,
    ) == (True, False, False)


def test_a_witness_meets_its_condition_and_logged_inputs_come_first() -> None:
    terms = policy()
    denied = Compare(Comparison.EQ, ResultTerm(), Constant(False))
    arguments = witness(terms, denied)
    assert arguments is not None
    assert Runner(terms).decision(arguments) is Verdict.DENY
    logged = {**arguments, "action": "book a room", "age": 11, "columns": frozenset[str]()}
    assert witness(terms, denied, prefer=[{"age": 11}, logged]) == logged
    impossible = Compare(
        Comparison.NE, Variable("age", terms.arguments[3].type), Variable("age", terms.arguments[3].type)
    )
    assert witness(terms, impossible) is None


def test_two_readings_of_under_18_are_told_apart_at_18() -> None:
    arguments = distinguish(policy(limit=18), policy(limit=19))
    assert arguments is not None
    assert (arguments["age"], arguments["action"]) == (18, "book")
    assert distinguish(policy(), policy("\n")) is None


def test_an_argument_that_only_one_policy_takes_may_have_any_value() -> None:
    terms = check("def allow(age: int) -> bool:\n    return True\n")
    other = check(
        'def forbid_vip(vip: bool) -> bool:\n    """R1: No."""\n    return not vip\n\n\n'
        "def allow(vip: bool) -> bool:\n    return not (forbid_vip(vip))\n"
    )
    assert distinguish(terms, other) == {"age": 0, "vip": False}


def test_a_rule_that_forbids_is_not_taken_for_an_equal_one_that_permits() -> None:
    source = (
        'def {kind}_it(vip: bool) -> bool:\n    """R1: It."""\n    return vip\n\n\n'
        "def allow(vip: bool) -> bool:\n    return {decision}\n"
    )
    forbids = check(source.format(kind="forbid", decision="not (forbid_it(vip))"))
    permits = check(source.format(kind="permit", decision="permit_it(vip)"))
    assert distinguish(forbids, permits) is not None
    assert len(semantic_diff(forbids, permits).regions) == 2


def test_policies_whose_arguments_clash_are_not_compared() -> None:
    terms = check("def allow(age: int) -> bool:\n    return True\n")
    other = check("def allow(age: str) -> bool:\n    return True\n")
    with pytest.raises(SignatureMismatch, match="'age' is of type int"):
        distinguish(terms, other)


def drawn_policy(data: st.DataObject) -> PolicyTerms:
    try:
        return check(data.draw(policies()))
    except PolicyError:
        assume(False)
        raise


@SLOW
@given(st.data())
def test_policies_are_called_equivalent_only_if_they_decide_alike(data: st.DataObject) -> None:
    terms, other = drawn_policy(data), drawn_policy(data)
    try:
        distinguishing = distinguish(terms, other)
    except (SignatureMismatch, module.PreviewUndecided):
        return
    runners = Runner(terms), Runner(other)
    if distinguishing is not None:
        assert all(runner.evaluable(distinguishing) for runner in runners)
        assert runners[0].allows(distinguishing) is not runners[1].allows(distinguishing)
        return
    for _ in range(4):
        arguments = {**data.draw(arguments_for(terms)), **data.draw(arguments_for(other))}
        if all(runner.evaluable(arguments) for runner in runners):
            assert runners[0].allows(arguments) is runners[1].allows(arguments)
