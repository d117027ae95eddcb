"""Hostile text at every place of the frame: drawn as text, no link, nothing raw for the terminal."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Input

from tests.tui.svg import strips
from workbench.app.session_state import SessionState
from workbench.clean_text import clean
from workbench.model import Problem, Requirement, Span
from workbench.tui.change_walk import ChangedLine, Walk
from workbench.tui.chooser import Chooser
from workbench.tui.messages import Progress, Say
from workbench.tui.themes import take_themes
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.key_line import KeyLine
from workbench.tui.widgets.prompt import Prompt
from workbench.tui.widgets.text_editor import TextEditor

HOSTILE = "[@click=app.quit]x[/] [/x]\x1b]52;c;eA==\x07\x9b2J\u202e"
RAW = ("\x1b", "\x07", "\x9b", "\u202e")


class Frame(App[None]):
    """The widgets of the frame that show text from outside, without a session."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """One below the other."""
        yield TextEditor(id="text")
        yield CodeEditor(id="code")
        yield ChangedLine(id="changed")
        yield Prompt()
        yield KeyLine(lambda: [("x", "keys")], print)

    def on_mount(self) -> None:
        """Take the colours of the workbench."""
        take_themes(self, "dark")
        for editor in self.query("CodeEditor, TextEditor"):
            editor.styles.height = 8


def check(app: Frame, times: int) -> None:
    """Check that all drawn text is harmless, and that the text appears at least this number of times."""
    segments = [segment for strip in strips(app) for segment in strip]
    text = "".join(segment.text for segment in segments)
    assert not [raw for raw in RAW if raw in text]
    assert not [segment for segment in segments if segment.style and "@click" in segment.style.meta]
    assert text.count("[@click=app.quit]x[/] [/x]") >= times, text


@pytest.mark.parametrize("width", [80, 120])
async def test_hostile_text_is_drawn_as_text_at_every_place_of_the_frame(width: int) -> None:
    app = Frame()
    app.animation_level = "none"
    async with app.run_test(size=(width, 40)) as pilot:
        sentence = Requirement("R1", HOSTILE, HOSTILE, Span(0, 1))
        walk = Walk()
        walk.begin(HOSTILE, SessionState("before"))
        walk.take(SessionState("after", requirements=(sentence,)))
        walk.go(1)
        app.query_one(ChangedLine).show(walk)
        app.query_one(KeyLine).take(Progress("work", HOSTILE))
        app.query_one(KeyLine).say(Say(HOSTILE, problem=True))
        app.query_one(TextEditor).begin(HOSTILE, HOSTILE, print)
        policy = f"# {HOSTILE}\n"
        code = app.query_one(CodeEditor)
        code.begin(policy, 1, 1, HOSTILE)
        problem = Problem(HOSTILE, HOSTILE, 1)
        code.take(SessionState("x", policy=policy, problems=(problem,)))
        await pilot.pause()
        code.action_next_problem()
        await pilot.pause()
        check(app, 8)
        app.query_one(Prompt).ask(HOSTILE, HOSTILE, lambda _text: None, lambda _text: None)
        await pilot.pause()
        check(app, 6)
        chooser = Chooser(HOSTILE, [("a", HOSTILE, HOSTILE), ("b", "", HOSTILE)])
        app.push_screen(chooser)
        await pilot.pause()
        check(app, 4)
        chooser.query_one(Input).insert_text_at_cursor(HOSTILE)
        await pilot.pause()
        check(app, 2)
    assert clean(HOSTILE) != HOSTILE
