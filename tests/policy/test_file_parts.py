"""The parts of a policy file: kinds, names, lines, and which comments belong to a part."""

from __future__ import annotations

import pytest

from workbench.policy.file_parts import PartKind, file_parts
from workbench.policy.problems import PolicyError

POLICY = '''"""What may be paid."""

from nagini_contracts.contracts import Ensures, Result

# The highest amount,
# in euros.
MOST = 100
LIMITS = {"a": 1}

# Apart from the rule.

def forbid_large(call: Pay) -> bool:
    return call.amount > MOST
    # The end of the rule.
# What may be done.
def contract_pay(call: Pay) -> None:
    """R1."""
    # R1: No large payment.
    Ensures(
        call.amount <= MOST
    )
'''


def test_parts_have_kinds_names_and_lines() -> None:
    parts = [(part.kind, part.name, part.first, part.line, part.last) for part in file_parts(POLICY)]
    assert parts == [
        (PartKind.EXPRESSION, "", 1, 1, 1),
        (PartKind.IMPORT, "nagini_contracts.contracts", 3, 3, 3),
        (PartKind.CONSTANT, "MOST", 5, 7, 7),
        (PartKind.TABLE, "LIMITS", 8, 8, 8),
        (PartKind.FUNCTION, "forbid_large", 12, 12, 13),
        (PartKind.FUNCTION, "contract_pay", 15, 16, 21),
    ]


def test_a_contract_has_its_clauses_with_their_comments() -> None:
    contract = file_parts(POLICY)[-1]
    assert [(part.kind, part.first, part.line, part.last) for part in contract.body] == [
        (PartKind.EXPRESSION, 17, 17, 17),
        (PartKind.EXPRESSION, 18, 19, 21),
    ]
    assert contract.body[1].text.startswith("    # R1: No large payment.\n    Ensures(")
    assert not any(part.body for part in file_parts(POLICY)[:-1])


@pytest.mark.parametrize("text", ["def allow(", "a = '\u200b'\n"])
def test_a_text_that_cannot_be_read_has_no_parts(text: str) -> None:
    with pytest.raises(PolicyError):
        file_parts(text)
