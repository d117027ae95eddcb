"""Editors: a text area that draws any text safely, and one of a whole text that is then stored.

Keys take effect in the order in which they were typed. Textual inserts a printable key as soon as the widget
hears it, but lets a cursor key climb to the application before its action runs. In a burst (a fast typist, a
slow line) text would overtake the cursor and land in the wrong place. Here a text area runs the actions of
its own bindings at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import ClassVar, Literal, cast, override

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.strip import Strip
from textual.widgets import TextArea

from workbench.clean_text import clean_same_width
from workbench.tui.messages import HintsChanged
from workbench.tui.styles import PartStyles, style_sheet
from workbench.tui.text_runs import TextRun, title

type TabBehavior = Literal["focus", "indent"]

_LONG = 4_000
"""The number of characters from which a line is drawn in parts."""
KEPT = "Esc keeps it and leaves"
NOT_STORED = "not stored; mend it, or Esc gives it up"
"""The note in the title of a text that could not be stored, until the text is changed."""


class WrappedLines(WrappedDocument):
    """The wrapped lines of a text area; the rows of a line are cut out of it, quick for a long one."""

    @override
    def wrap(self, width: int, tab_width: int | None = None) -> None:
        wrapped = self._width, self._tab_width
        if not self._wrap_offsets or not width or (width, tab_width or self._tab_width) != wrapped:
            super().wrap(width, tab_width)  # else all is wrapped so: what is edited is wrapped at once

    def get_sections(self, line_index: int) -> list[str]:
        """The rows of a line."""
        text = self.document[line_index]
        return [text[start:end] for start, end in pairwise((0, *self.get_offsets(line_index), len(text)))]


class LineArea(TextArea):
    """A text area in which Home, End, Ctrl+U and Ctrl+K speak of the whole line, however it is wrapped.

    It has room for a sign at the start of each line, and invisible characters are made visible.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "edge(False)", show=False),
        Binding("ctrl+end", "edge(True)", show=False),
        Binding("ctrl+shift+home", "edge(False, True)", show=False),
        Binding("ctrl+shift+end", "edge(True, True)", show=False),
    ]

    sign_width = 0
    """The cells before the line numbers for the sign of a line."""

    def __init__(self, *, id: str, tab_behavior: TabBehavior, show_line_numbers: bool = False) -> None:
        """Start without a text."""
        self.parts = PartStyles(self)
        self._signs: Mapping[int, TextRun] = {}
        super().__init__(
            id=id, soft_wrap=True, tab_behavior=tab_behavior, show_line_numbers=show_line_numbers, theme="css"
        )

    async def _on_key(self, event: events.Key) -> None:
        if event.key.startswith("alt+"):
            event.prevent_default()  # terminals send the letter with Alt; it must not be typed
        elif event.is_printable:
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority and self.check_action(binding.action, ()) is not False:
                event.stop()
                event.prevent_default()
                await self._own_app.run_action(binding.action, self)
                return

    @property
    def _own_app(self) -> App[object]:
        return cast("App[object]", self.app)

    def _set_document(self, text: str, language: str | None) -> None:
        super()._set_document(text, language)
        self.wrapped_document = WrappedLines(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._rewrap_and_refresh_virtual_size()

    def _rewrap_and_refresh_virtual_size(self) -> None:
        """Wrap the lines anew and draw them all: rows of two wrappings would repeat words, or lack some."""
        super()._rewrap_and_refresh_virtual_size()
        self.refresh()

    def action_edge(self, is_end: bool, select: bool = False) -> None:
        """Go to the start or the end of the text, perhaps selecting what lies between."""
        self.move_cursor(self.document.end if is_end else (0, 0), select=select)

    def get_cursor_line_start_location(self, smart_home: bool = False) -> tuple[int, int]:
        """The start of the line; with ``smart_home`` its first word, unless the cursor is there or before."""
        row, column = self.cursor_location
        text = self.document.get_line(row)
        indent = len(text) - len(text.lstrip())
        return row, indent if smart_home and (column == 0 or column > indent) else 0

    def get_cursor_line_end_location(self) -> tuple[int, int]:
        """The end of the line."""
        row, _ = self.cursor_location
        return row, len(self.document.get_line(row))

    def get_line(self, line_index: int) -> Text:
        """A line with invisible characters made visible."""
        return Text(clean_same_width(self.document.get_line(line_index)), end="", no_wrap=True)

    @property
    def gutter_width(self) -> int:
        """The width of the line numbers and of the signs before them."""
        return super().gutter_width + self.sign_width

    def redraw(self) -> None:
        """Draw each line anew, because signs or marks changed."""
        self.notify_style_update()
        self.refresh()

    def _render_line(self, y: int) -> Strip:
        """A row, the first of a line with its sign."""
        row, rows = y + self.scroll_offset.y, self.wrapped_document._offset_to_line_info  # pyright: ignore[reportPrivateUsage]
        if row >= len(rows):
            return super()._render_line(y)
        number, section = rows[row]
        is_long = len(self.document.get_line(number)) > _LONG
        strip = self._part_of_long(number, section) if is_long else super()._render_line(y)
        if not self.sign_width:
            return strip
        sign = self._signs.get(number, TextRun("")) if section == 0 else TextRun("")
        style = self.rich_style + self.parts.of(f"line--{sign.tone}")
        text = sign.text.ljust(self.sign_width)[: self.sign_width]
        return Strip.join([Strip([Segment(text, style)], self.sign_width), strip.crop(self.sign_width)])

    def _part_of_long(self, number: int, section: int) -> Strip:
        """A row of a very long line: only what stands in the row, not the line again for each row."""
        source = self.document.get_line(number)
        ends = [*self.wrapped_document.get_offsets(number), len(source) + 1]
        start = ends[section - 1] if section else 0
        text = Text(clean_same_width(source[start : ends[section]]), end="", no_wrap=True)
        text.pad_right(1)  # for the cursor
        theme, end = self._theme, self.selection.end
        for style, (first, last) in (
            (theme.selection_style, sorted(self.selection)),
            (theme.cursor_style if self._draw_cursor else None, (end, (end[0], end[1] + 1))),
        ):
            if style is not None and first[0] <= number <= last[0]:
                left = first[1] if first[0] == number else 0
                right = last[1] if last[0] == number else len(source)
                text.stylize(style, max(left - start, 0), max(right - start, 0))
        text.expand_tabs(self.indent_width)
        base = theme.base_style or self.rich_style
        if end[0] == number and self.highlight_cursor_line and self.has_focus:
            base += theme.cursor_line_style or Style.null()
        segments = [Segment(" " * self.gutter_width), *text.render(self._own_app.console)]
        return Strip(segments).adjust_cell_length(self.size.width).apply_style(base)


type Left = Callable[[str | None], object]


class TextEditor(LineArea):
    """An editor in which printable keys type; Esc or Ctrl+S leave it, and the text is kept."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", priority=True),
        Binding("ctrl+s", "leave(True)", priority=True),
    ]

    def __init__(self, *, id: str) -> None:
        """Start hidden."""
        self._first = self._name = ""
        self._left: Left = lambda _text: None
        self.kept = KEPT
        """What the title says of leaving once the text has changed."""
        super().__init__(id=id, tab_behavior="focus")

    def begin(self, name: str, text: str, left: Left, note: str = "") -> None:
        """Edit a text; ``left`` gets what is to be kept of it, or None. ``note`` follows the title."""
        self._first, self._name, self._left = text, name, left
        self.border_title = title(f"EDIT {name} · {note or KEPT}")
        self.load_text(text)
        self.display = True
        self.focus()

    @property
    def leaves(self) -> str:
        """The hint for Esc."""
        return "leave" if self.text == self._first else "keep and leave"

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Update the hint for Esc once the text differs from the original one."""
        event.stop()
        if self.display and self.text != self._first:
            self.border_title = title(f"EDIT {self._name} · {self.kept}")
        self.post_message(HintsChanged())

    def action_leave(self, always: bool) -> None:
        """Leave; an unchanged text is stored only with ``always``."""
        self.display = False
        self._left(self.text if always or self.text != self._first else None)
