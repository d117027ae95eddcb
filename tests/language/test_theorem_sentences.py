"""Theorems as sentences: what is written is read back, and a sentence becomes the theorem that it says."""

from __future__ import annotations

import pytest

from tests.dialect.desk import HEAD, types
from workbench.dialect.check import check_calls
from workbench.language.kept_sentence import with_sentence
from workbench.language.language import Language
from workbench.language.trees import canonical

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
]


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


def test_a_theorem_that_joins_two_has_two_sentences() -> None:
    _, sentences = said(f"{BODIES[0]} and {BODIES[2]}")
    assert len(sentences) == 2
    assert all(sentences)


def test_a_theorem_without_words_is_told_as_one() -> None:
    language, _ = said('max((c.total for c in run.calls(PayInvoice)), default=Decimal("0")) <= Decimal("5")')
    one = next(one for one in language.aloud() if one.name == "theorem_it")
    assert one.text or one.why
