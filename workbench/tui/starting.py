"""Starting the screen on a session, with the terminal protected from what libraries print."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.files.private import state_folder
from workbench.tui.keyed_app import KeyedApp
from workbench.tui.new_session import Opened, choose_session, make_session
from workbench.tui.screen_memory import Remembered
from workbench.tui.themes import take_themes

if TYPE_CHECKING:
    from workbench.app.live import LiveOrder
    from workbench.tui.app import WorkbenchApp


STARTING_SECONDS = 2.0
"""Seconds within which a screen starts; it makes hardly any garbage in them."""
SHORT_SEARCHES = (2_000, 3, 4_000)
"""How often garbage is looked for then: a key waits for a search, so each goes through few objects."""


def run(
    path: Path | None = None,
    *,
    guided: bool = False,
    notice: str = "",
    followed: Path | None = None,
    live: LiveOrder | None = None,
) -> int:
    """Open the session in a folder, or one that is chosen or made, on the screen; return the exit code.

    In a folder without a session one can be made of its files. With ``guided`` the first minute begins;
    ``notice`` is shown when the session is open. A ``followed`` log is shown as it grows; with ``live`` an
    agent acts and is shown. Raises WorkbenchError if the session cannot be read.
    """
    from workbench.app.proof import solve_beside
    from workbench.tui.app import WorkbenchApp

    solve_beside()

    def begin_in_runs(app: WorkbenchApp) -> None:
        if live is not None:
            app.living.begin(live)
        elif followed is not None:
            app.acts.open_log(followed, follow=True)

    begin = begin_in_runs if live or followed else None
    gc.freeze()  # the modules are never garbage, so they are not searched before the first calls are shown
    short = threading.Timer(STARTING_SECONDS, gc.set_threshold, SHORT_SEARCHES)
    short.daemon = True
    short.start()
    _end_with_the_terminal()
    remembered = Remembered(state_folder())
    code = 0
    opened: Opened | None = (path, notice) if path is not None else None
    if path is None or _holds_none(path):
        opened = SessionList(remembered, path).run()
    while opened is not None:
        path, notice = opened
        app = _shown(WorkbenchApp(path, remembered, notice=notice, guided=guided, begin=begin))
        code, opened, guided, begin = app.return_code or 0, app.next_session, False, None
    return code


def _holds_none(folder: Path) -> bool:
    """Whether a folder is there and holds no session."""
    from workbench.app.overview import MARK

    return folder.is_dir() and not (folder / MARK).exists()


def _end_with_the_terminal() -> None:
    """Let a closed terminal end the screen even under ``nohup``; otherwise nothing could end it."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _shown(app: WorkbenchApp) -> WorkbenchApp:
    """Show one session until it is left, and release it.

    If a thread still works then, for which the interpreter would wait without limit, the process ends here.
    """
    from workbench.clean_text import one_line
    from workbench.model import WorkbenchError

    code: str | int | None = 1
    try:
        with _quiet_errors():
            app.run()
        code = app.return_code
    except SystemExit as end:  # a signal
        code = end.code
        raise
    finally:
        app.close()
        if not app.fatal:
            app.remembered.opened(app.work.path)
        if app.work.unstored:
            with suppress(OSError):
                sys.stderr.write(one_line(app.work.unstored) + "\n")
        if app.next_session is None and app.work.unfinished:
            app.work.abandon()
            os._exit(code if isinstance(code, int) else 0)
    if app.fatal:
        raise WorkbenchError(app.fatal)
    return app


class SessionList(KeyedApp["Opened"]):
    """The list of sessions alone on the screen, before one is open; returns the one chosen or made."""

    TITLE = "Policy workbench"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, remembered: Remembered, folder: Path | None) -> None:
        """List the remembered sessions and those here, or make one of the files of a folder."""
        super().__init__()
        self._remembered = remembered
        self._folder = folder

    def on_mount(self) -> None:
        """Show the list, or the form for a new session."""
        take_themes(self, self._remembered.text("theme"))
        if self._folder is None:
            choose_session(self, self._remembered.recent, Path.cwd(), self.exit)
        else:
            make_session(self, self._folder, self.exit)


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
