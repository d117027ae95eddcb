"""Edits that other programs make in the files of a real session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.old_screen.live_calls import LiveCalls

if TYPE_CHECKING:
    from workbench.app.editing import OutsideEdit
    from workbench.old_screen.state import Contents


class OutsideCalls(LiveCalls):
    """The calls of a ``Port`` about edits from outside."""

    def watch_files(self, tell: Callable[[], None]) -> None:
        """Begin to look at the files."""
        self._bench.watch_files(tell)

    def changed_outside(self) -> tuple[str, ...]:
        """The files that other programs changed."""
        return self._bench.session.changed_outside()

    def take_outside(self, policy: str) -> Contents | None:
        """Take over what other programs changed, and lose nothing of the editor's text."""
        edit = self._bench.editing.take_outside(policy)
        if edit is None:
            return None
        contents = self.contents()
        if edit.text is not None:
            contents = replace(contents, policy=edit.text)
        return replace(contents, notice=f"{contents.notice} {_notice(edit)}".strip())


def _notice(edit: OutsideEdit) -> str:
    """What was done, as a sentence; empty where nothing needs to be said."""
    from workbench.app.results import kept_sentence

    if edit.merged:
        return "Your own edit of the policy is merged with it; Ctrl+Z shows yours alone."
    if edit.merged is False:
        return (
            f"You edited the policy too, and the edits do not fit together ({edit.apart}): your text stays "
            f"in the editor. Alt+D compares it with version {edit.version}, the other one; Ctrl+S stores "
            "yours over it."
        )
    if edit.trouble:
        return f"It could not be carried into the policy: {edit.trouble}"
    if edit.followed is not None and edit.followed.conflicts:
        return kept_sentence(edit.followed.conflicts)
    return "The policy follows." if edit.followed is not None and edit.followed.policy else ""
