"""A killed screen: the session opens again, holds a beginning of what was typed, and says so.

``benchmarks/kill_screen.py`` does it at fifty moments and measures how much is lost.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kill_rounds import killed_round


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_kill_at_any_moment_leaves_a_session_that_opens_and_says_what_it_kept(
    seed: int, tmp_path: Path
) -> None:
    found = killed_round(tmp_path, tmp_path, seed, longest=1.5)
    assert found.intact
    assert found.said
