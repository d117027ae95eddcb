"""The first and the last line: problems come before good news, and every command can be found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

import workbench.tui
from workbench.app.session_state import SessionState
from workbench.clean_text import in_a_row
from workbench.model import CallDecision, CaseResult, Decision, Requirement, Span, Verdict
from workbench.tui.change_walk import Walk, changed_line
from workbench.tui.keys import ACTIONS, EDITOR, command_offers, commands, hints
from workbench.tui.messages import Ask, ViewName
from workbench.tui.text_runs import Line, TextRun, width_of
from workbench.tui.widgets.key_line import keys_line
from workbench.tui.widgets.lines import RowList, paragraph
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.recorded_call_list import RecordedCallList, SearchTexts
from workbench.tui.widgets.status_line import status_line

NAME = "the-access-policy-of-the-hospital-of-the-western-district"


def first_line(state: SessionState, width: int) -> str:
    shown = status_line(state, ViewName.AUTHOR, width)
    assert width_of(shown) <= width
    return "".join(run.text for run in shown)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_with_a_failure_the_first_line_keeps_the_name_and_the_counts(width: int) -> None:
    decisions = [
        CallDecision("r", place, Decision(Verdict.DENY if place % 3 else Verdict.ALLOW)) for place in range(9)
    ]
    failed = {"c1": CaseResult("c1", passed=False, actual=Verdict.ALLOW)}
    line = first_line(SessionState(NAME, results=failed, decisions=decisions), width)
    assert line.startswith(" the-acc") and "district" in line
    assert line.index("✗ 1 case failed") < line.index("9 calls: 3 allow · 6 deny")
    assert line.rstrip().endswith(("▸Author P R M E", "Evidence"))


def test_hostile_names_are_drawn_as_text() -> None:
    line = first_line(SessionState("[/x]\x1b]52;c;eA==\x07\u202e[@click=app.quit]x"), 120)
    assert "\x1b" not in line and "\x07" not in line and "\u202e" not in line


@pytest.mark.parametrize(
    "place", ["author.spine", "policy.file", "runs.calls", "memory.demonstrations", "editor"]
)
def test_the_commands_begin_with_those_of_the_focus_and_are_all_there(place: str) -> None:
    actions = commands(place)
    assert {action.id for action in actions} == {action.id for action in ACTIONS}
    works = [action.works_in(place) for action in actions]
    assert works == sorted(works, reverse=True)
    assert len(command_offers(place, {})) == len(ACTIONS)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("place", ["author.spine", "runs.calls", "memory.demonstrations", EDITOR])
def test_while_work_runs_the_first_keys_stay(place: str, width: int) -> None:
    key_hints = hints(place, {}, {})
    work = "running the cases, 12 s · proved 3 of 40 clauses, 31 s · following a-long-name.jsonl, F stops"
    runs = keys_line(key_hints, work, width)
    line = "".join(run.text for run in runs)
    assert width_of(runs) <= width
    assert line.startswith(f" {key_hints[0][0]} {key_hints[0][1]} ")
    assert f"{key_hints[-1][0]} {key_hints[-1][1]} " in line
    assert line.split("   ")[-1].strip().startswith("running the cases")


@pytest.mark.parametrize("end", [", 7 s", ", 12 s, Esc stops"])
def test_how_long_work_has_run_is_shown_where_its_words_are_cut_off(end: str) -> None:
    work = f"Said: The agent must never pay an invoice whose supplier nobody named …{end}"
    shown = "".join(run.text for run in keys_line(hints("author.spine", {}, {}), work, 80))
    assert shown.endswith(f"…{end}")


@pytest.mark.parametrize("width", [80, 120])
def test_after_an_undo_the_line_offers_to_do_it_again(width: int) -> None:
    sentence = Requirement("R1", "allow", "allow", Span(0, 1))
    for undone in (True, False):
        walk = Walk()
        walk.begin("Undone: R1" if undone else "R1", SessionState("before"))
        walk.take(SessionState("after", requirements=(sentence,)))
        shown = changed_line(walk, width)
        line = "".join(run.text for run in shown)
        assert ("U redo" in line) is undone
        assert "u undo" in line and width_of(shown) <= width


def test_sentences_after_one_another_keep_no_full_stop_before_a_semicolon() -> None:
    assert in_a_row(["Only to a supplier.", "Up to 1.5."]) == "Only to a supplier; Up to 1.5."
    assert in_a_row([]) == ""


def test_nothing_is_told_over_the_panes() -> None:
    sources = Path(workbench.tui.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if ".notify(" in path.read_text(encoding="utf-8")] == []


class UndrawnCalls(RecordedCallList):
    """A list of calls without logs."""

    def row_line(self, row: int, width: int) -> Line:
        return (TextRun(f"{row} of {width}"),)


class Calls(App[None]):
    """A list of calls alone, and the calls that it reported."""

    def __init__(self) -> None:
        super().__init__()
        self.positions: list[int | None] = []
        self.asked: list[Ask[Sequence[int]]] = []

    def compose(self) -> ComposeResult:
        yield UndrawnCalls("Calls", id="calls")

    def on_ask(self, event: Ask[Sequence[int]]) -> None:
        self.asked.append(event)

    def on_line_list_moved(self) -> None:
        self.positions.append(self.query_one(RecordedCallList).position)


async def test_another_call_in_the_row_of_the_cursor_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []
    monkeypatch.setattr(SearchTexts, "having", searched.append)
    app = Calls()
    decisions = [CallDecision("r", place, Decision(Verdict.ALLOW)) for place in range(3)]
    async with app.run_test(size=(80, 24)) as pilot:
        calls = app.query_one(RecordedCallList)
        calls.fill(SessionState(NAME, decisions=decisions), range(3))
        await pilot.pause()
        assert app.positions == [0]
        calls.narrow("x")
        await pilot.pause()
        assert not searched  # a search is asked for, and never runs on the thread that paints
        (asked,) = app.asked
        asked.show([2])
        await pilot.pause()
        assert app.positions == [0, 2]


def test_what_is_derived_is_shared_only_by_states_of_the_same_fields() -> None:
    allowed, denied = ([CallDecision("r", 0, Decision(verdict))] for verdict in (Verdict.ALLOW, Verdict.DENY))
    before = SessionState("x", decisions=allowed).derive()
    assert SessionState("y", decisions=allowed).sharing(before).verdicts is before.verdicts
    assert SessionState("y", decisions=denied).sharing(before).verdicts == (Verdict.DENY,)


async def test_the_styles_of_parts_are_those_of_the_theme_and_are_computed_once_in_it() -> None:
    class Shown(App[None]):
        def compose(self) -> ComposeResult:
            yield Pane("Log", id="log")
            yield Pane("Calls", id="calls")

    app = Shown()
    async with app.run_test() as pilot:
        log, calls = app.query_one("#log", Pane), app.query_one("#calls", Pane)
        in_dark = {tone: log.tone_style(tone) for tone in ("good", "bad", "muted", "code")}
        calls.focus()
        log.focus()
        await pilot.pause()
        assert all(log.tone_style(tone) is style for tone, style in in_dark.items())
        app.theme = "textual-light"
        await pilot.pause()
        fresh = Pane("Other", id="other")
        await app.mount(fresh)
        for tone, style in in_dark.items():
            assert log.tone_style(tone) == fresh.tone_style(tone) != style


async def test_a_page_down_scrolls_through_rows_that_cannot_be_chosen() -> None:
    class Long(App[None]):
        def compose(self) -> ComposeResult:
            yield RowList(id="rows")

    app = Long()
    async with app.run_test(size=(80, 20)) as pilot:
        rows = app.query_one(RowList)
        every = [*(paragraph(f"first {n}", key="first") for n in range(50)), paragraph("last", key="last")]
        rows.show_rows(lambda: every)
        rows.focus()
        await pilot.pause()
        seen, tops = set[int](), list[int]()
        for _ in range(4):
            top = rows.scroll_offset.y
            tops.append(top)
            seen |= set(range(top, top + rows.size.height))
            await pilot.press("pagedown")
            await pilot.pause()
        assert seen >= set(range(len(every))), tops
        assert rows.key == "last"
        for _ in range(4):
            await pilot.press("pageup")
        await pilot.pause()
        assert (rows.key, rows.scroll_offset.y) == ("first", 0)
