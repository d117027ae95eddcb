"""The process behind one window: the screen on a session, drawn for the server that started it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

LOOKED_AFTER = 0.5


def main(words: Sequence[str]) -> int:
    """Run the screen on the session in the folder ``words[0]``; returns the exit code."""
    from workbench.clean_text import one_line
    from workbench.model import WorkbenchError
    from workbench.tui.starting import run

    end_with_parent()
    try:
        return run(Path(words[0]))
    except WorkbenchError as error:
        sys.stderr.write(one_line(str(error)) + "\n")
        return error.exit_code


def end_with_parent() -> None:
    """End this process in order when its parent process is gone, for whatever reason the parent ended.

    Otherwise it would keep the session open although no window reaches the screen any more.
    """
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(LOOKED_AFTER)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=look, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
