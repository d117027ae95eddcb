"""The line mode of the workbench, for screen readers, pipes and slow lines: words in, words out.

It uses the same objects as the screen and the commands, and writes the same texts as the commands. It neither
moves the cursor nor colours. Lists are numbered, and a person answers with the numbers.
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
    """Converse about the session in a folder until 'quit' or the end of the input; returns the exit code.

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
    """Read and run one command after another; return the exit code.

    Ctrl-C at the prompt ends the conversation. Ctrl-C during work stops the work.
    """
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
