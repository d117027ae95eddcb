"""Words that could be written at the cursor, in a list beside it and never over its line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message

from workbench.clean_text import clean
from workbench.old_screen.actions import bindings
from workbench.old_screen.completing import Completion, beside
from workbench.old_screen.plain import TextRun, Tone, line, muted, width_of
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.lines import Row, RowList

HIGHEST = 8
WIDEST = 60
FRAME = 3
"""Columns beside the words: one on each side, and the bar."""


class Completions(RowList):
    """The words, to choose from with the arrows and Enter; typing goes on in the text."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("completion")]
    HELP = """Words that fit where the cursor stands. Enter or Tab writes the marked one, Escape writes none.
What you type goes on in the text."""

    @dataclass
    class Taken(Message):
        """A word was chosen; an empty one means none."""

        word: str
        start: int

    @dataclass
    class Typed(Message):
        """A character was typed, or with an empty one the last was taken back."""

        character: str

    def __init__(self, *, id: str | None = None) -> None:
        """Start without words."""
        super().__init__(id=id)
        self._completion = Completion(0)
        self._wanted = Size(0, 0)

    def show(self, found: Completion) -> None:
        """Offer these words."""
        self._completion = found
        rows = [
            Row(
                line(TextRun(clean(word.text), Tone.CODE), muted(f"  {word.what}")),
                f"{number} {word.text}",
            )
            for number, word in enumerate(found.words)
        ]
        self.show_rows(lambda _: rows)
        self.action_edge(-1)
        widest = max((width_of(row.line) for row in rows), default=0)
        self._wanted = Size(min(widest + FRAME, WIDEST), min(len(rows), HIGHEST))

    def stand(self, row: int, column: int, room: Region) -> None:
        """Stand at a row and a column of a room in the pane, where the word begins; hide without room."""
        region = beside(row, column, self._wanted, room.size) if self._wanted.height else None
        self.display = region is not None
        if region is not None:
            self.styles.width, self.styles.height = region.size
            self.styles.offset = region.offset + room.offset

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """What is typed goes on in the text."""
        del key
        return character is not None and character.isprintable()

    async def _on_key(self, event: events.Key) -> None:
        typed = event.character if event.is_printable else None
        if typed or event.key == "backspace":
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed(typed or ""))

    def on_blur(self) -> None:
        """The list is there for the one who chooses from it."""
        self.display = False

    def action_take(self) -> None:
        """Write the marked word."""
        self.post_message(self.Taken(self.key.partition(" ")[2], self._completion.start))

    def action_choose(self) -> None:
        """A click writes it."""
        self.action_take()

    def action_none(self) -> None:
        """Write none of them."""
        self.post_message(self.Taken("", self._completion.start))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.completing import completion
    from workbench.old_screen.samples.sample import TERMS

    run_alone(Completions(), lambda widget: widget.show(completion("    return ro", 13, "", TERMS)))
