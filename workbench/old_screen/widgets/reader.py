"""Something to read over the screen: a lowered program, a difference, the links of a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from workbench.old_screen.actions import bindings
from workbench.old_screen.plain import Line, TextRun, Tone, line, title, wrap
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.lines import LineList, Row, RowList


@dataclass(frozen=True, slots=True)
class ReaderLine:
    """A line to read; one with a key can be chosen."""

    content: Line
    key: str = ""


class ReaderText(RowList):
    """The lines, to be scrolled, chosen from and copied."""

    def show(self, name: str, entries: Sequence[ReaderLine], hint: str) -> None:
        """Show lines under a name."""
        self.border_title = title(name)
        self.border_subtitle = title(hint)
        self.show_rows(
            lambda width: [
                Row(part, item.key) for item in entries for part in wrap(item.content, width, indent=2)
            ]
        )


class ReaderScreen(ModalScreen[str]):
    """Lines over the screen. Choosing one ends it with its key, Escape with an empty text."""

    DEFAULT_CSS = style_sheet(__file__)
    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("reader")]

    def __init__(
        self,
        name: str,
        entries: Sequence[ReaderLine],
        source: str = "",
        keys: Mapping[str, str] | None = None,
    ) -> None:
        """Take what to show; ``source`` is what copying everything copies.

        ``keys`` are letters that choose at once, with what they choose.
        """
        super().__init__()
        self._name = name
        self._entries = entries
        self._source = source
        self._keys = keys or {}

    def compose(self) -> ComposeResult:
        """The text alone."""
        yield ReaderText()

    def on_mount(self) -> None:
        """Fill in the text."""
        choosing = any(item.key for item in self._entries)
        hint = "Enter chooses, Esc closes" if choosing else "Esc closes"
        self.query_one(ReaderText).show(self._name, self._entries, hint)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.dismiss(self.query_one(ReaderText).key)

    def on_key(self, event: events.Key) -> None:
        """Choose by a letter."""
        if event.key in self._keys:
            event.stop()
            event.prevent_default()
            self.dismiss(self._keys[event.key])

    def action_close(self) -> None:
        """End without a choice."""
        self.dismiss("")

    def action_copy_all(self) -> None:
        """Copy the source of what is shown."""
        self.query_one(ReaderText).post_message(LineList.Copied(self._source))


def text_entries(text: str, paint: bool = False) -> tuple[ReaderLine, ...]:
    """A text line by line; with ``paint`` the lines of a difference in their tones."""
    tones = {"+": Tone.GOOD, "-": Tone.BAD, "@": Tone.ACCENT}
    return tuple(
        ReaderLine(line(TextRun(one, tones.get(one[:1], Tone.PLAIN) if paint else Tone.PLAIN)))
        for one in text.splitlines()
    )


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import POLICY

    run_alone(ReaderText(), lambda widget: widget.show("Policy", text_entries(POLICY), "Esc closes"))
