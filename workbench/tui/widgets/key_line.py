"""The last line of the screen: the keys at the focus, the running work, a sentence for the person."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events

from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.keys import KeyHint, on_the_screen
from workbench.tui.messages import Progress, Say
from workbench.tui.text_runs import LONGEST_LINE, Line, TextRun, accent, fit, line, muted, width_of
from workbench.tui.widgets.lines import PlainLines, fitted, paragraph

FIRST_KEYS = 2
"""The number of first keys that, with the last key, get room before the running work does."""
SHOWN_SECONDS = 10.0
"""Seconds after which a sentence is put away that is no problem and does not last."""
REDRAW_SECONDS = 1.0
"""Seconds between two redraws of a time that runs: of work, or of a call that waits."""
_MOST_SAID = 2
"""The most lines of a sentence, so that the keys stay below it."""
_SHOWN_AFTER = 0.4
"""Seconds after which brief work is shown: what is done sooner needs no sign."""
_TIMED_AFTER = 1.0
"""Seconds after which the duration of work is shown."""
_TIME = re.compile(r", \d+ s(?:, Esc stops)?$")
"""How it is shown, at the end."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A work that runs, and when it began."""

    progress: Progress
    since: float

    @property
    def words(self) -> str:
        """What it does, how long it has run, and how it is stopped; empty if it is not to be shown yet."""
        seconds = time.monotonic() - self.since
        if self.progress.brief and seconds < _SHOWN_AFTER:
            return ""
        words = one_line(self.progress.text[:LONGEST_LINE])  # an act is named by a pasted sentence, too
        timed = f"{words}, {seconds:.0f} s" if seconds >= _TIMED_AFTER else words
        return f"{timed}, Esc stops" if self.progress.stops else timed


class KeyLine(PlainLines):
    """Keys of the focus at the left, the running work at the right; a sentence for the person above both."""

    def __init__(self, keys: Callable[[], Sequence[KeyHint]], clicked: Callable[[str], object]) -> None:
        """Begin without a sentence; ``keys`` gives the keys that work at the focus.

        ``clicked`` gets a key that is clicked, or an empty text for the running work.
        """
        super().__init__(id="keys")
        self._keys, self._clicked = keys, clicked
        self._say = Say("")
        self._works: dict[str, _Work] = {}

    def say(self, say: Say) -> None:
        """Show a sentence; a problem, and what lasts, stays until the next act."""
        self._say = say
        self.draw()
        if not (say.problem or say.lasts):
            self.set_timer(SHOWN_SECONDS, lambda: self._unsay(say))

    def _unsay(self, say: Say) -> None:
        if self._say is say:
            self.clear()
            self.draw()

    def clear(self) -> None:
        """Remove the sentence the next time the line is drawn."""
        self._say = Say("")

    def take(self, progress: Progress) -> None:
        """Show the progress of work, or that it is done."""
        before = self._works.pop(progress.work, None)
        if progress.text:
            self._works[progress.work] = _Work(progress, before.since if before else time.monotonic())
        elif before is None:
            return
        self.draw()
        if progress.brief and progress.text:
            self.set_timer(_SHOWN_AFTER, self.draw)

    @property
    def stoppable(self) -> bool:
        """Whether work runs that a person asked for and that Esc stops."""
        return any(work.progress.stops for work in self._works.values())

    @property
    def _going_on(self) -> str:
        """All shown works in a line; empty if there are none."""
        return " · ".join(filter(None, (work.words for work in self._works.values())))

    def look(self) -> None:
        """Redraw the duration of running work."""
        if self._works:
            self.draw()

    def draw(self) -> None:
        """Draw the line; none where no key is told and nothing runs, as below it a prompt tells its own."""
        hints, going_on, said = self._keys(), self._going_on, self._say
        words = TextRun(one_line(on_the_screen(said.text)), Tone.BAD if said.problem else Tone.ACCENT)
        rows = [paragraph(words, indent=1, most=_MOST_SAID)] if said.text else []
        keyed = [fitted(partial(keys_line, hints, going_on))] if hints or going_on else []
        self.show_rows(lambda: [*rows, *keyed])

    def on_click(self, event: events.Click) -> None:
        """Tell the key that was clicked."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None or offset.y != self.row_count() - 1:
            return
        at = 1
        hints, width = self._keys(), self.line_width
        work = _work(self._going_on, hints, width)
        for key, words in shown_hints(hints, width - width_of([work]) - 2):
            size = width_of(_hint(key, words))
            if at <= offset.x < at + size:
                self.call_next(self._clicked, key)
                return
            at += size
        self.call_next(self._clicked, "")


def _hint(key: str, words: str) -> Line:
    return line(accent(key), muted(f" {words}   "))


def keys_line(hints: Sequence[KeyHint], going_on: str, width: int) -> Line:
    """As many keys as fit, and the running work."""
    work = _work(going_on, hints, width)
    room = width - width_of([work]) - 2
    shown = line(" ", *(_hint(*hint) for hint in shown_hints(hints, room)))
    return line(shown, " " * max(width - width_of((*shown, work)) - 1, 0), work)


def _work(going_on: str, hints: Sequence[KeyHint], width: int) -> TextRun:
    """The running work, in at most two thirds of the line, and at least one third.

    In between, the first keys take the room that they need. Of words that are cut off, how long it has run is
    shown.
    """
    whole = one_line(going_on)
    words = _TIME.split(whole)[0]
    time_run = whole[len(words) :]
    first = [*hints[:FIRST_KEYS], *hints[FIRST_KEYS:][-1:]]
    left = width - 2 - sum(width_of(_hint(*hint)) for hint in first)
    most = min(width_of([TextRun(whole)]), max(min(left, width * 2 // 3), width // 3))
    return accent(f"{fit(words, most - len(time_run)).rstrip()}{time_run}")


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
