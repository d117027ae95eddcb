"""Recorded runs on the screen: causes judged as a whole, strategies, walking a run, ways to the rule."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from textual.geometry import Region
from textual.widget import Widget

from tests.old_screen.screens import drawn, settled, words
from tests.old_screen.test_app import ANSWERED, WIDE, opened, quick
from workbench.model import Step, StepDecision, Verdict
from workbench.old_screen.kept_lines import KeptLines
from workbench.old_screen.replay_state import Cause
from workbench.old_screen.samples.sample import REPLAYED, STEPS, TERMS, decide_sample
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.samples.sample_replay import CAUSES
from workbench.old_screen.state import Replayed
from workbench.old_screen.step_filter import Filter, culprits, parts_of, quoted
from workbench.old_screen.widgets import replay as pane
from workbench.old_screen.widgets.agent import AgentScreen
from workbench.old_screen.widgets.causes import CauseList
from workbench.old_screen.widgets.details import DetailsPane
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.form import FormScreen
from workbench.old_screen.widgets.reader import ReaderText
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.old_screen.widgets.strategies import StrategyTable
from workbench.old_screen.widgets.timeline import Timeline
from workbench.policy.terms import PolicyTerms
from workbench.runs.replay.strategies import label_of

assert quick
NOW = threading.Event()


class Runs(SamplePort):
    """The sample's steps as four runs of ten steps."""

    def steps(self) -> tuple[Sequence[Step], int]:
        return tuple(replace(step, run=f"run {at // 10}", index=at % 10) for at, step in enumerate(STEPS)), 0

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        del cancelled
        found = enumerate(decide_sample(terms))
        return tuple(replace(one, run=f"run {at // 10}", index=at % 10) for at, one in found)


def rows(text: str, replayed: Replayed = REPLAYED) -> list[int]:
    return list(Filter.parse(text).rows(replayed, NOW))


def test_a_part_of_a_filter_may_have_spaces() -> None:
    assert parts_of('is:deny run:"a b" c"d e"') == ("is:deny", "run:a b", "cd e")
    assert parts_of('"never closed x') == ("never closed x",)
    steps = tuple(replace(step, run="a b" if at % 2 else "a b c") for at, step in enumerate(STEPS))
    found = rows(f"in:{quoted('a b')}", Replayed(steps, REPLAYED.decisions))
    assert found == list(range(1, 40, 2))


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.key)
def test_a_cause_shows_exactly_its_steps(cause: Cause) -> None:
    known = replace(REPLAYED, causes=CAUSES)
    assert tuple(rows(f"cause:{cause.key}", known)) == cause.steps
    assert rows(f"cause:{cause.key}") == []
    assert culprits("is:allow cause:nothing", known, NOW) == ("cause:nothing",)


def test_causes_are_all_that_is_not_allowed_once() -> None:
    shown = sorted(at for cause in CAUSES for at in cause.steps)
    denied = [at for at in range(40) if REPLAYED.decision(at).verdict is not Verdict.ALLOW]
    assert shown == denied


def test_runs_are_counted_by_what_sorts_them_into_a_few_kinds() -> None:
    def step(run: int, **context: str) -> Step:
        return Step(f"r{run}", 0, "t", {}, {}, {**context, "id": f"u{run}", "same": "x"})

    steps = [step(at, role=("a", "b")[at % 2], attack_type=("c", "d", "e")[at % 3]) for at in range(12)]
    assert label_of(steps) == "attack_type"
    assert label_of([step(at, role=("a", "b")[at % 2]) for at in range(12)]) == "role"
    assert label_of([step(at) for at in range(12)]) == ""


async def test_a_group_of_denials_is_judged_as_a_whole() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        await pilot.press("f6", "v")
        await settled(app, pilot)
        listed = app.query_one(CauseList)
        key = listed.key
        await pilot.press("r")
        await settled(app, pilot)
        assert f"judge {key} True" in port.calls
        assert "right" in words(listed)
        await pilot.press("down", "f")
        await settled(app, pilot)
        assert "false alarm" in words(listed).partition("both become cases")[2]
        await pilot.press("enter")
        await settled(app, pilot)
        shown = app.query_one(ReplayPane).table.rows
        second = next(cause for cause in port.causes(TERMS) if cause.judged == "false alarm")
        assert tuple(shown) == second.steps


