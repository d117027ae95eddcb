"""An editor of the sentences of the language that a sentence of the request means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.document._document import Document
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from workbench.app.typed_sentence import WordOffer, written
from workbench.language.words import on_one_line
from workbench.tui.keys import KeyHint
from workbench.tui.messages import HintsChanged
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import title
from workbench.tui.widgets.text_editor import LineArea

_UNREAD, _AT_CURSOR = "say--unread", "say--here"
_TO_FILL = ("“a text”", "a number", "a value", "words for what holds")
"""Offers in the place of which a person types a value."""


class SentenceEditor(LineArea):
    """An editor in which printable keys type; Enter keeps the text, Esc discards it, Tab takes an offer.

    What is not read is underlined, and what an offer would replace is marked.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)"),
        Binding("enter", "leave(True)"),
        Binding("tab", "take"),
        Binding("down", "choose(1)"),
        Binding("up", "choose(-1)"),
        Binding("ctrl+r", "leave(True, True)"),
        Binding("ctrl+u", "clear"),
    ]

    def __init__(self, *, id: str) -> None:
        """Start hidden.

        ``moved`` is called when the text has changed, the cursor has moved or another offer is chosen, and
        ``left`` with the text, whether to keep it, and whether to edit its rule in Python.
        """
        self.moved: Callable[[], None] = lambda: None
        self.left: Callable[[str, bool, bool], None] = lambda _text, _kept, _code: None
        self.offered: Sequence[WordOffer] = ()
        self._offered_for: tuple[str, int] | None = None
        self.chosen = 0
        self._named = ""
        self._marked: Sequence[tuple[int, int, str]] = ()
        super().__init__(id=id, tab_behavior="indent")

    def begin(self, name: str, text: str, *, replaced: bool) -> None:
        """Edit the sentences of a sentence of the request; what is typed is ``replaced`` or goes on."""
        self.offered, self.chosen, self._marked = (), 0, ()
        self._named = name
        self.tell()
        self.load_text(text)
        self.display = True
        self.focus()
        if replaced:
            self.select_all()
        else:
            self.move_cursor(self.document.end)

    def tell(self, words: str = "") -> None:
        """Show words beside the name."""
        self.border_title = title(f"{self._named}{words}")

    def mark_part(self, start: int, end: int) -> None:
        """Select a part of the text."""
        self.selection = Selection(self._location(start), self._location(end))

    @property
    def cursor(self) -> int:
        """The place of the cursor in the text."""
        return self._written.get_index_from_location(self.cursor_location)

    @property
    def _written(self) -> Document:
        assert isinstance(self.document, Document)
        return self.document

    def _location(self, index: int) -> tuple[int, int]:
        """The row and the column of a place in the text."""
        return self._written.get_location_from_index(index)

    def offer(
        self, offers: Sequence[WordOffer], unread: Sequence[tuple[int, int]], read: tuple[str, int] | None
    ) -> None:
        """Offer words, of which Tab writes the chosen one, and underline what is not read.

        They are for the text and the place of the cursor that were ``read``; in others Tab writes nothing.
        """
        self._offered_for = read
        if [one.text for one in offers] != [one.text for one in self.offered]:
            self.chosen = 0
        self.offered = tuple(offers)
        chosen = self.offered[self.chosen] if self.offered else None
        here = chosen is not None and not self._is_typed(chosen)
        marked = [(chosen.start, chosen.end, _AT_CURSOR)] if chosen is not None and here else []
        marked += [(start, end, _UNREAD) for start, end in unread]
        if marked != self._marked:
            self._marked = marked
            self.redraw()

    def _is_typed(self, offer: WordOffer) -> bool:
        """Whether an offer goes on with what stands before the cursor."""
        return offer.text.casefold().startswith(self.text[offer.start : offer.end].casefold())

    @property
    def hints(self) -> Sequence[KeyHint]:
        """The keys that work here."""
        taking = [("Tab", "take"), ("↑↓", "choose")] if self.offered else []
        return [("Enter", "keep"), *taking, ("Ctrl+R", "in Python"), ("Esc", "discard")]

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Show other keys, as the text has changed."""
        event.stop()
        self.post_message(HintsChanged())

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Tell the text and the place of the cursor, which changes with each change of the text."""
        event.stop()
        if self.display:
            self.moved()

    def action_leave(self, is_kept: bool, as_code: bool = False) -> None:
        """Leave, keep the text or not, and perhaps edit its rule in Python."""
        self.display = False
        self.left(on_one_line(self.text), is_kept, as_code)

    def action_clear(self) -> None:
        """Delete the whole sentence, however many lines it has; Ctrl+Z brings it back."""
        self.clear()

    def action_choose(self, step: int) -> None:
        """Choose another of the offers."""
        if self.offered:
            self.chosen = (self.chosen + step) % len(self.offered)
            self.moved()

    def action_take(self) -> None:
        """Write the chosen offer; where a value is to be typed, what is typed replaces it."""
        if not self.offered or self._offered_for != (self.text, self.cursor):
            return
        offer = self.offered[self.chosen]
        words, start = written(self.text, offer), offer.start
        self.replace(words, self._location(start), self._location(offer.end))
        if offer.text in _TO_FILL:
            mark = offer.text.startswith("“")
            first = start + words.index(offer.text) + mark
            ends = first, first + len(offer.text) - 2 * mark
            self.selection = Selection(*map(self._location, ends))
        else:
            self.move_cursor(self._location(start + len(words)))

    def get_line(self, line_index: int) -> Text:
        """A line with its marks."""
        text = super().get_line(line_index)
        before = self._written.get_index_from_location((line_index, 0))
        for start, end, part in self._marked:
            text.stylize(self.parts.of(part), max(start - before, 0), max(end - before, 0))
        return text

    def _render_line(self, y: int) -> Strip:
        """A line that looks the same where the cursor is, so that its marks are seen."""
        self._theme.cursor_line_style = None
        return super()._render_line(y)
