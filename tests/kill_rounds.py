"""Killing the screen in a terminal while someone types, and what is left then."""

from __future__ import annotations

import random
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pexpect

from workbench.session import Session

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "sessions" / "hospital-access"
WITHOUT_PROVER = """
import sys
from workbench.tui.live_session import LiveSession
LiveSession._warm_up = lambda self: None
from workbench.cli import main
sys.exit(main(["open", sys.argv[1]]))
"""
BETWEEN_KEYS = 0.03
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Killed:
    """What one round left.

    ``intact`` says that the policy, as reopened, is the one of before with a beginning of what was
    typed; ``lost`` is how many seconds before the kill the first lost key was typed, 0.0 if none is
    lost; ``said`` says that a kept text was announced where there is one.
    """

    after: float
    typed: int
    restored: int
    lost: float
    intact: bool
    said: bool


def killed_round(folder: Path, state: Path, seed: int, longest: float) -> Killed:
    """Type into the policy for a random time up to ``longest`` seconds, kill the screen, and reopen."""
    chance = random.Random(seed)
    session = folder / f"session-{seed}"
    shutil.copytree(SHIPPED, session, ignore=shutil.ignore_patterns(".workbench"))
    before = (session / "policy.py").read_text(encoding="utf-8")
    terminal = _opened(session, state)
    try:
        moment = chance.uniform(0.0, longest)
        keys, stamps, start = "", list[float](), time.monotonic()
        while time.monotonic() - start < moment:
            key = chance.choice(LETTERS)
            terminal.send(key)
            keys, stamps = keys + key, [*stamps, time.monotonic()]
            _drain(terminal, BETWEEN_KEYS)
        end = time.monotonic()
    finally:
        terminal.kill(signal.SIGKILL)
        terminal.close(force=True)
    with Session.open(session) as again:
        kept = again.buffers.get("policy.py")
        text = kept.text if kept is not None else again.policy
        said = kept is None or any("policy.py" in notice for notice in again.notices)
        writable = not again.read_only
    head = text.removesuffix(before)
    intact = writable and text.endswith(before) and ("#" + keys).startswith(head)
    restored = max(len(head) - 1, 0)
    lost = end - stamps[restored] if restored < len(stamps) else 0.0
    return Killed(end - start, len(keys), restored, lost, intact, said)


def _opened(session: Path, state: Path) -> pexpect.spawn[str]:
    """The screen on a session, with the keyboard in the policy behind a first ``#``."""
    (state / "screen.json").write_text('{"toured": true}', encoding="utf-8")
    terminal: pexpect.spawn[str] = pexpect.spawn(
        sys.executable,
        ["-c", WITHOUT_PROVER, str(session)],
        cwd=str(ROOT),
        env={
            "PATH": "/usr/bin:/bin",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "TEXTUAL_ANIMATIONS": "none",
            "WORKBENCH_STATE_DIR": str(state),
        },
        dimensions=(40, 120),
        encoding="utf-8",
        codec_errors="replace",
        timeout=120,
    )
    terminal.expect("45 passed")
    terminal.send("\r")
    kept = session / ".workbench" / "buffers" / "policy.py.json"
    policy = session / "policy.py"
    while True:  # until the text has the keyboard, what is typed goes nowhere
        terminal.send("#")
        for _ in range(40):
            _drain(terminal, 0.05)
            if kept.exists() or policy.read_text(encoding="utf-8").startswith("#"):
                return terminal


def _drain(terminal: pexpect.spawn[str], seconds: float) -> None:
    """Read what the screen draws for a while, so that it never waits for its reader."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        terminal.expect([pexpect.TIMEOUT, r"[\s\S]+"], timeout=left)
