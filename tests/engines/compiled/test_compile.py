"""Compiled policies decide, fail closed, and give the reasons of a denial."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plain_policies import PolicyError, check
from tests.policy.policy_strategies import arguments_for
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy, items, lacking, reason
from workbench.engines.compiled.program import PolicyProgram
from workbench.model import Arguments, Value, Verdict, Violation, WorkbenchError
from workbench.policy.terms import And, Or

SHOPPING = '''"""What the shopping agent may do for whom."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Action = Literal["buy tickets", "rent a car", "book a hotel", "watch a film", "book a flight", "other"]
ADULTS = {"book a hotel", "book a flight"}


def forbid_car_without_licence(action: Action, dr_license: bool) -> bool:
    """R1: A user without a driver's licence may not rent a car."""
    return action == "rent a car" and not dr_license


def forbid_minor(action: Action, age: int) -> bool:
    """R2: Users under 18 may not book a hotel or a flight."""
    return age < 18 and action in ADULTS


def forbid_unvaccinated_flight(action: Action, vaccine: bool) -> bool:
    """R3: Unvaccinated users may not book a flight."""
    return action == "book a flight" and not vaccine


def forbid_film_without_membership(action: Action, membership: bool) -> bool:
    """R4: Only members may watch films."""
    return action == "watch a film" and not membership


def forbid_flight_abroad(action: Action, domestic: bool) -> bool:
    """R5: Flights are domestic."""
    return action == "book a flight" and not domestic


def forbid_ticket_for_child(action: Action, age: int) -> bool:
    """R6: Children under 15 may not buy tickets."""
    return action == "buy tickets" and age < 15


def allow(
    age: int, dr_license: bool, vaccine: bool, membership: bool, domestic: bool, action: Action
) -> bool:
    # Ages are counted in years.
    Requires(0 <= age <= 150)
    # R1: No licence, no car.
    Ensures(Implies(action == "rent a car", Result() == dr_license))
    # R2, R3, R5: Flights.
    Ensures(Implies(action == "book a flight", Result() == (age >= 18 and vaccine and domestic)))
    # R4: Films.
    Ensures(Implies(action == "watch a film" and not membership, not Result()))
    # R6: Tickets.
    Ensures(Implies(action == "buy tickets", Result() == (age >= 15)))
    return not (
        forbid_car_without_licence(action, dr_license)
        or forbid_minor(action, age)
        or forbid_unvaccinated_flight(action, vaccine)
        or forbid_film_without_membership(action, membership)
        or forbid_flight_abroad(action, domestic)
        or forbid_ticket_for_child(action, age)
    )
'''
ANYONE: dict[str, Any] = {
    "age": 30, "dr_license": True, "vaccine": True, "membership": True, "domestic": True,
    "action": "book a flight",
}  # fmt: skip

HOSPITAL = '''from typing import Literal

Role = Literal["physician", "nursing"]
READABLE = {"physician": {"d.icd9", "a.drug"}, "nursing": {"a.drug"}}


def forbid_column(role: Role, columns: frozenset[str]) -> bool:
    """R1: A role may read only the columns listed for it."""
    return any(column not in READABLE[role] for column in columns)


def allow(role: Role, columns: frozenset[str]) -> bool:
    return not forbid_column(role, columns)
'''

TYPES = '''from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal


def forbid_late(
    moment: datetime, day: date, at: time, price: Decimal, note: str | None, tags: frozenset[str]
) -> bool:
    """R1: Too late or too dear."""
    late = moment > datetime(2026, 1, 31, 9, 0)
    if note is None:
        return late or at > time(17, 0)
    dear = price * 3 > Decimal("10.00")
    return late or dear or note.startswith("x") or day < date(2026, 1, 1) or "t" in tags


def allow(
    moment: datetime, day: date, at: time, price: Decimal, note: str | None, tags: frozenset[str]
) -> bool:
    return not forbid_late(moment, day, at, price, note, tags)
