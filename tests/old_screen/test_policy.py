"""The policy pane and the lists: search, completion, the fold, and ways from everywhere to a rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.geometry import Region, Size
from textual.pilot import Pilot

from tests.old_screen.screens import drawn, settled, words
from tests.old_screen.test_app import ANSWERED, WIDE, opened, quick
from workbench.clean_text import clean
from workbench.old_screen import messages
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.completing import beside, completion, suggestion
from workbench.old_screen.plain import TextRun, Tone
from workbench.old_screen.samples.sample import POLICY, TERMS
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.searching import marked
from workbench.old_screen.widgets.cases import CasesPane
from workbench.old_screen.widgets.completions import Completions
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.outline import Outline, contract_lines
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.proof import ProofPane
from workbench.old_screen.widgets.question import QuestionOptions
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.reader import ReaderText
from workbench.policy.completion_words import dialect_words, policy_words

assert quick
RULE = POLICY[: POLICY.index("def forbid_too_many_rows")].count("\n") + 1


# --- search


@given(st.text(), st.text(min_size=1, max_size=3))
def test_marking_what_is_searched_changes_no_text(text: str, query: str) -> None:
    found = marked((TextRun(text),), query)
    assert clean("".join(run.text for run in found)) == clean(text)
    if query.casefold() in clean(text).casefold() and clean(text).isascii():
        assert any(run.tone is Tone.MARK for run in found)


async def test_every_list_is_searched_in_one_way() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, heard):
        cases = app.query_one(CasesPane)
        await pilot.press("f4", "g", "slash", *"case-4")
        await settled(app, pilot)
        first = cases.key
        assert "case-4" in words(cases)
        assert "/case-4" in drawn(cases)
        await pilot.press("enter", "n")
        await settled(app, pilot)
        assert not heard.of(messages.CaseFormWanted)
        assert cases.searching is False
        assert first
        await pilot.press("escape", "f1", "slash", *"Lists", "enter")
        await settled(app, pilot)
        assert "Line down" in words(app.screen.query_one("HelpText"))
        await pilot.press("escape", "f11")
        await settled(app, pilot)
        reader = app.screen.query_one(ReaderText)
        await pilot.press("slash", *"zzz", "backspace", "backspace", "backspace", *"PSet")
        await settled(app, pilot)
        assert "PSet" in drawn(reader)
        await pilot.press("escape", "escape")
        await settled(app, pilot)
        assert not app.screen.is_modal


async def test_what_is_searched_in_a_question_answers_nothing() -> None:
    async with opened(SamplePort()) as (app, pilot, heard):
        await pilot.press("f2", "slash", "1", "a")
        await settled(app, pilot)
        assert app.query_one(QuestionOptions).query_text == "1a"
        assert not heard.of(messages.Answered)


# --- completion


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    return ro", ["role", "rows"]),
        ("    Ens", ["Ensures"]),
        ("    return forbid_too", ["forbid_too_many_rows"]),
        ('    return role == "phy', ["physician"]),
        ("    return role.sta", [".startswith"]),
        ("    return READ", ["READABLE"]),
        ("    # a comment ro", []),
    ],
)
def test_what_fits_at_the_cursor_is_offered(text: str, expected: list[str]) -> None:
    found = completion(text, len(text), "", TERMS)
    assert [word.text for word in found.words][: len(expected)] == expected or (
        not expected and not found.words
    )
    assert not any(word.text in text.split() for word in found.words)


def test_nothing_is_offered_that_the_checker_refuses() -> None:
    names = {word.text for word in dialect_words()}
    assert {"any", "all", "len", "Implies", "Result", "Ensures", "Requires", ".startswith"} <= names
    assert not names & {"print", "open", "eval", "sorted", "map"}
    used = {word.text for word in policy_words(TERMS)}
    assert {"role", "columns", "rows", "READABLE", "allergy.drugname", "physician"} <= used


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    return ro", ["role", "rows"]),
        ("    return r", []),
        ("    return role", []),
        ("    return role.", [".startswith", ".endswith"]),
        ("    return rows.", []),
        ("    return READABLE.", [".get"]),
        ("    return rows > 1.", []),
        ("    return rows > 1e", []),
        ('    return role == "', ["general administration", "nursing", "physician"]),
        ('    return role == "physician" or role in {"nursing", "ph', ["physician"]),
        ('    return READABLE["', ["general administration", "nursing", "physician"]),
        ('    return role == "all', []),
        ('    return columns == "', []),
        ('    return column == "', []),
        ('    return column == "allergy.drugn', ["allergy.drugname"]),
        ('    "nursing', []),
        ("    # ro", []),
        ("def forbid_", []),
        ("    return any(ro for ro", []),
        ("    ret", ["return"]),
    ],
)
def test_unasked_only_what_begins_like_the_word_is_offered(text: str, expected: list[str]) -> None:
    found = suggestion(text, len(text), "", TERMS, "def forbid_x(role: Role) -> bool:")
    assert [word.text for word in found.words] == expected


def test_nothing_is_offered_in_the_middle_of_a_word_or_of_a_long_string() -> None:
    assert not suggestion("    return role", len("    return ro"), "", TERMS).words
    assert not suggestion("    of ro", 9, '"""', TERMS).words


