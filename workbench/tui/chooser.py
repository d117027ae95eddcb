"""A list over the views from which one offer is chosen: a command, a version; typed words narrow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from workbench.tui.messages import Offer
from workbench.tui.rows import Row, paragraph
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import accent, line, muted, title
from workbench.tui.widgets.lines import LineList
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.prompt import TypedLine


class Chooser(ModalScreen[str]):
    """A screen with a list of offers; returns the key of the chosen one, or an empty text."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave"),
        Binding("down", "move(1)", priority=True),
        Binding("up", "move(-1)", priority=True),
    ]

    def __init__(self, name: str, offers: Sequence[Offer], *, alone: bool = False) -> None:
        """List offers under a title; ``alone``, with nothing to go back to, Esc clears a search first."""
        super().__init__()
        self._is_alone = alone
        self._name = name
        self._offers = offers

    def compose(self) -> ComposeResult:
        """A line for words, and the list below it."""
        with Vertical() as box:
            box.border_title = title(self._name)
            yield TypedLine(placeholder="type to find, Enter chooses, Esc leaves", id="words", compact=True)
            yield Pane("", id="offers")

    def on_mount(self) -> None:
        """Fill the list; the first offer is marked."""
        self._fill()
        self.query_one("#words").focus()

    def _fill(self, words: str = "") -> None:
        pane = self.query_one("#offers", Pane)
        offers = sorted(self._offers, key=lambda offer: not _begins(offer, words))
        pane.fill(lambda: map(offer_row, offers))
        if pane.cursor < 0:
            pane.action_cursor(1, quiet=True)

    @on(Input.Changed, "#words")
    def _narrowed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(Vertical).border_subtitle = title("")
        pane = self.query_one("#offers", Pane)
        self._fill(event.value)
        pane.narrow(event.value)
        pane.cursor = -1
        pane.action_cursor(1, quiet=True)

    @on(Input.Submitted, "#words")
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if key := self.query_one("#offers", Pane).key:
            self.dismiss(key)
        else:  # the keys typed next would act on the view
            note = f"nothing is called “{event.value.strip()}”; Esc leaves"
            self.query_one(Vertical).border_subtitle = title(note)

    @on(LineList.Chosen, "#offers")
    def _clicked(self, event: LineList.Chosen) -> None:
        event.stop()
        self.dismiss(self.query_one("#offers", Pane).key)

    def action_move(self, direction: int) -> None:
        """Mark another offer."""
        self.query_one("#offers", Pane).action_cursor(direction)

    def action_leave(self) -> None:
        """Choose nothing."""
        words = self.query_one("#words", TypedLine)
        if self._is_alone and words.value:
            words.value = ""
        else:
            self.dismiss("")


def _begins(offer: Offer, words: str) -> bool:
    """Whether an offer begins with typed words: what is called so comes before what only speaks of it."""
    typed = words.strip().casefold()
    return bool(typed) and any(part.casefold().startswith(typed) for part in offer[1:])


def offer_row(offer: Offer) -> Row:
    """The row of an offer."""
    key, head, words = offer
    content = line(accent(f"{head:<9} ") if head else "", words)
    return paragraph(content if words else muted(head), key=key, hang=10 if head else 2)
