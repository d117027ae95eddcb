"""Running the server until it is interrupted."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from workbench.serve.site import Site


def serve(session: Path, port: int, tell: Callable[[str], None]) -> None:
    """Serve the screen on a session until Ctrl-C or SIGTERM; ``tell`` is called with the address.

    Raises:
        WorkbenchError: the port is taken.
    """
    command = (sys.executable, "-P", "-m", "workbench.serve.window_process", str(session.resolve()))
    asyncio.run(_serve(Site(session.resolve().name, command), port, tell))


async def _serve(site: Site, port: int, tell: Callable[[str], None]) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    await site.start(port)
    try:
        tell(site.address)
        await ended.wait()
    finally:
        await site.stop()
