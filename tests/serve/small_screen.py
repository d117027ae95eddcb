"""The screen on a small session of its own, in a process that a test's server starts."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from workbench.app.proof import Proving
from workbench.model import AgentSpec
from workbench.session import Session
from workbench.tui.app import WorkbenchApp


def _nothing(self: Proving) -> None:
    del self


def run() -> None:
    """Show the screen on a new session until it is left, without a verifier."""
    Proving.prover = _nothing
    folder = Path(tempfile.mkdtemp())
    session = Session.create(folder / "small", "Nobody may frob the gizmo.", AgentSpec("agent"))
    session.close()
    app = WorkbenchApp(folder / "small")
    try:
        app.run()
    finally:
        app.close()
        shutil.rmtree(folder)
