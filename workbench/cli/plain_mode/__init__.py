"""The workbench line by line, for screen readers, pipes and slow lines: words in, words out.

It asks the same objects as the screen and the commands, and writes what the commands write. Nothing moves
the cursor and nothing is coloured; lists are numbered, and the numbers are what one answers with.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.cli.plain_mode.conversation import Conversation

INTERRUPTED = 130


def run(path: Path) -> int:
    """Talk about the session in a folder until 'quit' or the end of the input; returns the exit code.

    Raises:
        WorkbenchError: the folder holds no session, or one that cannot be read.
    """
    from workbench.app.workbench import Workbench
    from workbench.cli.plain_mode.conversation import Conversation
    from workbench.cli.plain_mode.line_streams import Lines

    os.environ["NO_COLOR"] = "1"
    with contextlib.closing(Workbench.open(path)) as bench:
        return converse(Conversation(bench, Lines.of_process()))


def converse(talk: Conversation) -> int:
    """Read and do one command after another. Ctrl-C at the prompt ends it, at work it stops the work."""
    from workbench.cli.plain_mode.commands import menu_lines, run_line

    talk.load()
    talk.tell(menu_lines(talk.state))
    try:
        while not talk.ended:
            line = talk.lines.ask("Command: ")
            if line is None:
                break
            run_line(talk, line)
    except KeyboardInterrupt:
        talk.lines.say("Interrupted; everything is kept.")
        return INTERRUPTED
    talk.lines.say("The end; everything is kept.")
    return 0
