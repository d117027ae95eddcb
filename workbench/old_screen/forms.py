"""What a form asks for and what it makes of the answers; ``widgets.form`` puts it on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.model import WorkbenchError

type Typed = Mapping[str, str]


class Shape(StrEnum):
    """How a field is typed: on one line, on several, or chosen from a few words."""

    WORD = "word"
    TEXT = "text"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class FormField:
    """One thing that a form asks for: ``key`` names it among the typed values.

    ``choices`` are the words of a choice.
    """

    key: str
    label: str
    hint: str = ""
    shape: Shape = Shape.WORD
    choices: tuple[str, ...] = ()


class Misfit(WorkbenchError):
    """A typed value that does not fit, with the key of its field; the text says what to type."""

    def __init__(self, key: str, message: str) -> None:
        """Keep the field's key with the sentence."""
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class Form[T]:
    """A form that makes a ``T``.

    ``fields`` gives the fields for what is typed so far, since a choice may change what else is
    asked; ``values`` is what it begins with. ``read`` makes the value and raises Misfit, or any
    WorkbenchError where the trouble belongs to no single field. With ``tried`` the screen shows
    beside the fields what storing would change. ``begin`` is the field that has the cursor first,
    ``trouble`` what kept it from being stored before.
    """

    name: str
    fields: Callable[[Typed], tuple[FormField, ...]]
    values: Typed
    read: Callable[[Typed], T]
    tried: bool = False
    begin: str = ""
    trouble: str = ""


def words_typed(text: str) -> tuple[str, ...]:
    """Words that are separated by commas or lines; a word in double quotes may contain a comma."""
    found: list[str] = []
    for line in text.splitlines():
        found += _split(line)
    return tuple(found)


def _split(line: str) -> list[str]:
    words: list[str] = []
    word, quoted = "", False
    for character in line:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            words.append(word.strip())
            word = ""
        else:
            word += character
    return [item for item in (*words, word.strip()) if item]


def words_shown(words: tuple[str, ...], width: int = 0) -> str:
    """Words as they are typed; each on a line of its own where they do not fit ``width`` cells."""
    quoted = [f'"{word}"' if "," in word else word for word in words]
    text = ", ".join(quoted)
    return text if not width or len(text) <= width else ",\n".join(quoted)


def table_typed(key: str, text: str) -> dict[str, tuple[str, ...]]:
    """A table of words: a name, a colon and its words on each line. Raises Misfit for another line."""
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, rest = line.partition(":")
        if not colon or not name.strip():
            raise Misfit(key, f"Line {number} needs a name, a colon and words: {line.strip()[:40]}")
        found[name.strip()] = words_typed(rest)
    return found


def table_shown(table: Mapping[str, tuple[str, ...]]) -> str:
    """A table of words as it is typed."""
    return "\n".join(f"{name}: {words_shown(words)}" for name, words in table.items())
