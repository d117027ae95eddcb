"""What ``keys.toml`` says, read strictly. Imported late: pydantic is not needed before the first paint.

```toml
vim = true              # Ctrl+D and Ctrl+U scroll the lists, : is the palette
suggestions = false     # words that fit are offered only when asked for
animation = false       # nothing moves by itself

[keys]
zoom = "f9,ctrl+o"      # an action of docs/reference/keys.md and the keys that start it
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import Field

from workbench.likeness import did_you_mean
from workbench.old_screen.actions import ACTIONS, BY_ID
from workbench.old_screen.keymap import FILE, VIM, Preferences
from workbench.session.fields import FileForm, Flag, TablePlace, parse_toml, read_form

_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta)\+)*[A-Za-z0-9_]+")


class KeysFile(FileForm):
    """``keys.toml``: a person's own keys by the names of actions, and what they want of the screen."""

    vim: Flag = False
    suggestions: Flag = True
    animation: Flag = True
    keys: dict[str, str] = Field({}, json_schema_extra={"propertyNames": {"enum": [*BY_ID]}})


def preferences(text: str, path: str = FILE) -> Preferences:
    """What a file's text says. Raises SessionError with the line of what it does not know."""
    top = TablePlace(path, text)
    read = read_form(KeysFile, parse_toml(text, path), top)
    place = top.below("keys")
    for name, keys in read.keys.items():
        _check(name, keys, place)
    chosen = {**(VIM if read.vim else {}), **read.keys}
    _without_clashes(chosen, place)
    return Preferences(chosen, read.suggestions, read.animation)


def _check(name: str, keys: str, place: TablePlace) -> None:
    if name not in BY_ID:
        hint = did_you_mean(name, BY_ID, 'Did you mean "{}"?') or "docs/reference/keys.md lists them."
        raise place.error(name, f'there is no action "{name}".', hint)
    if not all(_KEY.fullmatch(key) for key in keys.split(",")):
        raise place.error(name, f'"{name}" cannot be "{keys}".', 'Keys are written like "f9,ctrl+o".')


def _without_clashes(chosen: Mapping[str, str], place: TablePlace) -> None:
    taken: dict[tuple[str, str], str] = {}
    for action in ACTIONS:
        for key in chosen.get(action.id, action.keys).split(","):
            other = taken.setdefault((action.scope, key), action.id)
            if other != action.id:
                named = action.id if action.id in chosen else other
                raise place.error(named, f"{key} would start both {other} and {action.id}.")
