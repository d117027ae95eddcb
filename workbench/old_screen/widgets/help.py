"""Help for the pane that has the focus, and every key."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from workbench.old_screen.actions import ACTIONS, keys_shown
from workbench.old_screen.plain import TextRun, Tone, line, title
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, heading, paragraph
from workbench.old_screen.widgets.lines import Row, RowList


class HelpText(RowList):
    """The text of the help, to be scrolled with the arrows."""

    def show(self, name: str, text: str, groups: tuple[str, ...]) -> None:
        """Show the help of a pane, its keys first and then the rest."""
        self.border_title = title(f"Help: {name}")
        self.border_subtitle = title("Esc closes")
        self.show_rows(lambda width: help_rows(text, groups, width))


class HelpScreen(ModalScreen[None]):
    """The help over the screen; Escape or F1 closes it."""

    DEFAULT_CSS = style_sheet(__file__)
    AUTO_FOCUS = "*"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q", "dismiss", "Close", priority=True)]

    def __init__(self, name: str, text: str, groups: tuple[str, ...]) -> None:
        """Take the pane's name, its help and the groups of its own actions."""
        super().__init__()
        self._help = (name, text, groups)

    def compose(self) -> ComposeResult:
        """The text alone."""
        yield HelpText()

    def on_mount(self) -> None:
        """Fill in the text."""
        self.query_one(HelpText).show(*self._help)


def help_rows(text: str, groups: tuple[str, ...], width: int) -> list[Row]:
    """A pane's help and the keys, its own groups first."""
    rows = paragraph(" ".join(text.split()), width)
    names = list(dict.fromkeys((*groups, *(action.group for action in ACTIONS))))
    for name in names:
        rows += [BLANK, heading(name)]
        for action in ACTIONS:
            if action.group == name:
                keys = TextRun(f" {keys_shown(action):<20} ", Tone.ACCENT)
                rows += paragraph(line(keys, action.description), width, hang=22)
    return rows


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    run_alone(HelpText(), lambda widget: widget.show("Replay", "What it is about.", ("Replay", "Lists")))
