"""The policy file in an editor: storing and keeping its text, and taking over edits of other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.results import SessionChange, kept_sentence
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.session import Session

POLICY = "policy.py"
_NOT_MERGED = "two edits of a policy of calls are not merged"
DRAFTED_FROM = frozenset({"request.md", "agent.toml", "assumptions.toml"})


@dataclass(frozen=True, slots=True)
class OutsideEdit:
    """The handling of files that other programs changed.

    ``text`` is the editor's text if it must be shown in place of the policy file. ``merged`` says whether two
    edits of the policy were merged, None if there was only one; ``apart`` is the reason why they were not,
    and ``version`` the number of the other version. ``followed`` is the change that a changed request, agent
    spec or answer made; ``trouble`` is the reason why it could not be carried into the policy. ``narrowed``
    says whether the program's clauses were narrowed by rules that the other programs added.
    """

    text: str | None = None
    merged: bool | None = None
    apart: str = ""
    version: int = 0
    followed: SessionChange | None = None
    trouble: str = ""
    narrowed: bool = False

    @property
    def sentence(self) -> str:
        """The sentences that a person reads about it; empty if there is nothing to report."""
        narrowed = (
            "Clauses of the workbench are narrowed by the rules that were added; undo takes that back."
            if self.narrowed
            else ""
        )
        return f"{self._taken} {narrowed}".strip()

    @property
    def _taken(self) -> str:
        if self.merged:
            return "Your own edit of the policy is merged with it; undo shows yours alone."
        if self.merged is False:
            return (
                f"You edited the policy too, and the edits do not fit together ({self.apart}): your text "
                f"stays, as an edit that is not stored. Version {self.version} is the other one."
            )
        if self.trouble:
            return f"It could not be carried into the policy: {self.trouble}"
        if self.followed is not None and self.followed.conflicts:
            return kept_sentence(self.followed.conflicts)
        return "The policy follows." if self.followed is not None and self.followed.policy else ""


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

        The program's clauses are narrowed by rules that the text adds. A kept edit is dropped: either the
        text contains it, or the person gave it up.
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

    def set_request(self, text: str) -> tuple[SessionChange, bool] | None:
        """Write the request; returns the change and whether the policy follows, None if the text is the same.

        A policy that is not in the dialect does not follow: then only the request is written.
        """
        if text == self._session.request:
            return None
        carry = not self._policy.problems(self.kept_edit)
        return self._request.set(text, carry=carry), carry

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
        edit = OutsideEdit()
        if POLICY in changed and text not in (base, session.written):
            edit = self._both_edited(base, text)
        elif POLICY in changed:
            session.drop_buffer(POLICY)
            edit = OutsideEdit(narrowed=self._request.narrow())
        elif text != base:
            self.keep_or_store(text)
        if POLICY not in changed and DRAFTED_FROM & set(changed) and session.info.author == "rules":
            edit = self._carried()
        return edit

    def _both_edited(self, base: str, ours: str) -> OutsideEdit:
        """Merge two edits of the policy if no part was changed by both."""
        session = self._session
        theirs, number = session.written, len(session.history)
        if session.is_written:
            session.save_buffer(POLICY, ours)
            return OutsideEdit(merged=False, apart=_NOT_MERGED, version=number)
        try:
            merged = self._policy.merged_edits(base, ours, theirs)
            apart = ", ".join(conflict.name for conflict in merged.conflicts)
        except WorkbenchError:
            merged, apart = None, "one of the texts is not in the dialect"
        if merged is not None and not apart:
            session.set_policy(ours)
            session.set_policy(merged.text, "Merge an edit made outside")
            session.drop_buffer(POLICY)
            return OutsideEdit(merged=True, narrowed=self._request.narrow(base, ours))
        session.save_buffer(POLICY, ours)
        return OutsideEdit(merged=False, apart=apart, version=number)

    def _carried(self) -> OutsideEdit:
        """Carry a changed request, agent spec or answers into policy and cases."""
        try:
            return OutsideEdit(followed=self._request.redraft())
        except WorkbenchError as error:
            return OutsideEdit(trouble=str(error))
