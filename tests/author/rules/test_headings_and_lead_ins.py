"""Meanings without the word “may”, after a lead-in and under a heading."""

from __future__ import annotations

import pytest

from tests.author.rules.sentence_corpus import ASKED, READ, CorpusSentence, judge
from workbench.author.rules import RulesAuthor
from workbench.model import AgentSpec, Argument, ArgumentType, Kind, SentenceRole

SHOP = AgentSpec(
    "shop",
    arguments=(
        Argument("action", ArgumentType(Kind.ENUM, ("share", "delete", "refund"))),
        Argument("role", ArgumentType(Kind.ENUM, ("clerk", "manager"))),
        Argument("item", ArgumentType(Kind.ENUM, ("dashboard", "invoice"))),
        Argument("amount", ArgumentType(Kind.DECIMAL), "amount in EUR"),
    ),
)
ALLOWED = {"default-decision": "allow"}


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("Dashboards are not shared.", "action == 'share' and item == 'dashboard'"),
        ("Invoices are never shared.", "action == 'share' and item == 'invoice'"),
        ("Nobody deletes invoices.", "action == 'delete' and item == 'invoice'"),
        ("Clerks don't refund.", "action == 'refund' and role == 'clerk'"),
        ("Managers do not share invoices.", "action == 'share' and item == 'invoice' and role == 'manager'"),
        ("Deleting invoices is off limits.", "action == 'delete' and item == 'invoice'"),
        ("Before anything is deleted, the role must be manager.", "action == 'delete' and role != 'manager'"),
        ("Refunds: Never refund more than 50 EUR.", "action == 'refund' and amount > 50"),
        ("Delete: Invoices may not be deleted.", "action == 'delete' and item == 'invoice'"),
    ],
)  # fmt: skip
def test_what_is_not_done_may_not_be_done(text: str, denies: str) -> None:
    judged = judge(CorpusSentence("made", SHOP, text, (denies,), False))
    assert judged.outcome == READ, (judged.kinds, judged.policy)


def test_what_a_lead_in_or_heading_is_about_is_asked_where_the_sentence_does_not_say() -> None:
    for text in (
        "Refund: The amount must be at most 50 EUR.",
        "## Refund\n\nThe amount must be at most 50 EUR.\n",
    ):
        request = f"# Shop\n\n{text}"
        draft = RulesAuthor().draft(request, SHOP, ALLOWED)
        (doubt,) = [doubt for doubt in draft.doubts if doubt.kind == "parts"]
        assert doubt.default == "0"
        wide, narrow = (
            RulesAuthor().draft(request, SHOP, {**ALLOWED, doubt.id: value}).policy for value in doubt.values
        )
        assert 'action == "refund"' in narrow
        assert "refund" not in wide.split("def allow")[0].split("def forbid")[1].replace("Refund", "")


def test_a_lead_in_that_nothing_is_known_of_is_asked_about() -> None:
    judged = judge(CorpusSentence("made", SHOP, "Meals: The amount must be at most 50 EUR.", (), False))
    assert judged.outcome == ASKED
    assert judged.kinds == ("undefined",)


def test_a_duty_says_what_it_demands() -> None:
    draft = RulesAuthor().draft("The clerk must first obtain the number.", SHOP, ALLOWED)
    assert draft.sentences[0].role is SentenceRole.OPEN
    assert "it demands “first obtain the number”" in draft.doubts[0].facts["reason"]


def test_a_word_set_off_in_bold_ends_its_own_sentence() -> None:
    draft = RulesAuthor().draft("**Refunds.** Clerks may not refund.", SHOP, ALLOWED)
    assert [sentence.role for sentence in draft.sentences] == [SentenceRole.CONTEXT, SentenceRole.REQUIREMENT]
