"""Edits that other programs make in the files of a real session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError
from workbench.tui.live_calls import LiveCalls

if TYPE_CHECKING:
    from workbench.tui.state import Contents

POLICY = "policy.py"
DRAFTED_FROM = frozenset({"request.md", "agent.toml", "assumptions.toml"})


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
        session = self._bench.session
        session.changed_outside()  # what cannot be read is not taken over
        base = session.policy
        changed = session.refresh()
        if not changed:
            return None
        if session.read_only:
            contents = self.contents()
            return contents if policy == base else replace(contents, policy=policy)
        notes: list[str] = []
        if POLICY in changed and policy not in (base, session.policy):
            notes.append(self._both_edited(base, policy))
        elif POLICY in changed:
            session.drop_buffer(POLICY)
        elif policy != base:
            self._hold(policy)
        if POLICY not in changed and DRAFTED_FROM & set(changed) and session.info.author == "rules":
            notes.append(self._carry())
        contents = self.contents()
        return replace(contents, notice=" ".join([contents.notice, *notes]).strip())

    def _hold(self, policy: str) -> bool:
        """Store the editor's text if it is in the dialect, else keep it beside the file."""
        session = self._bench.session
        try:
            self.check(policy)
        except WorkbenchError:
            session.save_buffer(POLICY, policy)
            return False
        session.set_policy(policy)
        session.drop_buffer(POLICY)
        return True

    def _both_edited(self, base: str, ours: str) -> str:
        """Merge two edits of the policy where that is safe; a sentence that says what was done."""
        session = self._bench.session
        theirs, number = session.policy, len(session.history)
        try:
            merged = self._bench.policy.merged_edits(base, ours, theirs)
            names = ", ".join(conflict.name for conflict in merged.conflicts)
        except WorkbenchError:
            merged, names = None, "one of the texts is not in the dialect"
        if merged is not None and not names:
            session.set_policy(ours)
            session.set_policy(merged.text, "Merge an edit made outside")
            session.drop_buffer(POLICY)
            return "Your own edit of the policy is merged with it; Ctrl+Z shows yours alone."
        session.save_buffer(POLICY, ours)
        return (
            f"You edited the policy too, and the edits do not fit together ({names}): your text stays in the "
            f"editor. Alt+D compares it with version {number}, the other one; Ctrl+S stores yours over it."
        )

    def _carry(self) -> str:
        """Carry a changed request, agent spec or answers into policy and cases."""
        from workbench.app.results import kept_sentence

        try:
            changed = self._bench.request.redraft()
        except WorkbenchError as error:
            return f"It could not be carried into the policy: {error}"
        if changed.conflicts:
            return kept_sentence(changed.conflicts)
        return "The policy follows." if changed.policy else ""
