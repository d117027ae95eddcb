"""The words that fit at the cursor of a policy, and where their list stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region, Size

from workbench.policy.check import check
from workbench.policy.completion_words import dialect_words, policy_words
from workbench.tui.completing import beside, completion, suggestion

POLICY = '''"""Who may read which column of the hospital's database."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["physician", "nursing", "general administration"]

READABLE = {
    "physician": {"allergy.drugname", "diagnosis.icd9code"},
    "nursing": {"allergy.drugname"},
    "general administration": {"cost.cost"},
}


def forbid_unreadable_column(role: Role, columns: frozenset[str]) -> bool:
    """R1, R2, R3: A role may read only the columns listed for it."""
    return any(column not in READABLE[role] for column in columns)


def forbid_too_many_rows(rows: int) -> bool:
    """R4: Nobody may read more than a hundred rows at once."""
    return rows > 100


def allow(role: Role, columns: frozenset[str], rows: int) -> bool:
    Requires(rows >= 0)
    # R2: Nurses may read allergies only.
    Ensures(Implies(role == "nursing" and "diagnosis.icd9code" in columns, not Result()))
    # R3: General administration may read costs only.
    Ensures(Implies(role == "general administration" and "allergy.drugname" in columns, not Result()))
    # R4: Nobody may read more than a hundred rows at once.
    Ensures(Implies(rows > 100, not Result()))
    return not (forbid_unreadable_column(role, columns) or forbid_too_many_rows(rows))
'''
TERMS = check(POLICY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    return ro", ["role", "rows"]),
        ("    Ens", ["Ensures"]),
        ("    return forbid_too", ["forbid_too_many_rows"]),
        ('    return role == "phy', ["physician"]),
        ("    return role.sta", [".startswith"]),
        ("    return READ", ["READABLE"]),
        ("    # a comment ro", []),
    ],
)
def test_what_fits_at_the_cursor_is_offered(text: str, expected: list[str]) -> None:
    found = completion(text, len(text), "", TERMS)
    assert [word.text for word in found.words][: len(expected)] == expected or (
        not expected and not found.words
    )
    assert not any(word.text in text.split() for word in found.words)


def test_nothing_is_offered_that_the_checker_refuses() -> None:
    names = {word.text for word in dialect_words()}
    assert {"any", "all", "len", "Implies", "Result", "Ensures", "Requires", ".startswith"} <= names
    assert not names & {"print", "open", "eval", "sorted", "map"}
    used = {word.text for word in policy_words(TERMS)}
    assert {"role", "columns", "rows", "READABLE", "allergy.drugname", "physician"} <= used


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    return ro", ["role", "rows"]),
        ("    return r", []),
        ("    return role", []),
        ("    return role.", [".startswith", ".endswith"]),
        ("    return rows.", []),
        ("    return READABLE.", [".get"]),
        ("    return rows > 1.", []),
        ("    return rows > 1e", []),
        ('    return role == "', ["general administration", "nursing", "physician"]),
        ('    return role == "physician" or role in {"nursing", "ph', ["physician"]),
        ('    return READABLE["', ["general administration", "nursing", "physician"]),
        ('    return role == "all', []),
        ('    return columns == "', []),
        ('    return column == "', []),
        ('    return column == "allergy.drugn', ["allergy.drugname"]),
        ('    "nursing', []),
        ("    # ro", []),
        ("def forbid_", []),
        ("    return any(ro for ro", []),
        ("    ret", ["return"]),
    ],
)
def test_unasked_only_what_begins_like_the_word_is_offered(text: str, expected: list[str]) -> None:
    found = suggestion(text, len(text), "", TERMS, "def forbid_x(role: Role) -> bool:")
    assert [word.text for word in found.words] == expected


def test_nothing_is_offered_in_the_middle_of_a_word_or_of_a_long_string() -> None:
    assert not suggestion("    return role", len("    return ro"), "", TERMS).words
    assert not suggestion("    of ro", 9, '"""', TERMS).words


@given(st.integers(-2, 30), st.integers(-5, 90), st.integers(1, 20), st.integers(1, 60), st.data())
def test_a_list_stands_in_its_room_and_never_on_the_line_of_its_word(
    row: int, column: int, width: int, height: int, data: st.DataObject
) -> None:
    room = Size(data.draw(st.integers(0, 80)), data.draw(st.integers(0, 25)))
    region = beside(row, column, Size(width, height), room)
    if region is None:
        assert row not in range(room.height) or room.height == 1 or room.width < min(width, 8)
    else:
        assert Region(0, 0, *room).contains_region(region)
        assert row not in region.line_range or region.height == 0
        assert region.bottom == row or region.y == row + 1
