"""A number of which the end of a sentence says that it is a limit, or leaves out what is so beyond it."""

from __future__ import annotations

import pytest

from tests.language.library_desk import library
from workbench.language.foreign_limits import with_limit, with_other_side, without_formalities
from workbench.language.suggestion import Suggestions

_LEND = "The agent must not lend book if the days is"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Five books and not one more are lent.", "at most Five books are lent."),
        ("A book is lent for 20 days and no longer.", "A book is lent for at most 20 days."),
        ("A fine is €20, not less.", "A fine is at least €20."),
        ("A fee is 20 euros, no more and no less.", "A fee is exactly 20 euros."),
        ("A fee is exactly 20 euros, no more and no less.", "A fee is exactly 20 euros."),
        ("Books may be lent for up to 20 days, not longer.",
         "Books may be lent for up to 20 days and nowhere else."),
        ("Books are lent for 20 days only.", "Books are lent for at most 20 days."),
        ("Members get read access and nothing more.", "Members get read access and nothing more."),
        ("Loans go to members only.", "Loans go to members only."),
        ("No more than five books are lent.", "No more than five books are lent."),
    ],
)  # fmt: skip
def test_a_contrast_at_the_end_bounds_the_number_before_it(text: str, read: str) -> None:
    assert with_limit(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Fines up to 10 euros need no approval, above that always.", "over 10 euros needs approval"),
        ("Fines up to 10 euros are fine, beyond that never.", "only Fines up to 10 euros are fine"),
        ("Up to 10 books you ask me, more than 10 nobody.", "Up to 10 books you ask me"),
        ("Fines up to 10 euros need no approval, above that I decide.",
         "Fines up to 10 euros need no approval, above that I decide."),
    ],
)  # fmt: skip
def test_what_is_left_out_beyond_a_limit_is_what_is_so_below_it(text: str, read: str) -> None:
    assert with_other_side(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Librarians may lend books without any limit on days.", "Librarians may lend books."),
        ("Members can pay fines like everybody else.", "Members can pay fines."),
        ("Novels may be lent instead of comics at any time.", "Novels may be lent."),
        ("Nobody lends books without any limit on days.", "Nobody lends books without any limit on days."),
        ("Books may be lent without a note.", "Books may be lent without a note."),
    ],
)
def test_what_says_that_nothing_limits_a_permission_is_no_part_of_it(text: str, read: str) -> None:
    assert without_formalities(text) == read


@pytest.mark.parametrize(
    ("sentence", "offered", "contrary"),
    [
        ("A book is lent for 20 days and not one more.", f"{_LEND} more than 20.", f"{_LEND} 20."),
        ("A book is lent for 2 days, not less.", f"{_LEND} less than 2.", f"{_LEND} more than 2."),
        ("Up to 20 days a book is lent, beyond that never.", f"{_LEND} more than 20.",
         f"{_LEND} at most 20."),
    ],
)  # fmt: skip
def test_the_side_of_a_limit_is_the_one_that_is_said(sentence: str, offered: str, contrary: str) -> None:
    found = [one.text for one in Suggestions(library()).of(sentence, "Lending books")]
    assert offered in found
    assert contrary not in found


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("Books are only ever lent in the north, and only after I have approved it.", "is north"),
        ("Books are lent in the north only, unless I approve it.", "is not north"),
    ],
)
def test_who_approves_is_asked_where_it_is_said(sentence: str, asked: str) -> None:
    found = [one.text for one in Suggestions(library()).of(sentence) if one.tree[1] == "ask"]
    other = {"is north": "is not north", "is not north": "is north"}[asked]
    ask = "The agent may lend book only with the approval of a person if the branch is given and the branch"
    assert f"{ask} {asked}." in found
    assert f"{ask} {other}." not in found
