"""What is drawn again after an edit: what changed, once, and never as if it were still so."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.widget import Widget

from tests.old_screen.screens import drawn, settled, until
from workbench.model import Step, StepDecision, Verdict
from workbench.old_screen import background_work, message_handlers
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.plain import Line, Tone, line
from workbench.old_screen.samples.sample import ASSUMPTIONS, CONTENTS, REPLAYED, STEPS, decide_sample
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.screen_state import stages
from workbench.old_screen.state import StageCondition, StageName
from workbench.old_screen.widgets.editor import Editor, Mark
from workbench.old_screen.widgets.lines import LineList, Row, RowList
from workbench.old_screen.widgets.pipeline_line import PipelineLine
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.old_screen.widgets.step_table import StepTable
from workbench.policy.terms import PolicyTerms

ANSWERED = replace(CONTENTS, questions=(), assumptions=ASSUMPTIONS)


class Waiting(SamplePort):
    """A port that decides again only when it is let."""

    def __init__(self) -> None:
        super().__init__(ANSWERED)
        self.let = threading.Event()
        self.let.set()

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        self.let.wait()
        return super().decide(terms, cancelled)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a person in a test."""
    for name in ("CHECK_AFTER", "KEEP_AFTER", "STORE_AFTER", "SLOW_AFTER"):
        monkeypatch.setattr(background_work, name, 0.01)


def edit(app: WorkbenchApp, old: str, new: str) -> None:
    editor = app.query_one(Editor)
    row = next(at for at, text in enumerate(editor.text.splitlines()) if old in text)
    column = editor.document.get_line(row).index(old)
    editor.replace(new, (row, column), (row, column + len(old)))


async def test_an_edit_is_told_at_once_and_the_steps_are_drawn_once_with_what_it_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_handlers, "SHOW_AFTER", 3600.0)
    port = Waiting()
    app = WorkbenchApp(port)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(app, pilot)
        pane = app.query_one(ReplayPane)
        before = drawn(pane.table)
        port.let.clear()
        try:
            edit(app, "rows > 100", "rows > 900")
            await until(app, pilot, lambda: app.board.replayed.stale)
            await pilot.pause()
            assert "~ replay stale" in drawn(app.query_one(PipelineLine))
            assert drawn(pane.table) == before
            assert app.busy
        finally:
            port.let.set()
        await settled(app, pilot)
        assert not app.board.replayed.stale
        assert app.board.replayed.flips
        assert drawn(pane.table) != before
        assert "▲" in drawn(pane.table)


async def test_steps_that_take_longer_to_decide_are_drawn_stale_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_handlers, "SHOW_AFTER", 0.01)
    port = Waiting()
    app = WorkbenchApp(port)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(app, pilot)
        port.let.clear()
        try:
            edit(app, "rows > 100", "rows > 900")
            while "stale" not in (app.query_one(ReplayPane).border_subtitle or ""):
                await pilot.pause()
            conditions = {stage.name: stage.condition for stage in stages(app.board)}
            assert conditions[StageName.REPLAY] is StageCondition.STALE
        finally:
            port.let.set()
        await settled(app, pilot)
        assert "stale" not in (app.query_one(ReplayPane).border_subtitle or "")


async def test_a_text_outside_the_dialect_is_drawn_without_waiting_for_decisions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_handlers, "SHOW_AFTER", 3600.0)
    app = WorkbenchApp(Waiting())
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(app, pilot)
        edit(app, "return rows > 100", "return open(rows)")
        await settled(app, pilot)
        assert "to mend" in (app.query_one(PolicyPane).border_subtitle or "")
        assert "stale" in (app.query_one(ReplayPane).border_subtitle or "")


async def test_an_edit_does_not_lay_out_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        background_work, "SLOW_AFTER", 3600.0
    )  # the cases have other lines once they are tested
    app = WorkbenchApp(SamplePort(ANSWERED))
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(app, pilot)
        asked: list[Widget] = []
        refresh = Widget.refresh

        def noted(self: Widget, *regions: Region, layout: bool = False, **others: bool) -> Widget:
            if layout:
                asked.append(self)
            return refresh(self, *regions, layout=layout, **others)

        monkeypatch.setattr(Widget, "refresh", noted)
        edit(app, "rows > 100", "rows > 900")
        await until(app, pilot, lambda: bool(app.board.replayed.flips))
        assert not asked


