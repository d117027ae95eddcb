"""The semantic diff: equivalence by proof, and regions with witnesses."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import policies
from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.diff import semantic_diff
from workbench.engines.smt.policy_pair import SignatureMismatch
from workbench.model import RecordValue, Verdict, field_of
from workbench.policy.problems import PolicyError
from workbench.policy.terms import PolicyTerms
from workbench.serialization.nouns import json_of

TABLE = """
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["physician", "nursing"{more}]
READABLE = {{
    "physician": {{{physician}}},
    "nursing": {{{nursing}}},{rows}
}}


def forbid_column(role: Role, columns: frozenset[str]) -> bool:
    \"\"\"R1: Only listed columns.\"\"\"
    return {condition}


def allow(role: Role, columns: frozenset[str]) -> bool:
{requires}    return not (forbid_column(role, columns))
"""


def table(
    physician: str = '"a", "b"',
    nursing: str = '"a"',
    condition: str = "any(column not in READABLE[role] for column in columns)",
    *,
    more: str = "",
    rows: str = "",
    requires: str = "",
) -> PolicyTerms:
    return check(
        TABLE.format(
            physician=physician, nursing=nursing, condition=condition, more=more, rows=rows, requires=requires
        )
    )


def test_a_rewritten_condition_is_proved_equivalent() -> None:
    diff = semantic_diff(table(), table(condition="not all(column in READABLE[role] for column in columns)"))
    assert diff.equivalent is True
    assert not diff.regions
    assert not diff.notes


def test_every_changed_table_entry_is_a_region_of_its_own() -> None:
    diff = semantic_diff(table(), table(physician='"a"', nursing='"a", "c", "d"'))
    allowed = {(r.witness["role"], r.witness["columns"]) for r in diff.newly_allowed}
    denied = {(r.witness["role"], r.witness["columns"]) for r in diff.newly_denied}
    assert allowed == {("nursing", frozenset({"c"})), ("nursing", frozenset({"d"}))}
    assert denied == {("physician", frozenset({"b"}))}
    assert not diff.more
    assert not diff.unknown
    assert diff.newly_denied[0].new_rules == ("forbid_column",)
    assert diff.newly_denied[0].old_rules == ()


def test_an_open_vocabulary_is_one_region_beside_the_known_words() -> None:
    diff = semantic_diff(table(), table(condition="False"))
    by_role: dict[object, list[object]] = {}
    for region in diff.newly_allowed:
        by_role.setdefault(region.witness["role"], []).append(region.where.get("columns"))
    assert sorted(map(str, by_role["physician"])) == ["None"]
    assert sorted(map(str, by_role["nursing"])) == ["None", "frozenset({'b'})"]
    assert not diff.newly_denied


def test_more_regions_than_asked_for_are_announced() -> None:
    diff = semantic_diff(table(), table(physician='"x"', nursing='"x"'), most=2)
    assert len(diff.regions) == 2
    assert diff.more


def test_a_new_enum_member_is_noted_and_not_compared() -> None:
    diff = semantic_diff(table(), table(more=', "clerk"', rows='\n    "clerk": frozenset(),'))
    assert diff.equivalent is True
    assert any("'clerk'" in note for note in diff.notes)


def test_changed_preconditions_are_noted() -> None:
    diff = semantic_diff(table(), table(requires='    Requires(role == "nursing")\n'))
    assert diff.equivalent is True
    assert any("preconditions" in note and "old" in note for note in diff.notes)


def test_the_diff_is_json() -> None:
    text = json.dumps(json_of(semantic_diff(table(), table(nursing='"b"'))))
    assert json.loads(text)["newly_denied"][0]["witness"] == {"role": "nursing", "columns": ["a"]}


def drawn_policy(data: st.DataObject) -> PolicyTerms:
    try:
        return check(data.draw(policies()))
    except PolicyError:
        assume(False)
        raise


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_every_witness_is_decided_differently_by_the_two_versions(data: st.DataObject) -> None:
    old, new = drawn_policy(data), drawn_policy(data)
    try:
        diff = semantic_diff(old, new, most=6)
    except SignatureMismatch:
        return
    before, after = Runner(old), Runner(new)
    for region in diff.regions:
        assert before.decision(region.witness) is region.old
        assert after.decision(region.witness) is region.new
        assert region.old is not region.new
    assert (diff.equivalent is False) == bool(diff.regions)


RECORD = '''
from dataclasses import dataclass
from typing import Literal

Tool = Literal["give_back", "look"]


@dataclass(frozen=True)
class Order:
    status: str
    paid: Literal["cash", "card"]


def forbid_one(tool: Tool, order: Order | None, looked_up: bool) -> bool:
    """R1: One."""
    return tool == "give_back" and {condition}


def allow(tool: Tool, order: Order | None, looked_up: bool) -> bool:
    return not forbid_one(tool, order, looked_up)
'''

EXISTS = "order is not None"
READ = ('order.status == "delivered"', 'order.paid == "card"')
ORDERS = [
    parts
    for fields in (READ[:1], READ)
    for parts in permutations(("looked_up", EXISTS, *fields))
    if all(parts.index(EXISTS) < parts.index(field) for field in fields)
]
"""Conditions on a record in every order in which its existence guards its fields."""


@pytest.mark.parametrize("form", ["({})", "not ({})", "(looked_up or not ({}))"])
def test_a_missing_record_is_a_region_of_its_own_in_whatever_order_the_conditions_on_it_are(
    form: str,
) -> None:
    never = check(RECORD.replace("{condition}", "False"))
    orders = (
        None,
        *(
            RecordValue("Order", (("status", status), ("paid", paid)))
            for status in ("delivered", "lost")
            for paid in ("cash", "card")
        ),
    )
    inputs = [
        {"tool": "give_back", "order": order, "looked_up": looked_up}
        for order in orders
        for looked_up in (False, True)
    ]
    for parts in ORDERS:
        sometimes = check(RECORD.replace("{condition}", form.format(" and ".join(parts))))
        fields = ("status", "paid")[: len(parts) - 2]
        apart = {
            order and tuple(field_of(order, field) for field in fields)
            for arguments, order in zip(inputs, (one for one in orders for _ in range(2)), strict=True)
            if not Runner(sometimes).allows(arguments)
        }
        for old, new in ((never, sometimes), (sometimes, never)):
            found, recorded = semantic_diff(old, new), semantic_diff(old, new, prefer=inputs)
            assert len(found.regions) == len(recorded.regions) == len(apart), parts
            assert all(region.recorded is not None for region in recorded.regions)
            assert not found.unknown


BOUND = '''
from decimal import Decimal
from typing import Literal

Tool = Literal["pay", "look"]


def forbid_much(tool: Tool, total: Decimal | None) -> bool:
    """R1: Not much."""
    return tool == "pay" and total is not None and total {bound}


def allow(tool: Tool, total: Decimal | None) -> bool:
    return not forbid_much(tool, total)
'''


GUARDED = BOUND.replace("total is not None and total {bound}", "(total is None or total {bound})")


def test_the_region_of_another_bound_says_between_which_numbers_it_lies() -> None:
    old, new = (
        check(BOUND.replace("{bound}", bound)) for bound in ('> Decimal("3000")', '>= Decimal("2500")')
    )
    (region,) = semantic_diff(old, new).regions
    assert region.new is Verdict.DENY
    assert region.where == {"tool": "pay"}
    assert set(region.bounds) == {'total <= Decimal("3000")', 'total >= Decimal("2500")'}
    including = check(BOUND.replace("{bound}", '>= Decimal("3000")'))
    (region,) = semantic_diff(including, old).regions
    assert region.bounds == ('total == Decimal("3000")',)
    assert region.turning == {"tool", "total"}
    missing = check(GUARDED.replace("{bound}", '> Decimal("3000")'))
    assert [region.bounds for region in semantic_diff(old, missing).regions] == [()]


def test_a_rule_that_asks_instead_of_forbidding_is_a_difference() -> None:
    forbids = check(BOUND.replace("{bound}", "> 3000"))
    asks = check(BOUND.replace("{bound}", "> 3000").replace("forbid_much", "ask_much"))
    allows = check(BOUND.replace("{bound}", "> 3000").replace("return tool", "return False and tool"))
    for old, new, verdicts in (
        (forbids, asks, (Verdict.DENY, Verdict.ASK)),
        (asks, forbids, (Verdict.ASK, Verdict.DENY)),
        (allows, asks, (Verdict.ALLOW, Verdict.ASK)),
        (asks, allows, (Verdict.ASK, Verdict.ALLOW)),
    ):
        diff = semantic_diff(old, new)
        assert diff.equivalent is False
        assert [(region.old, region.new) for region in diff.regions] == [verdicts]
        assert diff.now(verdicts[1]) == diff.regions
        assert diff.regions[0].widens is (new is not forbids and old is not allows)
    assert semantic_diff(asks, asks).equivalent


def test_a_region_that_was_allowed_is_asked_about_in_one_part_and_denied_in_another() -> None:
    allows = check(BOUND.replace("{bound}", "> 3000").replace("return tool", "return False and tool"))
    both = BOUND.replace("{bound}", "> 3000")
    asks = """def ask_some(tool: Tool, total: Decimal | None) -> bool:
    \"\"\"R2: A person decides.\"\"\"
    return tool == "pay" and total is not None and total > 1000


