"""What a model's calls do, on standard error, where a person watches."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from workbench.cli.output import clean

if TYPE_CHECKING:
    from workbench.author.openai.recording import CallProgress, Usage

_SHOWN = 60
_started: dict[str, float] = {}
_length: dict[str, int] = {}


def tell_call(progress: CallProgress) -> None:
    """Tell of one piece of a call: a line that grows while it runs, and what was used at its end."""
    if progress.replayed or not sys.stderr.isatty():
        return
    name = progress.purpose
    started = _started.setdefault(name, time.monotonic())
    _length[name] = _length.get(name, 0) + len(progress.text)
    if progress.done:
        _started.pop(name)
        sys.stderr.write(f"\r{clean(cost_line(name, time.monotonic() - started, progress.used))}\n")
        return
    sys.stderr.write(
        f"\r{clean(name)[:_SHOWN]}: {_length[name]} characters, {time.monotonic() - started:.0f} s"
    )
    sys.stderr.flush()


def cost_line(name: str, seconds: float, used: Usage) -> str:
    """One call that ended, with what the session used so far."""
    tokens, cost = used.prompt_tokens + used.reply_tokens, f", {used.money:.4f}" if used.money else ""
    return f"{name[:_SHOWN]}: {seconds:.0f} s; the session has used {tokens} tokens{cost}."
