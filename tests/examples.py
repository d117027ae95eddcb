"""The number of examples that a test tries: a sixth, at least ten, or all if every run is wanted.

By default they are the same examples every time. ``WORKBENCH_EVERY_RUN=1`` tries all, and draws them anew.
"""

from __future__ import annotations

import os

EVERY = bool(os.environ.get("WORKBENCH_EVERY_RUN"))
LEAST = 10


def examples(every: int) -> int:
    """The number of examples to try; ``every`` is the number if every run is wanted."""
    return every if EVERY else min(every, max(LEAST, every // 6))