@given(st.integers(-2, 30), st.integers(-5, 90), st.integers(1, 20), st.integers(1, 60), st.data())
def test_a_list_stands_in_its_room_and_never_on_the_line_of_its_word(
    row: int, column: int, width: int, height: int, data: st.DataObject
) -> None:
    room = Size(data.draw(st.integers(0, 80)), data.draw(st.integers(0, 25)))
    found = beside(row, column, Size(width, height), room)
    if found is None:
        assert row not in range(room.height) or room.height == 1 or room.width < min(width, 8)
    else:
        assert Region(0, 0, *room).contains_region(found)
        assert row not in found.line_range or found.height == 0
        assert found.bottom == row or found.y == row + 1


async def typing(pilot: Pilot[None], app: WorkbenchApp, *keys: str) -> Editor:
    """Type at the end of a rule's last line."""
    app.query_one(PolicyPane).go_to(RULE + 2)
    await pilot.press("f3", "end", *keys)
    await settled(app, pilot)
    return app.query_one(Editor)


def last_line(editor: Editor) -> str:
    """The line that was typed in."""
    return editor.text.splitlines()[RULE + 1]


async def test_while_typing_words_are_shown_beside_the_cursor_and_tab_takes_the_first() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, heard):
        editor = await typing(pilot, app, *" or r")
        before = drawn(editor).splitlines()
        assert editor.offered == ()
        await pilot.press("o")
        await settled(app, pilot)
        assert editor.offered == ("role", "rows")
        assert editor.has_focus
        shown = drawn(editor).splitlines()
        here = editor.cursor_screen_offset.y - editor.content_region.y
        assert shown[here].split("return")[1].strip() == "rows > 100 or ro"
        column = shown[here].index(" or ro") + 4
        assert [text[column:].split()[0] for text in shown[here + 1 : here + 3]] == ["role", "rows"]
        assert shown[here + 1].split()[-3:] == ["argument,", "enum", "Tab"]
        assert shown[here + 3] == before[here + 3]
        await pilot.press("w", "tab", *" > 7")
        await settled(app, pilot)
        assert last_line(editor) == "    return rows > 100 or rows > 7"
        assert editor.offered == ()
        assert drawn(editor).splitlines()[here + 1 : here + 3] == before[here + 1 : here + 3]
        assert heard.of(messages.PolicyEdited)[-1].policy == editor.text


