"""A text area that offers words beside the cursor while one types.

The words are drawn over the lines below or above the cursor, never over its own line. An offer takes no key
that types or moves: Tab writes the first word, Escape closes the list for the word that is being typed, a
click writes what was clicked. The list is a part of the text's own drawing, because a widget that comes and
goes would lay out the whole screen again at every other key.
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
from workbench.tui.key_order import KeyOrder
from workbench.tui.styles import PartStyles
from workbench.tui.text_runs import fit

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms

HIGHEST = 8
WIDEST = 60
NARROWEST = 8
HINT = "  Tab"


class CompletionArea(KeyOrder, TextArea):
    """Offers what could be written at the cursor, and knows what was typed by hand."""

    parts: PartStyles

    offers = True
    """Whether words are offered unasked."""
    terms: PolicyTerms | None = None
    """The names and values of the policy as it was checked last."""
    _by_hand = False
    _typed_at: tuple[int, int] | None = None
    _declined: tuple[int, int] | None = None
    _offer = Completions(0)
    _offer_region: Region | None = None

    # --- where the cursor is

    def place_of(self, column: int) -> tuple[int, int]:
        """The row and the column, as they are drawn, of a column of the cursor's line."""
        row, here = self.cursor_location
        text = self.document.get_line(row)[column:here]
        offset = self.cursor_screen_offset - self.content_region.offset
        return offset.y, offset.x - cell_len(text)

    # --- what is typed

    async def _on_key(self, event: events.Key) -> None:
        # Before the base classes take the key.
        self._by_hand = not self.read_only and (event.is_printable or event.key == "backspace")

    async def _on_paste(self, event: events.Paste) -> None:
        del event
        self._by_hand = False

    def update_suggestion(self) -> None:
        """Called after every change of the text."""
        self._typed_at = self.cursor_location if self._by_hand else None
        self._by_hand = False

    def watch_selection(self) -> None:
        """A cursor that moved by itself is not where something was typed; an edit says so after it."""
        self._typed_at = None

    # --- offering

    @property
    def offered(self) -> tuple[str, ...]:
        """The words that are shown."""
        return tuple(word.text for word in self._offer.words) if self._offer_region is not None else ()

    @on(TextArea.SelectionChanged)
    def _cursor_moved(self) -> None:
        """Offer what fits to what is being typed; where the cursor moved otherwise, nothing."""
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
        """Show no words."""
        self._offer = Completions(0)
        self._stand()

    def decline(self, start: int) -> None:
        """Show no words for the word that begins at a column of the cursor's line."""
        self._declined = (self.cursor_location[0], start)
        self.withdraw()

    def _stand(self) -> None:
        """Draw the offer where it belongs now, and again what it covered."""
        before, words = self._offer_region, self._offer.words
        self._offer_region = None
        if words:
            widest = max(
                cell_len(clean(word.text)) + cell_len(clean(word.description)) for word in words[:HIGHEST]
            )
            wanted = Size(min(widest + 4 + len(HINT), WIDEST), min(len(words), HIGHEST))
            row, column = self.place_of(self._offer.start)
            room = self.scrollable_content_region.size - Size(self.gutter_width, 0)
            region = beside(row, column - self.gutter_width, wanted, room)
            self._offer_region = region and region.translate((self.gutter_width, 0))
        for region in (before, self._offer_region):
            if region is not None:
                self.refresh(region)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Keep the words beside the cursor."""
        super().watch_scroll_x(old_value, new_value)
        self._stand()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep the words beside the cursor."""
        super().watch_scroll_y(old_value, new_value)
        self._stand()

    def on_resize(self) -> None:
        """Keep the cursor in sight of someone who types, and the words beside it."""
        if self.has_focus:
            self.scroll_cursor_visible()
        self._stand()

    def on_blur(self) -> None:
        """Words are offered to someone who types."""
        self.withdraw()

    # --- drawing

    def render_line(self, y: int) -> Strip:
        """A line, with what is offered over it. Called by Textual."""
        strip, region = super().render_line(y), self._offer_region
        if region is None or y not in region.line_range:
            return strip
        offer = self._offer_row(y - region.y, region.width)
        return Strip.join([strip.crop(0, region.x), offer, strip.crop(region.right, self.size.width)])

    def _offer_row(self, number: int, width: int) -> Strip:
        words, word = self._offer.words, self._offer.words[number]
        more = len(words) - HIGHEST + 1
        name = "offer--first" if number == 0 else "offer"
        style, note = self.rich_style + self.parts.of(name), self.parts.of("offer--note")
        if number == HIGHEST - 1 and more > 1:
            return Strip([Segment(fit(f" and {more} more", width), style + note)], width)
        hint = HINT if number == 0 else ""
        text = clean(word.text)[:width]
        rest = fit(clean(word.description), max(width - cell_len(text) - len(hint) - 4, 0))
        segments = [Segment(f" {text}  ", style), Segment(rest, style + note), Segment(f"{hint} ", style)]
        return Strip(segments).adjust_cell_length(width, style)

    # --- taking

    def _first(self) -> str:
        """The first of the words that still fits, since keys may be quicker than the offer."""
        if self._offer_region is None or self._typed_at != self.cursor_location:
            return ""
        row, column = self.cursor_location
        typed = self.document.get_line(row)[self._offer.start : column].casefold()
        fitting = (word.text for word in self._offer.words if word.text.casefold().startswith(typed))
        return next(fitting, "") if column >= self._offer.start else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key takes an offered word only where one is offered."""
        if action == "take_offered":
            return bool(self._first())
        return super().check_action(action, parameters)

    def action_take_offered(self) -> None:
        """Write the first word that is offered."""
        self.complete(self._first(), self._offer.start)

    def complete(self, word: str, start: int) -> None:
        """Write a word in the place of what stands between a column and the cursor."""
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
    """The place of a list for a word at a row and a column of a room: below its row, or above it.

    None where there is no room for it, or the row is out of sight.
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
