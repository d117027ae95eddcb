"""Text from outside on the screen: cleaned, in named tones, and never read as markup.

Logs, requests and model output reach the terminal through the types of this module
only. A line is a tuple of runs, a run is a text with a tone; there is no markup to
escape, so there is nothing to forget to escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size
from textual.content import Content

from workbench.clean_text import clean, one_line
from workbench.tones import Tone

_TAB = "    "
LONGEST_LINE = 1_000
"""The most characters that are shown on one line of the screen, and of a line whose breaks are kept."""
MOST_LINES = 400
"""The most lines of one row."""
_NARROW = re.compile("[ -~–—‘’“”…·✓✗]*")
"""Characters of one cell each."""


class TextRun(NamedTuple):
    """A text in one tone. The text is cleaned when it is drawn, not here."""

    text: str
    tone: Tone = Tone.PLAIN


type Line = tuple[TextRun, ...]
_TEXT = itemgetter(0)

muted = partial(TextRun, tone=Tone.MUTED)
strong = partial(TextRun, tone=Tone.TITLE)
coded = partial(TextRun, tone=Tone.CODE)
accent = partial(TextRun, tone=Tone.ACCENT)
good = partial(TextRun, tone=Tone.GOOD)
warn = partial(TextRun, tone=Tone.WARN)
bad = partial(TextRun, tone=Tone.BAD)


def title(text: str) -> Content:
    """A text for a border title or a notice: cleaned, on one line, without markup."""
    return Content(one_line(text))


def line(*parts: Line | TextRun | str) -> Line:
    """A line of runs and lines; bare strings are plain."""
    runs: list[TextRun] = []
    for part in parts:
        if isinstance(part, str | TextRun):
            runs.append(TextRun(part) if isinstance(part, str) else part)
        else:
            runs += part
    return tuple(runs)


def width_of(content: Iterable[TextRun]) -> int:
    """The width of a line in cells, after cleaning."""
    return sum(cell_len(clean(run.text)) for run in content)


def fit(text: str, width: int) -> str:
    """A cleaned text on one line in exactly ``width`` cells, with an ellipsis if it was cut."""
    line_text = one_line(text[: width * 4 + 8])
    if width <= 0:
        return ""
    if cell_len(line_text) > width:
        return set_cell_size(line_text, width - 1) + "…"
    return set_cell_size(line_text, width)


def fit_middle(text: str, width: int) -> str:
    """Like ``fit``, but cut in the middle, because names of runs differ at their ends."""
    line_text = one_line(text[:LONGEST_LINE])
    size = cell_len(line_text)
    if width < 3 or size <= width:
        return fit(line_text, width)
    head, tail = (width - 1) // 2, width // 2
    end = line_text[-tail:]
    while cell_len(end) > tail:
        end = end[1:]
    return set_cell_size(set_cell_size(line_text, head) + "…" + end, width)


def wrap(content: Line, width: int, indent: int = 0, limit: int = MOST_LINES) -> Sequence[Line]:
    """Break a line into lines of at most ``width`` cells, at spaces where possible.

    Line feeds in the runs break too. Lines after the first are indented by ``indent``
    cells. What more than ``limit`` lines would have is left out. Short ones are kept: most of what a key
    draws is what stood there before.
    """
    size = sum(len(run.text) for run in content)
    if size <= width and all(map(_NARROW.fullmatch, map(_TEXT, content))):
        return (content,)
    short = size <= LONGEST_LINE
    return (_kept if short else _kept.__wrapped__)(content, width, indent, limit)


@lru_cache(maxsize=16_384)
def _kept(content: Line, width: int, indent: int, limit: int) -> Sequence[Line]:
    width = max(width, indent + 8)
    lines: list[list[TextRun]] = [[]]
    used_cells = 0
    for run in content:
        for number, part in enumerate(clean(run.text).replace("\t", _TAB).split("\n")):
            if number:
                lines.append([TextRun(" " * indent)] if indent else [])
                used_cells = indent
            text = part[: width * (limit + 2)]
            parts = _parts(text, width - used_cells, width - indent)
            for place, piece in enumerate(parts):
                if place:
                    lines.append([TextRun(" " * indent)] if indent else [])
                    used_cells = indent
                if piece:
                    lines[-1].append(TextRun(piece, run.tone))
                    used_cells += len(piece) if piece.isascii() else cell_len(piece)
            if len(lines) > limit:
                return _left_out([tuple(text_runs) for text_runs in lines[:limit]], width)
    return tuple(map(tuple, lines))


def _left_out(lines: list[Line], width: int) -> Sequence[Line]:
    """Lines of which the last says that more would follow."""
    *before, last = lines[-1] or (TextRun(""),)
    end = fit(f"{last.text.rstrip()} …", width - width_of(before)).rstrip()
    return (*lines[:-1], (*before, TextRun(end, last.tone)))


def _parts(text: str, room: int, width: int) -> Iterator[str]:
    """The parts of a text that stand on a line each: the first in ``room`` cells, the others in ``width``.

    A word that has no room on any line is cut.
    """
    while (fitting := _fitting(text, room)) < len(text):
        blank = text[fitting] == " "
        cut = len(text[:fitting].rstrip(" ")) if blank else text.rfind(" ", 0, fitting) + 1
        cut = cut or (fitting if room >= width else 0)
        yield text[:cut]
        text, room = text[cut:].lstrip(" "), width
    yield text


def _fitting(text: str, room: int) -> int:
    """The number of characters from the beginning of a text that have room."""
    if room <= 0 or _NARROW.fullmatch(text[:room]):
        return min(max(room, 0), len(text))
    part = text[: 4 * room]  # characters without a cell may stand in it
    return len(next(iter(chop_cells(part, room)), part))
