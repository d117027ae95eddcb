"""Copying: by OSC 52 to the terminal, wrapped for tmux and screen, and by the desktop's own tools."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

MOST_BYTES = 100_000
TMUX = ("tmux", "load-buffer", "-w", "-")
"""Loads into tmux's buffer and, whatever options tmux has for programs, into the terminal around it."""
TOOLS = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("", ("pbcopy",)),
    ("", ("clip.exe",)),
)


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """The sequence that asks the terminal to copy; empty if terminals would cut the text off.

    If ``set-clipboard`` is on, tmux takes the sequence itself. If ``allow-passthrough`` is on, tmux hands the
    wrapped one on. Both are written, because by default neither option is on.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > MOST_BYTES:
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    if environment.get("TMUX"):
        return f"{sequence}\x1bPtmux;\x1b{sequence}\x1b\\"
    if environment.get("TERM", "").startswith("screen"):
        return f"\x1bP{sequence}\x1b\\"
    return sequence


def desktop_copy(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Copy with tmux, and with the desktop's tool if there is one and this is no remote session."""
    copied = bool(environment.get("TMUX")) and _copied_by(TMUX, text)
    if environment.get("SSH_CONNECTION"):
        return copied
    for needed, command in TOOLS:
        if (not needed or environment.get(needed)) and _copied_by(command, text):
            return True
    return copied


def _copied_by(command: Sequence[str], text: str) -> bool:
    if shutil.which(command[0]) is None:
        return False
    try:
        subprocess.run(
            command, input=text.encode("utf-8", "replace"), capture_output=True, timeout=3, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return True
