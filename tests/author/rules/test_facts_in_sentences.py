"""Sentences about records, lists and times: a rule's sentence reads back as the same rule."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.clarify.test_argument_book import PARAMETERS, conditions, expression
from tests.examples import examples
from workbench.author.rules import RulesAuthor
from workbench.engines.smt.preview import PreviewUndecided, equivalent
from workbench.model import AgentSpec, Argument, ArgumentType, Draft, Kind, SentenceRole
from workbench.policy.check import check
from workbench.policy.one_more_rule import NewRule, with_rule
from workbench.policy.read_aloud import rule_sentence
from workbench.policy.terms import PolicyTerms

DESK = AgentSpec(
    "desk", arguments=tuple(Argument(parameter.name, parameter.type) for parameter in PARAMETERS)
)
BASE = "def allow() -> bool:\n    return True\n"


def by_hand(condition: str) -> PolicyTerms:
    """A policy with one rule that forbids if the condition holds."""
    return check(with_rule(BASE, NewRule("forbid_it", condition, "No."), PARAMETERS))


def drafted(text: str) -> Draft:
    """The draft of a request of one sentence, with default allow."""
    return RulesAuthor().draft(text, DESK, {"default-decision": "allow"})


def means(text: str, condition: str) -> bool:
    """Whether a sentence is read, and denies exactly if the condition holds."""
    draft = drafted(text)
    read = all(sentence.role is SentenceRole.REQUIREMENT for sentence in draft.sentences)
    return read and equivalent(check(draft.policy), by_hand(condition)) is True


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A condition of a rule: two simple conditions joined, and perhaps the tools that it is about."""
    first, second = (expression(draw(conditions())) for _ in range(2))
    joint = draw(st.sampled_from(["and", "or"]))
    body = f"({first}) {joint} ({second})"
    tool = draw(st.sampled_from(["", 'tool == "issue" and ', 'tool in {"issue", "cancel"} and ']))
    return f"{tool}({body})"


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(bodies())
def test_a_rule_that_is_read_aloud_reads_back_as_the_same_rule(body: str) -> None:
    policy = by_hand(body)
    sentence = rule_sentence(policy.rules[0], policy)
    draft = drafted(sentence)
    roles = [drafted_sentence.role for drafted_sentence in draft.sentences]
    if sentence.endswith("never.") or "if always" in sentence or roles == [SentenceRole.OPEN]:
        return
    assert roles == [SentenceRole.REQUIREMENT], sentence
    with contextlib.suppress(PreviewUndecided):
        assert equivalent(check(draft.policy), policy), sentence


def test_most_conditions_read_back() -> None:
    """The property above would hold of a language that reads nothing."""
    phrases = [
        "booking.cabin is full",
        "booking.cabin is none of full, basic",
        "booking.created_at is more than 24 hours ago",
        "booking is not known",
        "booking.tags contains ab",
        "number of payments is more than 3",
        "number of booking.payments is at most number of payments",
        "sum of payments.amount is at least 10.50",
        "any payments.method is voucher",
        "every payments.note starts with x",
        "count is 3",
        "urgent is true",
        "at is less than 09:30",
        "booking.day is before 2026-01-31",
        "columns does not contain a",
    ]
    for condition in phrases:
        body = f'tool == "issue" and ({expression(condition)})'
        policy = by_hand(body)
        sentence = rule_sentence(policy.rules[0], policy)
        assert means(sentence, body), sentence


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (
            "Never cancel if the cabin of the booking is basic.",
            'tool == "cancel" and (booking is None or booking.cabin == "basic")',
        ),
        (
            "Users may cancel within 24 hours of the booking's created at.",
            'tool == "cancel" and (booking is None or now - booking.created_at > timedelta(hours=24))',
        ),
        (
            "Never issue more than 5 payments.",
            'tool == "issue" and len(payments) > 5',
        ),
        (
            "Payments: Never issue more than five payments.",
            'tool == "issue" and len(payments) > 5',
        ),
        (
            "Full bookings may not be cancelled.",
            'tool == "cancel" and (booking is None or booking.cabin == "full")',
        ),
        (
            "The agent may cancel only if the booking's created at is at most 24 hours ago "
            "or the booking's cabin is full.",
            'tool == "cancel" and (booking is None or '
            '(now - booking.created_at > timedelta(hours=24) and booking.cabin != "full"))',
        ),
        (
            'Never issue if the column is "urgent" or the booking\'s cabin is "full".',
            'tool == "issue" and (column == "urgent" or booking is None or booking.cabin == "full")',
        ),
        (
            "Never cancel if the payments by method and amount are not the same as the booking's payments.",
            'tool == "cancel" and (booking is None or {(x.method, x.amount) for x in payments} '
            "!= {(x.method, x.amount) for x in booking.payments})",
        ),
        (
            "Never issue if there are more than 5 payments.",
            'tool == "issue" and len(payments) > 5',
        ),
        (
            "Never issue if the number of the payments (each payment) with (the payment's method is voucher) "
            "is more than 1.",
            'tool == "issue" and sum(1 for payment in payments if payment.method == "voucher") > 1',
        ),
        (
            "Never issue unless for every payment of the payments, the payment's amount is at most 50.",
            'tool == "issue" and not all(one.amount <= Decimal("50") for one in payments)',
        ),
        (
            "Never cancel if the time from the booking's created at to now is more than 2 days 12 hours.",
            'tool == "cancel" and (booking is None '
            "or now - booking.created_at > timedelta(days=2, hours=12))",
        ),
        (
            'Never issue if "ab" is among the booking\'s tags and (urgent or the count is at least 3).',
            'tool == "issue" and ((booking is None or "ab" in booking.tags) and '
            "(urgent or count is None or count >= 3))",
        ),
    ],
)
def test_sentences_about_facts_mean_what_they_say(text: str, condition: str) -> None:
    assert means(text, condition), (drafted(text).doubts, drafted(text).policy)


