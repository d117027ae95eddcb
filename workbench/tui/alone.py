"""One widget on the whole screen, with sample data."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.widget import Widget
from textual.widgets import Footer

from workbench.tui import themes


class Alone[W: Widget](App[None]):
    """One widget on the whole screen, filled with sample data."""

    def __init__(self, widget: W, fill: Callable[[W], None]) -> None:
        """Show ``widget`` after ``fill`` gave it something to show."""
        super().__init__()
        themes.take_themes(self)
        self._widget = widget
        self._fill = fill

    def compose(self) -> ComposeResult:
        """The widget and the footer."""
        yield self._widget
        yield Footer()

    def on_mount(self) -> None:
        """Fill the widget, and show it also if panes keep it hidden until it is needed."""
        self._widget.display = True
        self._fill(self._widget)


def run_alone[W: Widget](widget: W, fill: Callable[[W], None]) -> None:
    """Run one widget with sample data; what ``python -m workbench.tui.widgets.NAME`` does."""
    Alone(widget, fill).run()
