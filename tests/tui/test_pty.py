"""The screen in a real terminal, typed by a person: the first minute, a killed screen, hostile text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.examples import EVERY
from tests.tui.driving import SIZES
from tests.tui.terminal import ROOT, WITHOUT_PROVER, Terminal
from workbench.session import Session

HOSTILE = "[@click=app.quit]x[/] [/x] \x1b]52;c;cHduZWQ=\x07 \x1b[2J \x9b31m \u202e "


@pytest.mark.parametrize("size", SIZES if EVERY else SIZES[:1])
def test_the_first_minute_in_a_terminal(size: tuple[int, int], tmp_path: Path) -> None:
    """On the smallest, which goes the whole way, and at every size where every run is wanted."""
    folders = {"WORKBENCH_DATA_DIR": str(tmp_path / "data"), "WORKBENCH_STATE_DIR": str(tmp_path / "state")}
    terminal = Terminal(WITHOUT_PROVER, "tour", size=size, environment=folders)
    terminal.until("1 of 4", "99 allow")
    terminal.press("R")
    terminal.until("Calls 121", "pay_invoice")
    terminal.press(*[] if size == (80, 24) else ["Tab"], *["Down"] * 11)
    terminal.until("2 of 4", "call 11")
    if size != (80, 24):  # one size goes through all steps
        terminal.press("Ctrl+Q")
        assert terminal.ended() == 0
        return
    terminal.press("Enter")
    terminal.until("CC-202", "R6 Every line of an invoice")
    terminal.press("Enter")
    terminal.until("def forbid_wrong_lines")
    terminal.press("e")
    terminal.until("EDIT the rule forbid_wrong_lines")
    rule = (ROOT / "sessions" / "travel-desk" / "policy.py").read_text(encoding="utf-8")
    rule = rule.partition("def forbid_wrong_lines")[2].partition("\n\n\n")[0]
    terminal.press(*["Down"] * 20, *["Left"] * len("0" + rule.partition("<= 0")[2]), "1", "Esc")
    terminal.until("3 of 4", "rule changed", "refuted")
    terminal.press("n")
    terminal.until("4 of 4")
    terminal.press("u")
    terminal.until("That is all", "Undone")
    terminal.press("q")
    assert terminal.ended() == 0
    assert (tmp_path / "data" / "sessions" / "travel-desk" / "session.toml").is_file()


def test_a_killed_screen_loses_nothing_that_was_shown(tmp_path: Path) -> None:
    session = tmp_path / "desk"
    shutil.copytree(ROOT / "sessions" / "travel-desk", session, ignore=shutil.ignore_patterns(".workbench"))
    state = {"WORKBENCH_STATE_DIR": str(tmp_path / "state")}
    terminal = Terminal(WITHOUT_PROVER, "open", str(session), environment=state)
    terminal.until("cases ✓")
    terminal.press("P")
    terminal.until("policy.py")
    terminal.press("e")
    terminal.until("EDIT ")
    terminal.press("#")
    buffer = session / ".workbench" / "buffers" / "policy.py.json"
    terminal.wait(buffer.exists)
    terminal.kill()
    with Session.open(session) as again:
        assert not again.read_only
        assert again.written == (ROOT / "sessions" / "travel-desk" / "policy.py").read_text(encoding="utf-8")
        typed = again.buffers["policy.py"].text
        assert typed.count("#") == again.written.count("#") + 1
    terminal = Terminal(WITHOUT_PROVER, "open", str(session), environment=state)
    terminal.until("Unsaved edits were kept")
    terminal.press("Ctrl+Q")
    assert terminal.ended() == 0


def test_hostile_text_reaches_no_terminal(tmp_path: Path) -> None:
    session = tmp_path / "desk"
    shutil.copytree(
        ROOT / "sessions" / "hospital-access", session, ignore=shutil.ignore_patterns(".workbench")
    )
    with (session / "request.md").open("a", encoding="utf-8") as request:
        request.write(f"\nNobody may see the {HOSTILE} table.\n")
    with Session.open(session) as opened:
        hostile = f"\n# {HOSTILE.encode('unicode_escape').decode()}\n"
        opened.set_text("policy.py", opened.written + hostile, f"Edit {HOSTILE}")
    terminal = Terminal(
        WITHOUT_PROVER, "open", str(session), environment={"WORKBENCH_STATE_DIR": str(tmp_path)}
    )
    terminal.until("63 calls", "1 question")
    terminal.press("P")
    terminal.until("policy.py")
    terminal.press("E")
    terminal.until("Edit [@click")
    terminal.press(":")
    terminal.until("type to find")
    terminal.press("Esc")
    terminal.until("Edit [@click", gone="type to find")
    terminal.press("q")
    assert terminal.ended() == 0
    for raw in ("\x1b]52;c;cHduZWQ", "\x9b31m", "\u202e", "\x1b[2J \x9b"):
        assert raw not in terminal.sent


def test_an_edit_from_outside_is_announced_and_a_second_window_takes_over(
    asked_desk: Path, tmp_path: Path
) -> None:
    state = {"WORKBENCH_STATE_DIR": str(tmp_path / "state")}
    first = Terminal(WITHOUT_PROVER, "open", str(asked_desk), size=(80, 24), environment=state)
    first.until("Which wins")
    second = Terminal(WITHOUT_PROVER, "open", str(asked_desk), environment=state)
    second.until("read-only")
    policy = asked_desk / "policy.py"
    text = policy.read_text(encoding="utf-8")
    # an edit by another program is shown with its effect; put away, the session stays as it was
    policy.write_text(text.replace("refunds_today > 3", "refunds_today > 5"), encoding="utf-8")
    first.until("Changed outside: policy.py", "y takes it over", "refunds_today > 5")
    first.press("Esc")
    first.until("Which wins", gone="Changed outside")
    # if kept, it is a change like any other
    policy.write_text(text.replace("refunds_today > 3", "refunds_today > 6"), encoding="utf-8")
    first.until("Changed outside: policy.py", "refunds_today > 6")
    first.press("y")
    first.until("deny → allow", "u undo")
    second.until("Changed by the other window")
    first.press("q")
    assert first.ended() == 0
    second.until("The other window has ended: the session can be changed here", gone="read-only")
    second.press("u")
    second.until("Undone", "rule changed")
    assert policy.read_text(encoding="utf-8") == text
    second.press("q")
    assert second.ended() == 0
