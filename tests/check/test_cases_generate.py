"""Generated cases: their coverage, their correctness, and their failures on changes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import policies
from workbench.check.cases_generate import generate_cases
from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    Case,
    RecordValue,
    Value,
    Verdict,
    WorkbenchError,
    field_of,
)
from workbench.policy.terms import PolicyTerms, Term
from workbench.session.session_files import read_cases, write_cases

HEAD = """
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result
"""

HOSPITAL = f'''{HEAD}
Role = Literal["physician", "nursing", "general administration"]

READABLE = {{
    "physician": {{"allergy.drugname", "diagnosis.icd9code", "diagnosis.diagnosisname"}},
    "nursing": {{"allergy.drugname", "intakeoutput.celllabel"}},
    "general administration": {{"cost.cost"}},
}}


def forbid_unreadable_column(role: Role, columns: frozenset[str]) -> bool:
    """R1, R2, R3: A role may read only the columns listed for it."""
    return any(column not in READABLE[role] for column in columns)


def allow(role: Role, columns: frozenset[str]) -> bool:
    return not (forbid_unreadable_column(role, columns))
'''

BANK = f'''{HEAD}
Plan = Literal["basic", "gold"]
BLOCKED = {{"DE00EVIL", "FR00EVIL"}}
LIMITS = {{"basic": Decimal("100.00"), "gold": Decimal("1000.00")}}


def forbid_blocked(recipient: str) -> bool:
    """R1: Money may not go to a blocked account."""
    return recipient in BLOCKED


def forbid_large(amount: Decimal, plan: Plan, approved: bool) -> bool:
    """R2: Large payments need an approval."""
    return amount > LIMITS[plan] and not approved


def forbid_late(at: time, day: date) -> bool:
    """R3: No payments at night, and none before the account opened."""
    return at >= time(22, 0) or day < date(2026, 1, 5)


def forbid_long(subject: str) -> bool:
    """R4: A subject has at most 20 characters and no link."""
    return len(subject) > 20 or "http" in subject


def allow(
    recipient: str, amount: Decimal, plan: Plan, approved: bool, at: time, day: date, subject: str
) -> bool:
    Requires(amount >= Decimal("0.00"))
    return not (
        forbid_blocked(recipient) or forbid_large(amount, plan, approved)
        or forbid_late(at, day) or forbid_long(subject)
    )
'''

CLOSED = f'''{HEAD}
def permit_sum(a: int, b: int) -> bool:
    """R1: Allowed while the sum is at most 10 and b is positive."""
    return a + b <= 10 and b > 3 * a


def permit_nobody(name: str | None) -> bool:
    """R2: Allowed if nobody is named."""
    return name is None


def allow(a: int, b: int, name: str | None) -> bool:
    return permit_sum(a, b) or permit_nobody(name)
'''

POLICIES = {"hospital": HOSPITAL, "bank": BANK, "closed": CLOSED}


def outcomes(source: str, cases: tuple[Case, ...]) -> list[Verdict]:
    policy = compile_policy(check(source))
    return [policy.decide(case.arguments).verdict for case in cases]


@pytest.mark.parametrize("source", POLICIES.values(), ids=POLICIES.keys())
def test_every_case_expects_what_the_draft_decides(source: str) -> None:
    cases = generate_cases(check(source))
    assert outcomes(source, cases) == [case.expected for case in cases]
    assert {case.expected for case in cases} == {*Verdict} - {Verdict.ASK}


@pytest.mark.parametrize("source", POLICIES.values(), ids=POLICIES.keys())
def test_ids_are_unique_and_inputs_differ_and_the_same_policy_gives_the_same_cases(source: str) -> None:
    cases = generate_cases(check(source))
    assert len({case.id for case in cases}) == len(cases)
    inputs = [frozenset((name, type(v).__name__, v) for name, v in case.arguments.items()) for case in cases]
    assert len(set(inputs)) == len(inputs)
    assert generate_cases(check(source)) == cases


@pytest.mark.parametrize("source", POLICIES.values(), ids=POLICIES.keys())
def test_every_rule_decides_a_case_alone_and_stays_silent_in_another(source: str) -> None:
    terms = check(source)
    cases = generate_cases(terms)
    policy = compile_policy(terms)
    evaluated = [case for case in cases if case.expected is not Verdict.CANNOT_EVALUATE]
    for rule in terms.rules:
        fired = [{step.rule for step in policy.path(case.arguments) if step.fired} for case in evaluated]
        assert {rule.name} in fired
        assert any(rule.name not in names for names in fired)


@pytest.mark.parametrize("source", POLICIES.values(), ids=POLICIES.keys())
def test_cases_survive_the_session_file(source: str) -> None:
    terms = check(source)
    cases = generate_cases(terms)
    types = {argument.name: argument.type for argument in terms.arguments}
    assert read_cases(write_cases(cases), types) == cases


CHANGES = [
    (HOSPITAL, '"diagnosis.icd9code", ', ""),
    (HOSPITAL, '"allergy.drugname", "intakeoutput', '"allergy.drugname", "cost.cost", "intakeoutput'),
    (HOSPITAL, "column not in", "column in"),
    (HOSPITAL, "any(", "all("),
    (BANK, '"FR00EVIL"', '"FR00GOOD"'),
    (BANK, '"basic": Decimal("100.00")', '"basic": Decimal("100.01")'),
    (BANK, "amount > LIMITS", "amount >= LIMITS"),
    (BANK, "and not approved", "and approved"),
    (BANK, "at >= time(22, 0)", "at > time(22, 0)"),
    (BANK, "day < date", "day <= date"),
    (BANK, "> 20", ">= 20"),
    (BANK, '"http" in', '"https" in'),
    (BANK, 'Requires(amount >= Decimal("0.00"))', 'Requires(amount > Decimal("-5.00"))'),
    (CLOSED, "a + b <= 10", "a + b < 10"),
    (CLOSED, "b > 3 * a", "b >= 3 * a"),
    (CLOSED, "name is None", "name is not None"),
]


@pytest.mark.parametrize(("source", "old", "new"), CHANGES)
def test_a_change_of_the_policy_fails_a_case(source: str, old: str, new: str) -> None:
    assert old in source
    cases = generate_cases(check(source))
    assert outcomes(source.replace(old, new), cases) != [case.expected for case in cases]


def test_every_column_of_every_role_is_read_in_an_allowed_case() -> None:
    terms = check(HOSPITAL)
    read: dict[Value, set[str]] = {}
    for case in generate_cases(terms):
        columns = case.arguments.get("columns")
        if case.expected is Verdict.ALLOW and isinstance(columns, frozenset):
            read.setdefault(case.arguments["role"], set()).update(map(str, columns))
    assert read == {
        key: set(row) for key, row in terms.tables["READABLE"].entries.items() if isinstance(row, frozenset)
    }


def case_named(cases: tuple[Case, ...], name: str) -> Case:
    return next(case for case in cases if case.id == name)


def test_reasons_name_the_requirement_and_what_is_tried() -> None:
    cases = generate_cases(check(BANK))
    assert case_named(cases, "large-amount-basic-100-00-over").reason == (
        "R2: just over the boundary 100.00 of amount for plan is basic"
    )
    assert (
        case_named(cases, "blocked-recipient-fr00evil").reason == "R1: FR00EVIL is one of the listed values"
    )
    assert case_named(cases, "missing-plan").expected is Verdict.CANNOT_EVALUATE
    assert case_named(cases, "large-not-plan").requirements == ("R2",)


def test_a_case_names_the_requirements_whose_clauses_speak_of_its_input() -> None:
    clauses = "".join(
        f'    # R{number}: {role}\n    Ensures(Implies(role == "{role}", Result() == True))\n'
        for number, role in enumerate(("physician", "nursing", "general administration"), 1)
    )
    source = HOSPITAL.replace("    return not (forbid", f"{clauses}    return not (forbid")
    for case in generate_cases(check(source)):
        if case.id.startswith("unreadable-column-nursing"):
            assert case.requirements == ("R2",)
            assert case.reason.startswith("R2: nursing: ")


def test_without_a_solver_the_search_alone_still_covers_every_rule() -> None:
    cases = generate_cases(check(BANK), witness=None)
    assert {rule for case in cases for rule in case.requirements} == {"R1", "R2", "R3", "R4"}


def test_the_number_of_cases_is_bounded_and_every_rule_keeps_some() -> None:
    rows = ", ".join(
        f'"d{i}": {{{", ".join(f"{chr(34)}t{j}.c{i}{chr(34)}" for j in range(20))}}}' for i in range(30)
    )
    source = f'''{HEAD}
TABLE = {{{rows}}}


def forbid_unlisted(key: str, columns: frozenset[str]) -> bool:
    """R1: Only what is listed."""
    return any(column not in TABLE.get(key, frozenset()) for column in columns)


def forbid_young(age: int) -> bool:
    """R2: Not before 18."""
    return age < 18


def allow(key: str, columns: frozenset[str], age: int) -> bool:
    return not (forbid_unlisted(key, columns) or forbid_young(age))
'''
    cases = generate_cases(check(source))
    assert 180 <= len(cases) <= 200
    assert {"young-age-18-under", "missing-age", "default"} <= {case.id for case in cases}
    few = generate_cases(check(source), limit=12)
    assert len(few) <= 12
    assert {rule for case in few for rule in case.requirements} == {"R1", "R2"}


def test_a_policy_without_rules_has_its_default_case() -> None:
    source = f"{HEAD}\n\ndef allow(a: bool) -> bool:\n    return False\n"
    assert [(case.id, case.expected) for case in generate_cases(check(source))] == [("default", Verdict.DENY)]


@settings(
    deadline=None,
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(policies())
def test_cases_of_any_policy_are_right_and_distinct_and_survive_their_file(source: str) -> None:
    terms = check(source)
    cases = generate_cases(terms, witness=None)
    assert outcomes(source, cases) == [case.expected for case in cases]
    assert len({case.id for case in cases}) == len(cases) <= 200
    types = {argument.name: argument.type for argument in terms.arguments}
    assert read_cases(write_cases(cases), types) == cases
    assert generate_cases(check(source), witness=None) == cases


def test_a_solver_that_cannot_tell_is_not_asked_for_ever() -> None:
    asked_terms: list[Term] = []

    def shrugs(_terms: PolicyTerms, term: Term) -> None:
        asked_terms.append(term)
        raise WorkbenchError("unknown")

    assert generate_cases(check(CLOSED), witness=shrugs)
    assert len(asked_terms) == 3


def test_a_boundary_is_isolated_where_other_rules_look_at_the_argument_too() -> None:
    """No context with only the total different would do: the parts have to add up to it."""
    terms = check('''
def forbid_large(total: int) -> bool:
    """R1: No more than 300."""
    return total > 300


def forbid_wrong_sum(total: int, first: int, second: int) -> bool:
    """R2: The parts add up."""
    return first + second != total


def allow(total: int, first: int, second: int) -> bool:
    return not (forbid_large(total) or forbid_wrong_sum(total, first, second))
''')
    cases = {case.id: case for case in generate_cases(terms)}
    expected = [cases[f"large-total-300-{side}"].expected for side in ("under", "at", "over")]
    assert expected == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]


BY_RECORD = '''from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    paid: int


def forbid_dear(order: Order | None, amount: int | None) -> bool:
    """R1: No more than was paid."""
    return order is not None and amount is not None and amount * 7 + 3 > order.paid


def allow(order: Order | None, amount: int | None) -> bool:
    return not forbid_dear(order, amount)
'''


def test_a_boundary_of_a_record_that_may_lack_has_its_cases() -> None:
    case_by_id = {case.id: case for case in generate_cases(check(BY_RECORD), only=("forbid_dear",))}
    at = case_by_id["dear-boundary-1-at"].arguments
    amount, order = at["amount"], at["order"]
    assert isinstance(amount, int)
    assert isinstance(order, RecordValue)
    assert field_of(order, "paid") == amount * 7 + 3


def test_cases_of_a_rule_that_asks_expect_that_a_person_is_asked() -> None:
    source = '''def ask_large(total: int) -> bool:
    """R1: A person decides above 500."""
    return total > 500


def forbid_huge(total: int) -> bool:
    """R2: Never above 9000."""
    return total > 9000


def allow(total: int) -> bool:
    return not (ask_large(total) or forbid_huge(total))
'''
    cases = generate_cases(check(source))
    assert outcomes(source, cases) == [case.expected for case in cases]
    expected = {case.id: case.expected for case in cases}
    assert expected["large-total-500-under"] is Verdict.ALLOW
    assert expected["large-total-500-over"] is Verdict.ASK
    assert expected["huge-total-9000-over"] is Verdict.DENY
    assert expected["missing-total"] is Verdict.CANNOT_EVALUATE


def test_the_values_of_a_rule_are_tried_however_many_other_rules_name() -> None:
    rules = "\n\n".join(
        f'def forbid_{number}(to: str, amount: int) -> bool:\n    """R{number}: To S{number}."""\n'
        f'    return to == "S{number}" and amount > {number}\n'
        for number in range(120)
    )
    allowed = " or ".join(f"forbid_{number}(to, amount)" for number in range(120))
    terms = check(
        f"{HEAD}\n\n{rules}\n\ndef allow(to: str, amount: int) -> bool:\n    return not ({allowed})\n"
    )
    cases = generate_cases(terms, witness=None, only={"forbid_119"})
    denied = [case.arguments for case in cases if case.expected is Verdict.DENY]
    assert {"to": "S119", "amount": 120} in denied


def test_each_of_many_permissions_is_shown_alone_without_the_solver() -> None:
    permits = [
        f'''
def permit_{number}(act: Act, recipient: str, amount: Decimal) -> bool:
    """R{number}: Up to {100 + 10 * number} to {number}."""
    return act == "a6" and recipient == "account-{number}" and amount <= Decimal("{100 + 10 * number}")
'''
        for number in range(45)
    ]
    acts = f"Act = Literal{[f'a{number}' for number in range(9)]}"
    any_of = " or ".join(f"permit_{number}(act, recipient, amount)" for number in range(45))
    allow = f"def allow(act: Act, recipient: str, amount: Decimal) -> bool:\n    return {any_of}\n"
    asked: list[Term] = []
    terms = check("\n".join((HEAD, acts, *permits, allow)))
    cases = generate_cases(terms, witness=lambda _, term: asked.append(term), only={"permit_20", "permit_44"})
    allowed = [one.arguments["recipient"] for one in cases if one.expected is Verdict.ALLOW]
    assert {"account-20", "account-44"} <= {*allowed}
    assert not asked


def test_both_sides_of_a_sum_are_found_without_the_solver() -> None:
    source = f'''{HEAD}

def forbid_beyond(recipient: str, amount: Decimal, before: Decimal) -> bool:
    """R1: In all no more than 110 to a."""
    return recipient == "a" and amount + before > Decimal("110.50")


def allow(recipient: str, amount: Decimal, before: Decimal) -> bool:
    return not forbid_beyond(recipient, amount, before)
'''
    asked: list[Term] = []
    cases = generate_cases(check(source), witness=lambda _, term: asked.append(term))
    expected = {one.id: one.expected for one in cases}
    assert expected["beyond-boundary-1-under"] is expected["beyond-not-amount"] is Verdict.ALLOW
    assert expected["beyond-fires"] is Verdict.DENY
    assert not asked
