"""Walks typed in a real terminal: an unread word to its rule, and a denial over its rule to the proof."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.driving import SIZES
from tests.tui.terminal import WITH_PROVER, WITHOUT_PROVER, Terminal

EVERY = "WORKBENCH_EVERY_RUN" in os.environ


@pytest.mark.parametrize("size", SIZES if EVERY else SIZES[:1])
def test_from_a_question_and_from_a_denial_to_the_proof(
    size: tuple[int, int], parcels: Path, tmp_path: Path
) -> None:
    """At every size and with the verifier where every run is wanted, else on the smallest without it."""
    state = {"WORKBENCH_STATE_DIR": str(tmp_path / "state")}
    code = WITH_PROVER if EVERY else WITHOUT_PROVER
    terminal = Terminal(code, "open", str(parcels), size=size, environment=state)
    terminal.until("amount = 40", "2 No, 40 is not included")
    terminal.press("2")  # from the start to the first answer, and its effect is in sight
    terminal.until("Answered: No", "amount > Decimal(")

    terminal.press("R")
    terminal.until("1 deny" if size != (80, 24) else "deny     5")
    if size != (80, 24):  # the causes come first if there is room for them
        terminal.press("Tab")
    terminal.press("g", *["Down"] * 5, "Enter")
    terminal.until("Run, call 5", "make a case", "70.00")
    terminal.press("Enter")  # from a denial to its rule
    terminal.until("R1 ▸ 2 of", "def forbid_pay_back_by_amount")

    terminal.press("e")
    terminal.until("EDIT the rule forbid_pay_back_by_amount", "keep and leave")
    terminal.press(*["Down"] * 8, "End", "Left", "Left", "Left", "Backspace", "Backspace", "90", "Esc")
    terminal.until("R1 rule changed", "deny → allow", 'Decimal("90")')
    proved = "clauses proved" if EVERY else "in the preview"
    terminal.until(proved if size != (80, 24) else "9 calls: 9 allow")
    terminal.press("q")
    assert terminal.ended() == 0
