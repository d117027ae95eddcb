"""Keys that arrive in one burst take effect in their order."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult

from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.entry import Entry


class Alone(App[None]):
    """The editor and the entry below some containers, as on the screen."""

    def compose(self) -> ComposeResult:
        """Both text widgets."""
        yield Editor("one\ntwo\nthree\nfour", id="editor")
        yield Entry(id="entry")


def burst(app: App[None], *keys: str) -> None:
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_text_never_overtakes_the_cursor_in_the_editor() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        editor = app.query_one(Editor)
        editor.focus()
        await pilot.pause()
        burst(app, "down", "down", "end", "x", "up", "home", "y", "backspace", "z")
        await pilot.pause()
        assert editor.text == "one\nztwo\nthreex\nfour"


async def test_text_never_overtakes_the_cursor_in_an_entry() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        entry = app.query_one(Entry)
        entry.focus()
        await pilot.pause()
        burst(app, "a", "b", "left", "c", "home", "d", "end", "e")
        await pilot.pause()
        assert entry.value == "dacbe"
