"""Screens over the views: a list from which one offer is chosen, and the page of `?` with every key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from workbench.tui.keys import ACTIONS, BY_ID, EDITOR, KeyAction, KeyHint
from workbench.tui.messages import Offer
from workbench.tui.settled_screen import SettledScreen
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import Line, accent, fit, line, muted, title, width_of
from workbench.tui.widgets.lines import Builder, LineList, Row, heading, paragraph
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.prompt import TypedLine


class Chooser(SettledScreen[str], ModalScreen[str]):
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
        if key := _answered(self._offers, event.value):
            self.dismiss(key)
            return
        self.query_one(Vertical).border_subtitle = title("")
        pane = self.query_one("#offers", Pane)
        if event.value and pane.size:
            pane.styles.height = pane.size.height  # a box that stays asks for no layout at each key
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


def _answered(offers: Sequence[Offer], typed: str) -> str:
    """The key of the offer that begins with a typed letter, where each begins with a letter of its own."""
    if any(head[1:2] != " " for _, head, _ in offers):
        return ""
    return next((key for key, head, _ in offers if head[0] == typed.casefold()), "")


def offer_row(offer: Offer) -> Row:
    """The row of an offer."""
    key, head, words = offer
    content = line(accent(f"{head:<9} ") if head else "", words)
    return paragraph(content if words else muted(head), key=key, hang=10 if head else 2)


_LEAVE = frozenset({"escape", "question_mark", "f1", "q"})
_COLUMN = 36
"""The cells of a key with its words."""
_KEYS = 9
_MOVING = (("↑↓ jk", "move; PgUp PgDn, g first, G last"), ("1-9", "choose what is numbered"))
"""The keys of every list."""


class Page(SettledScreen[str], ModalScreen[str]):
    """Rows over the views; returns the key that leaves them, of the ``answers`` if there are any.

    A digit leaves as Esc does: the page hides its option.
    """

    DEFAULT_CSS = style_sheet(__file__)

    def __init__(self, name: str, note: str, build: Builder, answers: Collection[str] = ()) -> None:
        """Show rows under a name, with a note on the keys."""
        super().__init__(classes="-whole" if answers else "")
        self._named, self._note, self._build, self._answers = name, note, build, answers

    def compose(self) -> ComposeResult:
        """The page in a box."""
        with Vertical() as box:
            box.border_title, box.border_subtitle = title(self._named), title(self._note)
            yield Pane("", id="page")

    def on_mount(self) -> None:
        """Fill the page; it has the focus, so that a key that is typed at once is for the page."""
        page = self.query_one("#page", Pane)
        page.fill(self._build)
        page.focus()

    def on_key(self, event: events.Key) -> None:
        """Leave, and give the key."""
        if not self._answers or event.key in self._answers:
            event.stop()
            self.dismiss("" if event.key in _LEAVE or event.key.isdigit() else event.key)

    def on_click(self, event: events.Click) -> None:
        """Leave a page that asks for nothing."""
        if not self._answers:
            event.stop()
            self.dismiss("")


KEYS_NOTE = "a key does what it says · Esc leaves · : every command"


def keys_of(place: str, own: Mapping[str, str]) -> tuple[list[KeyHint], list[KeyHint]]:
    """The keys of a pane, then those that work everywhere, each with a few words."""
    here = [
        (action.key_of(own), action.hint_in(place) or action.brief)
        for action in ACTIONS
        if action.keys and action.where and action.works_in(place)
    ]
    if place == EDITOR:
        return here, []
    everywhere = [
        (" ".join((action.key_of(own), *_beside(action, own))), action.hint or action.brief)
        for action in ACTIONS
        if action.keys and not action.where and not action.beside
    ]
    return here, [*_MOVING, *everywhere]


def _beside(action: KeyAction, own: Mapping[str, str]) -> list[str]:
    """The keys of the actions that are shown with this one."""
    return [other.key_of(own) for other in BY_ID.values() if other.beside == action.id]


def page_rows(about: str, here: Sequence[KeyHint], everywhere: Sequence[KeyHint]) -> Iterator[Row]:
    """What the view shows, then the keys in as many columns as fit."""
    if about:
        yield paragraph(about)
    for name, keys in (("Here", here), ("Everywhere", everywhere)):
        if keys:
            yield from (heading(name), Row(partial(_columns, keys)))


def _columns(keys: Sequence[KeyHint], width: int) -> Sequence[Line]:
    """The keys from the top of each column to its end."""
    count = max(width // _COLUMN, 1)
    height = -(-len(keys) // count)
    columns = [keys[start : start + height] for start in range(0, len(keys), height)]
    cell = partial(_cell, cells=width // count)
    return [line(*map(cell, across)) for across in zip_longest(*columns, fillvalue=("", ""))]


def _cell(hint: KeyHint, cells: int) -> Line:
    """A key and its words in a width."""
    key = accent(f"{hint[0].ljust(_KEYS)} ")
    return line(key, fit(hint[1], cells - width_of([key]) - 1), " ")
