"""The view of the whole policy file: folds, signs, findings, and editing in place."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from textual import events

from tests.app.lending_desk import POLICY, lending_desk
from tests.tui.driving import Driver, opened
from workbench.session import Session
from workbench.tui.messages import ViewName
from workbench.tui.widgets.code_editor import CodeEditor

SESSIONS = Path(__file__).resolve().parents[4] / "sessions"


def copied(name: str, folder: Path) -> Path:
    """A copy of a session that is shipped."""
    return shutil.copytree(SESSIONS / name, folder / name, ignore=shutil.ignore_patterns(".workbench"))


def editor_of(person: Driver) -> CodeEditor:
    """The editor of the whole file."""
    return person.app.query_one("#whole", CodeEditor)


async def test_the_whole_file_is_read_and_edited(shop: Path) -> None:
    """Rules are whole and the rest is folded; problems appear beside the text; keys stay in the text."""
    async with opened(shop) as person:
        await person.press("P")
        assert "imports  nagini_contracts" in person.text
        assert "from nagini" not in person.text
        assert "R1: Users without a driver's licence" in person.text

        await person.press("e")
        editor = editor_of(person)
        assert "EDIT policy.py" in person.text
        assert "def forbid_car" in person.line(" 10 ")
        editor.go_to(26)
        await person.settle()
        assert "forbid_job──" in person.text  # the findings follow the cursor of the text
        editor.go_to(22)
        await person.press("end", "right_parenthesis")
        assert "✗ line 22" in person.text  # beside the text
        assert "EDIT policy.py · 1 problem" in person.text

        # Tab stays in the text.
        await person.pilot.press("down")
        assert editor.cursor_location[0] == 22
        await person.pilot.press("tab")
        assert person.app.focused is editor
        await person.pilot.press("ctrl+z", "ctrl+z")

        # Twenty-one in place of eighteen: the broken cases are two keys away, and one more keeps the change.
        editor.move_cursor((21, editor.document.get_line(21).index("18") + 2))
        await person.pilot.press("backspace", "backspace", "2", "1", "escape")
        await person.settle()
        assert "EDIT" not in person.text
        assert "Edit" in person.line("→ deny")
        assert "✗  def forbid_hotel" in person.text  # its cases fail
        await person.press("escape")  # a second Esc out of habit leads nowhere
        person.line("Esc again goes back")
        assert person.app.going.here.view is ViewName.POLICY
        await person.press("n")
        person.line("Question 1 of 1")  # whether the rule may say another number than the sentence
        await person.press("n")
        person.line("refuted: C")
        person.line("this breaks it")
        await person.press("p")
        assert "Kept the counterexample to C" in person.text
        assert "cases: 1 added" in person.text


async def test_a_narrow_screen_shows_the_text_alone(tmp_path: Path) -> None:
    async with opened(copied("hospital-access", tmp_path), (75, 24)) as person:
        await person.press("P")
        assert "table  READABLE" in person.text
        await person.press("e")
        editor = editor_of(person)
        assert editor.region.width == 75
        assert "def forbid_unreadable_column" in person.text
        await person.press("escape", "tab")
        assert "Cases" in person.text


async def test_a_file_that_is_not_in_the_dialect_opens_at_what_is_wrong(tmp_path: Path) -> None:
    session = copied("web-shopping", tmp_path)
    policy = session / "policy.py"
    policy.write_text(policy.read_text().replace('"book_hotel" and', '= "book_hotel" and'))
    async with opened(session, (80, 24)) as person:
        await person.press("P")
        assert "✗ This is not valid Python" in person.text
        await person.press("tab")
        assert re.search(r"✗ line 22:[0-9]+: This is not valid Python", person.text)
        await person.press("E")
        assert "P shows what to mend" in person.text


async def test_choosing_a_problem_opens_the_editor_at_its_column(tmp_path: Path) -> None:
    folder = lending_desk(
        tmp_path, POLICY.replace("loan.made_at < timedelta(days=1)\n", "loan.made < 5\n", 1)
    )
    async with opened(folder) as person:
        await person.press("P")
        await person.until_shown("loan.made < 5")
        await person.press("enter")
        editor = editor_of(person)
        row, column = editor.cursor_location
        assert editor.document.get_line(row)[column:].startswith("loan.made < 5")


async def test_an_edit_of_the_agent_is_there_again_when_the_screen_was_left(shop: Path) -> None:
    async with opened(shop) as person:
        await person.press("P")
        await person.command("edit agent")
        await person.press("ctrl+end")
        await person.type("# half a tho")
        before = (shop / "agent.toml").read_text(encoding="utf-8")
    assert (shop / "agent.toml").read_text(encoding="utf-8") == before
    async with opened(shop) as person:
        await person.press("P")
        await person.until_shown("an edit that is not stored")
        await person.command("edit agent")
        assert "# half a tho" in person.app.query_one("#spec", CodeEditor).text
        await person.press("escape")
        await person.until_shown("The agent is edited")
    assert "# half a tho" in (shop / "agent.toml").read_text(encoding="utf-8")
    with Session.open(shop) as session:
        assert "agent.toml" not in session.buffers


async def test_p_opens_the_policy_and_a_paste_of_the_other_file_is_told(shop: Path) -> None:
    async with opened(shop) as person:
        await person.press("P", "tab", "tab", "A", "P", "e")
        assert "EDIT policy.py" in person.text, "not agent.toml, whose pane was left last"
        editor = editor_of(person)
        await person.press("f7")
        before, toml = editor.text, '[tools.pay.fields]\ntotal = {unit = "EUR"}\n'
        person.app.post_message(events.Paste(toml))
        await person.until_shown("What you pasted looks like agent.toml, and this is policy.py")
        assert editor.text == toml
        await person.until_shown("✗ line 2:10: This is not valid Python")
        await person.press("ctrl+z")
        assert editor.text == before
        await person.press("escape")
        await person.command("edit agent")
        assert person.app.query_one("#spec", CodeEditor).has_focus
        person.app.post_message(events.Paste("def forbid_all(call: Pay) -> bool:\n"))
        await person.until_shown("What you pasted looks like policy.py, and this is agent.toml")
        await person.press("ctrl+z")
        # a text that is refused is opened again where it was left
        spec = person.app.query_one("#spec", CodeEditor)
        await person.press("ctrl+end")
        await person.type("[tools")
        left = spec.cursor_location
        await person.press("escape")
        await person.until(lambda: spec.display and spec.has_focus)
        assert left == spec.cursor_location and spec.text.rstrip().endswith("[tools")
        await person.press("ctrl+z", "escape")


async def test_a_screen_that_ends_while_the_agent_is_edited_leaves_the_policy_alone(shop: Path) -> None:
    async with opened(shop) as person:
        await person.command("edit agent")
        await person.type("# a note")
        await person.press("ctrl+q")
    async with opened(shop) as person:
        assert "in the policy" not in person.lines[0]
        assert "a note" not in person.app.state.policy
