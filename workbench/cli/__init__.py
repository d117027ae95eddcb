"""The command line: a thin front end over ``workbench.app.workbench``.

A command opens the session by ``reading`` or ``writing`` (``open_session``) and shares parameters with others
(``parameters``). Text from outside passes through ``one_line`` before it is written (``output``). Modules
that ``--help`` does not need are imported in the function.

Exit codes: 0 all good; 1 something is refuted, failing or open; 2 wrong usage or input; 3 the environment
lacks something; 70 a bug of the workbench; 130 interrupted; 141 the reader of standard output went away.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shlex
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from types import FrameType

from workbench.model import WorkbenchError

USAGE = 2
ENVIRONMENT = 3
BUG = 70
INTERRUPTED = 130
OUTPUT_CLOSED = 141
TERMINATED = 143
_LONGEST_SENTENCE = 2_000
_HOOK_COMMANDS = frozenset({"install", "report", "--help", "-h"})
"""What of 'workbench hook' a person runs; the rest are clients, which take the exit code 2 for a denial."""


_ALONE = "open"
"""The command that runs where none is named and a person sits at a terminal."""


def _is_terminal() -> bool:
    """Whether there is a terminal that can show the screen."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every error is one sentence on standard error."""
    from workbench.cli import output

    # A command keeps most objects that it makes, so that looking for garbage among them only takes time.
    gc.set_threshold(500_000, 20, 20)
    # Nor are plugins of pydantic looked for in all installed packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    words = list(sys.argv[1:] if arguments is None else arguments) or [_ALONE if _is_terminal() else "--help"]
    output.prepare_streams()
    with _ending_in_order():
        try:
            code = _run(words)
            output.flush()
        except output.OutputClosedError:
            output.abandon()
            code = OUTPUT_CLOSED
        if arguments is None:
            gc.freeze()  # or the process looks for garbage among all its objects once more as it ends
        return _hook_code(words, code)


def _run(words: list[str]) -> int:
    from typer.exceptions import Abort, TyperException

    from workbench.cli import output
    from workbench.cli.command_tree import tree

    try:
        code = tree(words[0])(args=words, prog_name="workbench", standalone_mode=False)
    except WorkbenchError as error:
        _explain(error)
        return error.exit_code
    except TyperException as error:
        output.note(_of_folder(words) or _usage(error))
        return USAGE
    except (KeyboardInterrupt, Abort):
        output.note("Interrupted.")
        return INTERRUPTED
    except output.OutputClosedError:
        raise
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Typer's way if the reader leaves
            raise output.OutputClosedError from end
        raise
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        output.note(f"{(error.strerror or str(error)).rstrip('.')}{place}.")
        return ENVIRONMENT
    except Exception as error:  # a bug: the person must not see a stack trace
        from workbench.app.crash_report import write_crash_report

        place = write_crash_report(error, words)
        output.note(f"The workbench has a bug ({type(error).__name__}); the report is in {place}.")
        return BUG
    if code == INTERRUPTED:
        output.note("Interrupted.")
    return code if isinstance(code, int) else 0


def _hook_code(words: Sequence[str], code: int) -> int:
    """The exit code of a hook of a coding agent, for which every other failure would let the tool run."""
    if words[0] == "hook" and len(words) > 1 and words[1] not in _HOOK_COMMANDS and code != 0:
        return USAGE
    return code


def _explain(error: WorkbenchError) -> None:
    from workbench.cli import output

    output.note(_sentence(str(error)))
    for problem in error.problems:
        if str(problem) not in str(error):
            output.note(_sentence(f"  {problem}"))


def _sentence(text: str) -> str:
    """The message of an error as one sentence; a message that repeats a long text of a file is cut."""
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE]}..."


def _usage(error: Exception) -> str:
    """The sentence for a wrong call, with the command whose help explains it."""
    message = str(getattr(error, "format_message", lambda: error)()).strip().rstrip(".")
    command = getattr(getattr(error, "ctx", None), "command_path", "workbench")
    if command.endswith(" explain") and message.startswith("Got unexpected extra argument"):
        message = f"{message}: name the call of the run by its number with --call N"
    return f"{message or 'Say which command to run'}; see '{command} --help'."


def _of_folder(words: Sequence[str]) -> str:
    """The sentence for a folder in the place of a command; empty for other words."""
    from pathlib import Path

    from workbench.clean_text import one_line

    if len(words) > 1 or not Path(words[0]).is_dir():
        return ""
    opening = one_line(shlex.join(("workbench", _ALONE, words[0])))
    return f"That is a folder and no command; to work on it: {opening}"


@contextlib.contextmanager
def _ending_in_order() -> Generator[None]:
    """Turn SIGTERM into an exit, so that a prover is stopped and a session's lock released."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(TERMINATED)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
