"""Waiting for what another process or thread brings about."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable

LONGEST = 250.0
"""Seconds after which a wait is a hang: less than a test may take, so that the wait says what it was for."""
PAUSE = 0.05


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; an AssertionError says what it is if the wait hangs."""
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end, f"in vain: {inspect.getsource(holds).strip()}"
        time.sleep(PAUSE)
