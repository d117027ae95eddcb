"""An editor of the sentences of the language that a sentence of the request means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from workbench.clean_text import clean_same_width
from workbench.tui.key_order import KeyOrder
from workbench.tui.keys import KeyHint
from workbench.tui.messages import HintsChanged
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import title

KEYS = "Enter keeps · Esc discards"


class SentenceEditor(KeyOrder, TextArea):
    """An editor in which printable keys type; Enter keeps the text, Esc discards it, Tab completes it."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)"),
        Binding("enter", "leave(True)"),
        Binding("tab", "take"),
        Binding("down", "choose(1)"),
        Binding("up", "choose(-1)"),
    ]

    @dataclass
    class Left(Message):
        """The text when the editor was left; ``is_kept`` says whether to keep it."""

        text: str
        is_kept: bool

    @dataclass
    class Typed(Message):
        """The text has changed, or another offer is chosen."""

        text: str

    def __init__(self, *, id: str) -> None:
        """Start hidden."""
        self.offered: Sequence[str] = ()
        self.chosen = 0
        super().__init__("", id=id, soft_wrap=True, tab_behavior="indent", theme="css")

    def begin(self, name: str, text: str) -> None:
        """Edit the sentences of a sentence of the request."""
        self.offered, self.chosen = (), 0
        self.border_title = title(f"SAY {name} · {KEYS}")
        self.load_text(text)
        self.move_cursor(self.document.end)
        self.display = True
        self.focus()

    def offer(self, words: Sequence[str]) -> None:
        """Offer words that may come next; Tab writes the chosen one."""
        self.offered, self.chosen = tuple(words), 0

    @property
    def hints(self) -> Sequence[KeyHint]:
        """The keys that work here."""
        taking = [("Tab", "complete"), ("↑↓", "another word")] if self.offered else []
        return [("Enter", "keep"), *taking, ("Esc", "discard")]

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Tell the new text."""
        event.stop()
        if self.display:
            self.post_message(self.Typed(self.text))
        self.post_message(HintsChanged())

    def action_leave(self, is_kept: bool) -> None:
        """Leave, and keep the text or not."""
        self.display = False
        self.post_message(self.Left(" ".join(self.text.split()), is_kept))

    def action_choose(self, step: int) -> None:
        """Choose another of the offered words."""
        if self.offered:
            self.chosen = (self.chosen + step) % len(self.offered)
            self.post_message(self.Typed(""))

    def action_take(self) -> None:
        """Write the chosen word in the place of the beginning that was typed of it."""
        if not self.offered:
            return
        word, end = self.offered[self.chosen], self.document.end
        text = self.text
        begun = next(
            (size for size in range(len(word), 0, -1) if text.casefold().endswith(word[:size].casefold())), 0
        )
        if begun and begun < len(text) and text[-begun - 1].isalnum():
            begun = 0
        row, column = end
        start = (row, column - begun) if begun <= column else end
        blank = "" if begun or not text or text[-1].isspace() or word[0] in ".,:;'" else " "
        after = "" if word.endswith((".", "“")) else " "
        self.replace(f"{blank}{word}{after}", start, end)
        self.move_cursor(self.document.end)

    def get_line(self, line_index: int) -> Text:
        """A line with invisible characters made visible."""
        return Text(clean_same_width(self.document.get_line(line_index)), end="", no_wrap=True)
