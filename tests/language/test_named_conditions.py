"""A condition that a sentence names is a function of the policy, which other sentences then use."""

from __future__ import annotations

import ast
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.dialect.call_policies import policy_text
from tests.examples import examples
from tests.language.read_back import language_of
from tests.runs.expressions.small_agent import TYPES
from workbench.language.kept_sentence import Kept, with_sentence
from workbench.language.language import Language
from workbench.language.trees import canonical
from workbench.model import WorkbenchError
from workbench.policy.rule_names import RULES

TRAVEL = "sessions/travel-desk"
VERIFIED = (
    "A supplier is verified when there was an earlier call to get a supplier that succeeded "
    "(where its supplier id is the supplier id)."
)


def kept(language: Language, text: str) -> tuple[Language, Kept]:
    """The language after a sentence that names a condition, and the function that it is."""
    (tree,) = language.read(text)
    found = with_sentence(language, tree, text)
    return Language(language.types, found.policy), found


def aloud(language: Language, name: str) -> str:
    """The sentence of a function."""
    return next(one.text for one in language.aloud() if one.name == name)


@pytest.mark.parametrize(
    ("said", "head", "meaning"),
    [
        (
            VERIFIED,
            "def the_supplier_is_verified(supplier_id: str, run: Run) -> bool:",
            "That the supplier is verified means that there was an earlier call to get a supplier that "
            "succeeded (where its supplier id is the supplier id).",
        ),
        (
            "That a booking is of a room means that the booking exists and the booking's kind is room.",
            "def the_booking_is_of_a_room(booking_id: str, run: Run) -> bool:",
            "That the booking is of a room means that the booking exists and the booking's kind is room.",
        ),
        (
            "A trip is recent if the trip exists and the trip was approved less than 3 days ago.",
            "def the_trip_is_recent(trip_id: str, call: Call, run: Run) -> bool:",
            "That the trip is recent means that the trip exists and the time since the trip's approved at "
            "is less than 3 days.",
        ),
        (
            "In calls to pay an invoice, that the invoice is large means that the total is more than 3,000.",
            "def the_invoice_is_large(call: PayInvoice) -> bool:",
            "That the invoice is large means that the total is more than 3,000 EUR.",
        ),
        (
            "In calls to book a room or book a journey, that “if at all, or not” means that the trip exists.",
            "def if_at_all_or_not(call: BookRoom | BookJourney, run: Run) -> bool:",
            "That if at all, or not means that the trip exists.",
        ),
    ],
)
def test_a_sentence_names_a_condition(said: str, head: str, meaning: str) -> None:
    language, found = kept(language_of(TRAVEL), said)
    assert found.python.startswith(head)
    assert aloud(language, found.name) == meaning


def test_a_sum_that_is_the_value_of_a_fact_is_a_decimal_without_elements_too() -> None:
    language = language_of(TRAVEL)
    noun = language.policy.facts["paid"].noun
    said = f"{noun.capitalize()}, is the sum of the total of all earlier calls to pay an invoice."
    _, found = kept(language, said)
    assert found.name == "paid"
    assert found.python.endswith('return sum((x.total for x in run.earlier(PayInvoice)), Decimal("0"))\n')


def test_other_sentences_use_what_was_named_for_what_their_calls_have() -> None:
    language, _ = kept(language_of(TRAVEL), VERIFIED)
    for text in (
        "The agent must not book a room or pay an invoice unless the supplier is verified.",
        "The agent must not cancel a booking if the supplier is verified, for “S1” as the supplier id.",
    ):
        (tree,) = language.read(text)
        assert language.write(tree) == text


def test_what_is_named_again_takes_the_place_of_its_meaning() -> None:
    language, found = kept(language_of(TRAVEL), VERIFIED)
    (tree,) = language.read(VERIFIED)
    assert with_sentence(language, tree, VERIFIED).policy == found.policy
    other = VERIFIED.replace("that succeeded", "that failed")
    (tree,) = language.read(other)
    changed = with_sentence(language, tree, other)
    assert changed.name == found.name and changed.policy.count(f"def {found.name}(") == 1
    of_calls = "In calls to pay an invoice, that the supplier is verified means that the total is 5."
    (tree,) = language.read(of_calls)
    with pytest.raises(WorkbenchError, match="“That the supplier is verified means that"):
        with_sentence(language, tree, of_calls)


def test_the_noun_of_a_function_gets_another_meaning_where_a_record_begins_it() -> None:
    retail = language_of("benchmarks/sessions/retail-desk")
    (tree,) = retail.read("That a user was found means that what the user has said contains “x”.")
    assert tree[1] == "meaning"


@pytest.mark.parametrize(
    "said",
    [
        "A supplier when the total is 5.",
        "A total is large when the total is 5.",
        "A supplier is verified when the total is 5.",
        "In calls to pay an invoice, that means that the total is 5.",
        "In calls to pay an invoice, that the invoice; or is large means that the total is 5.",
    ],
)
def test_what_names_nothing_is_not_read(said: str) -> None:
    assert language_of(TRAVEL).read(said) == ()


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32).map(Random))
def test_a_condition_of_any_rule_can_be_named_and_is_read_as_it_was_said(random: Random) -> None:
    language = Language(TYPES, policy_text(random, 1))
    rule = next(one.tree for one in language.aloud() if one.name.startswith(RULES))
    holds = language.write(("call", "ensure", rule[2], *rule[3:]))
    assume("it always holds that" in holds and rule[3] != ("name", "Call"))
    text = holds.replace("it always holds that", "that it is as said means that", 1)
    (tree,) = language.read(text)
    assert (tree[1], canonical(tree[3]), tree[4:]) == ("naming", canonical(rule[2]), rule[3:])
    after, found = kept(language, text)
    function = next(node for node in ast.parse(found.policy).body if getattr(node, "name", "") == found.name)
    assert isinstance(function, ast.FunctionDef)
    ((meaning, _),) = after.trees(function)
    assert canonical(meaning[3]) == canonical(rule[2])
    assert after.read(after.write(meaning)) != ()
