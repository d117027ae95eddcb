"""Each widget alone, and the parts that draw without a screen."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from tests.old_screen.screens import drawn, drawn_out
from workbench.model import ClauseProof, Engine, ProofStatus, Verdict
from workbench.old_screen.highlighting import openings, paint
from workbench.old_screen.log_text import marked_text, merged
from workbench.old_screen.plain import line
from workbench.old_screen.samples.sample import DEMONSTRATIONS, POLICY, QUESTIONS, REPLAYED, REQUEST, STAGES
from workbench.old_screen.state import Replayed, StageCondition
from workbench.old_screen.step_filter import Filter
from workbench.old_screen.value_text import clause_state
from workbench.old_screen.widgets.key_line import KeyLine
from workbench.old_screen.widgets.lines import Row, RowList
from workbench.old_screen.widgets.pipeline_line import pipeline_text
from workbench.old_screen.widgets.question import quoted
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.old_screen.widgets.step_table import columns, heads, names, step_line


class Keyed(App[None]):
    """A line of keys, of which one can be pressed and one cannot."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "count", "Count", tooltip="Count one more"),
        Binding("f3", "rest", "Rest"),
        Binding("f4", "count", "Count, too"),
        Binding("f5", "count", "Hidden", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.counted = 0

    def compose(self) -> ComposeResult:
        yield KeyLine()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if (action, *parameters) == ("rest",) else True

    def action_count(self) -> None:
        self.counted += 1


async def test_a_click_on_a_key_presses_it_and_the_pointer_says_what_it_does() -> None:
    app = Keyed()
    async with app.run_test(size=(40, 5)) as pilot:
        await drawn_out(app, pilot)
        keys = app.query_one(KeyLine)
        text = drawn(keys)
        assert text.split() == ["f2", "Count", "f3", "Rest"], "an action is shown once"
        await pilot.click(KeyLine, offset=(text.index("Count"), 0))
        await drawn_out(app, pilot)
        assert app.counted == 1
        await pilot.hover(KeyLine, offset=(text.index("Count"), 0))
        await drawn_out(app, pilot)
        assert str(keys.tooltip) == "Count one more"
        marked = keys.render_line(0)
        await pilot.click(KeyLine, offset=(text.index("Rest"), 0))
        await pilot.hover(KeyLine, offset=(30, 0))
        await drawn_out(app, pilot)
        assert app.counted == 1
        assert keys.tooltip is None
        assert keys.render_line(0) != marked


class Many(App[None]):
    """A replay pane with a hundred thousand steps."""

    def compose(self) -> ComposeResult:
        yield ReplayPane()


def many(count: int) -> Replayed:
    """The sample's steps, repeated."""
    times = count // len(REPLAYED.steps)
    return Replayed(tuple(REPLAYED.steps) * times, tuple(REPLAYED.decisions) * times)


async def test_a_hundred_thousand_steps_are_drawn_only_where_they_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Many()
    async with app.run_test(size=(120, 40)) as pilot:
        pane = app.query_one(ReplayPane)
        drawn_rows: list[int] = []
        row_line = pane.table.row_line

        def counted(row: int, width: int) -> object:
            drawn_rows.append(row)
            return row_line(row, width)

        monkeypatch.setattr(pane.table, "row_line", counted)
        pane.show(many(100_000))
        await pilot.pause()
        pane.table.focus()
        await pilot.press("end", "up", "pageup", "home")
        await pilot.pause()
        assert pane.table.cursor == 0
        assert max(drawn_rows) == 99_999
        assert len(set(drawn_rows)) < 400


def test_what_the_names_of_steps_do_not_need_is_left_for_the_reasons() -> None:
    known = names(REPLAYED.steps)
    assert known == (len("eicu-000"), len("GetValue"))
    assert names(()) == (0, 0)
    row = "".join(run.text for run in step_line(REPLAYED, 0, 110, known))
    assert row.endswith('role "physician", columns {"allergy.drugname"}, …')
    head = "".join(run.text for run in heads(110, known))
    assert head.index("why") == row.index('role "physician"')
    assert columns(110, (100, 100)) == (22, 13, 27), "long names do not push the reasons away"


class OneList(App[None]):
    """A list that fills the screen."""

    def compose(self) -> ComposeResult:
        yield RowList()


async def test_a_list_scrolled_before_its_bar_is_shown_has_the_bar_where_it_stands() -> None:
    app = OneList()
    async with app.run_test(size=(40, 10)) as pilot:
        rows = app.query_one(RowList)
        rows.show_rows(lambda _width: [Row(line(f"row {number}"), f"{number}") for number in range(100)])
        rows.select("60")
        await pilot.pause()
        await pilot.pause()
        assert rows.scroll_y > 0
        assert rows.vertical_scrollbar.position == rows.scroll_y


@given(
    st.lists(
        st.sampled_from(["is:deny", "is:allow", "is:cannot", "rule:column", "rule:rows", "nursing", "LoadDB"])
    )
)
def test_a_filter_shows_exactly_the_steps_for_which_all_its_parts_hold(parts: list[str]) -> None:
    rows = set(Filter.parse(" ".join(parts)).rows(REPLAYED, threading.Event()))
    everything = range(len(REPLAYED.steps))
    for part in parts:
        alone_rows = set(Filter.parse(part).rows(REPLAYED, threading.Event()))
        if not (part.startswith("is:") and any(p.startswith("is:") and p != part for p in parts)):
            assert rows <= alone_rows
    verdicts = {Verdict.DENY: "is:deny", Verdict.ALLOW: "is:allow", Verdict.CANNOT_EVALUATE: "is:cannot"}
    for verdict, text in verdicts.items():
        found = Filter.parse(text).rows(REPLAYED, threading.Event())
        assert list(found) == [i for i in everything if REPLAYED.decision(i).verdict is verdict]


def test_a_cancelled_filter_ends_early() -> None:
    stop = threading.Event()
    stop.set()
    assert Filter.parse("is:deny").rows(many(2_000), stop) == []


@given(st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=8), st.integers(0, 50))
def test_marked_ranges_are_ordered_apart_and_inside_the_text(
    spans: list[tuple[int, int]], length: int
) -> None:
    found = merged(spans, length)
    text = "".join(chr(97 + index % 26) for index in range(length))
    assert all(0 <= start < end <= length for start, end in found)
    assert all(left[1] < right[0] for left, right in itertools.pairwise(found))
    assert "".join(run.text for run in marked_text(text, spans)) == text


