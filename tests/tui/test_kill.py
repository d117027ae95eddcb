"""A killed screen: the session opens again, holds all that was shown as done, and says what it kept.

``benchmarks/kill_screen.py`` does it at fifty moments and measures how much is lost.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.kill_rounds import ACTS, killed_round

MOMENTS = (2, 6, 7, len(ACTS) - 1)
"""During an answer, a new case, an edit of the memory, and typing after all of them."""


@pytest.mark.parametrize("act", MOMENTS, ids=[ACTS[act].name for act in MOMENTS])
def test_a_kill_in_the_middle_of_work_leaves_all_that_was_shown_as_done(act: int, tmp_path: Path) -> None:
    found = killed_round(tmp_path, seed=act, longest=1.0, act=act)
    assert found.act == ACTS[act].name
    assert found.intact
    assert found.said
