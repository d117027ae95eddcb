"""A person's own keys: ``keys.toml`` in the user's configuration folder, read strictly.

```toml
[keys]
zoom = "f9,ctrl+o"      # an action of docs/reference/keys.md and the keys that start it
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError
from workbench.tui.keys import ACTIONS, BY_ID, KeyAction

if TYPE_CHECKING:
    from workbench.files.strict_reading import TablePlace

FILE = "keys.toml"
_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta)\+)*[A-Za-z0-9_]+")


def user_keys() -> Path:
    """The path of the file."""
    from platformdirs import user_config_path

    return user_config_path("policy-workbench") / FILE


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


def read_keys(text: str, path: str = FILE) -> Mapping[str, str]:
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
        for other_action in ACTIONS:
            shared_keys = set(keys.split(",")) & set(
                chosen.get(other_action.id, other_action.keys).split(",")
            )
            if other_action.id != name and shared_keys and _meet(BY_ID[name], other_action):
                raise place.error(name, f"{min(shared_keys)} would start both {name} and {other_action.id}.")


def _meet(action: KeyAction, other_action: KeyAction) -> bool:
    """Whether both actions work in some pane."""
    if not action.where or not other_action.where:
        return True
    return any(map(other_action.works_in, action.where)) or any(map(action.works_in, other_action.where))
