"""The first run in a real terminal: every stop of the tour is reached, and its keys do what it says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.tui.terminal import ROOT, WITHOUT_PROVER, Terminal
from workbench.tui.widgets.tour import STEPS

SHIPPED = ROOT / "sessions" / "hospital-access"
TRIED: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Proof": (("m", "The contract refuses", "Alt+T"),),
    "Replay": (
        ("d", "is:deny", "Alt+T"),
        ("/", "Alt+T goes on with the tour", "Alt+T"),
        ("w", " Denied by", "Alt+T"),
    ),
    "That is all": (
        ("F1", "Help: Policy", "Esc"),
        ("Ctrl+P", "Search for commands", "Esc"),
        ("F9", "Enter ends the tour", "F9"),
    ),
}
"""For the stops that name keys: each key, what must be drawn then, and the key that leads back."""
KEY = re.compile(r"\b(?:Ctrl\+[A-Z]|F[0-9]+)\b|(?<!\S)(?:[a-z]|/)(?= (?:asks|shows|filters|explains)\b)")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    copy = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, copy, ignore=shutil.ignore_patterns(".workbench"))
    return copy


def test_the_keys_that_are_tried_are_those_that_the_tour_names() -> None:
    for step in STEPS:
        named = KEY.findall(step.text)
        if step.name != "Questions":  # Ctrl+Z takes an answer back; the shipped session has no open question
            assert named == [key for key, *_ in TRIED.get(step.name, ())], step.name


def opened(session: Path, state: Path, size: tuple[int, int] = (120, 40)) -> Terminal:
    """The screen on a session, once its first work is done."""
    environment = {"WORKBENCH_STATE_DIR": str(state)}
    terminal = Terminal(WITHOUT_PROVER, "open", str(session), size=size, environment=environment)
    terminal.until("✓ test", "✓ replay")
    return terminal


def toured(state: Path) -> bool:
    """Whether the screen remembers that the tour was seen."""
    return bool(json.loads((state / "screen.json").read_text()).get("toured"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_first_run_goes_through_the_whole_tour_by_the_keys_that_it_names(
    session: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    state = tmp_path / "state"
    before = (session / "policy.py").read_bytes()
    terminal = opened(session, state, size)
    for number, step in enumerate(STEPS, 1):
        here = (f"Tour {number} of {len(STEPS)}: {step.name}", " ".join(step.text.split()[:4]))
        terminal.until(*here, "Enter ends the tour" if step is STEPS[-1] else "Enter next")
        for key, text, back in TRIED.get(step.name, ()):
            terminal.press(key)
            terminal.until(text)
            terminal.press(back)
            terminal.until(*here, "Enter ")
        assert not toured(state)
        terminal.press("Enter")
    terminal.until(gone="Tour")
    assert toured(state)
    terminal.press("Ctrl+Q")
    assert terminal.ended() == 0
    assert (session / "policy.py").read_bytes() == before


def test_one_goes_back_in_the_tour_and_escape_ends_it_for_good(session: Path, tmp_path: Path) -> None:
    terminal = opened(session, tmp_path)
    terminal.until("Tour 1 of 7")
    terminal.press("Enter", "Enter", "Backspace")
    terminal.until("Tour 2 of 7")
    terminal.press("Esc")
    terminal.until(gone="Tour")
    terminal.press("Ctrl+Q")
    assert terminal.ended() == 0
    again = opened(session, tmp_path)
    again.press("Ctrl+Q")
    assert again.ended() == 0
    assert "Tour" not in again.sent
