"""The output of the command line: data on standard output, everything else on standard error.

All text passes through ``clean``, because logs and requests may carry terminal control codes.

A Markdown table that is readable as plain text too.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from workbench.clean_text import clean
from workbench.model import Json
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.value_texts import ArgumentWords
    from workbench.model import ImportProblem

# The SGR parameters of ANSI terminals (ECMA-48, 8.3.117). A tone without one is shown as plain text.
_COLOURS = {Tone.GOOD: 32, Tone.BAD: 31, Tone.WARN: 33, Tone.MUTED: 2, Tone.TITLE: 1}


class OutputClosedError(Exception):
    """The error if the reader of standard output went away, as ``head`` does."""


def prepare_streams() -> None:
    """Make the streams write a character that the terminal's encoding lacks as an escape, not fail on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def coloured(stream: TextIO) -> bool:
    """Whether to colour: only on a capable terminal, and if NO_COLOR (no-color.org) is unset or empty."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, tone: Tone) -> str:
    """The cleaned text in a tone, if standard output shows colours."""
    clean_text = clean(text)
    return (
        f"\x1b[{_COLOURS[tone]}m{clean_text}\x1b[0m"
        if tone in _COLOURS and coloured(sys.stdout)
        else clean_text
    )


def write(text: str = "") -> None:
    """Write one line, already cleaned or painted, to standard output.

    Raises:
        OutputClosedError: the reader of standard output went away.
    """
    try:
        sys.stdout.write(text + "\n")
    except BrokenPipeError as error:
        raise OutputClosedError from error


def write_json(value: Json, words: ArgumentWords | None = None) -> None:
    """Write a value as one line of ASCII JSON to standard output, its texts for people in these words."""
    if words:
        value = said_texts(value, words)
    write(json.dumps(value))


def write_result(result: object, words: ArgumentWords | None = None) -> None:
    """Write a result as one line of JSON, in the form of its class."""
    from workbench.serialization.nouns import json_of

    write_json(json_of(result), words)


def write_lines(lines: Iterable[str]) -> None:
    """Write lines, each already cleaned or painted, to standard output."""
    for line in lines:
        write(line)


def tell(result: object, lines: Iterable[str], *, as_json: bool, words: ArgumentWords | None = None) -> None:
    """Write a result: as JSON, with its texts in these words, or as the lines for a person."""
    if as_json:
        write_result(result, words)
    else:
        write_lines(lines)


def note(text: str) -> None:
    """Write a sentence for the person to standard error; do nothing if that is closed."""
    try:
        sys.stderr.write(clean(text) + "\n")
        sys.stderr.flush()
    except OSError:
        return


def note_problems(problems: Iterable[ImportProblem]) -> None:
    """Write the records of logs that could not be read, with the reasons, to standard error."""
    for problem in problems:
        note(f"{problem.path}:{problem.line}: {problem.reason}")


def progress(text: str) -> None:
    """Write on standard error what the command is doing, if a person watches."""
    if sys.stderr.isatty():
        note(f"{text}...")


def counting(text: str) -> Callable[[int, int], None]:
    """A function that writes progress to standard error after each tenth, if a person watches."""

    def tell(done: int, total: int) -> None:
        if done * 10 // total > (done - 1) * 10 // total:
            progress(f"{text}: {done} of {total}")

    return tell


def flush() -> None:
    """Hand everything to the reader of standard output.

    Raises:
        OutputClosedError: the reader of standard output went away.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise OutputClosedError from error


def abandon() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns padded to one width."""
    cells = [[_cell(text) for text in line] for line in (head, *lines)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    rows = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([rows[0], rule, *rows[1:]])


def columns(
    widths: Sequence[int], head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1
) -> Iterator[str]:
    """The lines of a table for a person: the first columns are words, the others numbers, to the right."""
    for place, cells in enumerate((head, *rows)):
        padded = (
            cell.ljust(width) if column < words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        line = "".join(padded).rstrip()
        yield line if place else paint(line, Tone.MUTED)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


# --- The texts of a JSON result in the words of the person, where arguments stand for expressions


TEXTS = frozenset(
    {
        *("condition", "conditions", "description", "message", "reason", "reasons", "says", "sentence"),
        *("source", "statement", "title", "why"),
    }
)
"""The fields that are read by a person, and may be about arguments."""
VALUES = frozenset(
    {"arguments", "context", "decisive_arguments", "example", "items", "quote", "value", "where", "witness"}
)
"""The fields whose values are those of calls."""


def said_texts(result: Json, words: ArgumentWords) -> Json:
    """The result with the expressions in place of their arguments, in every text for a person.

    An argument keeps its name where it is named: as a key, and under ``argument``, ``name`` or ``left_out``.
    Values of calls stay as they are.
    """
    return _said(result, words, is_text=False) if words else result


def _said(value: Json, words: ArgumentWords, *, is_text: bool) -> Json:
    match value:
        case str():
            return words.said(value) if is_text else value
        case list():
            return [_said(item, words, is_text=is_text) for item in value]
        case dict():
            return dict(_fields(value.items(), words))
        case _:
            return value


def _fields(fields: Iterable[tuple[str, Json]], words: ArgumentWords) -> Iterable[tuple[str, Json]]:
    for name, value in fields:
        yield name, value if name in VALUES else _said(value, words, is_text=name in TEXTS)
