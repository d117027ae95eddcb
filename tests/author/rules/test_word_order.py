"""Sentences with another word order or other words than a form of the grammar have the same meaning."""

from __future__ import annotations

import pytest

from tests.author.rules.sentence_corpus import READ, CorpusSentence, corpus, judge
from workbench.author.rules import RulesAuthor
from workbench.author.rules.sentences import Skeleton, parse_sentence
from workbench.author.rules.stated_limits import StatedLimit, limited
from workbench.author.rules.word_order import parse_rearranged
from workbench.engines.smt.preview import equivalent
from workbench.model import AgentSpec, Draft
from workbench.policy.check import check

AGENTS: dict[str, AgentSpec] = {
    corpus_sentence.spec.name: corpus_sentence.spec
    for name in ("sentences", "domains", "first_use", "forms")
    for corpus_sentence in corpus(name)
}
DATA, CLINIC, TRAVEL = AGENTS["data-agent"], AGENTS["clinic-agent"], AGENTS["travel"]
PAYMENTS, BANK = AGENTS["payments-agent"], AGENTS["bank-agent"]


def drafted(text: str, spec: AgentSpec) -> Draft:
    return RulesAuthor().draft(f"{text}\n\nEverything else is allowed.\n", spec, {})


def words(skeleton: Skeleton) -> list[str]:
    return [" ".join(word.text for word in chunk) for chunk in skeleton.chunks]


@pytest.mark.parametrize(
    ("form", "chunks", "text"),
    [
        ("only_subject", ["managers", "approved Refunds"], "Refunds may only be approved by managers"),
        ("only_subject", ["managers", "approved Refunds"], "Refunds must be approved by managers"),
        ("only_subject", ["managers", "approved Refunds"], "Refunds can be approved by managers only"),
        ("only_object", ["Staff", "send mail", "to members"], "Staff may send mail to members only"),
        ("only_object", ["users", "Edit files", "in src/"], "Edit files in src/ only"),
        ("only_object", ["Visits", "be scheduled", "on Mondays"], "Visits are scheduled on Mondays only"),
        ("only_object", ["Interns", "send mail", "with approval"], "Interns need approval to send mail"),
        ("permit_only_if", ["trips", "be refunded", "he asked"], "Only if he asked may trips be refunded"),
        ("must", ["users", "be members to book or buy"], "To book or buy, users must be members"),
        ("requires", ["selling stock", "approve"], "Before selling stock, the customer has to approve"),
        ("forbid_passive", ["refund of more than 50 EUR"], "The maximum refund is 50 EUR"),
        ("forbid_passive", ["more than 3 refunds daily"], "The daily limit is 3 refunds"),
    ],
)
def test_the_parts_of_a_sentence_are_put_where_its_form_has_them(
    form: str, chunks: list[str], text: str
) -> None:
    assert [(skeleton.form, words(skeleton)) for skeleton in parse_rearranged(text)] == [(form, chunks)]


@pytest.mark.parametrize(
    "text",
    ["No transfers to members only", "Refunds are not sent to members only", "Only managers may send mail"],
)
def test_what_states_or_denies_something_is_no_command(text: str) -> None:
    assert not parse_rearranged(text)


@pytest.mark.parametrize(
    ("text", "rest", "limit"),
    [
        (
            "S may not V O more than 3 times per run",
            ["S", "V O"],
            StatedLimit("times", "more than", 3, "per run"),
        ),
        ("S may V at most twice", ["S", "V"], StatedLimit("times", "at most", 2)),
        (
            "S may V up to five letters a day",
            ["S", "V letters"],
            StatedLimit("times", "up to", 5, "a day"),
        ),
        (
            "S may not V more than $5 in total",
            ["S", "V more than $5"],
            StatedLimit("total", window="in total"),
        ),
        (
            "A third V on the same day is forbidden",
            ["V"],
            StatedLimit("times", "more than", 2, "on the same day"),
        ),
        (
            "The total sent per day must not exceed 5 EUR",
            ["sent of more than 5 EUR"],
            StatedLimit("total", window="per day"),
        ),
        ("S may not V for more than 3 hours a day", ["S", "V for more than 3 hours a day"], None),
        ("S may not V a task", ["S", "V a task"], None),
    ],
)
def test_a_limit_over_several_actions_is_taken_out_of_the_skeleton(
    text: str, rest: list[str], limit: StatedLimit | None
) -> None:
    (skeleton,) = parse_sentence(text)
    left, stated_limit = limited(skeleton)
    assert (words(left), stated_limit) == (rest, limit)


