"""The state machine finds defects that are put into the program on purpose."""

from __future__ import annotations

import pytest

from tests.app.stateful.machine import SessionMachine
from tests.app.stateful.planted_defects import PLANTED
from tests.app.stateful.playing import played

HISTORIES = 40


@pytest.mark.slow
def test_nine_of_ten_planted_defects_are_found() -> None:
    missed: list[str] = []
    for name, defect in PLANTED.items():
        with pytest.MonkeyPatch.context() as patch:
            defect.plant(patch)
            if not played(SessionMachine, HISTORIES, first=2).finding:
                missed.append(name)
    assert len(missed) * 10 <= len(PLANTED), missed
