"""Lines that are kept as drawn, so that a key redraws only the lines that it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self, cast

from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.styles import PartStyles

MOST = 1_000  # the most lines kept; a screen shows only a part of them


class KeptLines(ScrollView):
    """A ``ScrollView`` that keeps its drawn lines until it is redrawn, and lays out the screen rarely."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        """Start with nothing drawn."""
        self._strip_by_place: dict[tuple[int, int], Strip] = {}
        self.parts = PartStyles(self)
        self.base = Style.null()
        super().__init__(id=id, classes=classes)

    def strip_of(self, row: int, width: int, draw: Callable[[int, int], Strip]) -> Strip:
        """The line of a row in a width, kept or made by ``draw``."""
        strip = self._strip_by_place.get((row, width))
        if strip is None:
            strip = self._strip_by_place[row, width] = draw(row, width)
        return strip

    def draw_rows(self, rows: Iterable[int]) -> None:
        """Redraw these rows, and draw the others from the kept lines."""
        changed, top, size = set(rows), self.scroll_offset.y, self.size
        for place in [place for place in self._strip_by_place if place[0] in changed]:
            del self._strip_by_place[place]
        regions = [Region(0, row - top, size.width, 1) for row in changed if 0 <= row - top < size.height]
        if regions:
            self.refresh(*regions)

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Draw again: with regions from the kept lines, without regions each line anew."""
        if not regions:
            self._strip_by_place.clear()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        """Draw each line anew, because its style changed."""
        self._strip_by_place.clear()
        self.parts.forget()
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the visible lines over one base style. Called by Textual."""
        self.base = self.rich_style
        if len(self._strip_by_place) > MOST:
            self._strip_by_place.clear()
        return super().render_lines(crop)

    def take_size(self, size: Size) -> None:
        """Set the number of columns and rows over which the widget scrolls.

        The screen is laid out only if this may change the size of the widget or show or hide its bar. Laying
        out the whole screen takes longer than everything else that a key does.
        """
        scrolls = size.height > self.container_size.height
        if self.styles.auto_dimensions and not self.display:
            self.set_reactive(cast("Reactive[Size]", KeptLines.virtual_size), size)
        elif self.styles.auto_dimensions or not self.size or scrolls != self.show_vertical_scrollbar:
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(cast("Reactive[Size]", KeptLines.virtual_size), size)
            self.scroll_y = self.scroll_y  # checked against the number of rows
            if scrolls and self.styles.scrollbar_size_vertical:
                self.vertical_scrollbar.window_virtual_size = size.height