SAME = [
    (TRAVEL, "Refunding trips must be blocked.", "Refunding trips is forbidden."),
    (TRAVEL, "Refunding trips is not possible.", "Refunding trips is forbidden."),
    (TRAVEL, "It is strictly prohibited to refund trips.", "Never refund trips."),
    (TRAVEL, "Trips are never to be refunded.", "Trips may not be refunded."),
    (TRAVEL, "A trip may have at most five passengers.", "A trip may have max. 5 passengers."),
    (
        TRAVEL,
        "Refunding trips is forbidden without confirmation.",
        "Never refund trips without confirmation.",
    ),
    (DATA, "Exporting invoices is reserved to auditors.", "Only auditors may export invoices."),
    (
        DATA,
        "Exporting invoices is not allowed for anyone except auditors.",
        "Only auditors may export invoices.",
    ),
    (DATA, "Exporting invoices is allowed for auditors only.", "Only auditors may export invoices."),
    (DATA, "No more than three rows may be exported.", "Never export more than 3 rows."),
    (DATA, "Never share any data but receipts.", "Never share customers, invoices, salaries or clickstream."),
    (
        CLINIC,
        "Between 9:00 and 17:00, nurses may not view records.",
        "Nurses may not view records if it is between 9:00 and 17:00.",
    ),
    (
        CLINIC,
        "Nurses may not view records from 9:00 to 17:00.",
        "Nurses may not view records if it is between 9:00 and 17:00.",
    ),
    (
        CLINIC,
        "Viewing records is only allowed between 9:00 and 17:00.",
        "View records only if it is between 9:00 and 17:00.",
    ),
    (PAYMENTS, "The daily limit is 3 refunds.", "More than 3 refunds per day are forbidden."),
    (
        PAYMENTS,
        "A fourth refund on the same day is not allowed.",
        "More than 3 refunds per day are forbidden.",
    ),
    (PAYMENTS, "Refunds must not exceed 50 EUR.", "Refunds of more than 50 EUR are forbidden."),
    (PAYMENTS, "Refunds are limited to 50 EUR.", "Refunds of more than 50 EUR are forbidden."),
]


@pytest.mark.parametrize(("spec", "text", "plain"), SAME, ids=[text for _, text, _ in SAME])
def test_other_words_mean_the_same(spec: AgentSpec, text: str, plain: str) -> None:
    draft, meant = drafted(text, spec), drafted(plain, spec)
    assert [doubt.kind for doubt in draft.doubts] == [doubt.kind for doubt in meant.doubts]
    assert equivalent(check(draft.policy), check(meant.policy))


def test_a_condition_in_front_narrows_what_is_restricted() -> None:
    """“If C, S may V only if D” denies nothing where C does not hold."""
    text = "If it is an emergency, nurses may view records only if the patient consented."
    denied = "action == 'view_record' and role == 'nurse' and emergency and not consent"
    assert judge(CorpusSentence("leading", CLINIC, text, (denied,), False)).outcome == READ


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (BANK, "The agent may only transfer money after reading a file."),
        (DATA, "Invoices are masked only if the region is the EU."),
        (CLINIC, "No views, no exports."),
        (DATA, "Exporting invoices only for audits unless the region is the EU."),
    ],
)
def test_what_may_mean_something_else_is_asked_about(spec: AgentSpec, text: str) -> None:
    assert drafted(text, spec).doubts


def test_no_more_than_permits_nothing() -> None:
    """“No more than 3 may” says what is forbidden: what is less is not thereby allowed."""
    draft = RulesAuthor().draft(
        "No more than 3 rows may be exported.\n\nEverything else is forbidden.\n", DATA, {}
    )
    assert [rule.name for rule in check(draft.policy).rules] == ["forbid_export_by_rows", "permit_nothing"]


def _read(sentence: CorpusSentence) -> bool:
    return bool(parse_sentence(sentence.text) or parse_rearranged(sentence.text))


def test_most_sentences_have_a_form() -> None:
    sentences = corpus("forms")
    assert sum(map(_read, sentences)) > 0.8 * len(sentences)
