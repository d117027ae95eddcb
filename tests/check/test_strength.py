"""Contract strength: fates are true, and the report's counts are correct."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.check.realise.desk_policies import spec
from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.check import strength as strength_module
from workbench.check.mutate import mutants
from workbench.check.strength import Fate, strength
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.smt.confirm import Runner
from workbench.model import Verdict
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.problems import PolicyError
from workbench.policy.terms import And, Constant, Or, PolicyTerms

SLOW = settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

HEAD = """
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["admin", "user"]
MAY = {"admin": {"read", "write"}, "user": {"read"}}


def forbid_action(role: Role, action: str) -> bool:
    \"\"\"R1: Only listed actions.\"\"\"
    return action not in MAY[role]


def forbid_young(age: int | None) -> bool:
    \"\"\"R2: Users under 18 may not.\"\"\"
    return age is None or age < 18


def allow(role: Role, action: str, age: int | None) -> bool:
"""
EXACT = """
    # R1
    Ensures(Implies(role == "admin" and action not in {"read", "write"}, not Result()))
    # R1
    Ensures(Implies(role == "user" and action != "read", not Result()))
    # R2
    Ensures(Implies(age is None or age < 18, not Result()))
    # R1, R2
    Ensures(Implies(age is not None and age >= 18 and (role == "admin" or action == "read")
        and action in {"read", "write"}, Result()))
    return not (forbid_action(role, action) or forbid_young(age))
"""
LOOSE = """
    # R2
    Ensures(Implies(age is not None and age < 18, not Result()))
    return not (forbid_action(role, action) or forbid_young(age))
"""


def test_a_contract_that_says_everything_kills_every_killable_mutant() -> None:
    report = strength(check(HEAD + EXACT))
    assert report.killable >= 18
    assert report.score == 1.0
    assert not report.having(Fate.SURVIVED)
    assert all(count > 0 for count in report.kills.values())


def test_survivors_are_inputs_on_which_the_contract_does_not_care() -> None:
    terms = check(HEAD + LOOSE)
    report = strength(terms)
    survivors = report.having(Fate.SURVIVED)
    assert {result.mutant.where for result in survivors} >= {"forbid_action", "MAY"}
    for result in survivors:
        assert result.example is not None
        assert {result.policy_decision, result.mutant_decision} == {Verdict.ALLOW, Verdict.DENY}
        for clause in terms.clauses:
            assert evaluate(terms, clause.term, result.example, True) is True
            assert evaluate(terms, clause.term, result.example, False) is True


def test_a_survivor_is_shown_at_the_boundary_that_moved() -> None:
    report = strength(check(HEAD + LOOSE.replace("age < 18, not", "age < 17, not")))
    moved = [result for result in report.having(Fate.SURVIVED) if "age <= 18" in result.mutant.description]
    assert [result.example["age"] for result in moved if result.example] == [18]


def test_a_clause_that_the_policy_violates_judges_no_mutant() -> None:
    report = strength(check(HEAD + LOOSE.replace("not Result()", "Result()")))
    assert set(report.unused) == {"C1"}
    assert report.killed == 0


def test_progress_counts_up_and_cancelling_keeps_what_is_done() -> None:
    seen: list[tuple[int, int]] = []
    report = strength(
        check(HEAD + LOOSE),
        on_progress=lambda done, total: seen.append((done, total)),
        cancelled=lambda: len(seen) >= 5,
    )
    assert [done for done, _ in seen] == [1, 2, 3, 4, 5]
    assert len(report.results) == 5
    assert not report.complete


def test_ids_of_mutants_survive_edits_elsewhere() -> None:
    before = {mutant.id for mutant in mutants(check(HEAD + LOOSE)) if mutant.where == "forbid_young"}
    after = {mutant.id for mutant in mutants(check(HEAD.replace('"write"', '"delete"') + LOOSE))}
    assert before <= after


def test_guards_of_optional_arguments_are_never_removed() -> None:
    # Without the guard the mutant could not be evaluated: it would be no policy.
    for mutant in mutants(check(HEAD + LOOSE)):
        for age in (None, 17, 18):
            evaluate_decision(mutant.terms, {"role": "user", "action": "read", "age": age})


def drawn_policy(data: st.DataObject) -> PolicyTerms:
    try:
        return check(data.draw(policies()))
    except PolicyError:
        assume(False)
        raise


@SLOW
@given(st.data())
def test_fates_agree_with_running_policy_and_mutant(data: st.DataObject) -> None:
    terms = drawn_policy(data)
    inputs = [data.draw(arguments_for(terms)) for _ in range(4)]
    runner = Runner(terms)
    for result in strength(terms, most=25).results:
        mutant = result.mutant.terms
        if result.example is not None:
            assert runner.evaluable(result.example)
            decided = evaluate_decision(mutant, result.example)
            assert decided is not evaluate_decision(terms, result.example)
            broken = tuple(
                clause.id
                for clause in terms.clauses
                if evaluate(terms, clause.term, result.example, decided) is not True
            )
            assert (result.fate is Fate.KILLED) == bool(broken) or result.fate is Fate.SURVIVED
            assert set(result.killed_by) <= set(broken)
        for arguments in inputs:
            if result.fate is Fate.EQUIVALENT and runner.evaluable(arguments):
                assert evaluate_decision(mutant, arguments) is evaluate_decision(terms, arguments)


def test_a_policy_with_too_many_conditions_is_judged_by_an_even_sample_that_says_how_many_were_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terms = check(HEAD + LOOSE)
    whole = strength(terms)
    assert whole.left_out == 0
    monkeypatch.setattr(strength_module, "MOST_TERMS", 30)
    sample = strength(terms)
    tried = {result.mutant.id for result in sample.results}
    assert 0 < len(tried) < len(whole.results)
    assert sample.left_out == len(list(mutants(terms))) - len(tried)
    fates = {result.mutant.id: result.fate for result in whole.results}
    assert all(fates.get(result.mutant.id, result.fate) is result.fate for result in sample.results)


def test_a_clause_that_only_this_policy_makes_vacuous_judges_and_one_that_holds_for_all_does_not() -> None:
    """No user under 18 is allowed anything, so that the first clause speaks of nothing that happens."""
    vacuous = """
    # R2
    Ensures(Implies(Result() and age is not None and age < 18, role == "admin"))
    # R1
    Ensures(Implies(role == "admin" and role == "user", not Result()))
    return not (forbid_action(role, action) or forbid_young(age))
