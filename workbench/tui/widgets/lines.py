"""Rows, and the lists that lay them out, of which only visible lines are drawn.

Drawn lines are kept, so that a key redraws only the lines that it changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import ClassVar, NamedTuple, Self, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.model import RuleSet
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.app.value_texts import argument_words, run_words, value_words, without_empty
from workbench.clean_text import clean, counted
from workbench.model import Arguments, Counterexample, RecordValue, Value
from workbench.tui import text_runs
from workbench.tui.styles import PartStyles, style_sheet
from workbench.tui.text_runs import MOST_LINES, Line, TextRun, accent, coded, line, muted, strong, wrap

PICK = "pick:"
MOST_DIGITS = 9


def pick_row(numbers: Iterator[int], key: str, *label: Line | TextRun | str) -> Row:
    """The row of an option with the next number; those after the ninth are picked with Enter."""
    number = next(numbers)
    digit = str(number) if number <= MOST_DIGITS else "·"
    return paragraph(accent(f"{digit} "), *label, key=f"{PICK}{key}", indent=2, hang=2)


def picked(rows: Iterable[Row]) -> list[str]:
    """The keys of the options in the order of their numbers."""
    return list(dict.fromkeys(row.key.removeprefix(PICK) for row in rows if row.key.startswith(PICK)))


MOST_WORDS = 80
"""The most characters of the words for an argument where many stand below each other."""
_MOST_LINES = 12
"""The most lines of a value."""


class Row(NamedTuple):
    """A row of a list: a line that is wrapped to the list's width, or what makes the lines for a width.

    The first line is indented by ``indent`` cells, the others by ``hang`` more; at most ``most`` lines are
    shown. Rows with the same ``key`` belong together: the cursor marks all of them. A row without a key
    cannot be selected.
    """

    content: Line | Callable[[int], Sequence[Line]]
    key: str = ""
    indent: int = 0
    hang: int = 0
    most: int = MOST_LINES

    def lines(self, width: int) -> Sequence[Line]:
        """The row's lines in a width."""
        content, _, indent, hang, most = self
        if callable(content):
            return content(width)
        return wrap((TextRun(" " * indent), *content) if indent else content, width, indent + hang, most)


def paragraph(
    *parts: Line | TextRun | str, key: str = "", indent: int = 0, hang: int = 0, most: int = MOST_LINES
) -> Row:
    """A row of runs."""
    return Row(line(*parts), key, indent, hang, most)


def fitted(content: Callable[[int], Line], key: str = "") -> Row:
    """A row of one line that is made for a width."""

    def lines(width: int) -> Sequence[Line]:
        return (content(width),)

    return Row(lines, key)


def heading(text: str) -> Row:
    """A heading row."""
    return Row((strong(text),))


def plural(count: int, word: str) -> str:
    """A count with its noun, as the screen writes numbers."""
    return counted(count, word, ",")


BLANK = Row(())


# --- values


def value_text(value: Value) -> str:
    """The words for a value of a call; a time is written as a log has it."""
    match value:
        case None:
            return "(missing)"
        case bool():
            return str(value).lower()
        case date() | time():
            return value.isoformat()
        case _:
            return clean(value_words(value))