async def test_an_offer_takes_no_key_but_tab_and_escape() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro")
        row, column = editor.cursor_location
        assert editor.offered
        for key, place in (
            ("up", (row - 1, column)),
            ("down", (row + 1, 0)),
            ("left", (row, column - 1)),
            ("enter", (row + 1, 4)),
        ):
            await pilot.press(key)
            await settled(app, pilot)
            assert editor.cursor_location == place
            assert editor.offered == ()
            editor.move_cursor((row, column))
            await pilot.press("backspace", "o")
            await settled(app, pilot)
            assert editor.offered == ("role", "rows")
        assert last_line(editor).endswith(" or ro")
        await pilot.press("f4")
        await settled(app, pilot)
        assert editor.offered == ()


async def test_tab_indents_where_nothing_is_offered() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, "enter", "tab", *"ro", "left", "right", "tab")
        assert editor.text.splitlines()[RULE + 2] == "        ro  "


async def test_a_tab_that_comes_with_the_word_takes_what_fits_by_then() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro")
        for key, character in (("w", "w"), ("tab", None), ("space", " ")):
            editor.post_message(events.Key(key, character))
        await settled(app, pilot)
        assert last_line(editor).endswith(" or rows ")


async def test_escape_closes_the_list_for_its_word_only() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro", "escape", "w")
        assert editor.has_focus
        assert editor.offered == ()
        await pilot.press(*" or ro")
        await settled(app, pilot)
        assert editor.offered
        await pilot.press("escape", "escape")
        await settled(app, pilot)
        assert app.query_one(PolicyPane).has_focus


async def test_what_is_pasted_or_undone_opens_no_list() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ")
        app.post_message(events.Paste("ro"))
        await settled(app, pilot)
        assert last_line(editor).endswith(" or ro")
        assert editor.offered == ()
        await pilot.press("w", "ctrl+z")
        await settled(app, pilot)
        assert editor.offered == ()


async def test_a_list_stays_beside_its_word_when_the_text_is_scrolled() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro")
        before = drawn(editor).splitlines()
        here = next(row for row, text in enumerate(before) if "argument, enum" in text)
        editor.scroll_relative(y=2, animate=False)
        await settled(app, pilot)
        assert "argument, enum" in drawn(editor).splitlines()[here - 2]
        editor.scroll_to(y=0, animate=False)
        await settled(app, pilot)
        assert editor.offered == () or "argument, enum" in drawn(editor)


async def test_a_setting_leaves_completion_to_its_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "keys.toml"
    file.write_text("suggestions = false", encoding="utf-8")
    monkeypatch.setattr("workbench.old_screen.keyboard_actions.user_keys", lambda: file)
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro")
        assert editor.offered == ()
        await pilot.press("ctrl+n")
        await settled(app, pilot)
        assert app.query_one(Completions).has_focus


async def test_a_word_is_chosen_in_the_list_and_typing_goes_on() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro", "ctrl+n")
        pane, completions = app.query_one(PolicyPane), app.query_one(Completions)
        assert completions.has_focus
        assert editor.offered == ()
        assert editor.region.contains_region(completions.region)
        assert editor.cursor_screen_offset.y not in completions.region.line_range
        await pilot.press("w", "backspace", "w")
        await settled(app, pilot)
        assert "rows" in drawn(completions)
        assert "role" not in drawn(completions)
        await pilot.press("enter", *" > 7")
        await settled(app, pilot)
        assert "return rows > 100 or rows > 7" in pane.text
        assert editor.has_focus
        assert not completions.display
        await pilot.press("ctrl+n", "escape", "ctrl+z")
        await settled(app, pilot)
        assert editor.has_focus
        await pilot.press("ctrl+n", "f4")
        await settled(app, pilot)
        assert not completions.display


async def test_a_click_on_an_offered_word_writes_it() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        editor = await typing(pilot, app, *" or ro")
        shown = drawn(editor).splitlines()
        row = next(row for row, text in enumerate(shown) if " rows  argument" in text)
        await pilot.click(editor, offset=(shown[row].index(" rows  argument") + 2, row))
        await settled(app, pilot)
        assert last_line(editor).endswith(" or rows")
        assert editor.has_focus
        assert editor.offered == ()