def test_what_no_fact_is_known_of_is_asked_about() -> None:
    draft = drafted("Never cancel if the flight's status is flying.")
    assert draft.sentences[0].role is SentenceRole.OPEN
    assert next(doubt.kind for doubt in draft.doubts) == "undefined"


def test_a_size_that_both_the_call_and_a_record_have_is_asked_about() -> None:
    text = "Each booking can have at most five payments."
    (doubt,) = [doubt for doubt in drafted(text).doubts if doubt.kind == "parts"]
    meanings = {
        "payments.number": "len(payments) > 5",
        "booking.payments.number": "booking is None or len(booking.payments) > 5",
    }
    assert len(doubt.values) == len(meanings)
    for value in doubt.values:
        (condition,) = [
            meaning
            for name, meaning in meanings.items()
            if f" of {name})" in doubt.value_facts[value]["meaning"]
        ]
        choices = {"default-decision": "allow", doubt.id: value}
        assert equivalent(check(RulesAuthor().draft(text, DESK, choices).policy), by_hand(condition)) is True


def test_a_synonym_may_stand_for_a_fact() -> None:
    spec = replace(DESK, synonyms={"purchase": "booking.created_at"})
    text = "Users may cancel within 24 hours of purchase."
    draft = RulesAuthor().draft(text, spec, {"default-decision": "allow"})
    late = 'tool == "cancel" and (booking is None or now - booking.created_at > timedelta(hours=24))'
    assert equivalent(check(draft.policy), by_hand(late)) is True


WORDS = [
    "the booking's cabin",
    "the booking",
    "the payments",
    "the number of the payments",
    "the total amount of the payments",
    "now",
    "the count",
    "urgent",
    "the column",
    "the columns",
    "is",
    "is not",
    "is more than",
    "is at least",
    "is one of",
    "is among",
    "is known",
    "is empty",
    "5",
    "2.50",
    "full",
    "basic",
    "24 hours ago",
    "2 days",
    "(",
    ")",
    "and",
    "or",
    "not",
    "plus",
    "multiplied by",
    "for every payment of the payments,",
    "the payment's amount",
    "the payment's method",
    "are the same as",
    "by method",
]


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_whatever_is_said_the_draft_is_in_the_dialect(words: list[str]) -> None:
    """It fails by the error of ``check``."""
    check(drafted(f"Never cancel if {' '.join(words)}.").policy)


def test_what_is_counted_is_never_passed_over() -> None:
    bags = Argument("bags", ArgumentType(Kind.INT), "how many bags the guest has")
    booking = next(argument for argument in DESK.arguments if argument.name == "booking")
    desk = AgentSpec("desk", arguments=(bags, booking))
    choices = {"default-decision": "allow"}
    for text in ("Each guest can have at most five bookings.", "A guest may have at most five bookings."):
        draft = RulesAuthor().draft(text, desk, choices)
        assert [sentence.role for sentence in draft.sentences] == [SentenceRole.OPEN], draft.policy
    read = RulesAuthor().draft("Each guest can have at most five bags.", desk, choices)
    assert "bags > 5" in read.policy