async def test_what_each_strategy_stops_loses_and_cannot_know_is_a_table() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, _):
        await pilot.press("f6", "s")
        await settled(app, pilot)
        text = words(app.query_one(StrategyTable))
        assert "cannot be known by replay" in text
        for name in ("TT", "CRP+TEH", "allow-all", "deny-all"):
            assert name in text
        app.query_one(StrategyTable).select("replan-then-halt")
        await pilot.press("enter")
        await settled(app, pilot)
        closer = drawn(app.screen.query_one(ReaderText))
        assert "direct" in closer
        await pilot.press("enter")
        await settled(app, pilot)
        table = app.query_one(ReplayPane).table
        assert len(table.rows) == 1
        assert table.has_focus


async def test_a_run_is_shown_alone_with_its_timeline_and_played_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pane, "PLAY_SECONDS", 0.01)
    async with opened(Runs(ANSWERED)) as (app, pilot, _):
        await pilot.press("f6", *["down"] * 13, "t")
        await settled(app, pilot)
        replay = app.query_one(ReplayPane)
        assert list(replay.table.rows) == list(range(10, 20))
        assert replay.table.step == 13
        line = app.query_one(Timeline)
        assert "run 1" in words(line)
        assert "4/10" in words(line)
        await pilot.press("full_stop")
        while replay.playing:
            await pilot.pause(0.01)
        assert replay.table.step == 19
        await pilot.press("t")
        await settled(app, pilot)
        assert len(replay.table.rows) == 40
        assert replay.table.step == 19
        await pilot.click(Timeline, offset=(words(line).index("20") if "20" in words(line) else 30, 0))
        await settled(app, pilot)
        assert replay.table.step in range(10, 20)


async def test_from_a_step_to_its_rule_its_argument_and_the_nearest_step() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        denied = next(at for at in range(40) if REPLAYED.decision(at).violations)
        app.query_one(ReplayPane).go_to_step(denied)
        await settled(app, pilot)
        await pilot.press("o")
        await settled(app, pilot)
        fired = REPLAYED.decision(denied).violations[0].rule
        rule = next(rule for rule in TERMS.rules if rule.name == fired)
        assert app.query_one(Editor).cursor_location[0] == rule.line - 1
        details = app.query_one(DetailsPane)
        await pilot.press("f6", "w")
        await settled(app, pilot)
        details.select("step 0")
        await pilot.press("f7", "enter")
        await settled(app, pilot)
        assert app.query_one(ReplayPane).table.step == 0
        details.select("argument rows")
        await pilot.press("f7", "enter")
        await settled(app, pilot)
        assert isinstance(app.screen, FormScreen)
        assert not any(isinstance(screen, AgentScreen) for screen in app.screen_stack)


async def test_a_key_in_the_steps_draws_lines_and_lays_out_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[Widget] = []
    refresh = KeptLines.refresh

    def noted(self: KeptLines, *regions: Region, layout: bool = False, **more: bool) -> KeptLines:
        if layout:
            laid_out.append(self)
        return refresh(self, *regions, layout=layout, **more)

    async with opened(SamplePort(ANSWERED), size=(160, 30)) as (app, pilot, _):
        await pilot.press("f6", "down")
        await settled(app, pilot)
        table, details = app.query_one(ReplayPane).table, app.query_one(DetailsPane)
        counts: set[int] = set()
        monkeypatch.setattr(KeptLines, "refresh", noted)
        for row in range(2, len(table.rows)):
            table.cursor = row
            await pilot.pause()
            counts.add(details.row_count())
            assert details.virtual_size.height == details.row_count() > details.size.height > 0
            assert details.max_scroll_y == details.row_count() - details.size.height
        assert len(counts) > 1
        assert not laid_out


async def test_lines_that_are_kept_are_drawn_anew_in_another_look_and_for_other_steps() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f6", "down", "down")
        await settled(app, pilot)
        table = app.query_one(ReplayPane).table
        before = [table.render_line(y) for y in range(5)]
        app.theme = next(name for name in app.available_themes if name != app.theme)
        await pilot.pause()
        assert [strip.text for strip in before] == [table.render_line(y).text for y in range(5)]
        assert before != [table.render_line(y) for y in range(5)]
        await pilot.press("d")
        await settled(app, pilot)
        drawn_words = words(table)
        assert "allow" not in drawn_words
        assert "deny" in drawn_words