"""
    report = strength(check(HEAD + vacuous))
    assert set(report.unused) == {"C2"}
    assert report.kills["C1"] > 0
    assert report.kills["C2"] == 0


# --- values that can be None ----------------------------------------------------------

OPTIONAL = """
from dataclasses import dataclass
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result


@dataclass(frozen=True)
class Item:
    label: str | None
    price: Decimal | None
    count: int | None


@dataclass(frozen=True)
class Order:
    owner: str | None
    fee: Decimal | None
    items: tuple[Item, ...]


def forbid_dear(order: Order | None) -> bool:
    \"\"\"R1: Not more than 100.\"\"\"
    return order is not None and DUE > Decimal(100)


def forbid_fee(order: Order | None) -> bool:
    \"\"\"R2: No fee above 5, nor twice as much as the owner's items.\"\"\"
    if order is None or order.fee is None:
        return False
    return order.fee > Decimal(5) and all(item.count > 1 for item in order.items if item.count is not None)


def forbid_owner(order: Order | None) -> bool:
    \"\"\"R3: Only a.\"\"\"
    return order is not None and order.owner == "a" and order.owner.startswith("a")


def allow(order: Order | None) -> bool:
    # R1
    Ensures(Implies(order is not None and DUE > Decimal(100), not Result()))
    # R2
    Ensures(Implies(order is None, Result()))
    return not (forbid_dear(order) or forbid_fee(order) or forbid_owner(order))
""".replace(
    "DUE", 'sum(item.price for item in order.items if item.price is not None and item.label != "free")'
)


def test_optional_fields_of_nested_records_do_not_end_the_measurement() -> None:
    """Dropping the guard of a sum, or turning an equality that guards, is no wrong version of a policy."""
    report = strength(check(OPTIONAL))
    assert report.killed > 5
    assert not report.undecided


@SLOW
@given(st.data())
def test_every_wrong_version_decides_every_input(data: st.DataObject) -> None:
    terms = check(OPTIONAL) if data.draw(st.booleans()) else _drawn(data)
    arguments = data.draw(arguments_for(terms))
    for mutant in mutants(terms):
        evaluate_decision(mutant.terms, arguments)


def _drawn(data: st.DataObject) -> PolicyTerms:
    try:
        return check(data.draw(policies(records=True)))
    except PolicyError:
        assume(False)
        raise


def test_a_wrong_version_of_a_policy_of_calls_reads_what_a_call_of_its_tool_has() -> None:
    source = '''"""Rooms and bookings."""
from agent import BookRoom, CancelBooking, Run

DEFAULT = "allow"


def forbid_strange(call: BookRoom | CancelBooking, run: Run) -> bool:
    """R1: Nothing else is done."""
    return call.nights > 3 if isinstance(call, BookRoom) else run.booking(call.booking_id) is None
'''
    terms = lowered_policy(source, spec()).terms
    (rule,) = terms.rules
    assert isinstance(rule.body, Or)
    first, second = rule.body.operands
    bodies = {
        mutant.description: mutant.terms.rules[0].body
        for mutant in mutants(terms)
        if mutant.where == rule.name
    }

    assert bodies.pop("does not apply to calls of book_room") == second
    assert bodies.pop("does not apply to calls of cancel_booking") == first
    assert {bodies.pop("never fires"), bodies.pop("always fires")} == {Constant(False), Constant(True)}
    assert bodies
    for body in bodies.values():
        assert isinstance(body, Or)
        assert len({first, second} & {*body.operands}) == 1
        changed = next(part for part in body.operands if part not in (first, second))
        other = first if second in body.operands else second
        assert isinstance(changed, And) and isinstance(other, And)
        assert changed.operands[0] == other.operands[0]  # the test of the tool
