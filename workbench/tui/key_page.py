"""The page of `?`: what the view shows, and every key that works in it, on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen

from workbench.tui.keys import ACTIONS, BY_ID, EDITOR, KeyAction, KeyHint
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import Line, accent, fit, line, title, width_of
from workbench.tui.widgets.lines import PlainLines, Row, heading, paragraph

_LEAVE = frozenset({"escape", "question_mark", "f1", "q"})
_COLUMN = 36
"""The cells of a key with its words."""
_KEYS = 9
_MOVING = (("↑↓ jk", "move; PgUp PgDn, g first, G last"), ("1-9", "choose what is numbered"))
"""The keys of every list."""


class _Page(PlainLines, can_focus=True):
    """The rows; they have the focus, so that a key that is typed at once is for the page."""


class KeyPage(ModalScreen[str]):
    """A page of keys; returns the next key that is pressed, empty if it only leaves."""

    DEFAULT_CSS = style_sheet(__file__)

    def __init__(
        self, named: str, about: str, here: Sequence[KeyHint], everywhere: Sequence[KeyHint]
    ) -> None:
        """Show the keys of a view of this name, and what it is ``about``."""
        super().__init__()
        self._named = named
        self._build = partial(page_rows, about, here, everywhere)

    def compose(self) -> ComposeResult:
        """The page in a box."""
        with Vertical() as box:
            box.border_title = title(f"Keys · {self._named}")
            box.border_subtitle = title("a key does what it says · Esc leaves · : every command")
            yield _Page(id="page")

    def on_mount(self) -> None:
        """Fill the page."""
        page = self.query_one("#page", _Page)
        page.show_rows(self._build)
        page.focus()

    def on_key(self, event: events.Key) -> None:
        """Leave, and give the key to the view; a digit only leaves: the page hides its option."""
        event.stop()
        self.dismiss("" if event.key in _LEAVE or event.key.isdigit() else event.key)

    def on_click(self, event: events.Click) -> None:
        """Leave."""
        event.stop()
        self.dismiss("")


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
