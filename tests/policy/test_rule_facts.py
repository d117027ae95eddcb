"""Conditions that are built from facts: each is in the dialect, and strict where a value may be lacking."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.policy.policy_strategies import arguments_for
from workbench.model import ArgumentType, Kind, RecordType, WorkbenchError
from workbench.policy.check import check, check_condition
from workbench.policy.evaluate import evaluate
from workbench.policy.one_more_rule import NewRule, with_rule
from workbench.policy.rule_facts import RuleFact, SimpleCondition, expression_of, facts_of, read_condition
from workbench.policy.terms import Parameter

PAYMENT = RecordType(
    "Payment",
    (
        ("method", ArgumentType(Kind.ENUM, ("card", "voucher"))),
        ("amount", ArgumentType(Kind.DECIMAL)),
        ("note", ArgumentType(Kind.STR, optional=True)),
    ),
)
BOOKING = RecordType(
    "Booking",
    (
        ("cabin", ArgumentType(Kind.ENUM, ("basic", "full"))),
        ("created_at", ArgumentType(Kind.DATETIME)),
        ("day", ArgumentType(Kind.DATE, optional=True)),
        ("tags", ArgumentType(Kind.SET)),
        ("payments", ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=PAYMENT))),
    ),
)
PARAMETERS = (
    Parameter("tool", ArgumentType(Kind.ENUM, ("issue", "cancel"))),
    Parameter("booking", ArgumentType(Kind.RECORD, record=BOOKING, optional=True)),
    Parameter("payments", ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=PAYMENT))),
    Parameter("columns", ArgumentType(Kind.SET)),
    Parameter("column", ArgumentType(Kind.STR)),
    Parameter("count", ArgumentType(Kind.INT, optional=True)),
    Parameter("urgent", ArgumentType(Kind.BOOL)),
    Parameter("at", ArgumentType(Kind.TIME)),
    Parameter("now", ArgumentType(Kind.DATETIME)),
    Parameter("today", ArgumentType(Kind.DATE)),
)
FACTS = facts_of(PARAMETERS)
VALUES = {
    Kind.ENUM: ("card", "voucher", "basic", "full", "issue", "cancel"),
    Kind.STR: ("ab", "basic"),
    Kind.SET: ("ab",),
    Kind.INT: ("3",),
    Kind.DECIMAL: ("2.50",),
    Kind.DATE: ("2026-01-31", "3 days ago"),
    Kind.TIME: ("09:30",),
    Kind.DATETIME: ("2026-01-31 10:00", "24 hours ago"),
}
BASE = '''from typing import Literal

Tool = Literal["issue", "cancel"]


def forbid_issue(tool: Tool) -> bool:
    """No issue."""
    return tool == "issue"


def allow(tool: Tool) -> bool:
    return not forbid_issue(tool)
'''


@st.composite
def conditions(draw: st.DrawFn) -> SimpleCondition:
    fact = draw(st.sampled_from([rule_fact for rule_fact in FACTS.values() if rule_fact.relations]))
    relation = draw(st.sampled_from(fact.relations))
    value = draw(st.sampled_from(_values(fact)))
    if value.endswith("ago") and relation not in (
        "is more than",
        "is less than",
        "is at least",
        "is at most",
    ):
        value = _values(fact)[0]
    quantifier = draw(st.sampled_from(["any", "every"])) if fact.of else ""
    return SimpleCondition(fact.path, relation, value, quantifier)


def _values(fact: RuleFact) -> tuple[str, ...]:
    if fact.type.kind is Kind.ENUM:
        return fact.type.values
    return VALUES.get(fact.type.kind, ("",))


@settings(max_examples=examples(150), deadline=None)
@given(conditions(), st.booleans())
def test_every_condition_is_in_the_dialect(condition: SimpleCondition, forbids: bool) -> None:
    check_condition(expression_of(condition, FACTS, forbids=forbids), PARAMETERS)


@settings(max_examples=examples(60), deadline=None)
@given(conditions())
def test_a_condition_is_read_back_from_its_text(condition: SimpleCondition) -> None:
    words = (condition.quantifier, condition.fact, condition.relation, condition.value)
    simple_condition = read_condition(" ".join(word for word in words if word), FACTS)
    assert simple_condition is not None
    assert expression_of(simple_condition, FACTS, forbids=True) == expression_of(
        condition, FACTS, forbids=True
    )


@settings(max_examples=examples(25), deadline=None)
@given(conditions(), st.data())
def test_a_rule_that_is_added_denies_where_its_condition_holds_and_nothing_else_changes(
    condition: SimpleCondition, data: st.DataObject
) -> None:
    expression = expression_of(condition, FACTS, forbids=True)
    before = check(BASE)
    after = check(with_rule(BASE, NewRule("forbid_more", expression, "No."), PARAMETERS))
    arguments = data.draw(arguments_for(after))
    fired = evaluate(after, next(rule for rule in after.rules if rule.name == "forbid_more").body, arguments)
    old = evaluate(before, before.rules[0].body, {"tool": arguments.get("tool", "cancel")})
    assert [rule.name for rule in after.rules] == ["forbid_issue", "forbid_more"]
    assert evaluate(after, after.clauses[-1].term, arguments, not (old or fired)) is True
    if fired:
        assert evaluate(after, after.clauses[-1].term, arguments, True) is False


def test_a_value_that_is_lacking_makes_a_forbidding_rule_fire_and_an_allowing_one_not() -> None:
    condition = SimpleCondition("booking.cabin", "is", "full")
    assert expression_of(condition, FACTS, forbids=True) == '(booking is None or booking.cabin == "full")'
    assert (
        expression_of(condition, FACTS, forbids=False) == '(booking is not None and booking.cabin == "full")'
    )


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (SimpleCondition("booking.seat", "is", "1"), "no fact"),
        (SimpleCondition("booking.cabin", "is at least", "full"), "say one of"),
        (SimpleCondition("booking.cabin", "is", "first"), "basic, full"),
        (SimpleCondition("payments.amount", "is", "1"), "any payments.amount"),
        (SimpleCondition("count", "is", "1", "any"), "leave out"),
        (SimpleCondition("count", "is", "many"), "'many'"),
        (SimpleCondition("booking.created_at", "is", "3 days ago"), "duration"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(condition: SimpleCondition, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        expression_of(condition, FACTS, forbids=True)


def test_a_rule_that_allows_is_refused_where_all_the_rest_is_allowed() -> None:
    with pytest.raises(WorkbenchError, match="would forbid all the rest"):
        with_rule(BASE, NewRule("permit_cancel", 'tool == "cancel"', "Yes."), PARAMETERS)
