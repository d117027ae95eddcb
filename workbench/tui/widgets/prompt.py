"""Lines to type or paste into, and the prompt: one for words to find, a command, a path."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from workbench.clean_text import clean_same_width
from workbench.tui.keys import KeyHint
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import title

_LONGEST_PATHS = 4096
"""The most characters of a text that may be paths of dropped files; a longer text was pasted."""


TYPING: Sequence[KeyHint] = (("Enter", "take it"), ("Esc", "leave it"))


_LONGEST_LINE = 4_000
"""The most characters of a line that is typed."""


_LEAST_TYPED = 12
"""The cells for typing that the keys of a prompt leave; else they are not told."""


class TypedLine(Input):
    """An ``Input`` that keeps hostile characters of a pasted text from the terminal."""

    def validate_value(self, value: str) -> str:
        """The text with hostile characters made visible, one for one, so that the cursor stays in place.

        Of a longer text, which no line is meant for, the beginning: each key would draw all of it.
        """
        return clean_same_width(value[:_LONGEST_LINE])


def pasted_paths(text: str) -> list[Path]:
    """The files whose paths a terminal pastes when they are dropped on it; none for any other text.

    Several are quoted; some terminals do not quote the blanks of one.
    """
    if len(text) < _LONGEST_PATHS:
        with suppress(OSError, ValueError):
            return _existing([text.strip()]) or _existing(shlex.split(text))
    return []


def _existing(names: list[str]) -> list[Path]:
    paths = [Path(name.removeprefix("file://")).expanduser() for name in names if name]
    return paths if all(path.exists() for path in paths) else []


class Prompt(Horizontal):
    """A sign, and a line to type into; Enter and Esc leave it."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave")]

    def __init__(self) -> None:
        """Start hidden."""
        super().__init__(id="prompt")
        self._changed: Callable[[str], None] = lambda _text: None
        self._left: Callable[[str | None], None] = lambda _text: None

    def compose(self) -> ComposeResult:
        """The sign, the line, and its keys."""
        yield Static("", id="sign", markup=False)
        yield TypedLine(id="typed", compact=True, select_on_focus=False)
        yield Static("", id="typing", markup=False)

    def ask(
        self,
        sign: str,
        text: str,
        changed: Callable[[str], None],
        left: Callable[[str | None], None],
        *,
        replaces: bool = False,
        hints: Sequence[KeyHint] = TYPING,
    ) -> None:
        """Let a person type a line; ``changed`` gets the text after every key.

        ``left`` gets the text at the end, or None after Esc. The line begins with ``text`` and the cursor at
        its end; with ``replaces`` the text is selected. ``hints`` are the keys that are shown meanwhile.
        """
        self._changed, self._left = changed, left
        self.query_one("#sign", Static).update(title(sign))
        keys, told = " · ".join(map(" ".join, hints)), self.query_one("#typing", Static)
        told.update(title(keys))
        told.display = len(sign) + len(keys) + _LEAST_TYPED < self.screen.size.width
        typed = self.query_one("#typed", Input)
        with typed.prevent(Input.Changed):
            typed.value = text
        typed.selection = Selection(0 if replaces else len(text), len(text))
        self.display = True
        typed.focus()

    @on(Input.Changed, "#typed")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.display:
            self._changed(event.value)

    @on(Input.Submitted, "#typed")
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.leave(event.value)

    def action_leave(self) -> None:
        """Leave without entering anything."""
        self.leave(None)

    def leave(self, text: str | None) -> None:
        """Leave with a text, or with none; a prompt that is left stays so."""
        if self.display:
            self.display = False
            self._left(text)
