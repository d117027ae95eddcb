"""How many examples a test tries: a third of all, at least twenty, or all where every run is wanted.

Where ``CI`` is set the examples are the same every time, so that most of them say again what they said
before; elsewhere they are drawn anew. ``WORKBENCH_EVERY_RUN=1`` tries them all.
"""

from __future__ import annotations

import os

EVERY = bool(os.environ.get("WORKBENCH_EVERY_RUN"))
LEAST = 20


def examples(every: int) -> int:
    """How many examples are tried of the number that there are where every run is wanted."""
    return every if EVERY else min(every, max(LEAST, every // 3))
