"""The policy file in an editor: storing and keeping its text, and taking over edits of other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.policy.other_file import POLICY, other_file

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.results import SessionChange
    from workbench.session import Session

__all__ = ["Editing", "OutsideEdit", "other_file"]


@dataclass(frozen=True, slots=True)
class OutsideEdit:
    """The handling of files that other programs changed.

    ``text`` is the editor's text if it must be shown in place of the policy file, ``version`` the number of
    the version that another program wrote meanwhile. ``narrowed`` says whether the program's clauses
    follow rules that the other programs changed.
    """

    text: str | None = None
    version: int = 0
    narrowed: bool = False

    @property
    def sentence(self) -> str:
        """The sentence that a person reads about it; empty if there is nothing to report."""
        if self.narrowed:
            return "Clauses of the workbench follow the rules as they are now; undo takes that back."
        if not self.version:
            return ""
        return (
            "You edited the policy too: your text stays, as an edit that is not stored. "
            f"Version {self.version} is the other one."
        )


class Editing:
    """The text of an editor and the policy file of a session."""

    def __init__(self, session: Session, request: Request, policy: Policy) -> None:
        self._session = session
        self._request = request
        self._policy = policy

    @property
    def kept_edit(self) -> str | None:
        """The edit that is kept next to the policy file, None if there is none."""
        buffer = self._session.buffers.get(POLICY)
        return buffer.text if buffer is not None else None

    @property
    def refused_edit(self) -> str | None:
        """The kept edit if it is not in the dialect, so that it is not stored; else None."""
        text = self.kept_edit
        return text if text is not None and self._policy.problems(text) else None

    def keep(self, text: str) -> None:
        """Keep the editor's text next to the session's files, so that it is not lost."""
        if text == self._session.written:
            self._session.drop_buffer(POLICY)
        else:
            self._session.save_buffer(POLICY, text)

    def keep_or_store(self, text: str) -> bool:
        """Write the policy file if the text is in the dialect, else keep the text next to the file.

        True if the file was written.
        """
        if self._policy.problems(text):
            self.keep(text)
            return False
        return self.store(text)

    def store(self, text: str) -> bool:
        """Write the policy file; False if that changes nothing.

        The program's clauses follow rules that the text adds, and rules that say more in it. A kept edit is
        dropped: either the text contains it, or the person gave it up.
        """
        changes = text != self._session.written
        if changes:
            self._session.set_policy(self._request.agreeing(text))
        if self.kept_edit is not None:
            self._session.drop_buffer(POLICY)
        return changes

    def undo(self) -> bool:
        """Undo the last change of the session, a kept edit first; False if there is none.

        An interrupted change is dropped, and a kept edit stays.
        """
        if (kept_edit := self.kept_edit) is not None and self._session.interrupted is None:
            self.store(kept_edit)
        return self._session.undo() is not None

    def put_back(self) -> None:
        """Write the session's own texts over the changes of other programs; redo restores these changes."""
        if self._session.refresh() and self._session.interrupted is None:
            self._session.undo()

    def set_request(self, text: str) -> SessionChange | None:
        """Write the request; returns the change, None if the text is the same."""
        return None if text == self._session.request else self._request.set(text)

    def take_outside(self, text: str) -> OutsideEdit | None:
        """Take over changes of other programs without losing the editor's text; None if there are none.

        Raises WorkbenchError, and takes nothing over, if a file cannot be read.
        """
        session = self._session
        session.changed_outside()
        base = session.written
        changed = session.refresh()
        if not changed:
            return None
        if session.read_only:
            return OutsideEdit(text=None if text == base else text)
        if POLICY in changed and text not in (base, session.written):
            session.save_buffer(POLICY, text)
            return OutsideEdit(version=len(session.history))
        if POLICY in changed:
            session.drop_buffer(POLICY)
            return OutsideEdit(narrowed=self._request.narrow())
        if text != base:
            self.keep_or_store(text)
        return OutsideEdit()
