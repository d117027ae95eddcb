"""Conditions on the arguments of a policy: in the dialect, and strict if a value may be missing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.policy.policy_strategies import arguments_for
from workbench.clarify.argument_book import argument_book
from workbench.model import Argument, ArgumentType, Kind, RecordType, WorkbenchError
from workbench.policy.check import check, check_condition
from workbench.policy.evaluate import evaluate
from workbench.policy.one_more_rule import NewRule, with_rule
from workbench.policy.relations import Family, Relation
from workbench.policy.render import render_term
from workbench.policy.rule_facts import RuleFact, facts_of
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
BOOK = argument_book([Argument(parameter.name, parameter.type) for parameter in PARAMETERS])
VALUES = {
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


def expression(condition: str, *, forbids: bool = True) -> str:
    """A condition in words as an expression of the dialect."""
    return render_term(BOOK.condition(condition).guarded(forbids=forbids), as_listed=True)


@st.composite
def conditions(draw: st.DrawFn) -> str:
    """A condition in words, with a relation that is offered for its fact."""
    fact = draw(st.sampled_from([some_fact for some_fact in FACTS.values() if some_fact.relations]))
    relation = draw(st.sampled_from(fact.relations))
    value = draw(st.sampled_from(_values(fact, relation)))
    quantifier = draw(st.sampled_from(["any", "every"])) if fact.of else ""
    return " ".join(filter(None, (quantifier, fact.path, relation.words, value)))


def _values(fact: RuleFact, relation: Relation) -> tuple[str, ...]:
    if not relation.takes_value:
        return ("",)
    if relation.family is Family.AMONG:
        return ("columns",)
    if relation.family is Family.LENGTH:
        return ("3 characters",)
    return fact.type.values if fact.type.kind is Kind.ENUM else VALUES[fact.type.kind]


@settings(max_examples=examples(150), deadline=None)
@given(conditions(), st.booleans())
def test_every_condition_that_is_offered_is_in_the_dialect(condition: str, forbids: bool) -> None:
    """It fails by the error of ``check_condition``; what is read is what was written."""
    text = expression(condition, forbids=forbids)
    assert render_term(check_condition(text, PARAMETERS), as_listed=True) == text


@settings(max_examples=examples(25), deadline=None)
@given(conditions(), st.data())
def test_a_rule_that_is_added_denies_where_its_condition_holds_and_nothing_else_changes(
    condition: str, data: st.DataObject
) -> None:
    before = check(BASE)
    after = check(with_rule(BASE, NewRule("forbid_more", expression(condition), "No."), PARAMETERS))
    arguments = data.draw(arguments_for(after))
    fired = evaluate(after, next(rule for rule in after.rules if rule.name == "forbid_more").body, arguments)
    old = evaluate(before, before.rules[0].body, {"tool": arguments.get("tool", "cancel")})
    assert [rule.name for rule in after.rules] == ["forbid_issue", "forbid_more"]
    assert evaluate(after, after.clauses[-1].term, arguments, not (old or fired)) is True
    if fired:
        assert evaluate(after, after.clauses[-1].term, arguments, True) is False


def test_a_value_that_is_lacking_makes_a_forbidding_rule_fire_and_an_allowing_one_not() -> None:
    condition = "booking.cabin is full"
    assert expression(condition) == 'booking is None or booking.cabin == "full"'
    assert expression(condition, forbids=False) == 'booking is not None and booking.cabin == "full"'
    listed = "any booking.payments.method is card"
    assert expression(listed).startswith("booking is None or any(")
    assert expression(listed, forbids=False).startswith("booking is not None and any(")


@pytest.mark.parametrize(
    ("condition", "read"),
    [
        ("column is inside /tmp", 'column == "/tmp" or column.startswith("/tmp/")'),
        ("column is inside /", 'column == "" or column.startswith("/")'),
        ("column is exactly draft", 'column == "draft"'),
        ("column is not the same as draft", 'column != "draft"'),
        ("count is given", "count is not None"),
        ("booking.tags is known", "booking is not None"),
        ("columns is given", "any(True for one_column in columns)"),
        (
            "booking.tags is not given",
            "booking is None or not any(True for tag in booking.tags)",
        ),
        ("column is empty", 'column == ""'),
        ('column is "given"', 'column == "given"'),
        ('column is one of "a, b or c", d', 'column in {"a, b or c", "d"}'),
        ("any payment: method is voucher", 'any(payment.method == "voucher" for payment in payments)'),
        ("any payments.method is voucher", 'any(payment.method == "voucher" for payment in payments)'),
        (
            "booking.day is before 3 days ago",
            "booking is None or booking.day is None or today - booking.day > timedelta(days=3)",
        ),
    ],
)
def test_a_condition_means_what_its_words_say(condition: str, read: str) -> None:
    assert expression(condition) == read
    check_condition(read, PARAMETERS)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("booking.seat is 1", "no condition that is understood"),
        ("booking.cabin is at least full", "cannot be compared by “is at least”: it is one of basic, full"),
        ("booking.cabin is first", "basic, full"),
        ("payments.amount is 1", "any payments.amount"),
        ("any count is 1", "no condition that is understood"),
        ("count is many", "“many” is no number"),
        ("at is 25:00", "“25:00” is not a time"),
        ("at is at most 3 days ago", "it is no time|is not a time"),
        ("column is at most b", "it is a text"),
        ("column is in /tmp", "it begins as “is in the bucket” does"),
        ("column is under /tmp", "“under” is no relation that is known"),
        ("column is longer than 5", "“longer” is no relation that is known"),
        ("column is not at most b", "it begins as “is at least” does"),
        ("column is true", "it begins as “is true” does"),
        ("column is inside", "a value behind it is missing"),
        ("column is", "a value behind it is missing"),
        ("count is given twice", "no value stands behind it, and “twice” does"),
        ("column is payments.amount", "it may speak of a fact"),
        ("column is now", "it is a text"),
        ("any columns is in /tmp", "it begins as “is in the bucket” does"),
        ('column is "a" or "b"', "is not one text in quotation marks"),
        ('column starts with "a', "is not one text in quotation marks"),
        ("columns is ab", "say each, some or no before it"),
    ],
)
def test_what_is_not_understood_is_refused_and_never_taken_as_a_text(condition: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        BOOK.condition(condition)


def test_a_condition_on_how_long_ago_takes_an_argument_that_says_what_is_now() -> None:
    created = Argument("created_at", ArgumentType(Kind.DATETIME))
    with pytest.raises(WorkbenchError, match="nothing says what now is"):
        argument_book([created]).condition("created_at is more than 24 hours ago")


def test_a_rule_that_allows_is_refused_where_all_the_rest_is_allowed() -> None:
    with pytest.raises(WorkbenchError, match="would forbid all the rest"):
        with_rule(BASE, NewRule("permit_cancel", 'tool == "cancel"', "Yes."), PARAMETERS)
