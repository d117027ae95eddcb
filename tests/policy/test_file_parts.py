"""The parts of a policy file: kinds, names, lines, and which comments belong to a part."""

from __future__ import annotations

import pytest

from workbench.policy.file_parts import PartKind, file_parts
from workbench.policy.problems import PolicyError

POLICY = '''"""What may be paid."""

from dataclasses import dataclass
from nagini_contracts.contracts import Ensures, Result

# The highest amount,
# in euros.
MOST = 100
LIMITS = {"a": 1}

# Apart from the record.

@dataclass(frozen=True)
class Payment:
    amount: int


def forbid_large(amount: int) -> bool:
    return amount > MOST
    # The end of the rule.
# What may be done.
def allow(amount: int) -> bool:
    """R1."""
    # R1: No large payment.
    Ensures(
        amount <= MOST
    )
    return not forbid_large(amount)
'''


def test_parts_have_kinds_names_and_lines() -> None:
    parts = [(part.kind, part.name, part.first, part.line, part.last) for part in file_parts(POLICY)]
    assert parts == [
        (PartKind.EXPRESSION, "", 1, 1, 1),
        (PartKind.IMPORT, "dataclasses", 3, 3, 3),
        (PartKind.IMPORT, "nagini_contracts.contracts", 4, 4, 4),
        (PartKind.CONSTANT, "MOST", 6, 8, 8),
        (PartKind.TABLE, "LIMITS", 9, 9, 9),
        (PartKind.RECORD, "Payment", 13, 13, 15),
        (PartKind.FUNCTION, "forbid_large", 18, 18, 19),
        (PartKind.FUNCTION, "allow", 21, 22, 28),
    ]


def test_the_decision_has_its_clauses_with_their_comments() -> None:
    allow = file_parts(POLICY)[-1]
    assert [(part.kind, part.first, part.line, part.last) for part in allow.body] == [
        (PartKind.EXPRESSION, 23, 23, 23),
        (PartKind.EXPRESSION, 24, 25, 27),
        (PartKind.OTHER, 28, 28, 28),
    ]
    assert allow.body[1].text.startswith("    # R1: No large payment.\n    Ensures(")
    assert not any(part.body for part in file_parts(POLICY)[:-1])


@pytest.mark.parametrize("text", ["def allow(", "a = '\u200b'\n"])
def test_a_text_that_cannot_be_read_has_no_parts(text: str) -> None:
    with pytest.raises(PolicyError):
        file_parts(text)
