"""What the screen asks of a session about edits that other programs make in its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from workbench.old_screen.state import Contents


class OutsidePort(Protocol):
    """The calls about edits from outside; they raise WorkbenchError with one clear sentence."""

    def watch_files(self, tell: Callable[[], None]) -> None:
        """Tell, from any thread and until the session is closed, that its files may have changed."""
        ...

    def changed_outside(self) -> tuple[str, ...]:
        """The names of the files that other programs changed; nothing is taken over."""
        ...

    def take_outside(self, policy: str) -> Contents | None:
        """Take over what other programs changed; None if nothing did.

        ``policy`` is the text of the editor. Where it is not stored yet it is merged with what was
        changed outside, or kept as it is where both changed the same; the notice says which.
        """
        ...
