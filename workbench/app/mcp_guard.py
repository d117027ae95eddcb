"""A guard between an MCP client and an MCP server, which enforces the policies of sessions."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.guard import Approval, DecisionLog, Mode, Strategy, program_approval
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer

    from workbench.app.policy import Policy

__all__ = ["GuardOrder", "McpGuard", "Mode", "Strategy"]


@dataclass(frozen=True, slots=True)
class GuardOrder:
    """An order for a guard in front of an MCP server.

    Every decision is appended to ``log``; with ``log_optional`` a call runs even if its decision cannot be
    written. ``context`` has facts about the user and the run, each ``KEY=VALUE``. If ``approver`` names a
    program, it is asked where a policy asks; its silence denies after ``approval_seconds``. ``pins`` is the
    file of the server's tools as they were accepted; ``accepted`` has changed tools, each ``NAME:HASH``. With
    ``one_run`` all requests over HTTP are of one run.
    """

    strategy: Strategy = Strategy.BLOCK_CALL
    mode: Mode = Mode.ENFORCE
    log: Path | None = None
    log_optional: bool = False
    context: Sequence[str] = ()
    approver: str = ""
    approval_seconds: float = 60.0
    pins: Path | None = None
    accepted: Sequence[str] = ()
    one_run: bool = False


class McpGuard:
    """A guard in front of one MCP server: calls that the policies deny never reach it."""

    def __init__(self, order: GuardOrder, policies: Sequence[Policy], note: Callable[[str], None]) -> None:
        """Make the guard from the policies of open sessions, which may be closed afterwards.

        ``note`` is called with a sentence about a session that differs from its accepted version, and about
        the tools that are pinned and refused. Raises WorkbenchError
        if the order cannot be carried out: a log that cannot be written, a missing program, a file without
        pins.
        """
        from workbench.app.policy import context_facts
        from workbench.guard.adapters.tool_pins import ToolPins

        first, *other_policies = policies
        names, self._look_ups = first.guarded_tools(other_policies)
        self._guard = first.guard(
            order.strategy,
            mode=order.mode,
            context=context_facts(order.context),
            log=_opened_log(order),
            approval=_approval(order),
            also=other_policies,
            note=note,
        )
        self._one_run = order.one_run
        self._tools = ToolPins(order.pins, accepted=order.accepted, known=names, note=note)

    def serve_stdio(self, command: Sequence[str], client_in: BinaryIO, client_out: BinaryIO) -> int:
        """Run a command as the server and speak to it over stdio until it ends; returns its exit code."""
        from workbench.guard.adapters.mcp_stdio import serve_stdio

        return serve_stdio(
            self._guard, command, client_in, client_out, tools=self._tools, look_ups=self._look_ups
        )

    def http_server(self, url: str, port: int) -> ThreadingHTTPServer:
        """A server at a local port that forwards to an address; the caller runs and closes it."""
        from workbench.guard.adapters.mcp_http import http_guard

        return http_guard(
            self._guard, url, port=port, tools=self._tools, look_ups=self._look_ups, one_run=self._one_run
        )


def _opened_log(order: GuardOrder) -> DecisionLog | None:
    """The log of decisions; a required log must be writable before the first call needs it."""
    if order.log is None:
        return None
    log = DecisionLog(order.log, required=not order.log_optional)
    if log.required:
        log.open()
    return log


def _approval(order: GuardOrder) -> Approval | None:
    """The program that is asked about a denial; it must exist before the first call needs it."""
    if not order.approver:
        return None
    try:
        words = shlex.split(order.approver)
    except ValueError as error:
        raise WorkbenchError(
            f"{order.approver!r} is no command that calls can be put to: {error}."
        ) from error
    if not words or shutil.which(words[0]) is None:
        program = words[0] if words else order.approver
        raise WorkbenchError(f"There is no program {program!r} that denials can be put to.")
    return program_approval(words, timeout=order.approval_seconds)
