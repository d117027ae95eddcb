"""A bound of time and memory around what a test does with hostile input in its own process."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

SECONDS = 20
MEMORY = 1 << 30


@contextmanager
def bounded(seconds: float = SECONDS, memory: int = MEMORY) -> Generator[None]:
    """End what is inside with an error where it takes more.

    The time is processor time of this process, so that a busy machine changes nothing. The memory is what the
    process maps in addition, used or not: beyond it, Python raises MemoryError. Processes that are started
    inside may map no more than this one. Where the system does not tell what is mapped (outside Linux), only
    the time is bounded.
    """

    def end(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"it takes more than {seconds} seconds of processor time")

    limits = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + memory, limits[1]))
    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)
