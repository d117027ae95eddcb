"""Acts that are a person's, where the session guards an agent on this machine: a terminal has to agree.

An agent that runs commands has no terminal of its own. What it starts could make one (a pseudo-terminal), so
the agent is looked for among the processes above this one too. Neither is a wall against code that runs.
"""

from __future__ import annotations

import os
import pwd
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from workbench.clean_text import one_line
from workbench.model import WorkbenchError

TERMINAL = Path("/dev/tty")
PROCESSES = Path("/proc")
DATA = "policy-workbench"
_AGENTS = ("claude", "codex", "gemini", "opencode")
_PACKAGES = ("@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai")
_LONGEST = 200


def guards_here(session: Path) -> bool:
    """Whether hooks of coding agents on this machine are, or were, guarded by a session.

    The user's own data folder counts whatever the environment says: an agent can set and unset variables.
    """
    return any(folder.exists() for folder in _marks(session))


def mark_guarding(session: Path) -> None:
    """Note that a session, all that it extends and those of its subagents guard agents on this machine.

    From then on a person has to agree to what changes one of them. Raises OSError.
    """
    from workbench.app.hook_guard import deciding_folders
    from workbench.files.private import make_folder

    for decides in deciding_folders(session):
        for folder in _marks(decides):
            make_folder(folder)


def _marks(session: Path) -> Iterator[Path]:
    """The folders of a session's hooks: by the environment, and by what the system knows of the user."""
    from workbench.files.private import hook_folder

    folder = hook_folder(session)
    yield folder
    with suppress(KeyError):  # a user whom the system does not know has no home
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
        yield home / ".local" / "share" / DATA / "hooks" / folder.name


def refuse_agents(session: Path) -> None:
    """Refuse a coding agent that opens a session by which it is guarded. Raises WorkbenchError."""
    if guards_here(session) and (agent := agent_above()):
        raise WorkbenchError(f"{agent} started this, and {one_line(session.resolve().name)} guards it.")


def need_terminal() -> None:
    """Raise WorkbenchError if there is no terminal to show the screen in."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        raise WorkbenchError(
            "The screen needs a terminal that moves the cursor; without one use 'workbench check', 'ask', "
            "'answer', 'replay' and the other commands of 'workbench --help', which do the same in lines.",
            exit_code=3,
        )


def need_person(session: Path, act: str) -> None:
    """Have a person at a terminal agree to an act, if the session guards an agent on this machine.

    Raises WorkbenchError if nobody agrees.
    """
    if guards_here(session):
        agree(f"{one_line(session.resolve().name)} guards a coding agent on this machine. {act}")


def agree(what: str) -> None:
    """Have the person at the terminal agree, by a word that only the terminal shows.

    Raises WorkbenchError if there is no terminal, if a coding agent started this, or if nobody agrees.
    """
    if agent := agent_above():
        raise WorkbenchError(
            f"This is for a person, and {agent} started it. Run it in a terminal that the agent did not open."
        )
    word = secrets.token_hex(2)
    try:
        descriptor = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        raise WorkbenchError(
            "This is for a person, and there is no terminal to ask one. Run it in a terminal of your own."
        ) from None
    try:
        os.write(descriptor, f"{one_line(what)}\nType {word} to agree: ".encode())
        typed = os.read(descriptor, _LONGEST).decode("utf-8", "replace").strip()
    except OSError as error:
        raise WorkbenchError(f"The terminal cannot be asked: {error.strerror or error}.") from None
    finally:
        os.close(descriptor)
    if typed != word:
        raise WorkbenchError("Nobody agreed; nothing was changed.", exit_code=1)


def agent_above() -> str:
    """The name of a coding agent among the processes that started this one; empty if none is seen."""
    return next((name for words in _above() if (name := _agent_in(words))), "")


def _above() -> Iterator[list[str]]:
    """The command lines of the processes above this one, nearest first; none without /proc."""
    process = os.getppid()
    for _ in range(100):
        try:
            status = (PROCESSES / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
            words = (PROCESSES / str(process) / "cmdline").read_bytes().split(b"\0")
            process = int(status.rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return
        yield [word.decode("utf-8", "replace") for word in words]
        if process <= 1:
            return


def _agent_in(words: list[str]) -> str:
    """The coding agent that a command line runs, by its program or the package of its script."""
    for word in words[:3]:
        if word.startswith("-"):
            continue
        if any(f"/{package}/" in word for package in _PACKAGES) or Path(word).name in _AGENTS:
            return one_line(Path(word).name, 40)
    return ""