@contextmanager
def lines_made(monkeypatch: pytest.MonkeyPatch, kind: type[LineList]) -> Generator[list[int]]:
    """The rows of which a kind of list makes the line."""
    made: list[int] = []
    before = kind.row_line

    def row_line(self: LineList, row: int, width: int) -> Line:
        made.append(row)
        return before(self, row, width)

    with monkeypatch.context() as patched:
        patched.setattr(kind, "row_line", row_line)
        yield made


class Alone(App[None]):
    """One widget on the screen."""

    def __init__(self, widget: LineList) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield self.widget


def rows_of(*words: str) -> list[Row]:
    return [Row(line(word), f"key {at}") for at, word in enumerate(words)]


async def test_of_rows_that_are_shown_again_only_the_changed_ones_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = RowList()
    async with Alone(rows).run_test() as pilot:
        rows.show_rows(lambda _: rows_of("one", "two", "three"))
        await pilot.pause()
        with lines_made(monkeypatch, RowList) as made:
            rows.show_rows(lambda _: rows_of("one", "2", "three"))
            await pilot.pause()
            assert set(made) == {1}
        assert [text.strip() for text in drawn(rows).splitlines()[:3]] == ["one", "2", "three"]
        rows.show_rows(lambda _: rows_of("one", "3"))
        await pilot.pause()
        assert [text.strip() for text in drawn(rows).splitlines()[:3]] == ["one", "3", ""]


async def test_rows_that_stay_while_the_cursor_goes_are_drawn_without_its_mark() -> None:
    rows = RowList()
    async with Alone(rows).run_test() as pilot:
        rows.show_rows(lambda _: rows_of("one", "two"))
        await pilot.pause()
        plain = rows.render_line(1)
        rows.select("key 1")
        await pilot.pause()
        assert rows.render_line(1) != plain
        rows.set_reactive(RowList.cursor, -1)
        rows.show_rows(lambda _: rows_of("one", "two"))
        await pilot.pause()
        painted = rows.render_lines(rows.size.region)[1]
        assert [segment.style for segment in painted] == [segment.style for segment in plain]


async def test_of_steps_decided_again_only_those_that_changed_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = StepTable()
    rows = range(len(STEPS))
    verdicts = REPLAYED.verdicts
    before = replace(REPLAYED, before=verdicts)
    async with Alone(table).run_test(size=(120, 40)) as pilot:
        table.show(before, rows)
        await pilot.pause()
        changed = next(at for at in range(2, 30) if verdicts[at] is Verdict.DENY)
        allowed = replace(REPLAYED.decisions[changed].decision, verdict=Verdict.ALLOW, violations=())
        decisions = list(REPLAYED.decisions)
        decisions[changed] = replace(decisions[changed], decision=allowed)
        after = replace(before, decisions=tuple(decisions))
        with lines_made(monkeypatch, StepTable) as made:
            table.show(after, rows)
            await pilot.pause()
            assert set(made) == {changed}
        assert drawn(table).splitlines()[changed].startswith("▲ allow")
        table.show(replace(after, before=after.verdicts), rows)
        await pilot.pause()
        assert "▲" not in drawn(table)
        with lines_made(monkeypatch, StepTable) as made:
            table.show(replace(after, stale=True), rows)
            await pilot.pause()
            assert changed in made
            assert len(set(made)) == min(len(rows), table.size.height)


async def test_a_mark_that_changes_is_drawn_beside_its_line() -> None:
    app = WorkbenchApp(SamplePort(ANSWERED))
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(app, pilot)
        editor = app.query_one(Editor)
        for signs in ({3: "✓", 4: "7"}, {3: "✗", 5: "8"}, {}):
            marks = {number: Mark(sign, Tone.GOOD) for number, sign in signs.items()}
            editor.show_marks(marks, frozenset())
            await pilot.pause()
            lines = drawn(editor).splitlines()
            assert {at: lines[at - 1][:2].strip() for at in (3, 4, 5)} == {3: "", 4: "", 5: ""} | signs


class Many(SamplePort):
    """The sample with some thousand steps."""

    def steps(self) -> tuple[Sequence[Step], int]:
        return STEPS * (background_work.MANY // len(STEPS) + 1), 0

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        del cancelled
        return tuple(decide_sample(terms)) * (background_work.MANY // len(STEPS) + 1)


async def test_loaded_logs_are_kept_from_the_collector() -> None:
    before = gc.get_freeze_count()
    app = WorkbenchApp(Many(ANSWERED))
    try:
        async with app.run_test(size=(200, 60)) as pilot:
            await settled(app, pilot)
            assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
