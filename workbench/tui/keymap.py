"""The user's own keys: ``keys.toml`` in the user's configuration folder, read strictly.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from workbench.model import WorkbenchError
from workbench.tui.actions import ACTIONS, BY_ID

FILE = "keys.toml"
VIM = {
    "list.page_down": "pagedown,space,ctrl+f,ctrl+d",
    "list.page_up": "pageup,ctrl+b,ctrl+u",
    "palette": "ctrl+p,colon",
    "details.next": "n,right_square_bracket",
    "details.previous": "p,N,left_square_bracket",
}
SWITCHES = {"vim": False, "suggestions": True, "animation": True}
_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta)\+)*[A-Za-z0-9_]+")


def user_keys() -> Path:
    """Where the file is looked for."""
    from platformdirs import user_config_path

    return user_config_path("policy-workbench") / FILE


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person wants of the screen: keys by action id, words offered while typing, animation."""

    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    suggestions: bool = True
    animation: bool = True


def read_preferences(path: Path) -> Preferences:
    """What a file says; the usual where there is none. Raises WorkbenchError for what is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Preferences()
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbenchError(f"{path} cannot be read ({error}); the keys are the usual ones.") from error
    try:
        return preferences(text)
    except WorkbenchError as error:
        raise WorkbenchError(f"{path}: {error}") from error


def preferences(text: str) -> Preferences:
    """What a file's text says. Raises WorkbenchError for anything it does not know."""
    import tomllib

    try:
        content = cast("Mapping[str, object]", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise WorkbenchError(f"not TOML: {error}.") from error
    unknown = sorted(set(content) - {*SWITCHES, "keys"})
    if unknown:
        raise WorkbenchError(f"unknown setting {unknown[0]!r}; there are {', '.join(SWITCHES)} and [keys].")
    switches = {name: content.get(name, usual) for name, usual in SWITCHES.items()}
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise WorkbenchError(f"{name} is true or false.")
    keys = content.get("keys", {})
    if not isinstance(keys, dict):
        raise WorkbenchError("[keys] is a table.")
    chosen = dict(VIM) if switches["vim"] else {}
    for name, value in cast("Mapping[str, object]", keys).items():
        chosen[name] = _keys(name, value)
    _without_clashes(chosen)
    return Preferences(chosen, switches["suggestions"] is True, switches["animation"] is True)


def _keys(name: str, value: object) -> str:
    if name not in BY_ID:
        from workbench.likeness import did_you_mean

        hint = did_you_mean(name, BY_ID, "did you mean {!r}?") or "docs/reference/keys.md lists them."
        raise WorkbenchError(f"there is no action {name!r}; {hint}")
    if not isinstance(value, str) or not all(_KEY.fullmatch(key) for key in value.split(",")):
        raise WorkbenchError(f"{name}: keys are written like 'f9,ctrl+o', not {value!r}.")
    return value


def _without_clashes(chosen: Mapping[str, str]) -> None:
    taken: dict[tuple[str, str], str] = {}
    for action in ACTIONS:
        for key in chosen.get(action.id, action.keys).split(","):
            other = taken.setdefault((action.scope, key), action.id)
            if other != action.id:
                raise WorkbenchError(f"{key} would start both {other} and {action.id}.")