'''
NOON: dict[str, Any] = {
    "moment": datetime(2026, 1, 31, 9, 0, tzinfo=UTC),
    "day": date(2026, 1, 31),
    "at": time(9, 0),
    "price": Decimal("1.00"),
    "note": None,
    "tags": frozenset[str](),
}


def compiled(source: str) -> CompiledPolicy:
    return compile_policy(check(source))


def rule(
    body: str, parameters: str = "tags: frozenset[str], others: frozenset[str], flag: bool", before: str = ""
) -> CompiledPolicy:
    """A policy with one rule of the given body."""
    names = ", ".join(part.split(":")[0].strip() for part in parameters.split(", "))
    head = 'A = {"a", "b"}\n\n\n' + before
    return compiled(
        f'{head}def forbid_it({parameters}) -> bool:\n    """R1: No."""\n    {body}\n\n\n'
        f"def allow({parameters}) -> bool:\n    return not forbid_it({names})\n"
    )


def test_every_violated_rule_is_named_in_the_order_of_the_decision() -> None:
    policy = compiled(SHOPPING)
    assert policy.decide(ANYONE).verdict is Verdict.ALLOW
    decision = policy.decide({**ANYONE, "age": 17, "vaccine": False, "domestic": False})
    assert decision.verdict is Verdict.DENY
    assert [violation.rule for violation in decision.violations] == [
        "forbid_minor", "forbid_unvaccinated_flight", "forbid_flight_abroad",
    ]  # fmt: skip
    assert decision.violations[0].message == "Users under 18 may not book a hotel or a flight."


@given(st.data())
def test_the_shopping_contract_holds_of_the_shopping_rules(data: st.DataObject) -> None:
    policy = compiled(SHOPPING)
    arguments = data.draw(arguments_for(policy.terms))
    assert all(policy.clause_holds(clause.id, arguments) for clause in policy.terms.clauses)


def test_a_clause_that_the_rules_break_does_not_hold_on_the_input_that_shows_it() -> None:
    policy = compiled(SHOPPING.replace("age < 15", "age < 14"))
    assert not policy.clause_holds("C4", {**ANYONE, "action": "buy tickets", "age": 14})
    assert policy.clause_holds("C4", {**ANYONE, "action": "buy tickets", "age": 15})
    assert policy.clause_holds("P1", ANYONE)
    assert not policy.clause_holds("P1", {**ANYONE, "age": 151})
    with pytest.raises(WorkbenchError, match="no clause C9"):
        policy.clause_holds("C9", ANYONE)
    with pytest.raises(WorkbenchError, match="`age` is missing"):
        policy.clause_holds("C1", {})


def test_a_broken_precondition_cannot_be_evaluated() -> None:
    policy = compiled(SHOPPING)
    assert policy.decide(ANYONE).verdict is Verdict.ALLOW
    decision = policy.decide({**ANYONE, "age": 151})
    assert decision.verdict is Verdict.CANNOT_EVALUATE
    assert decision.reasons == ("The precondition P1 does not hold: Ages are counted in years.",)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("moment", "2026-01-31", "not a datetime"),
        ("moment", date(2026, 1, 31), "not a datetime"),
        ("moment", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))), "outside the calendar"),
        ("day", datetime(2026, 1, 31), "not a date"),
        ("at", time(9, 0, tzinfo=UTC), "time zone"),
        ("price", 0.1 + 0.2, "more than 2 decimal places"),
        ("price", float("nan"), "no number"),
        ("price", True, "is True, not a Decimal"),
        ("price", "1.50", "is '1.50', not a Decimal"),
        ("price", Decimal("NaN"), "no number"),
        ("price", Decimal("Infinity"), "no number"),
        ("price", Decimal("1.001"), "more than 2 decimal places"),
        ("price", Decimal("1E+400"), "more than 30 digits"),
        ("price", None, "is None, not a Decimal"),
        ("note", 3, "not a string"),
        ("tags", ["t"], "is a list, not a frozenset"),
        ("tags", {"t"}, "is a set, not a frozenset"),
        ("tags", frozenset({1}), "has the member 1"),
        ("tags", None, "is a NoneType"),
    ],
)
def test_a_value_that_does_not_fit_cannot_be_evaluated(name: str, value: Any, reason: str) -> None:
    policy = compiled(TYPES)
    noted = NOON if name == "at" else {**NOON, "note": "ok"}  # the argument matters
    decision = policy.decide({**noted, name: value})
    assert policy.decide(noted).verdict is Verdict.ALLOW
    assert decision.verdict is Verdict.CANNOT_EVALUATE
    assert f"The argument `{name}`" in decision.reasons[0] and reason in decision.reasons[0]


@pytest.mark.parametrize(
    ("value", "price_text"), [(1, "1"), (1.5, "1.5"), (0.1, "0.1"), (10**20, "1" + 20 * "0")]
)
def test_a_number_of_json_is_the_decimal_that_is_written_so(value: Any, price_text: str) -> None:
    policy = compiled(TYPES)
    decision = policy.decide({**NOON, "price": value})
    price = decision.arguments["price"]
    assert (type(price), price) == (Decimal, Decimal(price_text))
    assert decision == policy.decide({**NOON, "price": Decimal(price_text)})


@pytest.mark.parametrize("value", [True, "30", 30.5, float(2**53), float("inf"), None])
def test_only_a_whole_number_is_an_int(value: Any) -> None:
    assert compiled(SHOPPING).decide({**ANYONE, "age": value}).verdict is Verdict.CANNOT_EVALUATE


def test_every_missing_or_unlisted_argument_is_named_at_once() -> None:
    decision = compiled(SHOPPING).decide({"age": 3, "action": "steal", "dr_license": 1})
    assert [reason.split("`")[1] for reason in decision.reasons] == [
        "dr_license", "vaccine", "membership", "domestic", "action",
    ]  # fmt: skip


def test_moments_are_compared_in_utc() -> None:
    policy = compiled(TYPES)
    later = datetime(2026, 1, 31, 9, 30, tzinfo=timezone(timedelta(hours=1)))
    assert policy.decide({**NOON, "moment": later}).verdict is Verdict.ALLOW
    assert policy.allows({**NOON, "moment": later})
    assert policy.decide({**NOON, "moment": datetime(2026, 1, 31, 9, 0, 1)}).verdict is Verdict.DENY
    assert policy.decide({**NOON, "moment": later}).arguments["moment"] == later.astimezone(UTC)


def test_decimals_are_never_rounded() -> None:
    source = (
        "from decimal import Decimal\n\n\n"
        'def forbid_it(price: Decimal) -> bool:\n    """R1: No."""\n'
        '    return price + Decimal("0.01") == price\n\n\n'
        "def allow(price: Decimal) -> bool:\n    return not forbid_it(price)\n"
    )
    huge = Decimal("9" * 30)
    negated = compiled(source.replace('price + Decimal("0.01") == price', f'price == -Decimal("{huge}")'))
    assert negated.decide({"price": huge}).verdict is Verdict.ALLOW
    assert negated.decide({"price": huge.copy_negate()}).verdict is Verdict.DENY
    assert compiled(source).decide({"price": huge}).verdict is Verdict.ALLOW
    assert compiled(source).allows({"price": huge})


class _Hostile(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")


def test_whatever_goes_wrong_never_allows() -> None:
    policy = compiled(SHOPPING)
    assert policy.decide(_Hostile(ANYONE)).verdict is Verdict.CANNOT_EVALUATE


def test_the_items_of_a_violation_are_the_elements_that_made_it_fire() -> None:
    policy = compiled(HOSPITAL)
    decision = policy.decide({"role": "nursing", "columns": frozenset({"x", "a.drug", "d.icd9"})})
    assert decision.violations == (
        Violation("forbid_column", "A role may read only the columns listed for it.", ("d.icd9", "x")),
    )


@pytest.mark.parametrize(
    ("body", "item_names"),
    [
        ("return any(t in A for t in tags)", ("a",)),
        ("return any(t not in A for t in tags) and flag", ("x",)),
        ("return not all(t in A for t in tags)", ("x",)),
        ("return not (all(t in A for t in tags) and flag)", ("x",)),
        ("return any(t in A for t in tags) or any(t not in A for t in tags)", ("a", "x")),
        ("return (any(t in A for t in tags) and not flag) or any(t not in A for t in tags)", ("x",)),
        ("if any(t in A for t in tags):\n        return True\n    return False", ("a",)),
        ("return any(t in others for t in tags)", ("x",)),
        ("return any(word in tags for word in A)", ("a",)),
        ('return "x" in tags or "q" in tags', ("x",)),
        ("return not tags <= A", ("x",)),
        ("return flag", ()),
    ],
)
def test_items_are_found_through_logic_and_quantifiers(body: str, item_names: tuple[str, ...]) -> None:
    arguments: Arguments = {"tags": frozenset({"a", "x"}), "others": frozenset({"x", "y"}), "flag": True}
    policy = rule(body)
    assert policy.decide(arguments).violations[0].items == item_names
    assert items(policy.terms, policy.terms.rules[0].body, arguments) == item_names


def test_a_closed_default_denies_what_nothing_permits() -> None:
    policy = compiled(
        'def permit_small(size: int) -> bool:\n    """R1: Small."""\n    return size < 3\n\n\n'
        "def allow(size: int) -> bool:\n    return permit_small(size)\n"
    )
    assert policy.decide({"size": 2}).permitted_by == ("permit_small",)
    assert policy.decide({"size": 3}).violations == (Violation("default", "No rule permits this."),)
    assert reason(policy.decide({"size": 3})) == "Denied: No rule permits this."
    assert reason(policy.decide({"size": 2})) == "Allowed by permit_small."


@pytest.mark.parametrize(("value", "verdict"), [("True", Verdict.ALLOW), ("False", Verdict.DENY)])
def test_a_policy_without_rules_decides_by_its_default(value: str, verdict: Verdict) -> None:
    policy = compiled(f"def allow(x: int) -> bool:\n    return {value}\n")
    assert policy.decide({"x": 1}).verdict is verdict
    assert policy.allows({"x": 1}) is (verdict is Verdict.ALLOW)


def test_the_path_shows_each_reached_condition_with_its_truth() -> None:
    policy = rule("return limit is not None and limit < 3", "limit: int | None")
    assert policy.path({"limit": None})[0].conditions == (("limit is None", True),)
    assert policy.path({"limit": 2})[0].conditions == (("limit is None", False), ("limit < 3", True))
    assert policy.path({"limit": 2})[0].fired


def test_the_path_leaves_out_a_choice_behind_a_guard_that_decided() -> None:
    policy = rule("return limit is not None and (limit > 3 if limit > 1 else limit < 0)", "limit: int | None")
    assert policy.path({"limit": None})[0].conditions == (("limit is None", True),)
    assert policy.path({"limit": 2})[0].conditions == (
        ("limit is None", False),
        ("limit > 1", True),
        ("limit > 3", False),
    )


def test_a_reason_is_one_line_with_the_items() -> None:
    policy = compiled(HOSPITAL)

    def why(**arguments: Value) -> str:
        return reason(policy.decide_incomplete({"role": "nursing", **arguments}, {}))

    told = "Denied by forbid_column: A role may read only the columns listed for it (d.icd9)."
    assert why(columns=frozenset({"d.icd9"})) == told
    assert "\n" not in why(columns=frozenset({"a\nb"}))
    assert why() == "Not allowed, because it cannot be evaluated: The argument `columns` is missing."
    assert why(columns=frozenset[str]()) == "Allowed: no rule forbids this."


SHARED = """LIMIT = 3


def forbid_small(size: int) -> bool:
    \"\"\"R1: Small.\"\"\"
    return size < LIMIT


def allow(size: int) -> bool:
    # R1: No small ones.
    Ensures(Implies(size < 3, not Result()))
    return not (forbid_small(size))
"""
HEADING = "from nagini_contracts.contracts import Ensures, Implies, Result\n\n"


def test_a_text_that_is_read_again_means_the_same_with_the_constants_of_its_own_file() -> None:
    first = compile_policy(check(HEADING + SHARED))
    moved = compile_policy(check(HEADING + SHARED.replace("LIMIT = 3", "LIMIT = 9")))
    again = compile_policy(check(HEADING + SHARED))
    assert [policy.allows({"size": 5}) for policy in (first, moved, again)] == [True, False, True]
    assert [policy.decide({"size": 2}).verdict for policy in (first, moved, again)] == [Verdict.DENY] * 3
    assert check(HEADING + SHARED) == first.terms


def test_lines_of_an_unchanged_rule_follow_the_lines_above_it() -> None:
    first = check(HEADING + SHARED)
    lower = check(HEADING + SHARED.replace("LIMIT = 3", "LIMIT = 3\nOTHER = 4"))
    assert lower.rules[0].line == first.rules[0].line + 1
    assert lower.clauses[0].line == first.clauses[0].line + 1
    with pytest.raises(PolicyError) as error:
        check(HEADING + SHARED.replace("LIMIT = 3", 'LIMIT = "x"'))
    assert error.value.problems[0].line == first.rules[0].line + 2


def test_a_function_at_the_start_of_a_line_inside_a_string_is_text() -> None:
    text = HEADING + SHARED.replace('R1: Small."""', 'R1: Small.\ndef allow(size: int) -> bool:\n"""')
    assert check(text).rules[0].message == "Small."
    assert compile_policy(check(text)).allows({"size": 5})


def test_a_decimal_of_many_places_beside_another_statement_counts() -> None:
    head = "from decimal import Decimal\n"
    rule = 'def forbid_a(x: Decimal) -> bool:\n    """R1: A."""\n    return x > B\n\n\n'
    allow = "def allow(x: Decimal) -> bool:\n    return not (forbid_a(x))\n"
    assert check(f'{head}A = 1; B = Decimal("0.12345")\n\n\n{rule}{allow}').places == 5


def test_the_executed_namespace_has_no_builtins() -> None:
    space = PolicyProgram(check(SHOPPING)).rules["forbid_minor"].__globals__
    assert space["__builtins__"] == {}
    assert not {"open", "eval", "__import__", "print"} & set(space)


ROLES = '''
"""Who reads what."""

