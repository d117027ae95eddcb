"""The keys, the clipboard and the editor of the person at the screen.

A person's own keys: ``keys.toml`` in the user's configuration folder, read strictly.

```toml
[keys]
zoom = "f9,ctrl+o"      # an action of docs/reference/keys.md and the keys that start it
```
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported
from textual.widgets import TextArea

from workbench.model import WorkbenchError
from workbench.tui.keys import ACTIONS, BY_ID
from workbench.tui.messages import Say, WorkbenchApp
from workbench.tui.themes import following
from workbench.tui.widgets.code_editor import CodeEditor

if TYPE_CHECKING:
    from workbench.files.strict_reading import TablePlace


class Personal:
    """The keys, clipboard and editor of the person at an app."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Serve an app; keys are read only if the screen remembers things between runs."""
        self._app = app
        self.keys: Mapping[str, str] = {}

    def take_keys(self) -> None:
        """Bind the person's own keys; report an error in their file."""
        if not self._app.remembered.lasts:
            return
        from platformdirs import user_config_path

        try:
            self.keys = own_keys(user_config_path("policy-workbench") / _FILE)
        except WorkbenchError as error:
            self._app.post_message(Say(str(error), problem=True))
        self._app.set_keymap(dict(self.keys))

    async def copy(self, text: str) -> None:
        """Copy a text by the terminal, and by tmux if there is one; say the result."""
        sequence = osc52(text, os.environ)
        driver = self._app._driver  # pyright: ignore[reportPrivateUsage]  Textual's own copies without tmux
        if sequence and driver is not None:
            driver.write(sequence)
        copied = await asyncio.to_thread(tmux_copy, text) or bool(sequence)
        size = f"{len(text):,} characters"
        by = "by OSC 52; a terminal without it copies what Shift and the mouse mark"
        words = f"Copied {size} {by}." if copied else f"Too long to copy: {size}."
        self._app.say(Say(words, problem=not copied))

    def do_theme(self) -> None:
        """Switch to the next theme."""
        self._app.theme = following(self._app.theme)
        self._app.remembered.put("theme", self._app.theme)

    def do_editor(self) -> None:
        """Edit the text at the cursor in the person's own editor."""
        if not isinstance(self._app.focused, TextArea) and not self._app.view.do("edit"):
            self._app.say(Say("There is nothing here to edit."))
        else:
            self._app.call_after_refresh(self._edit)

    def _edit(self) -> None:
        if isinstance(self._app.focused, TextArea):
            self._app.say(self._edited(self._app.focused))

    def _edited(self, area: TextArea) -> Say:
        """Edit a text in the person's own editor; return a sentence on the result."""
        from workbench.tui.external_editor import edit_outside

        try:
            with self._app.suspend():
                area.text = edit_outside(area.text, ".py" if isinstance(area, CodeEditor) else ".md")
        except SuspendNotSupported:
            return Say("Another editor cannot be started from here.", problem=True)
        except WorkbenchError as error:
            return Say(str(error), problem=True)
        return Say("The text is what your editor wrote; Esc keeps it.")


_FILE = "keys.toml"
_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta)\+)*[A-Za-z0-9_]+")


def own_keys(path: Path) -> Mapping[str, str]:
    """The keys of a file by the names of actions; empty if there is no file.

    Raises WorkbenchError for a mistake in the file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbenchError(f"{path} cannot be read ({error}); the keys are the usual ones.") from error
    return read_keys(text, str(path))


def read_keys(text: str, path: str = _FILE) -> Mapping[str, str]:
    """The keys that a file's text states. Raises FileError with the line of a mistake."""
    from workbench.files.strict_reading import TablePlace, parse_toml, read_form
    from workbench.tui.keys_form import KeysFile

    top = TablePlace(path, text)
    keys_by_name = read_form(KeysFile, parse_toml(text, path), top).keys
    place = top.below("keys")
    for name, keys in keys_by_name.items():
        _check(name, keys, place)
    _without_clashes(keys_by_name, place)
    return keys_by_name


def _check(name: str, keys: str, place: TablePlace) -> None:
    from workbench.likeness import did_you_mean

    if name not in BY_ID or BY_ID[name].listed:
        hint = did_you_mean(name, BY_ID, 'Did you mean "{}"?') or "docs/reference/keys.md lists them."
        raise place.error(name, f'there is no action "{name}".', hint)
    if not all(_KEY.fullmatch(key) for key in keys.split(",")):
        raise place.error(name, f'"{name}" cannot be "{keys}".', 'Keys are written like "f9,ctrl+o".')


def _without_clashes(chosen: Mapping[str, str], place: TablePlace) -> None:
    """Raise an error if a chosen key would start two actions in one pane."""
    for name, keys in chosen.items():
        for other in ACTIONS:
            shared_keys = set(keys.split(",")) & set(chosen.get(other.id, other.keys).split(","))
            if other.id != name and shared_keys and BY_ID[name].meets(other):
                raise place.error(name, f"{min(shared_keys)} would start both {name} and {other.id}.")


MOST_BYTES = 100_000
TMUX = ("tmux", "load-buffer", "-w", "-")
"""Loads into tmux's buffer and, whatever options tmux has for programs, into the terminal around it."""


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """The sequence that asks the terminal to copy; empty if terminals would cut the text off.

    If ``set-clipboard`` is on, tmux takes the sequence itself. If ``allow-passthrough`` is on, tmux hands the
    wrapped one on. Both are written, because by default neither option is on.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > MOST_BYTES:
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    if environment.get("TMUX"):
        return f"{sequence}\x1bPtmux;\x1b{sequence}\x1b\\"
    if environment.get("TERM", "").startswith("screen"):
        return f"\x1bP{sequence}\x1b\\"
    return sequence


def tmux_copy(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Copy into tmux's buffer; False if the screen is in no tmux, or that fails."""
    if not environment.get("TMUX"):
        return False
    data = text.encode("utf-8", "replace")
    try:
        subprocess.run(TMUX, input=data, capture_output=True, timeout=3, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True
