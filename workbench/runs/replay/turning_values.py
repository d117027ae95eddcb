"""Changes that turn a decision: arguments with other values, who can change each, and the search's result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from workbench.model import Arguments, Element, Value, Verdict
from workbench.policy.terms import Comparison
from workbench.policy.value_words import value_words
from workbench.runs.replay.shown_value import shown_value


class Reach(IntEnum):
    """The way to change an argument, in the order in which changes are proposed.

    By a look-up that the agent can make; by another value in the call; by another call before it; by waiting;
    by a person and not by the agent; or not at all: a call of another tool is another call.
    """

    LOOK_UP = 0
    CALL = 1
    EARLIER = 2
    TIME = 3
    GIVEN = 4
    TOOL = 5

    @property
    def who(self) -> str:
        """Who can change it, in words."""
        return _WHO[self]

    @property
    def changed(self) -> str:
        """The way in which the value is changed, as a complete phrase."""
        return self.who if self in (Reach.GIVEN, Reach.TOOL) else f"changed {self.who}"


_WHO = {
    Reach.LOOK_UP: "by looking it up",
    Reach.CALL: "by the call",
    Reach.EARLIER: "by another call before it",
    Reach.TIME: "by waiting",
    Reach.GIVEN: "only a person can change it",
    Reach.TOOL: "that is a call of another tool",
}


@dataclass(frozen=True, slots=True)
class TurningChange:
    """One argument with another value. ``supplied``: the call has no value that could be kept.

    ``name`` may be a field of a record (``order.total``). ``invented``: the new text is in no vocabulary,
    policy or log; it represents any other text. ``one_of`` names a set argument of the call that has the
    new text and not the old one: the policy asks for one of its elements, and the new text is only the
    nearest. For a list, ``one_of`` names another list of the call that equals the new one. ``look_up`` is
    the sentence about the call that would look the record up; the new value is then only an example.
    ``bound`` is ``<=`` or ``>=`` if it is proved that every such number would do as well. ``any_member``: the
    text that a set gets could be any other. ``instead`` has other values that could become true instead of
    this one, by other calls before the call.
    """

    name: str
    old: Value
    new: Value
    reach: Reach
    supplied: bool = False
    invented: bool = False
    one_of: str = ""
    look_up: str = ""
    bound: Comparison = Comparison.EQ
    any_member: bool = False
    instead: tuple[TurningChange, ...] = ()

    @property
    def text(self) -> str:
        """The change in words: ``amount = 100 instead of 250``, ``columns without "a", "b"``."""
        if self.look_up:
            return self.look_up
        if isinstance(self.old, frozenset) and isinstance(self.new, frozenset) and not self.supplied:
            return _set_change(self.name, self.old, self.new)
        if isinstance(self.old, tuple) and isinstance(self.new, tuple) and not self.supplied:
            gone = _left_out(self.old, self.new)
            if gone:
                return f"{self.name} without {_listed(gone)}"
        if self.one_of and isinstance(self.new, tuple):
            return f"{self.name} as in {self.one_of} instead of {shown_value(self.old)}"
        if self.one_of:
            wanted_text = f"{self.name} = one of {self.one_of}"
            return wanted_text if self.supplied else f"{wanted_text} instead of {shown_value(self.old)}"
        if self.supplied:
            return f"{self.name} = {shown_value(self.new)}"
        if self.invented:
            return f"{self.name} other than {shown_value(self.old)}"
        return f"{self.name} {_BOUNDS[self.bound]} {shown_value(self.new)} instead of {shown_value(self.old)}"


_BOUNDS = {Comparison.EQ: "=", Comparison.LE: "at most", Comparison.GE: "at least"}


def _set_change(name: str, old: frozenset[str] | frozenset[int], new: frozenset[str] | frozenset[int]) -> str:
    parts: list[str] = []
    if gone := [member for member in sorted(old) if member not in new]:
        parts.append(f"without {_listed(gone)}")
    if added := [member for member in sorted(new) if member not in old]:
        parts.append(f"with {_listed(added)}")
    return f"{name} {' and '.join(parts)}"


def _left_out(old: tuple[Element, ...], new: tuple[Element, ...]) -> list[Element]:
    """The elements of ``old`` that ``new`` lacks; none if ``new`` has elements that are not in ``old``."""
    return (
        [element for element in old if element not in new] if all(element in old for element in new) else []
    )


def _listed(words: Sequence[Element]) -> str:
    more_count = len(words) - 8
    text = ", ".join(shown_value(word) for word in words[:8])
    return f"{text} and {more_count} more" if more_count > 0 else text


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Arguments that are decided otherwise, and their differences from the call's.

    ``fewest``: it is proved that no change of fewer arguments within ``reach`` turns the decision.
    ``wait_until`` is the time from which the unchanged call would be decided so.
    """

    verdict: Verdict
    changes: tuple[TurningChange, ...]
    arguments: Arguments
    reach: Reach
    fewest: bool
    wait_until: datetime | None = None

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Each possible action in words, with who can do it, each once."""
        if self.wait_until is not None:
            return ((f"wait until {value_words(self.wait_until)}", Reach.TIME.who),)
        return tuple(dict.fromkeys((change.text, change.reach.who) for change in self.changes))


@dataclass(frozen=True, slots=True)
class Turning:
    """The result of a search; ``impossible`` is a proof that no call of the same tool is decided that way."""

    counterfactual: Counterfactual | None = None
    impossible: bool = False
