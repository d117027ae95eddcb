"""The interrupted change of a session, as a thing that the session owes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind

if TYPE_CHECKING:
    from workbench.session import Session


def owed_change(session: Session) -> tuple[Owed, ...]:
    """The interrupted change of the session, which a person completes or drops; nothing without one."""
    change = session.interrupted
    if change is None:
        return ()
    mend = f"'workbench redo {session.path}' completes it, 'workbench undo {session.path}' drops it"
    return (Owed(OwedKind.CHANGE, change.time, change.label, change.state, mend),)
