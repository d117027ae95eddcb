"""How many examples a test tries: a third of all, at least twenty, or all where every run is wanted.

They are the same examples every time, which say again what they said before. ``WORKBENCH_EVERY_RUN=1`` tries
all, and draws them anew.
"""

from __future__ import annotations

import os

EVERY = bool(os.environ.get("WORKBENCH_EVERY_RUN"))
LEAST = 20


def examples(every: int) -> int:
    """How many examples are tried of the number that there are where every run is wanted."""
    return every if EVERY else min(every, max(LEAST, every // 3))
