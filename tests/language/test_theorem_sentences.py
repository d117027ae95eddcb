"""Theorems as sentences: what is written is read back, and a sentence becomes the theorem that it says."""

from __future__ import annotations

import pytest

from tests.dialect.desk import HEAD, types
from workbench.dialect.check import check_calls
from workbench.language.kept_sentence import with_sentence
from workbench.language.language import Language
from workbench.language.suggestion import Suggestions
from workbench.language.trees import canonical
from workbench.policy.problems import PolicyError

RULE = 'def forbid_it(call: PayInvoice, run: Run) -> bool:\n    """R1: No."""\n    return call.total > 5\n'
BODIES = [
    'sum(c.total for c in run.calls(PayInvoice) if not c.failed) <= Decimal("100")',
    "sum(1 for c in run.calls(BookRoom)) <= 3",
    "all(looked_up(run.before(c).trip(c.trip_id)) for c in run.calls(BookRoom, PayInvoice))",
    "all(c.total > 0 for c in run.calls(PayInvoice) if c.note is not None)",
    "not any(c.total > 100 for c in run.calls(PayInvoice))",
    "all(not any(e.trip_id == c.trip_id for e in run.before(c).earlier(BookRoom)) "
    "for c in run.calls(BookRoom))",
    "not any(True for c in run.calls(BookRoom))",
    "all(c.approved or not any(e.succeeded for e in run.before(c).earlier(BookRoom)) "
    "for c in run.calls(PayInvoice))",
    "sum(1 for c in run.calls(PayInvoice) if not c.approved) <= 3",
    'max((c.total for c in run.calls(PayInvoice)), default=Decimal("0")) <= Decimal("5")',
    "sum(1 for c in run.calls(PayInvoice)) + sum(1 for c in run.calls(BookRoom) if c.succeeded) < 3",
    "not any(not c.failed and c.total > 100 for c in run.calls(PayInvoice))",
]

EARLIER = (
    "any(c.total > 3 and any(x.trip_id == c.trip_id for x in run.earlier(BookRoom))"
    " for c in run.earlier(PayInvoice))"
)


def said(body: str) -> tuple[Language, list[str]]:
    source = f'{HEAD}{RULE}\n\ndef theorem_it(run: Run) -> bool:\n    """It holds."""\n    return {body}\n'
    language = Language(types(), source)
    return language, [one.text for one in language.aloud() if one.name == "theorem_it"]


@pytest.mark.parametrize("body", BODIES)
def test_what_is_written_is_read_back_and_kept_as_a_theorem_of_the_same_meaning(body: str) -> None:
    language, (sentence,) = said(body)
    assert sentence.startswith("In no run ")
    own = next(one.tree for one in language.aloud() if one.name == "theorem_it")
    (read,) = language.read(sentence)
    assert canonical(read) == canonical(own)
    kept = with_sentence(language, read, sentence)
    theorems = check_calls(kept.policy, types()).theorems
    assert [one.name for one in theorems] == ["theorem_it", kept.name]
    assert theorems[1].sentence == sentence
    again = next(one for one in Language(types(), kept.policy).aloud() if one.name == kept.name)
    assert again.text == sentence


def test_what_never_happens_is_said_by_what_holds_and_not_by_two_negations() -> None:
    _, (sentence,) = said(BODIES[7])
    assert sentence == (
        "In no run may the agent pay an invoice if no person approves the call "
        "and there was an earlier call to book a room that succeeded."
    )


def test_a_theorem_that_joins_two_has_two_sentences() -> None:
    _, sentences = said(f"{BODIES[0]} and {BODIES[2]}")
    assert len(sentences) == 2
    assert all(sentences)


