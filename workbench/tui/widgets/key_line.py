"""The last line of the screen: the keys that work at the focus, or the running work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.keys import KeyHint
from workbench.tui.text_runs import Line, TextRun, fit, line, muted, width_of
from workbench.tui.widgets.lines import PlainLines, Row

FIRST_KEYS = 2
"""The number of first keys that, with the last key, get room before the running work does."""


class KeyLine(PlainLines):
    """Keys of the focus at the left, the running work at the right; a sentence for the person above both."""

    @dataclass
    class Wanted(Message):
        """A click on a key, or on the running work (then the key is empty)."""

        key: str

    _hints: Sequence[KeyHint] = ()
    _going_on = ""

    def show(self, hints: Sequence[KeyHint], going_on: str, sentence: str, problem: bool) -> None:
        """Show keys, running work and sentence."""
        self._hints = hints
        self._going_on = going_on
        self.show_rows(lambda width: key_rows(hints, going_on, sentence, problem, width))

    def on_click(self, event: events.Click) -> None:
        """Post the key that was clicked."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None or offset.y != self.row_count() - 1:
            return
        at = 1
        width = self.line_width
        work = _work(self._going_on, self._hints, width)
        for key, words in shown_hints(self._hints, width - width_of([work]) - 2):
            size = width_of(_hint(key, words))
            if at <= offset.x < at + size:
                self.post_message(self.Wanted(key))
                return
            at += size
        self.post_message(self.Wanted(""))


def _hint(key: str, words: str) -> Line:
    return line(TextRun(key, Tone.ACCENT), muted(f" {words}   "))


def key_rows(hints: Sequence[KeyHint], going_on: str, sentence: str, problem: bool, width: int) -> list[Row]:
    """The sentence, if there is one, above as many keys as fit."""
    from workbench.tui.value_text import paragraph

    rows: list[Row] = []
    if sentence:
        rows += paragraph(
            line(TextRun(one_line(sentence), Tone.BAD if problem else Tone.ACCENT)), width, indent=1
        )
    work = _work(going_on, hints, width)
    room = width - width_of([work]) - 2
    shown_runs = [TextRun(" "), *(run for hint in shown_hints(hints, room) for run in _hint(*hint))]
    gap = max(width - width_of(shown_runs) - width_of([work]) - 1, 0)
    return [*rows, Row((*shown_runs, TextRun(" " * gap), work))]


def _work(going_on: str, hints: Sequence[KeyHint], width: int) -> TextRun:
    """The running work, in at most two thirds of the line, and at least one third.

    In between, the first keys take the room that they need.
    """
    work_text = one_line(going_on)
    first = [*hints[:FIRST_KEYS], *hints[FIRST_KEYS:][-1:]]
    left = width - 2 - sum(width_of(_hint(*hint)) for hint in first)
    most_cells = max(min(left, width * 2 // 3), width // 3)
    return TextRun(fit(work_text, min(width_of([TextRun(work_text)]), most_cells)).rstrip(), Tone.ACCENT)


def shown_hints(hints: Sequence[KeyHint], room: int) -> list[KeyHint]:
    """As many of the first keys as fit, and always the last, which shows all others."""
    if not hints:
        return []
    left = room - width_of(_hint(*hints[-1]))
    fitting_hints: list[KeyHint] = []
    for hint in hints[:-1]:
        left -= width_of(_hint(*hint))
        if left < 0:
            break
        fitting_hints.append(hint)
    return [*fitting_hints, hints[-1]]
