"""The policy pane and the lists: search, completion, the fold, and ways from everywhere to a rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_tui_app import ANSWERED, opened, quick
from tests.tui_screens import drawn, settled, words
from workbench.policy.vocabulary import dialect_words, policy_words
from workbench.tui import messages
from workbench.tui.completing import completion
from workbench.tui.plain import Run, Tone, clean
from workbench.tui.sample import POLICY, TERMS
from workbench.tui.sample_port import SamplePort
from workbench.tui.searching import marked
from workbench.tui.widgets.cases import CasesPane
from workbench.tui.widgets.completions import Completions
from workbench.tui.widgets.editor import Editor
from workbench.tui.widgets.outline import Outline, contract_lines
from workbench.tui.widgets.policy import PolicyPane
from workbench.tui.widgets.proof import ProofPane
from workbench.tui.widgets.question import Options
from workbench.tui.widgets.rail import Rail
from workbench.tui.widgets.reader import ReaderText

assert quick
RULE = POLICY[: POLICY.index("def forbid_too_many_rows")].count("\n") + 1


# --- search


@given(st.text(), st.text(min_size=1, max_size=3))
def test_marking_what_is_searched_changes_no_text(text: str, query: str) -> None:
    found = marked((Run(text),), query)
    assert clean("".join(run.text for run in found)) == clean(text)
    if query.casefold() in clean(text).casefold() and clean(text).isascii():
        assert any(run.tone is Tone.MARK for run in found)


async def test_every_list_is_searched_in_one_way() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, heard):
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
        assert app.query_one(Options).query_text == "1a"
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
    assert len(found.words) <= 6


def test_nothing_is_offered_that_the_checker_refuses() -> None:
    names = {word.text for word in dialect_words()}
    assert {"any", "all", "len", "Implies", "Result", "Ensures", "Requires", ".startswith"} <= names
    assert not names & {"print", "open", "eval", "sum", "map"}
    used = {word.text for word in policy_words(TERMS)}
    assert {"role", "columns", "rows", "READABLE", "allergy.drugname", "physician"} <= used


async def test_a_completion_is_chosen_below_the_text_and_typing_goes_on() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        editor = app.query_one(Editor)
        pane = app.query_one(PolicyPane)
        pane.go_to(RULE + 2)
        await pilot.press("f3", "end", *" or ro", "ctrl+n")
        await settled(app, pilot)
        completions = app.query_one(Completions)
        assert completions.has_focus
        assert not completions.region.overlaps(editor.region)
        await pilot.press("w")
        await settled(app, pilot)
        assert "rows" in drawn(completions)
        assert "role" not in drawn(completions)
        await pilot.press("enter", *" > 7")
        await settled(app, pilot)
        assert "return rows > 100 or rows > 7" in pane.text
        assert editor.has_focus
        await pilot.press("ctrl+n", "escape", "ctrl+z")
        await settled(app, pilot)
        assert editor.has_focus


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
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
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