def allow("""
    both = both.replace("def allow(", asks).replace(
        "not forbid_much(tool, total)", "not (forbid_much(tool, total) or ask_some(tool, total))"
    )
    diff = semantic_diff(allows, check(both))
    assert {region.new for region in diff.regions} == {Verdict.ASK, Verdict.DENY}
    assert not any(region.widens for region in diff.regions)


def many_limits(*, last: int) -> PolicyTerms:
    """A policy of thirty rules that its versions share, and one more."""
    rules = [*(f"forbid_{number}" for number in range(30)), "forbid_last"]
    bodies = [f"pages == {number}" for number in range(30)] + [f"pages > {last}"]
    said = "".join(
        f'def {rule}(pages: int) -> bool:\n    """R1: Not so many."""\n    return {body}\n\n\n'
        for rule, body in zip(rules, bodies, strict=True)
    )
    fired = " or ".join(f"{rule}(pages)" for rule in rules)
    return check(f"{said}def allow(pages: int) -> bool:\n    return not ({fired})\n")


@pytest.mark.parametrize("last", [28, 29, 31])
def test_rules_that_both_versions_have_count_however_many_they_are(last: int) -> None:
    compared = semantic_diff(many_limits(last=29), many_limits(last=last))
    assert compared.equivalent is (last in (28, 29))
    assert [region.witness["pages"] for region in compared.newly_allowed] == ([30] if last == 31 else [])
