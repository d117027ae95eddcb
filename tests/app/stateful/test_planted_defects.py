"""The state machines find defects that are put into the program on purpose, from seeds that nobody chose.

The seeds are numbered on from the first; from the first of them histories agree on the program as it is: see
``test_histories``. ``benchmarks/stateful.py`` measures the same from other seeds.
"""

from __future__ import annotations

from itertools import count

import pytest

from tests.app.stateful.planted_defects import LOST_ANSWERS, PLANTED
from tests.app.stateful.playing import FIRST, HISTORIES, played
from tests.examples import EVERY

DEFECTS = {**LOST_ANSWERS, **PLANTED}
WITHIN = 200
"""The most histories until a defect has to be found."""
SELDOM = frozenset({"refuted clauses good", "answers not witnessed", "skipped is answered"})
"""What takes dozens of histories to be found, and so is looked for only if every run is wanted."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DEFECTS if EVERY or name not in SELDOM])
def test_a_planted_defect_is_found(name: str) -> None:
    defect = DEFECTS[name]
    histories = HISTORIES[defect.machine.__name__]
    seeds = count(FIRST)
    tried, finding = 0, ""
    with pytest.MonkeyPatch.context() as patch:
        defect.plant(patch)
        while not finding and tried < WITHIN:
            run = played(defect.machine, min(histories, WITHIN - tried), first=next(seeds))
            tried, finding = tried + run.tally.histories, run.finding
    assert finding
