"""Logs that are gone since the version was accepted, or of another agent, as things that the session owes.

A check decides the calls of the logs that are there. Without one of them it decides fewer calls, and says of
the others nothing. A log that calls none of the agent's tools says nothing of the policy either.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.clean_text import counted, one_line
from workbench.session.accepted_version import AcceptedVersion, log_name

_MOST_NAMED = 5

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


def owed_tools(
    session: Session, accepted: AcceptedVersion | None, strange: Mapping[str, Sequence[str]]
) -> Iterator[Owed]:
    """Each log that calls no tool of the agent spec: ``strange`` has the tools of each, by its name.

    A person accepts it by a name that has the hash of these tools, so that a further one is said again.
    """
    command = f"workbench check {shlex.quote(str(session.path))} --accept --anyway"
    for log, tools in strange.items():
        name = f"{log_name(log)}:{hashlib.sha256(repr(tools).encode()).hexdigest()[:8]}"
        named = ", ".join(repr(one_line(tool)) for tool in tools[:_MOST_NAMED])
        named += f" and {len(tools) - _MOST_NAMED} more" if len(tools) > _MOST_NAMED else ""
        statement = f"{one_line(log_name(log))} is of the agent"
        if accepted is not None and name in accepted.anyway:
            yield Owed(OwedKind.TOOLS, name, statement)
            continue
        yield Owed(
            OwedKind.TOOLS,
            name,
            statement,
            f"agent.toml names no tool that it calls; it calls {counted(len(tools), 'tool')}: {named}",
            f"name them in agent.toml, take the log away, or accept that: {command} {shlex.quote(name)}",
        )
