"""Words that could be written at the cursor, in lines below the text and never over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.tui.actions import bindings
from workbench.tui.completing import Completion
from workbench.tui.plain import Run, Tone, clean, line, muted
from workbench.tui.styles import style_sheet
from workbench.tui.widgets.lines import Row, RowList


class Completions(RowList):
    """The words, to choose from with the arrows and Enter; typing goes on in the text."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("completion")]
    HELP = "Words that fit where the cursor stands. Enter writes the marked one, Escape writes none."

    @dataclass
    class Taken(Message):
        """A word was chosen; an empty one means none. ``typed`` is a character that was typed instead."""

        word: str
        start: int
        typed: str = ""

    def __init__(self, *, id: str | None = None) -> None:
        """Start without words."""
        super().__init__(id=id)
        self._completion = Completion(0)

    def show(self, found: Completion) -> None:
        """Offer these words."""
        self._completion = found
        self.styles.height = len(found.words)
        rows = [
            Row(line(Run(clean(word.text), Tone.CODE), muted(f"  {word.what}")), f"{number} {word.text}")
            for number, word in enumerate(found.words)
        ]
        self.show_rows(lambda _: rows)
        self.action_edge(-1)

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self.post_message(self.Taken("", self._completion.start, event.character))

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
    from workbench.tui.alone import run_alone
    from workbench.tui.completing import completion
    from workbench.tui.sample import TERMS

    run_alone(Completions(), lambda widget: widget.show(completion("    return ro", 13, "", TERMS)))
