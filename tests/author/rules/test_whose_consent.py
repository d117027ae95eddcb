"""Whose consent a sentence requires, and to whom a thing is open: asked about or read, never dropped."""

from __future__ import annotations

import pytest

from tests.app.library_desk import SPEC
from workbench.author.rules import RulesAuthor
from workbench.model import SentenceRole


def role(sentence: str) -> SentenceRole:
    return RulesAuthor().draft(f"{sentence}\n", SPEC, {}).sentences[0].role


@pytest.mark.parametrize(
    "sentence",
    [
        "Waiving more than 20 EUR needs the approval of the head librarian.",
        "Waiving fees needs the approval of a librarian.",
        "Waiving fees is only allowed if approved by the senior head librarian.",
    ],
)
def test_whose_consent_it_is_is_asked_where_only_who_acts_is_known(sentence: str) -> None:
    assert role(sentence) is SentenceRole.OPEN
    assert (
        role("Only librarians may waive more than 20 EUR if the head approved.") is SentenceRole.REQUIREMENT
    )


def test_what_is_open_to_everyone_is_permitted_or_asked_about() -> None:
    draft = RulesAuthor().draft("Waiving fees is open to everyone.\n", SPEC, {})
    assert 'return tool == "waive_fee"' in draft.policy
    for sentence in ("Searching the catalogue is open to everyone.", "The shelves are free to members."):
        assert role(sentence) is SentenceRole.OPEN
    assert role("The library is open on Monday.") is SentenceRole.CONTEXT
