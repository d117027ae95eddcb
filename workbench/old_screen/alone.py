"""One widget on the whole screen, with sample data: to try it, or to draw it into a picture."""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widget import Widget
from textual.widgets import Input, TextArea

from workbench.old_screen import themes
from workbench.old_screen.widgets.key_line import KeyLine

FONT_FROM_ELSEWHERE = re.compile(r',\s*url\("[^"]*"\) format\("[^"]*"\)')


class Alone[W: Widget](App[None]):
    """One widget on the whole screen, filled with sample data."""

    TITLE = "Policy workbench"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, widget: W, fill: Callable[[W], None]) -> None:
        """Show ``widget`` after ``fill`` gave it something to show."""
        super().__init__()
        themes.take_themes(self)
        self._widget = widget
        self._fill = fill

    def compose(self) -> ComposeResult:
        """The widget and the keys."""
        yield self._widget
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the widget, and show it also if panes keep it hidden until it is needed."""
        self._widget.display = True
        self._fill(self._widget)

    async def drawn(self, size: tuple[int, int]) -> str:
        """The widget as SVG in a size of columns and lines; the picture loads nothing from elsewhere."""
        self.animation_level = "none"
        async with self.run_test(size=size) as pilot:
            for entry in self.query("Input, TextArea").results(Widget):
                if isinstance(entry, Input | TextArea):
                    entry.cursor_blink = False
            await pilot.pause()
            return FONT_FROM_ELSEWHERE.sub("", self.export_screenshot())


def run_alone[W: Widget](widget: W, fill: Callable[[W], None]) -> None:
    """Run one widget with sample data; what ``python -m workbench.old_screen.widgets.NAME`` does.

    With ``--picture FILE`` it is drawn into an SVG file instead.
    """
    parser = argparse.ArgumentParser(description="One widget of the screen with sample data.")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw it into an SVG file")
    parser.add_argument("--size", default="76x16", help="columns x lines of the picture")
    options = parser.parse_args()
    alone = Alone(widget, fill)
    if options.picture is None:
        alone.run()
        return
    columns, lines = (int(part) for part in str(options.size).split("x"))
    path: Path = options.picture
    path.write_text(asyncio.run(alone.drawn((columns, lines))) + "\n", encoding="utf-8")
