"""The dialogue is switched off where a person writes the policy: nothing is drafted, asked or built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.session import Session


def refuse_dialogue(session: Session) -> None:
    """Raise WorkbenchError if the session's policy is written, so that no sentence makes rules of it."""
    if session.is_written:
        raise WorkbenchError(
            f"The policy of {session.info.name} is written, and nothing is drafted from sentences: "
            'edit policy.py. A rule or clause is about a sentence if its text is "R1: " and the sentence.'
        )
