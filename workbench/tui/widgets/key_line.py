"""The last line of the screen: the keys that work where the focus is, or what goes on."""

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
"""So many of the first keys have room before what goes on has, beside the last key."""


class KeyLine(PlainLines):
    """Keys of the focus at the left, what goes on at the right; a sentence for the person over both."""

    @dataclass
    class Wanted(Message):
        """Somebody clicked a key, or what goes on (then the key is empty)."""

        key: str

    _hints: Sequence[KeyHint] = ()
    _going_on = ""

    def show(self, hints: Sequence[KeyHint], going_on: str, sentence: str, problem: bool) -> None:
        """Show all three."""
        self._hints = hints
        self._going_on = going_on
        self.show_rows(lambda width: key_rows(hints, going_on, sentence, problem, width))

    def on_click(self, event: events.Click) -> None:
        """Take the key that was clicked."""
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
    """The sentence, if there is one, over the keys as far as there is room."""
    from workbench.tui.value_text import paragraph

    rows: list[Row] = []
    if sentence:
        rows += paragraph(
            line(TextRun(one_line(sentence), Tone.BAD if problem else Tone.ACCENT)), width, indent=1
        )
    work = _work(going_on, hints, width)
    room = width - width_of([work]) - 2
    shown = [TextRun(" "), *(run for hint in shown_hints(hints, room) for run in _hint(*hint))]
    gap = max(width - width_of(shown) - width_of([work]) - 1, 0)
    return [*rows, Row((*shown, TextRun(" " * gap), work))]


def _work(going_on: str, hints: Sequence[KeyHint], width: int) -> TextRun:
    """What goes on, in at most two thirds of the line; less where the first keys need room, but a third."""
    shown = one_line(going_on)
    first = [*hints[:FIRST_KEYS], *hints[FIRST_KEYS:][-1:]]
    left = width - 2 - sum(width_of(_hint(*hint)) for hint in first)
    most = max(min(left, width * 2 // 3), width // 3)
    return TextRun(fit(shown, min(width_of([TextRun(shown)]), most)).rstrip(), Tone.ACCENT)


def shown_hints(hints: Sequence[KeyHint], room: int) -> list[KeyHint]:
    """The first keys for which there is room, and always the last, which tells the others."""
    if not hints:
        return []
    left = room - width_of(_hint(*hints[-1]))
    shown: list[KeyHint] = []
    for hint in hints[:-1]:
        left -= width_of(_hint(*hint))
        if left < 0:
            break
        shown.append(hint)
    return [*shown, hints[-1]]
