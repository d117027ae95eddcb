"""The state machines find defects that are put into the program on purpose.

They are found from seeds whose histories agree on the program as it is: see ``test_histories``.
"""

from __future__ import annotations

import pytest

from tests.app.stateful.planted_defects import LOST_ANSWERS, PLANTED
from tests.app.stateful.playing import HISTORIES, SEEDS, played

DEFECTS = {**LOST_ANSWERS, **PLANTED}
TRIED_FIRST = {
    "answers not owed": 2,
    "answers not witnessed": 0,
    "failing cases good": 3,
    "nothing owed": 2,
    "open questions good": 2,
    "request not carried": 0,
    "skipped is answered": 2,
}
"""The seeds that found a defect soonest, so that the test is quick; the others are tried if one does not."""


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_found(name: str) -> None:
    defect = DEFECTS[name]
    seeds = sorted(SEEDS[defect.machine.__name__], key=lambda seed: seed != TRIED_FIRST.get(name, seed))
    with pytest.MonkeyPatch.context() as patch:
        defect.plant(patch)
        assert any(
            played(defect.machine, HISTORIES[defect.machine.__name__], first=seed).finding for seed in seeds
        )
