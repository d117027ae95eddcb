"""A text of a log in which the sources of values are marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.model import Extracted, Provenance
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, muted

_EXPRESSION = "expression"
"""The method of a policy of calls: the expression itself stands before its places."""
AROUND = 600
WHOLE = 6000


def provenance_text(places: Sequence[Provenance]) -> str:
    """The words for the source of a value."""
    words: list[str] = []
    for place in places[:3]:
        where = f" in {place.text}" if place.text else ""
        where += f" of call {place.call}" if place.call is not None else ""
        lines = place.spans[0].line if place.spans else 1
        where += f" line {lines}" if lines > 1 else ""  # most texts have only one line
        sure = f" ({place.confidence:.0%} sure)" if place.confidence < 1 else ""
        method = "" if place.method == _EXPRESSION else place.method
        words.append(f"{method}{where}{sure}".strip())
    told = "; ".join(word for word in words if word)
    return f"from {told}".replace("from in ", "in ", 1) if told else ""


def marked_places(values: Iterable[Extracted]) -> dict[str, list[tuple[int, int]]]:
    """The ranges to mark in each text, of arguments and of the items of sets."""
    marks: dict[str, list[tuple[int, int]]] = {}
    for value in values:
        for place in (*value.provenance, *(item for items in value.items.values() for item in items)):
            if place.call is not None:
                continue  # the place is in a text of another call
            marks.setdefault(place.text, []).extend((span.start, span.end) for span in place.spans)
    return marks


def marked_text(text: str, spans: Sequence[tuple[int, int]]) -> Line:
    """A text with its marked ranges; of a long one only the surroundings of the marks."""
    runs: list[TextRun] = []
    position = 0
    for start, end in merged(spans, len(text)):
        runs += _between(text[position:start], first=position == 0, last=False)
        runs.append(TextRun(text[start:end], Tone.MARK))
        position = end
    return tuple(runs + _between(text[position:], first=position == 0, last=True))


def _between(text: str, *, first: bool, last: bool) -> list[TextRun]:
    """An unmarked stretch; the middle or the far end of a long one is left out, with a note."""
    if len(text) <= (WHOLE if first and last else 2 * AROUND):
        return [TextRun(text)]
    head = "" if first and not last else text[: WHOLE if first else AROUND]
    tail = "" if last else text[-AROUND:]
    gone = len(text) - len(head) - len(tail)
    return [TextRun(head), muted(f" … {gone:,} characters left out … "), TextRun(tail)]


def merged(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Ranges in order, within the text, without overlaps."""
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start, end = max(start, 0), min(end, length)
        if start >= end:
            continue
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges
