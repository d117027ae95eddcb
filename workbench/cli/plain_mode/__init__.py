"""The workbench line by line, for screen readers, pipes and slow lines: words in, words out.

It talks to the same port as the screen. Nothing moves the cursor and nothing is coloured; lists are
numbered, and the numbers are what one answers with.
"""

from __future__ import annotations

import os
from pathlib import Path

from workbench.cli.plain_mode.commands import menu_lines, run_line
from workbench.cli.plain_mode.dialogue import Talk
from workbench.cli.plain_mode.line_streams import Lines

INTERRUPTED = 130


def run(path: Path) -> int:
    """Talk about the session in a folder until 'quit' or the end of the input; returns the exit code.

    Raises:
        WorkbenchError: the folder holds no session, or one that cannot be read.
    """
    from workbench.old_screen.live_session import LiveSession

    os.environ["NO_COLOR"] = "1"
    port = LiveSession(path)
    try:
        return converse(Talk(port, Lines.of_process()))
    finally:
        port.close()


def converse(talk: Talk) -> int:
    """Read and do one command after another. Ctrl-C at the prompt ends it, at work it stops the work."""
    talk.load()
    for line in menu_lines(talk.board):
        talk.lines.say(line)
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
