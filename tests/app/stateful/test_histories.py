"""Random histories of a session decide what was said, and the histories on which that failed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.app.stateful.desks import DESKS
from tests.app.stateful.machine import MACHINES, Machine
from tests.app.stateful.moment import Disagreement
from tests.app.stateful.player import Player
from tests.app.stateful.playing import HISTORIES, SEEDS, played
from tests.app.stateful.said import DeskSentence
from tests.examples import EVERY
from workbench.app import owed
from workbench.app.owed import Owed
from workbench.app.report import Report
from workbench.app.results import Understanding
from workbench.app.session_state import SessionState

DESK = DESKS[0]
CAREFUL, LARGE = (next(s for s in DESK.sentences if word in s.text) for word in ("careful", "Large"))
GUESTS, CLERKS, BOSS = DESK.sentences[:3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "first"),
    [(machine, first) for machine in MACHINES for first in SEEDS[machine.__name__]],
)
def test_random_histories_decide_what_was_said(machine: type[Machine], first: int) -> None:
    for seed in range(first, first + (EVERY * 100 + 1), 20):
        histories = HISTORIES[machine.__name__]
        run = played(machine, histories, first=seed, shrink=True)
        assert not run.finding
        assert run.tally.histories >= histories
        assert run.tally.good * 20 > run.tally.judged  # else nothing is said of a session that is good


def _optional_flag(player: Player) -> None:
    """The rule of an answer is refused once the argument that it reads is optional."""
    player.answer(CAREFUL, CAREFUL.answers[0])
    player.agent(optional=True, note="", how="outside")
    player.reopen()
    player.draft()


def _request_in_another_program(player: Player) -> None:
    """The request is edited in an editor, and the session is opened without a draft."""
    player.request((GUESTS, CLERKS), "outside")
    player.reopen()


def _request_not_carried(player: Player) -> None:
    """The request is edited while the policy cannot follow."""
    player.request((GUESTS, BOSS), "not carried")


def _edit_under_an_act(player: Player) -> None:
    """Another program edits the request, and an act of the application takes it over unread."""
    player.request((GUESTS, CLERKS), "outside")
    player.draft()


def _damaged_answer(player: Player) -> None:
    """A newer program refuses the text of a stored answer."""
    player.answer(CAREFUL, CAREFUL.answers[0])
    player.damage_answers()
    player.reopen()
    player.draft()


def _damaged_answer_under_an_act(player: Player) -> None:
    """An act takes over a damaged answer, and another answer is given after it."""
    player.request((CAREFUL, LARGE), "carried")
    player.answer(CAREFUL, CAREFUL.answers[0])
    player.answer(LARGE, LARGE.answers[2])
    player.damage_answers()
    player.request((CAREFUL, LARGE, GUESTS), "carried")
    player.answer(LARGE, LARGE.answers[1])


def _agent_file_without_meaning(player: Player) -> None:
    """A draft over an agent file whose extraction is none says that it cannot be read."""
    player.spoil_agent("no method")
    player.reopen()
    player.draft()


LOST_ONCE: tuple[tuple[tuple[DeskSentence, ...], Callable[[Player], None]], ...] = (
    ((CAREFUL,), _optional_flag),
    ((GUESTS,), _request_in_another_program),
    ((GUESTS,), _request_not_carried),
    ((GUESTS,), _edit_under_an_act),
    ((CAREFUL,), _damaged_answer),
    ((CAREFUL,), _damaged_answer_under_an_act),
    ((GUESTS,), _agent_file_without_meaning),
)


@pytest.mark.parametrize(("sentences", "history"), LOST_ONCE, ids=[h.__name__ for _, h in LOST_ONCE])
def test_a_history_that_once_lost_what_was_said(
    tmp_path: Path, sentences: tuple[DeskSentence, ...], history: Callable[[Player], None]
) -> None:
    player = Player(DESK, tmp_path / "session", sentences)
    player.judge()
    history(player)
    player.judge()
    player.close()


def test_the_judge_sees_a_call_that_is_allowed_against_what_was_said(tmp_path: Path) -> None:
    player = Player(DESK, tmp_path / "session", (GUESTS,))
    player.said = player.said.ruled("unknown to the session", lambda call: call.tool == "look")
    with pytest.raises(Disagreement, match="allowed"):
        player.judge()
    player.close()


def _settled(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Understanding, "settled", property(lambda _understanding: True))


def _page_of_nothing_missing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Report, "not_in_force", property(lambda _report: ()))


def _first_line_of_nothing_missing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SessionState, "not_in_force", property(lambda _state: ()))


def _evidence_of_nothing_owed(patch: pytest.MonkeyPatch) -> None:
    def nothing(_owed: Iterable[Owed]) -> tuple[Owed, ...]:
        return ()

    patch.setattr(owed, "not_in_force", nothing)


@pytest.mark.parametrize(
    ("plant", "match"),
    [
        (_settled, "questions are settled"),
        (_page_of_nothing_missing, "the page says otherwise"),
        (_first_line_of_nothing_missing, "the first line says otherwise"),
        (_evidence_of_nothing_owed, "'workbench evidence'"),
    ],
)
def test_another_part_that_is_good_where_the_check_is_not_is_seen(
    tmp_path: Path, plant: Callable[[pytest.MonkeyPatch], None], match: str
) -> None:
    player = Player(DESK, tmp_path / "session", (LARGE,))
    player.answer(LARGE, LARGE.answers[0])
    player.widen_all("inside")
    player.consult()
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        with pytest.raises(Disagreement, match=match):
            player.consult()
    player.close()
