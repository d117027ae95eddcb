"""A command of the line mode, and the numbers that follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.cli.plain_mode.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its parameters. ``menu`` commands are in the short list."""

    name: str
    follows: str
    does: str
    run: Callable[[Conversation, str], None]
    menu: bool = False


def number_of(text: str, count: int, noun: str) -> int:
    """A number from 1 to ``count``; raises WorkbenchError for anything else."""
    number = text.strip()
    if number.isascii() and number.isdigit() and 0 < int(number[:9]) <= count:
        return int(number[:9])
    many = f"from 1 to {count}" if count else "but there is none"
    raise WorkbenchError(f"Give the number of {noun}, {many}.")


def picked[T](items: Sequence[T], text: str, noun: str) -> T:
    """The item with a number, counted from 1."""
    return items[number_of(text, len(items), noun) - 1]


def parts_of(text: str) -> list[tuple[str, str]]:
    """The parts between semicolons, each as its first word and the rest: ``never if; tool X; when Y``."""
    parts = (part.strip().partition(" ") for part in text.split(";"))
    return [(word.casefold(), rest.strip()) for word, _, rest in parts if word]
