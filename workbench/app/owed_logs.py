"""Logs that are gone since the version was accepted, as things that the session owes.

A check decides the calls of the logs that are there. Without one of them it decides fewer calls, and says of
the others nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.session.accepted_version import AcceptedVersion, log_name

if TYPE_CHECKING:
    from workbench.session import Session


def owed_logs(session: Session, accepted: AcceptedVersion) -> Iterator[Owed]:
    """Each log that the session had when its version was accepted, and has no more."""
    present = {path.name for path in session.log_paths}
    command = f"workbench check {shlex.quote(str(session.path))} --accept --anyway"
    for name in accepted.logs:
        if name not in present:
            yield Owed(
                OwedKind.LOG,
                log_name(name),
                f"the calls of {log_name(name)} are decided as they were when the version was accepted",
                "the file was removed, so a check decides none of them",
                f"put it back, or accept that it is gone: {command} {shlex.quote(log_name(name))}",
            )
