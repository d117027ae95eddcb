"""The command ``serve``: the screen in a browser on this machine."""

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
    from workbench.serve.running import serve as run

    with reading(session):
        pass  # errors of the session are written here, not in the browser

    def tell(address: str) -> None:
        write(address)
        flush()
        note("Open this address in a browser on this machine. Ctrl-C ends the server.")

    run(session, port, tell)
    return 0
