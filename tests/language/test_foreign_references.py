"""What a foreign sentence takes from the one before it."""

from __future__ import annotations

import pytest

from tests.language.library_desk import library
from workbench.language.foreign_references import with_reference
from workbench.language.suggestion import Suggestions


@pytest.mark.parametrize(
    ("before", "text", "read"),
    [
        ("Rare books are in the cellar.", "They are never lent.", "Rare books are never lent."),
        ("A rare book is not for the table.", "It has to stay.", "A rare book has to stay."),
        ("Members' fines are small.", "Their books are lent.", "Members' books are lent."),
        ("The volunteers have a key.", "Their loans are short.", "The volunteers' loans are short."),
        ("Rare books are in the cellar.", "Never lend them.", "Never lend Rare books."),
        ("More than 5 books?", "Then I decide.", "if More than 5 books, I decide."),
        ("Fines of up to 10 euros may be paid later.", "Larger ones are for librarians.",
         "Fines of more than 10 euros are for librarians."),
        ("Fines below 10 euros need no approval.", "All others do.",
         "Fines of at least 10 euros need approval"),
        ("Lending needs approval.", "Renewals do not.", "Renewals need no approval"),
        ("Librarians may lend books.", "Volunteers may not.", "Volunteers must not lend books"),
        ("Librarians may lend books.", "Others may not.", "only Librarians may lend books"),
        ("Volunteers must not lend books.", "Librarians may.", "Librarians may lend books"),
    ],
)  # fmt: skip
def test_what_points_back_is_read_with_what_it_points_to(before: str, text: str, read: str) -> None:
    assert with_reference(text, f"Lending\n{before}") == read


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Rare books are in the cellar.", "It is forbidden to lend them to children."),
        ("Nobody is in the cellar.", "They are never lent."),
        ("If a book is rare, say so.", "They are never lent."),
        ("Fines are paid.", "Larger ones are for librarians."),
        ("Fines above 10 euros are large.", "Larger ones are for librarians."),
        ("Rare books are in the cellar.", "Unpaid fines stay where they are."),
        ("", "They are never lent."),
        ("Books", "Lending is something only librarians can do."),
    ],
)
def test_what_points_to_nothing_that_is_told_stays_as_it_is(before: str, text: str) -> None:
    assert with_reference(text, f"\n{before}") == text


def test_a_sentence_without_its_verb_says_nothing_alone() -> None:
    assert not Suggestions(library()).of("Volunteers do not.", "Lending books")


def test_who_else_may_not_is_no_contrary_of_who_may() -> None:
    found = Suggestions(library()).of("Volunteers may not.", "Books\nLibrarians may lend books.")
    assert found[0].text == "The agent must not lend book if the session's role is volunteer."
    assert not [one.text for one in found if "librarian" in one.text]
