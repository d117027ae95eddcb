"""Random histories of a session with a policy of calls decide what was said, and find planted defects."""

from __future__ import annotations

from itertools import count

import pytest

from tests.app.stateful.playing import FIRST, played
from tests.app.stateful.recorded_machine import RecordedMachine
from tests.app.stateful.written_defects import WRITTEN_DEFECTS
from tests.app.stateful.written_desk import EDITED, SAYINGS, SENTENCES, Form
from tests.app.stateful.written_machine import WrittenMachine
from tests.examples import EVERY, examples
from workbench.app.authorship import Authorship

STEPS = 10
HISTORIES = examples(96)
WITHIN = 60
"""The most histories until a defect has to be found."""
IN_EVERY_RUN = frozenset(
    {"a kept sentence is a rule without a clause", "an answer is stored and changes no rule"}
)


@pytest.mark.slow
def test_random_histories_of_sentences_decide_what_was_said() -> None:
    for first in range(FIRST, FIRST + (EVERY * 100 + 1), 20):
        run = played(WrittenMachine, HISTORIES, first, shrink=EVERY, steps=STEPS)
        assert not run.finding
        assert run.tally.histories >= HISTORIES
        assert run.tally.good * 20 > run.tally.judged  # else nothing is said of a session that is good


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WRITTEN_DEFECTS if EVERY or name in IN_EVERY_RUN])
def test_a_planted_defect_of_a_policy_of_calls_is_found(name: str) -> None:
    seeds, tried, finding = count(FIRST), 0, ""
    with pytest.MonkeyPatch.context() as patch:
        WRITTEN_DEFECTS[name](patch)
        while not finding and tried < WITHIN:
            run = played(WrittenMachine, 6, next(seeds), steps=STEPS)
            tried, finding = tried + run.tally.histories, run.finding
    assert finding


@pytest.mark.slow
def test_random_histories_of_a_recorded_draft_allow_nothing_that_an_answer_forbids() -> None:
    run = played(RecordedMachine, examples(60), FIRST, shrink=EVERY, steps=8)
    assert not run.finding
    assert run.tally.good * 20 > run.tally.judged


@pytest.mark.slow
def test_an_answer_of_which_the_recorded_draft_knows_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(*_: object) -> frozenset[str]:
        return frozenset()

    monkeypatch.setattr(Authorship, "untold", nothing)
    assert played(RecordedMachine, examples(60), FIRST, steps=8).finding


def test_each_sentence_with_a_bound_has_its_other_side() -> None:
    bounded = [one for one in SAYINGS.values() if one.flipped]
    assert all(SAYINGS[one.flipped].flipped == one.text for one in bounded)
    assert {one.form for one in bounded} == set(Form)
    assert EDITED.keys() <= SENTENCES.keys()
