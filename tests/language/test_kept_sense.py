"""Rules taken apart again and held against what a sentence says, whatever the search would have offered."""

from __future__ import annotations

import pytest

from tests.language.library_desk import library
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.nameable import stems_of
from workbench.language.sense.slips import slip
from workbench.language.sense.spoken import Spoken
from workbench.language.suggestion import Suggestions

_LEND, _RENEW = "The agent must not lend book ", "The agent must not renew loan "
_ASK = "The agent may lend book only with the approval of a person "


def _keeps(sentence: str, rule: str) -> bool:
    doing = {
        "LendBook": stems_of("lend book"), "RenewLoan": stems_of("renew loan"),
        "CollectFine": stems_of("collect fine"),
    }  # fmt: skip
    values = {"branch": ("centre", "north", "harbour"), "role": ("volunteer", "librarian")}
    spoken = Spoken(ForeignSentence(sentence, doing=(*doing.values(),)), doing, values, frozenset())
    ((tree, *_),) = [library().read(rule)]
    return not slip(spoken, tree, frozenset(range(len(sentence))))


@pytest.mark.parametrize(
    ("sentence", "kept", "slips"),
    [
        ("Lending needs approval except where the branch is north.",
         f"{_ASK}if the branch is given and the branch is not north.",
         f"{_ASK}if the branch is given and the branch is north."),
        ("Books are lent only in the north branch, and only with my approval.",
         f"{_ASK}if the branch is given and the branch is north.",
         f"{_ASK}if the branch is given and the branch is not north."),
        ("Only in the north branch books are lent without my approval.",
         f"{_ASK}if the branch is given and the branch is not north.",
         f"{_ASK}if the branch is given and the branch is north."),
        ("Books may only be lent in the north or harbour branch.",
         f"{_LEND}if the branch is given and the branch is none of north or harbour.",
         f"{_LEND}if the branch is given and the branch is not north."),
        ("Books are lent for 20 days at most.",
         f"{_LEND}if the days is more than 20.", f"{_LEND}if the days is not 20."),
        ("Books are lent for at least 2 days, but no more than 20.",
         f"{_LEND}unless the days is at least 2 and the days is at most 20.",
         f"{_LEND}if the days is at least 2."),
        ("Books are lent for between 2 and 20 days.",
         f"{_LEND}if the days is less than 2 or the days is more than 20.",
         f"{_LEND}if the days is none of 2 or 20."),
        ("Collect the fine before you renew a loan.",
         f"{_RENEW}if there was no earlier call to collect fine that succeeded.",
         "The agent must not collect fine if there was no earlier call to renew loan that succeeded."),
        ("A loan may not be renewed before the fine was collected.",
         f"{_RENEW}if there was no earlier call to collect fine that succeeded.",
         f"{_RENEW}if there was an earlier call to collect fine that succeeded."),
        ("Volunteers must write a note.",
         f"{_LEND}if the session's role is volunteer and the note is missing.",
         f"{_LEND}if the session's role is volunteer."),
        ("The days must be at most 20.",
         f"{_LEND}if the days is more than 20.", f"{_LEND}if the days is at most 20."),
        ("First collect the fine, then renew.",
         f"{_RENEW}if there was no earlier call to collect fine that succeeded.",
         "The agent must not collect fine if there was no earlier call to renew loan that succeeded."),
        ("Loans are renewed before 7:00 or after 19:00.",
         f"{_RENEW}if the time of day is not before 7:00 and the time of day is not after 19:00.",
         f"{_RENEW}if the time of day is before 7:00 or the time of day is after 19:00."),
        ("Suspended members get no book, nor do those with fines.",
         f"{_LEND}if the member is marked suspended or the member's fines is more than 0.",
         f"{_LEND}if the member is marked suspended and the member's fines is more than 0."),
        ("Volunteers lend at the centre only, that is to say to no adult.",
         f"{_LEND}if the branch is given and the branch is not centre.",
         f"{_LEND}if the branch is given and the branch is none of centre or harbour."),
        ("A volunteer renews nothing.",
         f"{_RENEW}if the session's role is volunteer.",
         f"{_RENEW}unless there was an earlier call to lend book that succeeded."),
        ("Where a book is lent in the north, no approval is necessary.",
         "The agent may lend book if the branch is given and the branch is north.",
         "The agent may always lend book."),
        ("If nobody wrote a note, no lending.",
         f"{_LEND}if the note is missing.", f"{_LEND}if the note is given."),
        ("If the branch is neither north nor harbour, ask before lending.",
         f"{_ASK}if the branch is given and the branch is none of north or harbour.",
         f"{_ASK}if the branch is given and the branch is one of north or harbour."),
        ("Days: 20 maximum.",
         f"{_LEND}if the days is more than 20.", f"{_LEND}if the days is less than 20."),
        ("Non-volunteers get no book.",
         f"{_LEND}if the session's role is not volunteer.", f"{_LEND}if the session's role is volunteer."),
        ("Members whose fines are more than nothing get no book.",
         f"{_LEND}if the member's fines is more than 0.",
         "The agent must not make any call if the tool is not lend book."),
    ],
)  # fmt: skip
def test_what_turns_the_sense_is_no_meaning(sentence: str, kept: str, slips: str) -> None:
    assert _keeps(sentence, kept)
    assert not _keeps(sentence, slips)


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("A book is lent without a note.", f"{_LEND}if the note is missing."),
        ("Books are lent for more than 20 days.", f"{_LEND}if the days is more than 20."),
        ("At least 2 days have to be given.", f"{_LEND}if the days is at least 2."),
        ("A loan is renewed before the fine was collected.",
         f"{_RENEW}if there was no earlier call to collect fine that succeeded."),
        ("A loan is renewed twice.", f"{_RENEW}if there was an earlier call to renew loan that succeeded."),
        ("Lending for at most 20 days needs approval.", f"{_ASK}if the days is more than 20."),
        ("Books may be lent for up to 20 days, the others I approve.", f"{_ASK}if the days is at most 20."),
        ("At least 2 days must have passed.", f"{_LEND}if the days is at least 2."),
        ("Without a note no book is lent.", f"{_LEND}if the note is given."),
        ("Lending for up to 20 days needs no approval.", f"{_ASK}if the days is at most 20."),
        ("Books are lent, but not for between 2 and 20 days.",
         f"{_LEND}unless the days is at least 2 and the days is at most 20."),
        ("Nobody but a librarian lends more days than the branch has.",
         f"{_LEND}if the days is the length of the branch."),
        ("No days may be zero.", f"{_LEND}if the days is at least 0."),
    ],
)  # fmt: skip
def test_what_no_word_refuses_is_not_refused(sentence: str, rule: str) -> None:
    assert not _keeps(sentence, rule)


@pytest.mark.parametrize(
    ("sentence", "first", "never"),
    [
        (
            "Lending needs approval except where the branch is north.",
            "is not north",
            "if the branch is given and the branch is north",
        ),
        (
            "Volunteers get the north branch and nothing more.",
            "is not north",
            "if the branch is given and the branch is north",
        ),
        ("The north branch ends at 20 days.", "is more than 20", "is not 20"),
    ],
)
def test_the_meaning_is_offered_in_its_place(sentence: str, first: str, never: str) -> None:
    found = Suggestions(library()).of(sentence, "Lending books")
    assert any(first in one.text for one in found)
    assert not any(never in one.text for one in found)


def test_what_is_about_another_tool_is_offered_only_where_as_much_says_so() -> None:
    found = Suggestions(library()).of("Books are lent for 20 days at most.")
    assert found
    assert all(("name", "LendBook") in one.tree for one in found)


def test_what_goes_on_with_a_denial_denies() -> None:
    foreign = "The agent must not collect fine if there is an object for which none of these holds: "
    found = Suggestions(library()).of(f"{foreign}(a) its title is “tax”; (b) its price is more than 3.")
    assert not [one.text for one in found if "none of these" not in one.text]
