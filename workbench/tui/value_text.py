"""The texts of values, decisions and verdicts on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time

from workbench.app.value_texts import argument_words, run_words, value_words, without_empty
from workbench.clean_text import clean, counted
from workbench.model import Arguments, Counterexample, RecordValue, Value
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, line, muted, wrap
from workbench.tui.widgets.lines import Row

MOST_WORDS = 80
"""The most characters of the words for an argument where many stand below each other."""
REDRAW_SECONDS = 1.0
"""Seconds between two redraws of a time that runs: of work, or of a call that waits."""


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


def argument_rows(arguments: Arguments, width: int, key: str = "", indent: int = 2) -> list[Row]:
    """A table of arguments: names in a column, wrapped values to the right, below a name that is too long."""
    saying, empty = without_empty(arguments)
    named_texts = list(_named_texts(saying))
    names = max((len(name) for name, _ in named_texts), default=0)
    names = min(names, max(width // 3, 8))
    rows: list[Row] = []
    for name, text in named_texts:
        head = " " * indent + clean(name).ljust(names) + "  "
        content = line(muted(head), TextRun(text, Tone.CODE))
        hang = indent + 2 if len(name) > names else len(head)
        rows += [Row(part, key) for part in wrap(content, width, indent=hang, limit=12)]
    return [*rows, *(paragraph(muted(empty), width, key, indent) if empty else ())]


def realised_rows(counterexample: Counterexample, width: int, key: str, indent: int) -> list[Row]:
    """Rows of the run in which a counterexample happens; none without such a run."""
    if counterexample.realised is None:
        return []
    rows = paragraph(muted("a run in which it happens:"), width, key, indent)
    for words in run_words(counterexample.realised):
        rows += paragraph(TextRun(words, Tone.CODE), width, key, indent + 2, hang=2)
    return rows


def _named_texts(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """The name and text of each argument; of a record, those of each field."""
    for name, value in arguments.items():
        if isinstance(value, RecordValue):
            yield from ((path, clean(words)) for path, words in argument_words({name: value}))
        else:
            yield name, clean(value_words(value)) if isinstance(value, date | time) else value_text(value)


def paragraph(
    content: Line | TextRun | str, width: int, key: str = "", indent: int = 0, hang: int = 0
) -> list[Row]:
    """A wrapped paragraph as rows, indented; lines after the first by ``hang`` more."""
    runs = line(content) if isinstance(content, TextRun | str) else content
    return [Row(part, key) for part in wrap((TextRun(" " * indent), *runs), width, indent=indent + hang)]


def heading(text: str, key: str = "") -> Row:
    """A heading row."""
    return Row(line(TextRun(text, Tone.TITLE)), key)


def plural(count: int, word: str) -> str:
    """A count with its noun, as the screen writes numbers."""
    return counted(count, word, ",")


BLANK = Row(())
