"""One word out of a few, on one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.clean_text import one_line
from workbench.old_screen.actions import bindings
from workbench.old_screen.plain import Line, TextRun, Tone, fit, line, muted, width_of
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.lines import PlainLines, Row


class WordChoice(PlainLines, can_focus=True, inherit_bindings=False):
    """A few words of which one is chosen: the arrows, Space, a first letter or a click choose."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("choice")]

    @dataclass
    class Changed(Message):
        """Another word is chosen."""

        choice: WordChoice

    @dataclass
    class Taken(Message):
        """The word is the one that is meant."""

        choice: WordChoice

    def __init__(self, words: Sequence[str], value: str, *, id: str | None = None) -> None:
        """Begin with one of the words, the first where ``value`` is none of them."""
        super().__init__(id=id)
        self._words = tuple(words)
        self._place = self._words.index(value) if value in self._words else 0

    def on_mount(self) -> None:
        """Draw the words."""
        self._draw()

    @property
    def value(self) -> str:
        """The chosen word."""
        return self._words[self._place] if self._words else ""

    def _draw(self) -> None:
        self.show_rows(lambda width: [Row(choice_line(self._words, self._place, width))])

    def take(self, place: int) -> None:
        """Choose the word at a place; past the ends it goes round."""
        place %= max(len(self._words), 1)
        if place != self._place:
            self._place = place
            self._draw()
            self.post_message(self.Changed(self))

    def action_turn(self, direction: int) -> None:
        """Choose the next or the previous word."""
        self.take(self._place + direction)

    def action_take(self) -> None:
        """Say that the word is meant."""
        self.post_message(self.Taken(self))

    def on_key(self, event: events.Key) -> None:
        """Choose the next word that begins with a letter."""
        letter = (event.character or "").casefold()
        if not letter.strip() or not event.is_printable:
            return
        count = len(self._words)
        for place in (*range(self._place + 1, count), *range(self._place + 1)):
            if self._words[place].casefold().startswith(letter):
                event.stop()
                event.prevent_default()
                self.take(place)
                return

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked word, or the next one where only one is shown."""
        position = 0
        for place, run in enumerate(self.row_line(0, self.line_width)):
            position += width_of((run,))
            if event.x < position and len(self._words) > 1:
                whole = _whole(self._words, self._place)
                self.take(place if width_of(whole) <= self.line_width else self._place + 1)
                return


def _whole(words: Sequence[str], chosen: int) -> Line:
    return tuple(
        TextRun(f" {one_line(word)} ", Tone.MARK if place == chosen else Tone.MUTED)
        for place, word in enumerate(words)
    )


def choice_line(words: Sequence[str], chosen: int, width: int) -> Line:
    """All words with the chosen one marked, or only the chosen one where they do not fit."""
    whole = _whole(words, chosen)
    if width_of(whole) <= width or not words:
        return whole
    place = f"  {chosen + 1} of {len(words)}"
    word = fit(words[chosen], min(max(width - len(place) - 4, 4), len(one_line(words[chosen]))))
    return line(muted("‹ "), TextRun(word, Tone.MARK), muted(" ›"), muted(place))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    run_alone(WordChoice(("allow", "deny", "cannot-evaluate"), "deny"), lambda widget: widget.take(2))
