"""Random histories of a session with a policy of calls decide what was said, and find planted defects."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from tests.app.stateful.moment import Disagreement
from tests.app.stateful.playing import FIRST, played
from tests.app.stateful.recorded_machine import RecordedMachine
from tests.app.stateful.written_defects import WRITTEN_DEFECTS, good_where
from tests.app.stateful.written_desk import (
    ALWAYS,
    BAD,
    EDITED,
    LIMIT,
    NEVER,
    SAYINGS,
    SEEN,
    SENTENCES,
    UP_TO,
    AgentFile,
    Form,
)
from tests.app.stateful.written_machine import WrittenMachine
from tests.app.stateful.written_player import WrittenPlayer
from tests.examples import EVERY, examples
from workbench.app import answered_rules
from workbench.app.authorship import Authorship
from workbench.app.report import Report
from workbench.app.results import Understanding
from workbench.app.session_state import SessionState
from workbench.clarify.written.asked import BOUND, WITHOUT_EFFECT
from workbench.language.language import Language
from workbench.model import ProofStatus

HISTORIES, STEPS = 60 if EVERY else 30, 7
"""From each seed, and the most acts of one: 60 find what is planted, 30 all but what has a history below."""
SEEDS = range(FIRST, FIRST + (12 if EVERY else 1))
RECORDED = FIRST + 3
"""The seed of histories of a recorded draft, whose first ones find what is planted."""
ILL_REPUTE = "Suppliers of ill repute get nothing."
IN_EVERY_RUN = frozenset(
    {
        "a kept sentence is a rule without a clause",
        "an answer is stored and changes no rule",
        "a guard goes on with the policy that it first had",
        "a call that failed counts as done",
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("first", SEEDS)
def test_random_histories_of_sentences_decide_what_was_said(first: int) -> None:
    run = played(WrittenMachine, HISTORIES, first, shrink=EVERY, steps=STEPS)
    assert not run.finding
    assert run.tally.histories >= HISTORIES
    assert run.tally.good  # else nothing is said of a session that is good


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WRITTEN_DEFECTS if EVERY or name in IN_EVERY_RUN])
def test_a_planted_defect_of_a_policy_of_calls_is_found(name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        WRITTEN_DEFECTS[name](patch)
        assert played(WrittenMachine, HISTORIES, FIRST, steps=STEPS).finding


@pytest.mark.slow
def test_random_histories_of_a_recorded_draft_allow_nothing_that_an_answer_forbids() -> None:
    run = played(RecordedMachine, 60 if EVERY else 6, RECORDED, shrink=EVERY, steps=8)
    assert not run.finding
    assert run.tally.good * 20 > run.tally.judged


@pytest.mark.slow
def test_an_answer_of_which_the_recorded_draft_knows_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(*_: object) -> frozenset[str]:
        return frozenset()

    monkeypatch.setattr(Authorship, "untold", nothing)
    assert played(RecordedMachine, examples(60), RECORDED, steps=8).finding


def test_each_sentence_with_a_bound_has_its_other_side() -> None:
    bounded = [one for one in SAYINGS.values() if one.flipped]
    assert all(SAYINGS[one.flipped].flipped == one.text for one in bounded)
    assert {one.form for one in bounded} == set(Form)
    assert EDITED.keys() <= SENTENCES.keys()


def _settled(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Understanding, "settled", property(lambda _understanding: True))


def _page_of_nothing_missing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Report, "not_in_force", property(lambda _report: ()))


def _screen_of_nothing_open(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SessionState, "open", property(lambda _state: ()))


@pytest.mark.parametrize(
    ("plant", "match"),
    [
        (_settled, "questions are settled"),
        (_page_of_nothing_missing, "the page says otherwise"),
        (_screen_of_nothing_open, "check and screen have other open questions"),
    ],
)
def test_another_part_that_is_good_where_the_check_is_not_is_seen(
    tmp_path: Path, plant: Callable[[pytest.MonkeyPatch], None], match: str
) -> None:
    player = WrittenPlayer(tmp_path / "desk")
    player.say({"Up to 100 is paid.": SENTENCES["Up to 100 is paid."][0]})
    player.consult()
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        with pytest.raises(Disagreement, match=match):
            player.consult()
    player.close()


def test_an_answer_that_is_taken_back_and_leaves_its_rule_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(language: Language, _assumption: object) -> tuple[str, frozenset[str]]:
        return language.source, frozenset()

    player = WrittenPlayer(tmp_path / "desk")
    _say_a_limit(player)
    bound = next(one for one in player.open_questions() if one.kind == BOUND)
    player.answer(bound, [option.label.endswith(LIMIT[1].text) for option in bound.options].index(True))
    player.judge()
    monkeypatch.setattr(answered_rules, "without_answer", nothing)
    player.retract(0)
    with pytest.raises(Disagreement, match=r"amount=150.* is deny, and allow was said"):
        player.judge()
    player.close()


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_rule_that_an_answer_let_go_is_back_when_the_answer_is_taken_back(
    is_lost: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(language: Language, _assumption: object) -> tuple[str, frozenset[str]]:
        return language.source, frozenset()

    said = {"Up to 100 is paid.": (UP_TO[0],), "Look before you pay.": (SEEN,), ILL_REPUTE: (NEVER,)}
    with closing(WrittenPlayer(tmp_path / "desk", tuple(said))) as player:
        player.say(said)
        idle = next(one for one in player.open_questions() if one.kind == WITHOUT_EFFECT)
        player.answer(idle, [option.value for option in idle.options].index("drop"))
        player.judge()
        if is_lost:
            monkeypatch.setattr(answered_rules, "without_answer", nothing)
        player.retract(0)
        player.say({ILL_REPUTE: (BAD,)})
        with pytest.raises(Disagreement, match="is allow, and deny was said") if is_lost else nullcontext():
            player.judge()


def test_the_cases_of_a_rule_that_an_answer_drops_go_and_those_of_other_rules_stay(tmp_path: Path) -> None:
    said = {"Up to 100 is paid.": (UP_TO[0],), "Look before you pay.": (SEEN,), ILL_REPUTE: (NEVER,)}
    with closing(WrittenPlayer(tmp_path / "desk", tuple(said))) as player:
        player.say(said)
        before = {case.id: case for case in player.bench.session.cases}
        rules = {rule.name for rule in player.bench.policy.terms().rules}
        idle = next(one for one in player.open_questions() if one.kind == WITHOUT_EFFECT)
        player.answer(idle, [option.value for option in idle.options].index("drop"))
        left = {rule.name for rule in player.bench.policy.terms().rules}
        cases = {case.id: case for case in player.bench.session.cases}
    assert rules - left == {"forbid_pay_invoice"}  # the second of the three sentences, which nothing reaches
    assert cases == {id: case for id, case in before.items() if case.requirements != ("R2",)} != before


def _say_a_limit(player: WrittenPlayer) -> None:
    player.say(
        {"Notes and questions are always welcome.": (ALWAYS,), "Nothing larger, 150 say.": (LIMIT[0],)}
    )


def _undo_an_agent_file(player: WrittenPlayer) -> None:
    player.agent(AgentFile(gifts=True), "inside")
    player.undo()


def _rob(player: WrittenPlayer) -> None:
    player.settle(0)
    player.judge()
    player.accept()
    player.judge()
    player.rob("closed")


def _delete_what_was_answered(player: WrittenPlayer) -> None:
    _say_a_limit(player)
    player.answer_rules(0)
    player.edit_policy("delete a prohibition", 0, "inside")


@pytest.mark.parametrize(
    ("name", "play"),
    [
        ("undo leaves the agent file", _undo_an_agent_file),
        ("an accepted version that another program removed is not missed", _rob),
        (
            "an answer whose question is asked no more is in force whatever stands",
            _delete_what_was_answered,
        ),
    ],
)
def test_a_defect_that_random_histories_seldom_meet_is_seen_in_one_that_comes_there(
    name: str, play: Callable[[WrittenPlayer], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, planted in (("agrees", False), ("disagrees", True)):
        with closing(WrittenPlayer(tmp_path / folder)) as player:
            if planted:
                WRITTEN_DEFECTS[name](monkeypatch)
            play(player)
            with pytest.raises(Disagreement) if planted else nullcontext():
                player.judge()


def _case_fails(report: Report) -> bool:
    return any(not result.passed for result in report.cases)


def _is_refuted(report: Report) -> bool:
    return report.proof.status is ProofStatus.REFUTED


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        (_case_fails, "is 0, and .*a case fails"),
        (_is_refuted, "is 0, and .*a clause is not proved"),
    ],
)
def test_a_check_that_is_good_where_a_rule_was_edited_away_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Report], bool], match: str
) -> None:
    player = WrittenPlayer(tmp_path / "desk")
    _say_a_limit(player)
    player.edit_policy("delete a prohibition", 0, "inside")
    player.judge()
    player.reopen()
    good_where(wrong)(monkeypatch)
    with pytest.raises(Disagreement, match=match):
        player.judge()
    player.close()
