"""Starting the screen on a session, with the terminal protected from what libraries print."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.old_screen.remembered_settings import RememberedSettings


def run(path: Path | None = None, *, tour: bool = False, told: str = "") -> int:
    """Open the session in a folder on the screen, or the list of sessions; returns the exit code.

    With ``tour`` the tour begins, even if it was seen; ``told`` is said when the session is open. Raises
    WorkbenchError if the folder holds no session, or one that cannot be read.
    """
    from workbench.old_screen.remembered_settings import RememberedSettings, state_folder

    remembered = RememberedSettings(state_folder())
    if tour:
        remembered.toured = False
    code = 0
    path = path or _choose(remembered)
    while path is not None:
        code, path = _one(path, remembered, told)
        told = ""
    return code


def _choose(remembered: RememberedSettings) -> Path | None:
    from workbench.old_screen.session_choice import ChoosingApp

    chosen = ChoosingApp(remembered, Path.cwd()).run()
    return Path(chosen) if chosen else None


def _one(path: Path, remembered: RememberedSettings, told: str) -> tuple[int, Path | None]:
    """Show one session; the exit code, and the session to open after it."""
    with _collecting_later():
        return _shown(path, remembered, told)


def _shown(path: Path, remembered: RememberedSettings, told: str) -> tuple[int, Path | None]:
    from workbench.model import WorkbenchError
    from workbench.old_screen.app import WorkbenchApp
    from workbench.old_screen.live_session import LiveSession

    port = LiveSession(path, told)
    app = WorkbenchApp(port, remembered, path.resolve().name)
    remembered.opened(path)
    try:
        with _quiet_errors():
            app.run()
    finally:
        app.keep_typed()
        port.close()
    if app.fatal:
        raise WorkbenchError(app.fatal, exit_code=app.fatal_code)
    return app.return_code or 0, app.next_session


@contextmanager
def _collecting_later() -> Generator[None]:
    """Let the app look for garbage from its first paint on (``WorkbenchApp.begin``).

    Nearly all that is made until then stays, and would be looked at again and again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


@contextmanager
def _quiet_errors() -> Generator[None]:
    """Send what native libraries write to standard error nowhere: it would corrupt the screen.

    Textual draws through ``sys.__stderr__``, which therefore becomes a duplicate of the
    terminal for the while.
    """
    before = sys.__stderr__
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with os.fdopen(os.dup(2), "w", encoding="utf-8", errors="replace") as terminal:
        os.dup2(nowhere, 2)
        setattr(sys, "__stderr__", terminal)  # noqa: B010 - the checker knows it as final
        try:
            yield
        finally:
            setattr(sys, "__stderr__", before)  # noqa: B010 - as above
            os.dup2(saved, 2)
            os.close(saved)
            os.close(nowhere)
