"""Rows, which a list lays out in its width, and the rows of values of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, time
from typing import NamedTuple

from workbench.app.value_texts import argument_words, run_words, value_words, without_empty
from workbench.clean_text import clean, counted
from workbench.model import Arguments, Counterexample, RecordValue, Value
from workbench.tui.text_runs import MOST_LINES, Line, TextRun, coded, line, muted, strong, wrap

MOST_WORDS = 80
"""The most characters of the words for an argument where many stand below each other."""
_MOST_LINES = 12
"""The most lines of a value."""


class Row(NamedTuple):
    """A row of a list: a line that is wrapped to the list's width, or what makes the lines for a width.

    The first line is indented by ``indent`` cells, the others by ``hang`` more; at most ``most`` lines are
    shown. Rows with the same ``key`` belong together: the cursor marks all of them. A row without a key
    cannot be selected.
    """

    content: Line | Callable[[int], Sequence[Line]]
    key: str = ""
    indent: int = 0
    hang: int = 0
    most: int = MOST_LINES

    def lines(self, width: int) -> Sequence[Line]:
        """The row's lines in a width."""
        content, _, indent, hang, most = self
        if callable(content):
            return content(width)
        return wrap((TextRun(" " * indent), *content) if indent else content, width, indent + hang, most)


def paragraph(
    *parts: Line | TextRun | str, key: str = "", indent: int = 0, hang: int = 0, most: int = MOST_LINES
) -> Row:
    """A row of runs."""
    return Row(line(*parts), key, indent, hang, most)


def fitted(content: Callable[[int], Line], key: str = "") -> Row:
    """A row of one line that is made for a width."""

    def lines(width: int) -> Sequence[Line]:
        return (content(width),)

    return Row(lines, key)


def heading(text: str) -> Row:
    """A heading row."""
    return Row((strong(text),))


def plural(count: int, word: str) -> str:
    """A count with its noun, as the screen writes numbers."""
    return counted(count, word, ",")


BLANK = Row(())


# --- values


def value_text(value: Value) -> str:
    """The words for a value of a call; a time is written as a log has it."""
    match value:
        case None:
            return "(missing)"
        case bool():
            return str(value).lower()
        case date() | time():
            return value.isoformat()
        case _:
            return clean(value_words(value))


def argument_rows(arguments: Arguments, key: str = "", indent: int = 2) -> Iterator[Row]:
    """A table of arguments: names in a column, wrapped values to the right, below a name that is too long."""
    saying, empty = without_empty(arguments)
    named_texts = [*_named_texts(saying)]
    longest = max((len(name) for name, _ in named_texts), default=0)

    def lines(width: int) -> Sequence[Line]:
        names = min(longest, max(width // 3, 8))
        found: list[Line] = []
        for name, text in named_texts:
            head = " " * indent + clean(name).ljust(names) + "  "
            hang = indent + 2 if len(name) > names else len(head)
            found += wrap(line(muted(head), coded(text)), width, hang, _MOST_LINES)
        return found

    if named_texts:
        yield Row(lines, key)
    if empty:
        yield paragraph(muted(empty), key=key, indent=indent)


def realised_rows(counterexample: Counterexample, key: str, indent: int) -> Iterator[Row]:
    """Rows of the run in which a counterexample happens; none without such a run."""
    if counterexample.realised is not None:
        yield paragraph(muted("a run in which it happens:"), key=key, indent=indent)
        for words in run_words(counterexample.realised):
            yield paragraph(coded(words), key=key, indent=indent + 2, hang=2)


def _named_texts(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """The name and text of each argument; of a record, those of each field."""
    for name, value in arguments.items():
        if isinstance(value, RecordValue):
            yield from ((path, clean(words)) for path, words in argument_words({name: value}))
        else:
            yield name, clean(value_words(value)) if isinstance(value, date | time) else value_text(value)