READABLE = {"nurse": {"ward", "drug"}, "clerk": {"cost", "ward"}}


def permit_nurse(role: str, columns: frozenset[str]) -> bool:
    """R1: A nurse reads wards and drugs."""
    return role == "nurse" and all(column in READABLE["nurse"] for column in columns)


def permit_clerk(role: str, columns: frozenset[str]) -> bool:
    """R2: A clerk reads costs and wards."""
    return role == "clerk" and all(column in READABLE["clerk"] for column in columns)


def allow(role: str, columns: frozenset[str]) -> bool:
    return permit_nurse(role, columns) or permit_clerk(role, columns)
'''


def test_a_denial_by_default_names_the_elements_that_the_nearest_permit_lacks() -> None:
    policy = compile_policy(check(ROLES))
    for role, columns, lacked in (
        ("nurse", {"ward", "cost"}, ("cost",)),
        ("clerk", {"ward", "drug", "dose"}, ("dose", "drug")),
        ("nurse", {"cost"}, ("cost",)),  # the clerk's rule would have the column, and another role
        ("guest", {"ward"}, ()),
    ):
        decision = policy.decide({"role": role, "columns": frozenset(columns)})
        assert [violation.items for violation in decision.violations] == [()]
        named = lacking(policy, decision)
        assert named.violations[0].items == lacked
        assert all(element in reason(named) for element in lacked)
    allowed = policy.decide({"role": "nurse", "columns": frozenset({"ward"})})
    assert lacking(policy, allowed) is allowed


@pytest.mark.parametrize("operator", [And, Or])
@pytest.mark.parametrize("number", range(4))
def test_any_number_of_conditions_are_joined(operator: type[And | Or], number: int) -> None:
    terms = check(
        'def forbid_it(a: bool, b: bool, c: bool) -> bool:\n    """R1: No."""\n    return a and b and c\n\n\n'
        "def allow(a: bool, b: bool, c: bool) -> bool:\n    return not forbid_it(a, b, c)\n"
    )
    (rule,) = terms.rules
    assert isinstance(rule.body, And)
    joined = replace(rule, body=operator(rule.body.operands[:number]))
    policy = compile_policy(replace(terms, rules=(joined,)))
    for values in product((False, True), repeat=3):
        holds = {And: all, Or: any}[operator](values[:number])
        expected = Verdict.DENY if holds else Verdict.ALLOW
        assert policy.decide(dict(zip("abc", values, strict=True))).verdict is expected
