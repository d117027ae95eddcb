"""Walks through Runs and Memory in a real terminal at three sizes: arriving and turned calls are in sight."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.accepting import asking
from tests.tui.driving import SIZES
from tests.tui.terminal import ROOT, WITHOUT_PROVER, Terminal


def copied(name: str, tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    session = tmp_path / name
    shutil.copytree(ROOT / "sessions" / name, session, ignore=shutil.ignore_patterns(".workbench"))
    return session


def opened(tmp_path: Path, *words: str) -> Terminal:
    """The workbench in a terminal, without remembered state."""
    return Terminal(WITHOUT_PROVER, *words, environment={"WORKBENCH_STATE_DIR": str(tmp_path / "state")})


def test_a_denial_arrives_in_a_log_that_is_followed(tmp_path: Path) -> None:
    session = copied("travel-desk", tmp_path)
    recorded = (session / "logs" / "conferences-0320.jsonl").read_text(encoding="utf-8")
    lines = recorded.replace("conferences-0320", "live").splitlines(keepends=True)
    log = tmp_path / "live.jsonl"
    log.write_text("".join(lines[:6]), encoding="utf-8")
    terminal = opened(tmp_path, "open", str(session), "--follow", str(log))
    terminal.until("Why denied", "Following live.jsonl")
    at = 6
    for (columns, rows), call in zip(SIZES, (11, 14, 28), strict=True):
        terminal.resize(columns, rows)
        end = next(at for at, line in enumerate(lines) if f'"call": {call},' in line) + 1
        with log.open("a", encoding="utf-8") as growing:
            growing.write("".join(lines[at:end]))
        at = end
        # the denied call is chosen and shown with its decision, without a key
        terminal.until(f"deny    {call}")
        if columns > 100:  # if there is room for the run, the log's text of the call is in sight too
            terminal.until(f"call {call} · {call + 1} of {call + 1}", '{"')
    terminal.press("Ctrl+Q")
    assert terminal.ended() == 0


def test_a_demonstration_turns_decisions(tmp_path: Path) -> None:
    session = copied("web-shopping", tmp_path)
    spec = session / "agent.toml"
    text = spec.read_text(encoding="utf-8")
    taught = '[readings.action.extract]\nmethod = "nearest"\nmemory = true\n\n'
    pattern = r"\[readings\.action\.extract\].*?\n(?=\[readings\.(?!action\.))"
    (session / "accepted.toml").unlink()  # another extraction is a widening, which is not looked at here
    spec.write_text(re.sub(pattern, taught, text, count=1, flags=re.DOTALL), encoding="utf-8")
    terminal = opened(tmp_path, "open", str(session))
    terminal.until("7 clauses")
    terminal.press("M")
    for columns, rows in SIZES:
        terminal.resize(columns, rows)
        # a change is counted against the decisions before it, so they have to be there
        terminal.until("Demonstrations", "hotel-at-17", "31 cannot", "retrieved by 51 calls")
        # switched off, it teaches no more: decisions turn and are counted, and others are retrieved
        terminal.press("d")
        terminal.until("Demonstration hotel-at-17 off  2 calls cannot → deny", "retrieved by 0 calls")
        if columns > 150:
            terminal.until("calls retrieve differently")
        terminal.press("u")
        terminal.until("Undone", "2 calls deny → cannot")
    terminal.press("Ctrl+Q")
    assert terminal.ended() == 0


def test_an_agent_is_watched_and_what_the_policy_asks_is_answered(tmp_path: Path) -> None:
    session = asking(copied("travel-desk", tmp_path))
    examples = "examples/live/"
    terminal = opened(
        tmp_path, "live", str(session), "--task", "changed-account", "--watch", "--ask",
        *("--agent", f"{examples}scripted_agent.py:act", "--world", f"{examples}travel_desk.py:TravelDesk"),
        *("--log", str(tmp_path / "live.jsonl")),
    )  # fmt: skip
    terminal.until("? May this call run?", "1 let it run")
    terminal.press("2")
    terminal.until("1 of 1 attacks stopped", "6 of 6")
    terminal.press("Ctrl+Q")
    assert terminal.ended() == 0
