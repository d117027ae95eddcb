"""The state machines find defects that are put into the program on purpose.

They are found from seeds whose histories agree on the program as it is: see ``test_histories``.
"""

from __future__ import annotations

import pytest

from tests.app.stateful.planted_defects import LOST_ANSWERS, PLANTED
from tests.app.stateful.playing import HISTORIES, SEEDS, played

DEFECTS = {**LOST_ANSWERS, **PLANTED}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_found(name: str) -> None:
    defect = DEFECTS[name]
    with pytest.MonkeyPatch.context() as patch:
        defect.plant(patch)
        assert any(
            played(defect.machine, HISTORIES, first=seed).finding for seed in SEEDS[defect.machine.__name__]
        )
