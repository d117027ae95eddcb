"""Starting the screen on a session, with the terminal protected from what libraries print."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App

from workbench.tui.chooser import Chooser
from workbench.tui.screen_memory import Remembered, state_folder
from workbench.tui.session_list import session_offers
from workbench.tui.themes import take_themes

if TYPE_CHECKING:
    from workbench.app.live import LiveOrder
    from workbench.tui.app import WorkbenchApp


def run(
    path: Path | None = None,
    *,
    guided: bool = False,
    notice: str = "",
    followed: Path | None = None,
    live: LiveOrder | None = None,
) -> int:
    """Open the session in a folder, or one chosen from a list, on the screen; return the exit code.

    With ``guided`` the first minute begins; ``notice`` is shown when the session
    is open. A ``followed`` log is shown as it grows; with ``live`` an agent acts and is shown. Raises
    WorkbenchError if the folder holds no session, or one that cannot be read.
    """
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.messages import LiveWanted, LogWanted

    begin = LiveWanted(live) if live is not None else LogWanted(followed, follow=True) if followed else None

    _end_with_the_terminal()
    remembered = Remembered(state_folder())
    code = 0
    path = path or SessionList(remembered).run()
    while path is not None:
        app = _shown(WorkbenchApp(path, remembered, notice=notice, guided=guided, begin=begin))
        remembered.opened(path)
        code, path, notice, guided, begin = app.return_code or 0, app.next_session, "", False, None
    return code


def _end_with_the_terminal() -> None:
    """Let a closed terminal end the screen even under ``nohup``; otherwise nothing could end it."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _shown(app: WorkbenchApp) -> WorkbenchApp:
    """Show one session until it is left."""
    from workbench.model import WorkbenchError

    try:
        with _quiet_errors():
            app.run()
    finally:
        app.close()
    if app.fatal:
        raise WorkbenchError(app.fatal)
    return app


class SessionList(App[Path]):
    """The list of sessions alone on the screen, before one is open; returns the chosen one."""

    TITLE = "Policy workbench"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, remembered: Remembered) -> None:
        """List the sessions of this folder and the remembered ones."""
        super().__init__()
        self._remembered = remembered

    def on_mount(self) -> None:
        """Show the list."""
        take_themes(self, self._remembered.text("theme"))
        self.push_screen(Chooser("Sessions", session_offers(self._remembered.recent)), self._chosen)

    def _chosen(self, chosen: str | None) -> None:
        self.exit(Path(chosen) if chosen else None)


@contextmanager
def _quiet_errors() -> Generator[None]:
    """Discard what native libraries write to standard error, because it would corrupt the screen.

    Textual draws through ``sys.__stderr__``, which therefore becomes a duplicate of the terminal meanwhile.
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