PAID = "run.before(c).earlier(PayInvoice)"
SAID = {
    "In every run the largest total of all calls to pay an invoice is at most 50.":
        "not any(c.total > 50 for c in run.calls(PayInvoice))",
    "In no run is the smallest total of all calls to pay an invoice that succeeded less than 1.":
        "not any(c.succeeded and c.total < 1 for c in run.calls(PayInvoice))",
    "In every run the latest time of all calls to book a room is not after 9 November 2026 at 9:00.":
        "not any(c.time > datetime(2026, 11, 9, 9, 0) for c in run.calls(BookRoom))",
    "In every run the number of calls to book a room is at most 3.": "len(run.calls(BookRoom)) <= 3",
    "In no run does the agent book a room more than three times.": "len(run.calls(BookRoom)) <= 3",
    "In no run may the agent pay an invoice twice for the same iban.":
        f"not any(any(x.iban == c.iban for x in {PAID}) for c in run.calls(PayInvoice))",
    "In no run may the agent pay an invoice more than 2 times within an hour.":
        f"not any(sum(1 for x in {PAID} if c.time - x.time <= timedelta(hours=1)) >= 2"
        " for c in run.calls(PayInvoice))",
    "In no run may the agent pay an invoice with more than 2 different ibans.":
        f"not any(not any(x.iban == c.iban for x in {PAID}) and len({{x.iban for x in {PAID}}}) >= 2"
        " for c in run.calls(PayInvoice))",
    "In no run may the agent book a room before a call to pay an invoice that succeeded.":
        f"all(any(x.succeeded for x in {PAID}) for c in run.calls(BookRoom))",
    "In no run may the agent book a room after a call to pay an invoice without the approval of a person.":
        f"not any(any(True for x in {PAID}) and not c.approved for c in run.calls(BookRoom))",
    "In every run there is a call to book a room that succeeded between two calls to pay an invoice.":
        f"not any(any(True for x in {PAID}) and not any(y.succeeded for y in "
        f"run.before(c).since(x for x in {PAID}).earlier(BookRoom)) for c in run.calls(PayInvoice))",
}  # fmt: skip


@pytest.mark.parametrize("sentence", SAID)
def test_what_persons_say_of_runs_is_the_theorem_that_it_means(sentence: str) -> None:
    language, _ = said(BODIES[0])
    (read,) = language.read(sentence)
    kept = with_sentence(language, read, sentence)
    meant = f'\n\ndef theorem_meant(run: Run) -> bool:\n    """It is meant."""\n    return {SAID[sentence]}\n'
    of = {one.name: canonical(one.tree) for one in Language(types(), f"{kept.policy}{meant}").aloud()}
    assert of[kept.name] == of["theorem_meant"]


def test_a_foreign_sentence_about_runs_may_mean_theorems() -> None:
    language, _ = said(BODIES[0])
    theorem, *_, rule = Suggestions(language).of_runs("In no run may the total be above 50.")
    assert theorem.text == "In no run may the agent pay an invoice if the total is more than 50."
    assert rule.text == theorem.text.replace("In no run may the agent", "The agent must not")


def test_of_two_readings_of_a_sentence_about_runs_none_offers_the_contrary() -> None:
    language, _ = said(BODIES[0])
    found = [one.text for one in Suggestions(language).of_runs("In no run may more than 50 EUR be paid.")]
    assert found[0] == "In no run may the agent pay an invoice if the total is more than 50."
    assert not any("at most" in one for one in found)


@pytest.mark.parametrize("text", ["In no run is more than 50 EUR paid.", "No run pays more than 50 EUR."])
def test_an_amount_of_a_run_may_be_that_of_all_its_calls_together(text: str) -> None:
    language, _ = said(BODIES[0])
    found = [one.text for one in Suggestions(language).of_runs(text)]
    sum_ = "the sum of the total of all calls to pay an invoice that did not fail"
    assert f"In no run is {sum_} more than 50." in found
    assert not any("at most" in one for one in found)


def test_what_is_said_of_a_call_and_of_its_whole_run_is_not_said_of_the_run_before_the_call() -> None:
    source = f"{HEAD}{RULE.replace('call.total > 5', EARLIER)}"
    sentence = next(one.text for one in Language(types(), source).aloud() if one.name == "forbid_it")
    language, _ = said(BODIES[0])
    theorem = f"In no run does it ever hold that {sentence.partition(' if ')[2]}"
    (read,) = language.read(theorem)
    assert language.write(read) == theorem
    with pytest.raises(PolicyError, match=r"run\.before"):
        check_calls(with_sentence(language, read, theorem).policy, types())
