"""The recordings of real agents that some tests read, which are not part of the repository.

``WORKBENCH_RECORDINGS`` names their folder; without it these tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("WORKBENCH_RECORDINGS", "no recordings"))
needs_recordings = pytest.mark.skipif(
    not DATA.is_dir(), reason="WORKBENCH_RECORDINGS names no folder of recordings"
)
AIRLINE = DATA / "tau_airline"
needs_airline = pytest.mark.skipif(not AIRLINE.exists(), reason="the airline's recordings are not here")