def test_of_a_long_text_the_surroundings_of_the_marks_are_kept() -> None:
    text = "a" * 50_000 + "NEEDLE" + "b" * 50_000
    shown = "".join(run.text for run in marked_text(text, [(50_000, 50_006)]))
    assert "NEEDLE" in shown
    assert "characters left out" in shown
    assert len(shown) < 15_000


def test_painting_follows_strings_over_lines_and_covers_each_line() -> None:
    lines = ['"""One', "two # no comment", 'three""" + X  # yes']
    assert openings(lines) == ["", '"""', '"""']
    spans, open_at_end = paint(lines[2], '"""')
    assert open_at_end == ""
    assert [str(name) for _, _, name in spans] == ["string", "comment"]
    for text in POLICY.splitlines():
        position = 0
        for start, end, _ in paint(text)[0]:
            assert position <= start < end <= len(text)
            position = end


def test_a_quoted_sentence_is_marked_in_its_context() -> None:
    runs = quoted(QUESTIONS[0], REQUEST)
    assert [run.text for run in runs if run.tone == "mark"] == ["General admission may read costs only."]
    assert runs[0].text == "Nurses may read allergies. "
    elsewhere = replace(QUESTIONS[0], span=replace(QUESTIONS[0].span, start=0, end=10_000))
    assert [run.text for run in quoted(elsewhere, REQUEST)] == [QUESTIONS[0].quote]


@pytest.mark.parametrize("width", [50, 80, 120, 200])
def test_the_pipeline_line_keeps_every_stage_and_all_that_is_not_good(width: int) -> None:
    text = "".join(run.text for run in pipeline_text("hospital-access", STAGES, width))
    for stage in STAGES:
        assert stage.name in text
        if stage.condition not in (StageCondition.GOOD, StageCondition.WAITING):
            assert stage.text in text


def test_only_what_nagini_proved_is_called_proved() -> None:
    held = ClauseProof("C1", (), ProofStatus.PROVED, Engine.CVC5)
    unknown = ClauseProof("C1", (), ProofStatus.UNKNOWN, Engine.NAGINI, why="time limit")
    refuted = ClauseProof("C1", (), ProofStatus.REFUTED, Engine.CVC5)
    assert clause_state(None, held, running=False)[2] == "holds in preview, not proved yet"
    assert clause_state(unknown, held, running=False)[2] == "unknown"
    assert clause_state(unknown, refuted, running=False)[0] == "✗"
    assert clause_state(replace(held, engine=Engine.NAGINI), refuted, running=False)[2] == "proved (Nagini)"
    vacuous = replace(held, status=ProofStatus.VACUOUS)
    assert clause_state(None, vacuous, running=False)[0::2] == ("∅", "vacuous (preview), not proved yet")
    known = replace(vacuous, engine=Engine.NAGINI)
    assert clause_state(known, held, running=False)[0::2] == ("∅", "vacuous (Nagini)")
    assert len(DEMONSTRATIONS[0].plan) == 4
