"""The messages in a run before a call: the last one of each role, the first of some, all of the user.

An application's template writes in the first message who the user is. Anybody may have written a later
message, so it never replaces the first. In a log that begins in the middle of a run, no message counts as the
first.
"""

from __future__ import annotations

from collections.abc import Mapping

FIRST = "first_user"
ALL = "all_user"
SOMEBODY = "somebody"
"""The role of words of which nobody knows whether the user said them, or a program in the user's place."""
# The roles whose messages may come before the first message of the user.
_APPLICATION = frozenset({"system", "developer"})
# With more messages or characters than these, the text of all user messages is not given: every call would
# copy it.
_MOST_MESSAGES = 200
_MOST_CHARACTERS = 50_000


class ToldWords:
    """The user's words in a run whose application tells them with each call, as the text ``user``."""

    def __init__(self) -> None:
        """Begin a run."""
        self._said: list[str] = []

    def added(self, texts: Mapping[str, object]) -> dict[str, str]:
        """The first message, where the texts of the next call have another, and all of them so far.

        All that the user said is not known if the first call did not tell it.
        """
        told, first, whole = texts.get("user"), texts.get(FIRST), texts.get(ALL)
        user = told if isinstance(told, str) else ""
        opening = first if isinstance(first, str) else user
        if not self._said:
            self._said.append(opening)
        added = {} if opening == self._said[0] else {FIRST: self._said[0]}
        if user and user != self._said[-1]:
            self._said.append(user)
        if len(self._said) > 1 and self._said[0] and whole is None:
            added[ALL] = "\n\n".join(self._said)
        return added


class MessagesSoFar:
    """The messages of a run so far, as the texts of a call that comes after them.

    ``user``, ``system``, ``assistant`` and other roles are the last message of the role. ``first_user`` and
    ``first_system`` are the first messages. ``all_user`` is the text of all user messages, empty if too long.
    The first messages and ``all_user`` exist only if the run is known from its beginning. What the user said
    last, and in all, is not known after somebody spoke who may have been the user.
    """

    def __init__(self, *, from_start: bool = True) -> None:
        """Begin a run; without ``from_start`` its first messages are not recorded."""
        self._last: dict[str, str] = {}
        self._first: dict[str, str] = {}
        self._opening = from_start
        self._all_known = True
        self._by_user: list[str] = []
        self._characters = 0

    def add(self, role: str, text: str | None) -> None:
        """Add a message; a message without a text (an image, say) is still the first of its role."""
        if text:
            self._last[role] = text
        if role == "user":
            if self._opening:
                self._first[FIRST] = text or ""
            if FIRST in self._first and self._all_known:
                self._extend(text or "")
            self._opening = False
        elif role == SOMEBODY:
            self._opening = self._all_known = False
            self._last.pop("user", None)
            self._first.pop(ALL, None)
        elif role in _APPLICATION:
            if self._opening:
                self._first.setdefault("first_system", text or "")
        else:
            self._opening = False

    def interrupt(self) -> None:
        """Note an event that is no message of the application or the user: a call or a result."""
        self._opening = False

    def forget(self, role: str) -> None:
        """Remove the last message of a role."""
        self._last.pop(role, None)

    def texts(self) -> dict[str, str]:
        """The message texts of a call made now, by name."""
        return {**self._last, **self._first}

    def _extend(self, text: str) -> None:
        self._characters += len(text)
        self._by_user.append(text)
        whole = self._characters <= _MOST_CHARACTERS and len(self._by_user) <= _MOST_MESSAGES
        if not whole:
            self._by_user = self._by_user[:_MOST_MESSAGES]
        self._first[ALL] = "\n\n".join(self._by_user) if whole else ""
