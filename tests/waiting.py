"""Waiting for the effect of another process or thread."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable

LONGEST = 250.0
"""Seconds after which a wait counts as hanging: less than the limit of a test, so that the error names it."""
PAUSE = 0.05


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; if the wait hangs, an AssertionError names the condition."""
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end, f"in vain: {inspect.getsource(holds).strip()}"
        time.sleep(PAUSE)
