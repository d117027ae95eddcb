"""The table of actions, as bindings of keys, hints for the line of keys, and commands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from textual.binding import Binding

from workbench.tui.messages import Offer

type KeyHint = tuple[str, str]
"""A key as a person reads it, and a hint of a word or two at its action."""

EDITOR = "editor"
"""The place of a person who edits a text."""
_NAMES = {
    "slash": "/", "question_mark": "?", "colon": ":", "escape": "Esc", "enter": "Enter", "space": "Space",
    "tab": "Tab", "full_stop": ".", "equals_sign": "=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeyAction:
    """An action, as ``actions.toml`` describes it; ``where`` maps views and panes to a hint.

    The panes themselves bind a ``listed`` action; the table has it only so that it is shown. An action
    without keys is a command, chosen by its name. The page of keys shows one with the key of the action
    ``beside`` it.
    """

    id: str
    does: str
    keys: str = ""
    where: Mapping[str, str] = field(default_factory=dict[str, str])
    hint: str = ""
    call: str = ""
    priority: bool = False
    listed: bool = False
    beside: str = ""

    @property
    def named(self) -> str:
        """The action's name as a person types it."""
        return self.id.replace("_", " ")

    @property
    def brief(self) -> str:
        """The first words of what it does."""
        return re.split("[:;,]", self.does)[0]

    def key_of(self, own: Mapping[str, str]) -> str:
        """The action's first key as a person reads it, with the person's own keys."""
        first = own.get(self.id, self.keys).partition(",")[0]
        return _NAMES.get(
            first, "+".join(part.capitalize() for part in first.split("+")) if "+" in first else first
        )

    def hint_in(self, place: str) -> str:
        """The action's hint in a pane (``view.pane``); empty if it has none there."""
        if not self.where:
            return self.hint
        return self.where.get(place) or self.where.get(place.partition(".")[0], "")

    def works_in(self, place: str) -> bool:
        """Whether the action does anything in a pane."""
        return not self.where or place in self.where or place.partition(".")[0] in self.where

    def meets(self, other: KeyAction) -> bool:
        """Whether both actions work in some pane."""
        if not self.where or not other.where:
            return True
        return any(map(other.works_in, self.where)) or any(map(self.works_in, other.where))

    @property
    def called(self) -> str:
        """The Textual action to run: ``call``, else the application's action for the id."""
        return self.call or f"do('{self.id}')"

    def binding(self) -> Binding:
        """The Textual binding."""
        return Binding(self.keys, self.called, self.does, show=False, priority=self.priority, id=self.id)


_TABLE = tomllib.loads(files(__package__).joinpath("actions.toml").read_text(encoding="utf-8"))
HELP, NEXT = "help", "next"
ACTIONS = tuple(KeyAction(**row) for row in _TABLE["actions"])
AT_CURSOR: Mapping[str, Mapping[str, str]] = _TABLE["at_cursor"]
BY_ID = {action.id: action for action in ACTIONS}


def bindings() -> list[Binding]:
    """The bindings of the application."""
    return [action.binding() for action in ACTIONS if action.keys and not action.listed]


def hints(place: str, own: Mapping[str, str], at_cursor: Mapping[str, str]) -> list[KeyHint]:
    """The keys that work in a pane: the pane's own, early what is left to do, last what shows every key.

    ``at_cursor`` has, by the id of an action, the words for the item at the cursor; empty if it is not one.
    """

    def words(action: KeyAction) -> str:
        return at_cursor[action.id] if action.id in at_cursor else action.hint_in(place)

    pane_actions = [action for action in ACTIONS if action.keys and action.where and words(action)]
    everywhere = place != EDITOR  # in a text the other keys type letters
    other_actions = [a for a in ACTIONS if everywhere and a.keys and not a.where and a.hint]
    other_actions.sort(key=lambda action: (action.id == HELP, action.id != NEXT))
    shown = (*pane_actions[:2], *other_actions[:1], *pane_actions[2:], *other_actions[1:])
    keys_of: dict[str, list[str]] = {}
    for action in shown:  # keys that do the same stand together
        keys_of.setdefault(words(action), []).append(action.key_of(own))
    return [(" ".join(keys), said) for said, keys in keys_of.items()]


def command_offers(place: str, own: Mapping[str, str]) -> list[Offer]:
    """Every action as an offer: its id, its key, and its name and description."""
    return [(action.id, action.key_of(own), f"{action.named}: {action.does}") for action in commands(place)]


def commands(place: str) -> list[KeyAction]:
    """Every action, those that work in a pane first."""
    return sorted(ACTIONS, key=lambda action: (not action.works_in(place), not action.where))


_NAME = r"(?:'[^']*'|[^\s'`]*[^\s'`.,;])"
_ACCEPTS = re.compile(rf"(['`]?)workbench check {_NAME} --accept(?: --anyway {_NAME})?\1")
"""The command of a shell that accepts a session, as texts quote it."""


def on_the_screen(text: str, accept: str = "“: accept”") -> str:
    """A text for a shell, in which what accepts a session is the command of the screen."""
    return _ACCEPTS.sub(accept, text)


# --- which part of the screen does an action


def done_by(part: object, action: str) -> bool:
    """Run an action by a part's method ``do_ACTION``; False if it has none, or there it has nothing to do."""
    method: Callable[[], object] | None = getattr(part, f"do_{action}", None)
    return method is not None and method() is not False


def done_by_any(parts: Iterable[object], action: str) -> bool:
    """Run an action by the first part that can; False if none can."""
    return any(done_by(part, action) for part in parts)
