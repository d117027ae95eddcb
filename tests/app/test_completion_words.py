"""The words that are possible at a place of a policy."""

from __future__ import annotations

import pytest

from tests.plain_policies import check
from workbench.app.completion_words import completions, dialect_words, policy_words

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
        ("    Ens", ["Ensures"]),
        ("    return forbid_too", ["forbid_too_many_rows"]),
        ("    return READ", ["READABLE"]),
        ('    return role == "phy', ["physician"]),
        ("    return role.sta", [".startswith"]),
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
def test_words_that_begin_as_what_is_typed_are_offered(text: str, expected: list[str]) -> None:
    lines = f"def forbid_x(role: Role) -> bool:\n{text}\n    return False\n"
    assert [word.text for word in completions(lines, 2, len(text), TERMS).words] == expected


def test_the_word_that_is_completed_begins_where_it_was_typed() -> None:
    assert completions("    return ro", 1, 13, TERMS).start == 11
    assert completions('    return role == "ph', 1, 22, TERMS).start == 20


def test_nothing_is_offered_in_the_middle_of_a_word_or_of_a_long_string() -> None:
    assert not completions("    return role", 1, len("    return ro"), TERMS).words
    assert not completions('"""\n    of ro', 2, 9, TERMS).words
    assert completions('"""A text."""\n    of ro', 2, 9, TERMS).words


def test_the_words_of_the_dialect_are_offered_without_a_checked_policy_and_after_its_last_line() -> None:
    assert [word.text for word in completions("Ens", 1, 3, None).words] == ["Ensures"]
    assert not completions("x = 1\n", 2, 0, None).words
    assert not completions("", 1, 0, None).words
