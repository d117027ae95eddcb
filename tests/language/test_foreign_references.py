"""What a foreign sentence takes from the one before it."""

from __future__ import annotations

import pytest

from tests.language.library_desk import library
from workbench.dialect.call_types import agent_types
from workbench.language.foreign_references import with_others, with_reference
from workbench.language.language import Language
from workbench.language.suggestion import Suggestions
from workbench.session.agent_file import read_agent


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


@pytest.mark.parametrize(
    ("before", "text", "read"),
    [
        ("Mail to bob@example.com or ann@example.com is fine.", "Mail to anybody else needs approval.",
         "Mail to anybody other than bob@example.com or ann@example.com needs approval."),
        ("Our own people are at example.com.", "Never share a loan with anyone else.",
         "Never share a loan with anybody other than example.com."),
        ("", "Mail to anybody else needs approval.", "Mail to others needs approval."),
        ("Bob is bob@example.com.", "Mail to anybody else is fine.", "Mail to anybody else is fine."),
        ("Bob is bob@example.com.", "Fines are for somebody else.", "Fines are for somebody else."),
    ],
)  # fmt: skip
def test_anybody_else_is_whom_the_sentence_before_does_not_name(before: str, text: str, read: str) -> None:
    assert with_others(text, f"Mail\n{before}") == read


_WORKS = """
name = "works"
[tools.run_tests]
description = "Runs the tests."
[tools.commit_changes]
description = "Commits the changes."
[tools.weigh_parcel]
description = "Weighs a parcel."
[tools.ship_parcel]
description = "Ships a parcel."
"""


_TESTED = "commit changes unless there was an earlier call to run tests"
_WEIGHED = "ship parcel unless there was an earlier call to weigh parcel"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Before a commit the tests have run.", _TESTED),
        ("Before it commits the changes the tests must run.", _TESTED),
        ("Before a parcel is shipped the parcel must be weighed.", _WEIGHED),
        ("Before shipping all parcels are weighed.", _WEIGHED),
    ],
)
def test_what_comes_before_needs_no_comma(text: str, meant: str) -> None:
    language = Language(agent_types(read_agent(_WORKS)), '"""Works."""\n\nDEFAULT = "allow"\n')
    assert Suggestions(language).of(text)[0].text == f"The agent must not {meant} that succeeded."
