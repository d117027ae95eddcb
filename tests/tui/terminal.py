"""The workbench in a real terminal, with its screen as text."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pyte

ROOT = Path(__file__).resolve().parents[2]
WITH_PROVER = """
import sys
from workbench.cli import main
sys.exit(main())
"""
WITHOUT_PROVER = """
import sys
from workbench.app.proof import Proving
Proving.prover = lambda self: None
from workbench.cli import main
sys.exit(main())
"""
KEYS = {
    "Enter": "\r", "Backspace": "\x7f", "Esc": "\x1b", "Tab": "\t", "Down": "\x1b[B", "Up": "\x1b[A",
    "Left": "\x1b[D", "Right": "\x1b[C",
    "Home": "\x1b[H", "End": "\x1b[F", "Delete": "\x1b[3~", "Alt+T": "\x1bt", "Alt+S": "\x1bs",
    "Ctrl+Z": "\x1a", "Ctrl+Y": "\x19", "Ctrl+P": "\x10", "Ctrl+Q": "\x11",
    "F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~",
    "F7": "\x1b[18~", "F8": "\x1b[19~", "F9": "\x1b[20~",
}  # fmt: skip
"""The codes that a terminal sends for keys, by their names in the texts; other texts are sent unchanged."""
BEGIN, END, ASKED = "\x1b[?2026h", "\x1b[?2026l", "\x1b[?2026$p"
"""The codes around each picture (synchronised output), and the question whether the terminal knows them."""
LONGEST = 60.0
"""The number of seconds that a process may draw nothing while something is awaited from it."""


class Terminal:
    """A process in a terminal of its own, and the screen that it has drawn so far."""

    def __init__(
        self,
        code: str,
        *words: str,
        size: tuple[int, int] = (120, 40),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Run Python code with these arguments in a terminal of ``size`` columns and lines."""
        self.screen = pyte.Screen(*size)
        self._stream = pyte.Stream(self.screen)
        self.sent = ""
        self._told = False
        self.process: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-c", code, *words],
            cwd=str(ROOT),
            env={
                "PATH": "/usr/bin:/bin",
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
                "TEXTUAL_ANIMATIONS": "none",
                "WORKBENCH_STATE_DIR": os.environ.get("WORKBENCH_STATE_DIR", ""),
                **(environment or {}),
            },
            dimensions=(size[1], size[0]),
            encoding="utf-8",
            codec_errors="replace",
        )

    @property
    def text(self) -> str:
        """The text of the screen, line by line."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size, as a person does by dragging its corner."""
        self.screen.resize(lines, columns)
        self.process.setwinsize(lines, columns)  # pyright: ignore[reportUnknownMemberType] - pexpect has no types

    def press(self, *keys: str) -> None:
        """Press keys by their names in the texts, or type a text."""
        for key in keys:
            self.process.send(KEYS.get(key, key))

    @property
    def whole(self) -> bool:
        """Whether the screen is a complete picture, not a partly drawn one."""
        return self.sent.rfind(BEGIN) <= self.sent.rfind(END)

    def until(self, *texts: str, gone: str = "") -> None:
        """Wait until the screen shows all of these texts, and no longer the text ``gone``."""
        self.wait(lambda: all(text in self.text for text in texts) and not (gone and gone in self.text))

    def wait(self, holds: Callable[[], bool]) -> None:
        """Read the output until something holds of a complete picture."""
        while not (self.whole and holds()):
            try:
                self.take(LONGEST)
            except (pexpect.EOF, pexpect.TIMEOUT) as error:
                raise AssertionError(f"{type(error).__name__}; the screen shows:\n{self.text}") from None

    def take(self, longest: float) -> None:
        """Draw the next output of the process. Raises pexpect's error if there is none."""
        sent = self.process.read_nonblocking(65536, longest)
        self.sent += sent
        if ASKED in self.sent and not self._told:
            self._told = True
            self.process.send("\x1b[?2026;2$y")
        self._stream.feed(sent)

    def ended(self) -> int | None:
        """The exit code of the process after it ended by itself, else None."""
        try:
            while True:
                self.take(LONGEST)
        except pexpect.EOF:
            self.process.close()
        return self.process.exitstatus

    def kill(self) -> None:
        """End the process as a power failure would."""
        self.process.kill(signal.SIGKILL)
        self.process.close(force=True)
