"""Screens that are drawn once for all that a key changes.

A key that shows other widgets makes Textual lay the screen out, which gives widgets other sizes, for which
they make other rows, which may lay the screen out again. Textual draws after each layout. Drawing takes five
times as long as laying out, and a person sees nothing of the pictures between. What changes behind a dialog
has the dialog drawn again, too, with all that is behind it.

Textual's own ``batch_update`` and ``delay_update`` hold the layouts back as well, so that no widget gets its
size, and its signal of a layout comes after the picture: only here it is known that a picture is due.
"""

from __future__ import annotations

from typing import cast, override

from textual.app import App
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.screen import Screen
from textual.widget import Widget

_MOST_WAITS = 6
"""How often a picture waits for the next sixtieth of a second: what changes all the time is drawn, too."""


class SettledScreen[Result](Screen[Result]):
    """A screen that is drawn when its widgets have taken what they were sent, such as their sizes."""

    focused: Reactive[Widget | None] = var[Widget | None](None)
    """Textual draws the whole screen when another widget gets the focus, and those two draw themselves."""
    _waits = 0
    """How often the picture that is due waited."""
    _lays_out = False

    @override
    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self._lays_out = True
        try:
            super()._refresh_layout(size, scroll)
        finally:
            self._lays_out = False

    @override
    def _compositor_refresh(self) -> None:
        if self._waits < _MOST_WAITS and self.is_current and (self._lays_out or self._unsettled):
            self._waits += 1
            self._update_timer.resume()
            return
        self._waits = 0
        super()._compositor_refresh()

    @override
    def _on_timer_update(self) -> None:
        waits = self._waits
        super()._on_timer_update()
        if waits and waits == self._waits and self.is_current:  # neither drawn meanwhile, nor laid out again
            self._compositor_refresh()

    @property
    def _unsettled(self) -> bool:
        """Whether messages to drawn widgets, or to what holds the focus, are on their way.

        Or whether a screen behind is drawn soon.
        """
        stack = cast("App[object]", self.app).screen_stack
        behind = stack[: stack.index(self)] if self in stack else ()
        waits = any(screen._dirty_widgets for screen in behind)  # pyright: ignore[reportPrivateUsage]  as Textual reads it
        holders = () if self.focused is None else self.focused.ancestors[:-1]  # which take what panes tell
        return waits or any(one.message_queue_size for one in (*self._compositor.widgets, *holders))
