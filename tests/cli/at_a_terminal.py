"""A terminal for commands that ask the person at it, and a person who types what it shows."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from workbench.cli import person


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, *, agrees: bool = True) -> Generator[list[str]]:
    """A terminal at which a person types the word that is shown, or another one; yields what was shown."""
    master, slave = os.openpty()
    monkeypatch.setattr(person, "TERMINAL", Path(os.ttyname(slave)))
    monkeypatch.setattr(person, "PROCESSES", Path("/nowhere"))
    shown: list[str] = []

    def answer() -> None:
        with suppress(OSError):  # nobody was asked before the terminal was closed
            _answer(master, shown, agrees=agrees)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        os.close(slave)


def _answer(master: int, shown: list[str], *, agrees: bool) -> None:
    text = ""
    while not (found := re.search(r"Type (\w+) to agree: ", text)):
        text += os.read(master, 1000).decode()
    shown.append(text)
    os.write(master, f"{found[1] if agrees else 'y'}\n".encode())
