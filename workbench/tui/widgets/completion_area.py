"""A text area that offers words at the cursor during typing.

The words are drawn over the lines below or above the cursor, never over its own line. No key that types or
moves acts on an offer: Tab writes the first word, Escape closes the list for the present word, a click writes
the clicked word. The list is part of the text's own drawing, because a widget that appears and disappears
would lay out the whole screen again at every other key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual import events, on
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widgets import TextArea

from workbench.app.completion_words import Completions, completions
from workbench.clean_text import clean
from workbench.tui.text_runs import fit
from workbench.tui.widgets.text_editor import LineArea

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms

HIGHEST = 8
WIDEST = 60
NARROWEST = 8
HINT = "  Tab"


class CompletionArea(LineArea):
    """Offers completions at the cursor, and distinguishes typed text from other changes."""

    offers = True
    """Whether words are offered during typing."""
    terms: PolicyTerms | None = None
    """The names and values of the last checked policy."""
    _by_hand = False
    _typed_at: tuple[int, int] | None = None
    _declined: tuple[int, int] | None = None
    _offer = Completions(0)
    _offer_region: Region | None = None

    # --- the cursor's place

    def place_of(self, column: int) -> tuple[int, int]:
        """The row and the column on the screen of a column of the cursor's line."""
        row, cursor_column = self.cursor_location
        text = self.document.get_line(row)[column:cursor_column]
        offset = self.cursor_screen_offset - self.content_region.offset
        return offset.y, offset.x - cell_len(text)

    # --- typing

    async def _on_key(self, event: events.Key) -> None:
        # This runs before the base classes handle the key.
        self._by_hand = not self.read_only and (event.is_printable or event.key == "backspace")

    async def _on_paste(self, event: events.Paste) -> None:
        del event
        self._by_hand = False

    def update_suggestion(self) -> None:
        """Note whether the change was typed. Textual calls it after every change of the text."""
        self._typed_at = self.cursor_location if self._by_hand else None
        self._by_hand = False

    def watch_selection(self) -> None:
        """Forget the typing place, because the cursor moved; ``update_suggestion`` sets it after an edit."""
        self._typed_at = None

    # --- offers

    @property
    def offered(self) -> tuple[str, ...]:
        """The words that are offered."""
        return tuple(word.text for word in self._offer.words) if self._offer_region is not None else ()

    @on(TextArea.SelectionChanged)
    def _cursor_moved(self) -> None:
        """Offer words for the typed text; if the cursor moved for another reason, offer none."""
        row, column = self.cursor_location
        if not (self.offers and self.has_focus and self._typed_at == (row, column)):
            self.withdraw()
            return
        offer = completions(self.text, row + 1, column, self.terms)
        if (row, offer.start) == self._declined:
            return
        self._declined = None
        self._offer = offer
        self._stand()

    def withdraw(self) -> None:
        """Offer no words."""
        self._offer = Completions(0)
        self._stand()

    def decline(self, start: int) -> None:
        """Offer no words for the word that begins at a column of the cursor's line."""
        self._declined = (self.cursor_location[0], start)
        self.withdraw()

    def _stand(self) -> None:
        """Draw the offer at its present place, and redraw the lines that it covered."""
        before, words = self._offer_region, self._offer.words
        self._offer_region = None
        if words:
            widest = max(
                cell_len(clean(word.text)) + cell_len(clean(word.description)) for word in words[:HIGHEST]
            )
            wanted_size = Size(min(widest + 4 + len(HINT), WIDEST), min(len(words), HIGHEST))
            row, column = self.place_of(self._offer.start)
            room = self.scrollable_content_region.size - Size(self.gutter_width, 0)
            region = beside(row, column - self.gutter_width, wanted_size, room)
            self._offer_region = region and region.translate((self.gutter_width, 0))
        for region in (before, self._offer_region):
            if region is not None:
                self.refresh(region)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Move the words with the cursor."""
        super().watch_scroll_x(old_value, new_value)
        self._stand()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Move the words with the cursor."""
        super().watch_scroll_y(old_value, new_value)
        self._stand()

    def on_resize(self) -> None:
        """Keep the cursor visible if the area has the focus, and move the words with it."""
        if self.has_focus:
            self.scroll_cursor_visible()
        self._stand()

    def on_blur(self) -> None:
        """Withdraw the words, because nothing is typed without the focus."""
        self.withdraw()

    # --- drawing

    def render_line(self, y: int) -> Strip:
        """A line, with the offered words over it. Called by Textual."""
        strip, region = super().render_line(y), self._offer_region
        if region is None or y not in region.line_range:
            return strip
        offer = self._offer_row(y - region.y, region.width)
        return Strip.join([strip.crop(0, region.x), offer, strip.crop(region.right, self.size.width)])

    def _offer_row(self, number: int, width: int) -> Strip:
        words, word = self._offer.words, self._offer.words[number]
        hidden_count = len(words) - HIGHEST + 1
        name = "offer--first" if number == 0 else "offer"
        style, note = self.rich_style + self.parts.of(name), self.parts.of("offer--note")
        if number == HIGHEST - 1 and hidden_count > 1:
            return Strip([Segment(fit(f" and {hidden_count} more", width), style + note)], width)
        hint = HINT if number == 0 else ""
        text = clean(word.text)[:width]
        description = fit(clean(word.description), max(width - cell_len(text) - len(hint) - 4, 0))
        segments = [
            Segment(f" {text}  ", style),
            Segment(description, style + note),
            Segment(f"{hint} ", style),
        ]
        return Strip(segments).adjust_cell_length(width, style)

    # --- taking a word

    def _first(self) -> str:
        """The first word that still fits; keys may be faster than the offer."""
        if self._offer_region is None or self._typed_at != self.cursor_location:
            return ""
        row, column = self.cursor_location
        typed = self.document.get_line(row)[self._offer.start : column].casefold()
        fitting = (word.text for word in self._offer.words if word.text.casefold().startswith(typed))
        return next(fitting, "") if column >= self._offer.start else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the action of taking a word if no word is offered."""
        if action == "take_offered":
            return bool(self._first())
        return super().check_action(action, parameters)

    def action_take_offered(self) -> None:
        """Write the first word that is offered."""
        self.complete(self._first(), self._offer.start)

    def complete(self, word: str, start: int) -> None:
        """Replace the text between a column and the cursor with a word."""
        row, column = self.cursor_location
        if word:
            self._declined = None
            self.replace(word, (row, start), (row, column))
        self.withdraw()

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        place, region = event.get_content_offset(self), self._offer_region
        if place is None or region is None or not region.contains_point(place):
            return
        event.stop()
        event.prevent_default()
        number = place.y - region.y
        if number < HIGHEST - 1 or len(self._offer.words) <= HIGHEST:
            self.complete(self._offer.words[number].text, self._offer.start)


def beside(row: int, column: int, size: Size, room: Size) -> Region | None:
    """The region of a list for a word at a row and a column: below the row, or above it.

    ``room`` is the size of the text area. None if there is no room for the list, or the row is not visible.
    """
    if not 0 <= row < room.height:
        return None
    below = room.height - row - 1
    down = below >= min(size.height, row)
    height, width = min(size.height, below if down else row), min(size.width, room.width)
    if height < 1 or width < min(size.width, NARROWEST):
        return None
    left = max(min(column - 1, room.width - width), 0)
    return Region(left, row + 1 if down else row - height, width, height)
