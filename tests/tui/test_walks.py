"""Walks typed in a real terminal: a question to its answer, and a denial over its rule to the proof."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.driving import SIZES
from tests.tui.terminal import WITH_PROVER, WITHOUT_PROVER, Terminal

EVERY = "WORKBENCH_EVERY_RUN" in os.environ


@pytest.mark.parametrize("size", SIZES if EVERY else SIZES[:1])
def test_from_a_question_and_from_a_denial_to_the_proof(
    size: tuple[int, int], asked_desk: Path, tmp_path: Path
) -> None:
    """At every size and with the verifier where every run is wanted, else on the smallest without it."""
    state = {"WORKBENCH_STATE_DIR": str(tmp_path / "state")}
    code = WITH_PROVER if EVERY else WITHOUT_PROVER
    terminal = Terminal(code, "open", str(asked_desk), size=size, environment=state)
    terminal.until("Which wins", "1 What is forbidden")
    terminal.press("1")  # from the start to the first answer, and its effect is in sight
    if size == (80, 24):  # the first digit shows the option whole
        terminal.until("press the digit again")
        terminal.press("1")
    terminal.until("Answered: What is forbidden")

    terminal.press("R")
    terminal.until("4 deny" if size != (80, 24) else "deny     0")
    if size != (80, 24):  # the causes come first if there is room for them
        terminal.press("Tab")
    terminal.press("g", *["Down"] * 4, "Enter")
    terminal.until("call 0 · 1 of", "fourth-refund", "No more than 3")
    terminal.press("Enter")  # from a denial to its rule
    terminal.until("R3 ▸", "def forbid_issue_refund")

    terminal.press("e")
    terminal.until("EDIT the rule forbid_issue_refund", "keep and leave")
    terminal.press("Down", "Down", "End", "Backspace", "4", "Esc")
    changed = "R3 rule changed" if size != (80, 24) else "? 2 more questions"  # which come first
    terminal.until(changed, "deny → allow", "more than 4")
    proved = "clauses proved" if EVERY else "in the preview"
    terminal.until(proved if size != (80, 24) else "1 case fail")
    terminal.press("q")
    assert terminal.ended() == 0