async def test_the_title_says_whether_keys_type() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        pane = app.query_one(PolicyPane)
        titles: list[str] = []
        for key in ("f4", "f3", "escape", "enter", "f4"):
            await pilot.press(key)
            await settled(app, pilot)
            titles.append(str(pane.border_title))
        editing, reading = "Policy F3 · Esc ends editing", "Policy F3 · Enter edits"
        assert titles == ["Policy F3", editing, reading, editing, "Policy F3"]


async def test_the_cursor_stays_in_sight_when_problems_take_room_from_the_text() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        editor = app.query_one(Editor)
        await pilot.press("f3", "ctrl+end", *"?")
        await settled(app, pilot)
        assert app.query_one("#problems").size.height
        assert editor.content_region.contains_point(editor.cursor_screen_offset)
        assert editor.cursor_screen_offset.y == editor.scrollable_content_region.bottom - 1


async def test_a_new_line_is_indented_like_the_one_above() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        editor = await typing(pilot, app, "enter", *"if rows > 1:", "enter", *"pass")
        assert editor.text.splitlines()[RULE + 2 : RULE + 4] == ["    if rows > 1:", "        pass"]
        await pilot.press("ctrl+home", "enter")
        assert editor.text.startswith("\n")
        assert editor.cursor_location == (1, 0)


# --- the fold


def test_the_contract_is_its_clauses_with_their_comments() -> None:
    lines = POLICY.splitlines()
    folded = contract_lines(POLICY, (*TERMS.preconditions, *TERMS.clauses))
    text = "\n".join(lines[number - 1] for number in folded)
    assert text.count("Ensures(") == 3
    assert "Requires(" in text
    assert "return" not in text
    assert contract_lines(POLICY, ()) == range(0)


async def test_the_contract_is_folded_to_read_and_opened_at_its_line() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, _):
        pane, outline = app.query_one(PolicyPane), app.query_one(Outline)
        await pilot.press("z")
        await settled(app, pilot)
        text = drawn(outline)
        assert "contract: 3 clauses" in text
        assert "Ensures(" not in text.replace("import Ensures", "")
        assert "return not" in text
        fold = next(row.key for row in outline._rows if "contract:" in "".join(run.text for run in row.line))  # pyright: ignore[reportPrivateUsage]
        outline.select(fold)
        await pilot.press("enter")
        await settled(app, pilot)
        assert not outline.display
        assert pane.has_focus
        assert pane.editor.cursor_location[0] + 1 == int(fold)
        assert pane.text == POLICY
        await pilot.press("z", "z", "i", "x")
        await settled(app, pilot)
        await pilot.press("escape", "z")
        await settled(app, pilot)
        assert not outline.display, "a text outside the dialect has no known contract"


# --- ways to a rule


@pytest.mark.parametrize("pane", ["cases", "proof", "replay", "rail"])
async def test_a_rule_is_reached_from_a_case_a_clause_a_step_and_a_sentence(pane: str) -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press({"cases": "f4", "proof": "f5", "replay": "f6", "rail": "f8"}[pane])
        await settled(app, pilot)
        if pane == "cases":
            app.query_one(CasesPane).select("R4 case-8")
        elif pane == "proof":
            app.query_one(ProofPane).select("C3")
        elif pane == "rail":
            app.query_one(Rail).show_sentence("sentence R4")
        else:
            await pilot.press("slash", *"rules:forbid_too_many_rows", "enter")
        await settled(app, pilot)
        await pilot.press("f12")
        await settled(app, pilot)
        reader = app.screen.query_one(ReaderText)
        assert "line" in drawn(reader)
        assert "of the policy" in drawn(reader)
        reader.action_edge(-1)
        await pilot.press("enter")
        await settled(app, pilot)
        line = app.query_one(Editor).cursor_location[0]
        text = "\n".join(POLICY.splitlines()[line : line + 2])
        assert "forbid_too_many_rows" in text or "rows > 100" in text
        await pilot.press("alt+left")
        await settled(app, pilot)
        assert app.query_one(f"#{pane}").has_focus_within
