"""Long and wrapped lines of an editor: keys speak of the whole line, and only what is in sight is drawn."""

from __future__ import annotations

from textual.app import App, ComposeResult

from workbench.tui.widgets.text_editor import TextEditor

WORDS = "Never pay twice, whoever asks for it. "


class OneEditor(App[None]):
    """An editor alone."""

    def compose(self) -> ComposeResult:
        """The editor."""
        yield TextEditor(id="text")


async def test_a_very_long_line_is_drawn_as_a_shorter_one_is_and_its_ends_are_those_of_the_line() -> None:
    """The first rows of both have the same text, with a selection and the cursor in them."""
    app = OneEditor()
    async with app.run_test(size=(60, 12)) as pilot:
        editor, drawn = app.query_one(TextEditor), list[list[object]]()
        editor.cursor_blink = False
        for times in (100, 4_000):
            editor.begin("a text", "first\n" + WORDS * times, print)
            await pilot.press("down", "right", "shift+right", "shift+down")
            await pilot.pause()
            rows = [editor.render_line(y) for y in range(1, 6)]
            drawn.append(
                [(part.text.rstrip(), part.style) for row in rows for part in row if part.text.strip()]
            )
            await pilot.press("end")
            assert editor.cursor_location == (1, len(WORDS) * times)
            await pilot.press("home")
            assert editor.cursor_location == (1, 0)
            await pilot.press("ctrl+home")
            assert editor.cursor_location == (0, 0)
            await pilot.press("ctrl+end")
            assert editor.cursor_location == (1, len(WORDS) * times)
            await pilot.press("ctrl+shift+home")
            assert editor.selected_text == editor.text
        assert drawn[0] == drawn[1]


async def test_lines_that_are_wrapped_anew_are_all_drawn_anew() -> None:
    """A row may be drawn between a change of the size and the wrapping for it; no words stay twice."""
    app = OneEditor()
    async with app.run_test(size=(60, 12)) as pilot:
        editor = app.query_one(TextEditor)
        editor.begin("a text", WORDS * 2, print)
        await pilot.pause()
        editor.wrapped_document.wrap(38)  # as for another size, with as many rows
        editor.redraw()
        await pilot.pause()
        assert shown(app) == [WORDS.strip()] * 2
        editor._rewrap_and_refresh_virtual_size()  # pyright: ignore[reportPrivateUsage]
        await pilot.pause()
        assert shown(app) == [f"{WORDS}Never pay twice,", "whoever asks for it."]


def shown(app: App[None]) -> list[str]:
    """The rows of the editor that have words, as they stand on the screen."""
    strips = app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    rows = ["".join(part.text for part in strip) for strip in strips]
    return [row.strip("│┃▏▎▍ ━─") for row in rows if "pay" in row or "asks" in row or "whoever" in row]
