"""The recordings of real agents that some tests read, which are not part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _folder() -> Path:
    """The folder that WORKBENCH_DATA names, else ``shared/data`` beside the checkout or above it."""
    named = os.environ.get("WORKBENCH_DATA")
    above = (parent / "shared" / "data" for parent in Path(__file__).resolve().parents)
    return Path(named) if named else next((path for path in above if path.is_dir()), Path("no recordings"))


DATA = _folder()
AIRLINE = DATA / "tau_airline"
needs_airline = pytest.mark.skipif(not AIRLINE.exists(), reason="the airline's recordings are not here")
