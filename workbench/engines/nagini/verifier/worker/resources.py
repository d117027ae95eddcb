"""Resources that this process uses: memory, and processor time with that of its solvers."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

_SELF = Path("/proc/self")


def resident_memory() -> int:
    """The resident set of this process in bytes; its maximum so far if the system only reports that."""
    statm = _SELF / "statm"
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def work_seconds() -> float:
    """Processor time of this process and of its children, in seconds.

    Running children count if the system reports their time (Linux), elsewhere only once they end.
    """
    process_times = os.times()
    return (
        process_times.user
        + process_times.system
        + process_times.children_user
        + process_times.children_system
        + _running_children()
    )


def _running_children() -> float:
    ticks = 0
    for listed in _SELF.glob("task/*/children"):
        with suppress(OSError, ValueError, IndexError):
            for child in listed.read_text().split():
                # After the name, which may contain any characters: the state, then numbers (see proc(5)).
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0
