"""The screen in a real terminal: it starts, takes keys, sends nothing raw, and leaves no process behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pexpect
import pytest

TESTS = Path(__file__).parent
START = """
from tests.old_screen.test_hostile import HostilePort
from tests.old_screen.screens import HOSTILE
from workbench.old_screen.app import WorkbenchApp
WorkbenchApp(HostilePort(HOSTILE)).run()
print("ended", flush=True)
"""


@pytest.fixture
def terminal() -> pexpect.spawn[str]:
    """A terminal of 120 by 40 cells with the hostile sample on the screen."""
    return pexpect.spawn(
        sys.executable,
        ["-c", START],
        cwd=str(TESTS.parent),
        env={
            "PATH": "/usr/bin:/bin",
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
            "LANG": "C.UTF-8",
        },
        dimensions=(40, 120),
        encoding="utf-8",
        codec_errors="replace",
        timeout=60,
    )


def test_the_screen_starts_takes_keys_sends_nothing_raw_and_ends(terminal: pexpect.spawn[str]) -> None:
    seen: list[str] = []

    def expect(text: str) -> None:
        terminal.expect(text)
        seen.append(f"{terminal.before}{terminal.after}")

    expect("Question")
    expect("cannot")
    expect("failed")
    terminal.send("\x1b[17~")
    expect("Filter")
    terminal.send("d")
    expect("is:deny")
    terminal.send("\x11")
    expect("ended")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    sent = "".join(seen)
    assert "\x1b]52" not in sent
    assert "\x1b]8;" not in sent
    assert "\x1b[2J\x1b]8" not in sent
    assert "\u202e" not in sent
    assert "\x9b" not in sent
    assert "␛]52;c;cHduZWQ=␇" in sent
