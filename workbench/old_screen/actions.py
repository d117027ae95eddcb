"""Every action of the screen that a key can start: ``actions.toml``, for bindings, help and palette."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Action:
    """An action: its stable id, the keys that start it, what it does, and where it belongs.

    ``call`` is the Textual action. ``scope`` is ``app`` or the id of a pane. ``footer``
    is the short label in the footer, empty if the action is not shown there; ``name``
    is the name of the pane that the action goes to.
    ``priority`` actions win over the focused widget, as they must inside the editor.
    """

    id: str
    keys: str
    call: str
    description: str
    group: str
    scope: str
    footer: str = ""
    name: str = ""
    priority: bool = False

    def binding(self) -> Binding:
        """The Textual binding of this action."""
        return Binding(
            self.keys,
            self.call,
            self.footer or self.description,
            show=bool(self.footer),
            priority=self.priority,
            tooltip=self.description,
            id=self.id,
        )


PANES = ("question", "policy", "cases", "proof", "replay", "details", "rail")


def _actions() -> Iterator[Action]:
    text = files(__package__).joinpath("actions.toml").read_text(encoding="utf-8")
    for part in tomllib.loads(text)["parts"]:
        for row in part["actions"]:
            yield Action(scope=part["scope"], group=part["group"], **row)


ACTIONS: tuple[Action, ...] = tuple(_actions())
BY_ID = {action.id: action for action in ACTIONS}


def bindings(scope: str = "app") -> list[Binding]:
    """The bindings of the app or of one kind of pane."""
    return [action.binding() for action in ACTIONS if action.scope == scope]


KEY_NAMES = {
    "pageup": "PgUp", "pagedown": "PgDn", "slash": "/", "escape": "Esc", "plus": "+", "full_stop": ".",
    "comma": ",", "at": "Space",  # terminals send Ctrl+Space as Ctrl+@
}  # fmt: skip
MODIFIERS = {"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift"}


def keys_shown(action: Action) -> str:
    """The keys of an action as a person reads them."""
    return " or ".join(_key(key) for key in action.keys.split(","))


def _key(key: str) -> str:
    *modifiers, last = key.split("+")
    name = KEY_NAMES.get(last, last)
    if len(name) > 1:
        name = name.upper() if name[0] == "f" and name[1:].isdigit() else name[0].upper() + name[1:]
    elif modifiers:
        name = name.upper()
    return "+".join([*(MODIFIERS[modifier] for modifier in modifiers), name])
