"""Rules of a contrary sense, told apart by what they decide around the values that they compare with."""

from __future__ import annotations

import pytest

from tests.language.library_desk import library
from workbench.language.contrary import contrary, follows
from workbench.language.normal_form import normal

_LEND = "The agent must not lend book if "


def _are_contrary(one: str, other: str) -> bool:
    first, second = (normal(tree) for text in (one, other) for tree in library().read(text))
    assert contrary(first, second) == contrary(second, first)
    return contrary(first, second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{_LEND}the days is more than 28.", f"{_LEND}the days is at most 28."),
        (f"{_LEND}the days is more than 28.", "The agent may lend book if the days is more than 28."),
        (f"{_LEND}the days is at least 29.", "The agent must not lend book unless the days is at least 29."),
        (f"{_LEND}the branch is one of harbour or north.",
         f"{_LEND}the branch is none of harbour or north and the days is more than 28."),
        (f"{_LEND}the note is given.", f"{_LEND}the note is missing."),
        (f"{_LEND}the note is given and the note contains “gift”.",
         f"{_LEND}the note is given and the note does not contain “gift” and the days is more than 7."),
        (f"{_LEND}the days is more than the length of the branch.",
         f"{_LEND}the length of the branch is more than the days."),
        (f"{_LEND}the days is more than 28.", f"{_LEND}the days is less than 7."),
        (f"{_LEND}the days is at least 28.", f"{_LEND}the days is at most 28."),
        (f"{_LEND}the days is more than 28.",
         f"{_LEND}the days is at least 2 and the days is less than 28."),
        (f"{_LEND}the days is less than the length of the branch.",
         f"{_LEND}the days is the length of the branch."),
    ],
)  # fmt: skip
def test_the_sense_is_contrary_whatever_else_is_said(one: str, other: str) -> None:
    assert _are_contrary(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{_LEND}the days is more than 28.", f"{_LEND}the days is more than 30."),
        (f"{_LEND}the days is more than 28.", "The agent may lend book if the days is at most 28."),
        (f"{_LEND}the branch is harbour.", f"{_LEND}the branch is north."),
        (f"{_LEND}the days is more than 28.",
         f"{_LEND}the days is more than 7 and the branch is harbour."),
        (f"{_LEND}the days is more than 28 and the branch is harbour.",
         f"{_LEND}the days is more than 28 and the branch is north."),
        (f"{_LEND}the session's role is volunteer.",
         "The agent must not renew loan if the session's role is not volunteer."),
        (f"{_LEND}the note is missing.", f"{_LEND}the note is given and the note contains “gift”."),
    ],
)  # fmt: skip
def test_other_rules_are_not_contrary(one: str, other: str) -> None:
    assert not _are_contrary(one, other)


@pytest.mark.parametrize(
    ("one", "other", "does"),
    [
        ("the days is more than 30.", "the days is more than 28.", True),
        ("the days is more than 28.", "the days is more than 30.", False),
        ("the days is more than 28 and the branch is north.", "the days is more than 28.", True),
        ("the branch is north.", "the days is more than 28.", False),
    ],
)
def test_a_rule_follows_from_one_that_refuses_as_much(one: str, other: str, *, does: bool) -> None:
    first, second = (normal(tree) for text in (one, other) for tree in library().read(f"{_LEND}{text}"))
    assert follows(first, second) is does


def test_what_is_allowed_follows_from_what_is_not_refused() -> None:
    seven, thirty, refused = (
        normal(tree)
        for text in (
            "The agent may lend book if the days is 7.",
            "The agent may lend book if the days is 30.",
            f"{_LEND}the days is more than 28.",
        )
        for tree in library().read(text)
    )
    assert follows(seven, refused)
    assert not follows(thirty, refused)