def argument_rows(arguments: Arguments, key: str = "", indent: int = 2) -> Iterator[Row]:
    """A table of arguments: names in a column, wrapped values to the right, below a name that is too long."""
    saying, empty = without_empty(arguments)
    named_texts = [*_named_texts(saying)]
    longest = max((len(name) for name, _ in named_texts), default=0)

    def lines(width: int) -> Sequence[Line]:
        names = min(longest, max(width // 3, 8))
        found: list[Line] = []
        for name, text in named_texts:
            head = " " * indent + clean(name).ljust(names) + "  "
            hang = indent + 2 if len(name) > names else len(head)
            found += wrap(line(muted(head), coded(text)), width, hang, _MOST_LINES)
        return found

    if named_texts:
        yield Row(lines, key)
    if empty:
        yield paragraph(muted(empty), key=key, indent=indent)


def realised_rows(counterexample: Counterexample, key: str, indent: int) -> Iterator[Row]:
    """Rows of the run in which a counterexample happens; none without such a run."""
    if counterexample.realised is not None:
        yield paragraph(muted("a run in which it happens:"), key=key, indent=indent)
        for words in run_words(counterexample.realised):
            yield paragraph(coded(words), key=key, indent=indent + 2, hang=2)


def _named_texts(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """The name and text of each argument; of a record, those of each field."""
    for name, value in arguments.items():
        if isinstance(value, RecordValue):
            yield from ((path, clean(words)) for path, words in argument_words({name: value}))
        else:
            yield name, clean(value_words(value)) if isinstance(value, date | time) else value_text(value)


WHOLE = 4000
"""A width that cuts off or wraps hardly anything."""
_FILLING = re.compile(r"(?<=\S) {20,}(?=\S)")


MOST = 1_000  # the most lines kept; a screen shows only a part of them


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling list of lines that makes only the visible ones, and keeps those that it has drawn.

    Subclasses define the number of rows and the content of a row in a given width. Everything they return is
    cleaned when it is drawn, so that no hostile text gets out.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor(1)", show=False),
        Binding("up,k", "cursor(-1)", show=False),
        Binding("pagedown,ctrl+f", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("enter", "choose", show=False),
        Binding("ctrl+c", "copy", show=False),
    ]

    cursor: reactive[int] = reactive(-1, repaint=False)
    _marked = -1  # the cursor at the last drawing

    @dataclass
    class Told(Message):
        """Something that happened in a list."""

        lines: LineList

        @property
        def control(self) -> LineList:
            """The list that sent it, for ``@on`` with a selector."""
            return self.lines

    @dataclass
    class Moved(Told):
        """The cursor moved to another row."""

    @dataclass
    class Chosen(Told):
        """A row was chosen with Enter or by a click."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        """Start with nothing drawn."""
        self._strip_by_line: dict[tuple[Line, int, int], Strip] = {}
        """What was drawn of a line in a width, wherever it stands: most lines of a pane drawn anew stay."""
        self._fitted: tuple[Size, Size] | None = None
        """The sizes of the list and of the screen for which the rows were made."""
        self._titled = ""
        self.parts = PartStyles(self)
        self._rules: Sequence[RuleSet] = ()
        """The rules by whose styles was drawn."""
        self.base = Style.null()
        self.called = ""
        """The name in the title, without notes."""
        self.words: tuple[str, ...] = ()
        """The words that narrow the rows to those with all of them."""
        self.looks_first = False
        """Whether a click on another row than that at the cursor does not choose it yet."""
        super().__init__(id=id, classes=classes)

    def entitle(self, text: str) -> None:
        """Show a title; Textual draws all of a widget again for each that it is given."""
        if text != self._titled:
            self._titled, self.border_title = text, text_runs.title(text)

    def narrow(self, words: str) -> None:
        """Show only rows with all of the words; all rows without words."""
        self.words = tuple(dict.fromkeys(words.casefold().split()))
        self.show_narrowed()

    @property
    def narrowed(self) -> bool:
        """Whether words narrow the rows."""
        return bool(self.words)

    # --- for subclasses

    def show_narrowed(self) -> None:
        """Show the rows that have the words."""

    def row_count(self) -> int:
        """The number of rows."""
        return 0

    def row_line(self, row: int, width: int) -> Line:
        """The row's text in at most ``width`` cells."""
        raise NotImplementedError

    def row_selectable(self, row: int) -> bool:
        """Whether the cursor may be on the row."""
        return 0 <= row < self.row_count()

    def row_keyed(self, row: int) -> bool:
        """Whether the row belongs to a selectable row above it."""
        return not self.row_selectable(row)

    def row_marked(self, row: int) -> bool:
        """Whether the row is drawn as the one at the cursor."""
        return row == self.cursor

    # --- layout and drawing

    @property
    def line_width(self) -> int:
        """The width that a row may use, in cells; before the first layout that of the whole screen."""
        width = self.scrollable_content_region.width
        return width if width > 0 else cast("App[object]", self.app).size.width or 1

    def rows_changed(self, changed: Collection[int] | None = None) -> None:
        """Draw the changed rows, or all, again; keep the cursor's row if possible."""
        if not self.size:  # of a list that is hidden the rows fit no size
            self._fitted = None
        self.take_size(Size(self.line_width, self.row_count()))
        last = self.row_count() - 1
        if self.cursor > last:
            self.cursor = last
        if changed is None or self.cursor != self._marked:
            self.refresh()
        else:
            self.draw_rows(changed)
        self._marked = self.cursor

    def on_resize(self) -> None:
        """Fit the rows to a new size, and keep the cursor visible, even if it was set while hidden.

        A list that is shown again as large as before is told its size, too.
        """
        sizes = self.size, self.screen.size
        if sizes != self._fitted:
            self._fitted = sizes
            self.fit_rows()
        if self.cursor >= 0:
            self.show_row(self.cursor)

    def fit_rows(self) -> None:
        """Make the rows for a new size."""
        self.rows_changed()

    def tone_style(self, tone: str) -> Style:
        """The style of a tone in the present theme, without the background."""
        return self.parts.of(f"line--{tone}")

    def render_line(self, y: int) -> Strip:
        """Draw one visible line. Called by Textual."""
        row = y + self.scroll_offset.y
        width = self.line_width
        base = self.base
        if not 0 <= row < self.row_count():
            return Strip.blank(self.size.width, base)
        strip = self._draw_row(row, width)
        if self.row_marked(row):
            strip = strip.apply_style(self.tone_style("cursor" if self.has_focus else "cursor-blurred"))
        return strip.apply_style(base)

    def _draw_row(self, row: int, width: int) -> Strip:
        content, whole = self.row_line(row, width), self.size.width
        strip = self._strip_by_line.get((content, width, whole))
        if strip is None:
            segments = [
                Segment(clean(run.text).replace("\n", " ").replace("\t", " "), self.tone_style(run.tone))
                for run in content
            ]
            strip = Strip(segments).crop(0, width).extend_cell_length(whole)
            self._strip_by_line[content, width, whole] = strip
        return strip

    def draw_rows(self, rows: Iterable[int]) -> None:
        """Redraw these rows, and draw the others from the kept lines."""
        top, size = self.scroll_offset.y, self.size
        regions = [Region(0, row - top, size.width, 1) for row in rows if 0 <= row - top < size.height]
        if regions:
            self.refresh(*regions)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the visible lines over one base style. Called by Textual."""
        self.base = self.rich_style
        if self.parts.rules is not self._rules or len(self._strip_by_line) > MOST:
            self._rules = self.parts.rules
            self._strip_by_line.clear()
        return super().render_lines(crop)

    def take_size(self, size: Size) -> None:
        """Set the number of columns and rows over which the widget scrolls.

        The screen is laid out only if this may change the size of the widget or show or hide its bar. Laying
        out the whole screen takes longer than everything else that a key does.
        """
        scrolls = size.height > self.container_size.height
        if self.styles.auto_dimensions and not self.display:
            self.set_reactive(cast("Reactive[Size]", LineList.virtual_size), size)
        elif self.styles.auto_dimensions or not self.size or scrolls != self.show_vertical_scrollbar:
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(cast("Reactive[Size]", LineList.virtual_size), size)
            self.scroll_y = self.scroll_y  # checked against the number of rows
            if scrolls and self.styles.scrollbar_size_vertical:
                self.vertical_scrollbar.window_virtual_size = size.height

    def focus(self, scroll_visible: bool = True) -> Self:
        """Take the focus at once: which panes are visible depends on it, and a resize may come first."""
        self.screen.set_focus(self, scroll_visible)
        return self

    def on_focus(self) -> None:
        """Set the cursor if there is none."""
        if self.cursor < 0:
            self.action_cursor(1, quiet=True)

    # --- movement

    def watch_cursor(self, new: int) -> None:
        """Draw the mark on the new row, keep the cursor visible, and post the move."""
        self.refresh(self.size.region)
        self._marked = new
        if new >= 0:
            self.show_row(new)
            self.post_message(self.Moved(self))

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Set the position of a scroll bar that appears after its list was scrolled.

        Textual passes a position only to a bar that is already shown.
        """
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def show_row(self, row: int) -> None:
        """Scroll so that the row is visible."""
        if self.size.height:
            self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True, immediate=True)

    def _seek(self, row: int, direction: int) -> int | None:
        while 0 <= row < self.row_count():
            if self.row_selectable(row):
                return row
            row += direction
        return None

    def action_cursor(self, direction: int, quiet: bool = False) -> None:
        """Move to the next selectable row, or scroll if there is none."""
        row = self._seek(self.cursor + direction if self.cursor >= 0 else 0, direction)
        if row is not None:
            self.cursor = row
        elif not quiet:
            self.scroll_relative(y=direction, animate=False)

    def action_page(self, direction: int) -> None:
        """Move by a screenful; rows between two that can be chosen are scrolled through."""
        height, top = max(self.size.height, 1), self.scroll_offset.y
        step = max(height - 1, 1) * direction
        in_sight = min(max(self.cursor, top), top + height - 1)
        target = min(max(in_sight + step, 0), self.row_count() - 1)
        first = min(max(top + step, 0), max(self.row_count() - height, 0))
        rows = self._seek(target, direction), self._seek(target, -direction)
        row = next((one for one in rows if one in range(first, first + height)), None)
        if row is None or row == self.cursor or self.cursor < 0:
            self.scroll_relative(y=step, animate=False)
        else:
            self.cursor = row

    def action_edge(self, direction: int) -> None:
        """Move to the first or the last row."""
        row = self._seek(0 if direction < 0 else self.row_count() - 1, -direction)
        if row is not None:
            self.cursor = row
        self.scroll_to(y=0 if direction < 0 else self.row_count(), animate=False)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.cursor >= 0:
            self.post_message(self.Chosen(self))

    def action_copy(self) -> None:
        """Copy the item at the cursor as a whole, even if only a part of it is drawn."""
        if 0 <= self.cursor < self.row_count():
            cast("App[object]", self.app).copy_to_clipboard(self.whole_text().strip())

    def whole_text(self) -> str:
        """The text at the cursor, neither cut off nor padded."""
        return text_of(self.row_line(self.cursor, WHOLE))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the clicked row and choose it, where ``looks_first`` only if it was there."""
        row = event.get_content_offset(self)
        if row is None:
            return
        index = row.y + self.scroll_offset.y
        while 0 < index < self.row_count() and not self.row_selectable(index) and self.row_keyed(index):
            index -= 1
        if 0 <= index < self.row_count() and self.row_selectable(index):
            chooses = not self.looks_first or index == self.cursor
            self.cursor = index
            if chooses:
                self.action_choose()


def text_of(content: Line) -> str:
    """The text of a line that was made for a great width, without its padding."""
    return _FILLING.sub("  ", "".join(clean(run.text) for run in content)).rstrip()


class RowLine(NamedTuple):
    """A line of a row, and the row's key."""

    line: Line
    key: str


type Builder = Callable[[], Iterable[Row]]
type Ready = tuple[tuple[Size, Sequence[Row]] | None, tuple[int, Sequence[Row], Sequence[RowLine]] | None]
"""Rows with the size of the screen for which they were made, and their lines in a width."""


def _changed(before: Sequence[RowLine], rows: Sequence[RowLine]) -> Collection[int] | None:
    """The rows whose lines changed; None if the rows as such changed."""
    if [row.key for row in before] != [row.key for row in rows]:
        return None
    return [at for at, (old, new) in enumerate(zip(before, rows, strict=True)) if old.line != new.line]


def laid_out(rows: Iterable[Row], width: int) -> list[RowLine]:
    """The lines of rows in a width."""
    return [RowLine(part, row.key) for row in rows for part in row.lines(width)]


def no_rows() -> Iterable[Row]:
    """The builder of an empty list."""
    return ()


class RowList(LineList):
    """A ``LineList`` whose lines are made all at once, again for every width."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        """Start empty; ``show_rows`` fills it."""
        super().__init__(id=id, classes=classes)
        self._build: Builder = no_rows
        self._built: tuple[Size, Sequence[Row]] | None = None
        self._made: tuple[int, Sequence[Row], Sequence[RowLine]] | None = None
        self._rows: Sequence[RowLine] = ()

    def show_rows(self, build: Builder, ready: Ready = (None, None)) -> None:
        """Show the rows that ``build`` makes, unless they are ready; the cursor stays on its key."""
        self._build, (self._built, self._made) = build, ready
        self.show_narrowed()

    def made_ready(self, build: Builder) -> Ready:
        """The rows that ``build`` makes for the present sizes, in any thread."""
        size, width, rows = self.screen.size, self.line_width, [*build()]
        return (size, rows), (width, rows, laid_out(rows, width))

    def show_narrowed(self) -> None:
        """Lay the rows out, for a new width or other words."""
        key, before = self.key, self._rows
        laid_out_now = self.size or self.styles.auto_dimensions  # the size of some follows from their lines
        self._rows = self.lines_in(self.line_width) if laid_out_now else self._unlaid()
        at = self._first(key) if key else self.cursor
        if at != self.cursor:
            self.set_reactive(LineList.cursor, at)
        self.rows_changed(_changed(before, self._rows))
        if self.has_focus and self.cursor < 0:
            self.action_cursor(1, quiet=True)

    def lines_in(self, width: int) -> Sequence[RowLine]:
        """The lines of the rows in a width."""
        rows = self.built()
        if self._made is None or self._made[0] != width or self._made[1] is not rows:
            self._made = width, rows, laid_out(rows, width)
        return self._made[2]

    def built(self) -> Sequence[Row]:
        """The rows, whatever the width; of a resized terminal they may be others."""
        size = self.screen.size
        if self._built is None or self._built[0] != size:
            self._built = size, [*self._build()]
        return self._built[1]

    def _unlaid(self) -> Sequence[RowLine]:
        """A line for each row while the list has no size: once it has one, it lays its rows out."""
        return [RowLine((), row.key) for row in self.built()]

    def _first(self, key: str) -> int:
        """The place of the first line with a key; -1 if none has it."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), -1)

    @property
    def key(self) -> str:
        """The key of the row at the cursor, empty if there is none."""
        return self._rows[self.cursor].key if 0 <= self.cursor < len(self._rows) else ""

    @property
    def first_key(self) -> str:
        """The key of the first row that has one, empty if none has."""
        return next((row.key for row in self._rows if row.key), "")

    def whole_text(self) -> str:
        """The text of all rows of the key at the cursor, as if there were room for everything."""
        key = self.key
        return "\n".join(text_of(row.line) for row in self.lines_in(WHOLE) if row.key == key)

    def select(self, key: str) -> None:
        """Put the cursor on the first row with this key."""
        if (at := self._first(key)) >= 0:
            self.cursor = at

    def shows(self, key: str) -> bool:
        """Whether the first row with this key is not scrolled out of the list."""
        first = self._first(key)
        return first >= 0 and 0 <= first - self.scroll_offset.y < self.size.height

    def centre(self, key: str, *, above: bool = True) -> None:
        """Put the cursor on a key, and scroll it to the upper middle; to the top with nothing ``above``."""
        self.select(key)
        if self.key == key and self.size.height:
            top = max(self.cursor - self.size.height // 3, 0) if above else self.cursor
            self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def lead_to(self, key: str, last: str) -> None:
        """Put the cursor on a key, with the paragraph above it in sight and all down to the ``last`` key.

        If that does not fit, the paragraph stands at the top.
        """
        self.select(key)
        if self.key != key or not self.size.height:
            return
        first = self.cursor
        while first and not self._rows[first - 1].key and any(run.text for run in self._rows[first - 1].line):
            first -= 1
        end = max((at for at, row in enumerate(self._rows) if row.key == last), default=first)
        height = end - first + 1
        if height < self.size.height:
            self.scroll_to_region(Region(0, first, 1, height), animate=False, force=True, immediate=True)
        else:
            self.scroll_to(y=first, animate=False, force=True, immediate=True)

    def row_count(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def row_line(self, row: int, width: int) -> Line:
        """The row as it was built for this width."""
        del width
        return self._rows[row].line

    def row_selectable(self, row: int) -> bool:
        """Whether the row is the first of its key."""
        key = self._rows[row].key
        return bool(key) and (row == 0 or self._rows[row - 1].key != key)

    def row_keyed(self, row: int) -> bool:
        """Whether the row has a key; rows with the same key belong together."""
        return bool(self._rows[row].key)

    def show_row(self, row: int) -> None:
        """Scroll so that all rows of the key are visible if they fit."""
        if not self.size.height:
            return
        last = row
        while last + 1 < len(self._rows) and self._rows[last + 1].key == self._rows[row].key:
            last += 1
        first = row
        while first and not self._rows[first - 1].key:
            first -= 1
        height = min(last - first + 1, self.size.height)
        top = first if last - first < self.size.height else row
        self.scroll_to_region(Region(0, top, 1, height), animate=False, force=True, immediate=True)

    def row_marked(self, row: int) -> bool:
        """Whether the row has the key at the cursor."""
        key = self.key
        return bool(key) and self._rows[row].key == key

    def fit_rows(self) -> None:
        """Lay the rows out for a new width, or build others for a new screen."""
        self.show_narrowed()


class PlainLines(RowList, can_focus=False):
    """A few wrapped lines as high as their text, for states and notes."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of the wrapped rows."""
        del container, viewport
        return len(self.lines_in(max(width - 1, 1)))
