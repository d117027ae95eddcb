"""The commands ``serve``, the screen in a browser, and ``mcp``, a session's tools for a coding agent."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from workbench.cli.open_session import reading
from workbench.cli.output import flush, note, write
from workbench.cli.parameters import SessionPath


def serve(
    session: SessionPath,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port of this machine; 0 for any free one.")
    ] = 8765,
) -> int:
    """Show the screen in a browser on this machine.

    The address that is printed has a secret in it: whoever knows it can use the session. Ctrl-C ends it.
    """
    from workbench.model import WorkbenchError

    if importlib.util.find_spec("textual_serve") is None:
        raise WorkbenchError(
            "The browser needs textual-serve; install it with: pip install 'policy-workbench[serve]'",
            exit_code=3,
        )
    from workbench.serve.site import serve as run

    with reading(session):
        pass  # errors of the session are written here, not in the browser

    def tell(address: str) -> None:
        write(address)
        flush()
        note("Open this address in a browser on this machine. Ctrl-C ends the server.")

    run(session, port, tell)
    return 0


def mcp(
    session: SessionPath,
    write_: Annotated[
        bool, typer.Option("--write", help="Let the agent keep sentences too; 'undo' takes them back.")
    ] = False,
) -> int:
    """Let a coding agent ask a session by MCP tools.

    An MCP server over stdio. The agent may ask why a call was decided as it was, replay, try a
    sentence, and prove. Without --write it changes nothing. No tool answers questions or accepts
    a version: a person does.
    """
    from workbench.model import WorkbenchError

    if importlib.util.find_spec("mcp") is None:
        raise WorkbenchError(
            "An MCP server needs mcp; install it with: pip install 'policy-workbench[mcp]'", exit_code=3
        )
    from workbench.serve.session_tools import session_server

    with reading(session):
        pass  # errors of the session are written here, before a client speaks
    session_server(session, write=write_).run()
    return 0
