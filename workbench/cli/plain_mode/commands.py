"""All commands of the line mode: each has a number, a name, its parameters, and its function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.cli.plain_mode import finding_commands, policy_commands, request_commands, word_commands
from workbench.cli.plain_mode.item_text import status_line
from workbench.cli.plain_mode.plain_command import Command
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState
    from workbench.cli.plain_mode.conversation import Conversation


def run_line(talk: Conversation, line: str) -> None:
    """Run the command of a line; an error is written as one sentence, and nothing is lost."""
    word, _, rest = line.strip(" ").partition(" ")
    word = word.casefold()
    if not word:
        return
    if "\ufffd" in line:
        talk.lines.say("That line is not UTF-8 text; nothing was done.")
        return
    command = _named(word)
    if command is None:
        talk.lines.say(f"{one_line(word)!r} is no command; 'help' lists them.")
        return
    talk.look_outside()
    try:
        command.run(talk, rest)
    except WorkbenchError as error:
        talk.lines.say(str(error))


def _named(word: str) -> Command | None:
    if word.isascii() and word.isdigit():
        number = int(word[:9])
        return COMMANDS[number - 1] if 0 < number <= len(COMMANDS) else None
    exact = next((item for item in COMMANDS if item.name == word), None)
    begun = [item for item in COMMANDS if item.name.startswith(word)]
    return exact or (begun[0] if len(begun) == 1 else None)


def _status(talk: Conversation, words: str) -> None:
    del words
    talk.lines.say(status_line(talk.state))


def _more(talk: Conversation, words: str) -> None:
    del words
    talk.lines.more()


def _help(talk: Conversation, words: str) -> None:
    del words
    for number, command in enumerate(COMMANDS, start=1):
        follows = f" {command.follows}" if command.follows else ""
        talk.lines.say(f"{number}. {command.name}{follows}: {command.does}")


def _quit(talk: Conversation, words: str) -> None:
    del words
    talk.ended = True


_SHORT = (
    Command("help", "", "all words", _help, menu=True),
    Command("quit", "", "leave; nothing is lost", _quit, menu=True),
    Command("status", "", "the state of the session", _status),
    Command("more", "", "the next portion of the last list", _more),
)
_ALL = (
    *request_commands.COMMANDS,
    *word_commands.COMMANDS,
    *policy_commands.COMMANDS,
    *finding_commands.COMMANDS,
    *_SHORT,
)
COMMANDS: tuple[Command, ...] = tuple(sorted(_ALL, key=lambda command: not command.menu))
"""The commands of the menu come first, so that the menu is numbered without gaps."""


def menu_lines(state: SessionState) -> Iterator[str]:
    """The session's status and the numbered commands of the menu."""
    yield status_line(state)
    for number, command in enumerate(COMMANDS, start=1):
        if command.menu:
            yield f"{number}. {command.name}: {command.does}"
    yield "Type a number or a word, or 'help' for all words."
