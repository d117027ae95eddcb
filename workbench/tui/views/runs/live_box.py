"""The box above the view: a call that waits for an answer, and then the outcome of the runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from workbench.app.value_texts import call_arguments, undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.tui.rows import Row, paragraph
from workbench.tui.text_runs import LONGEST_LINE, accent, line, muted, strong, warn
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.key_line import REDRAW_SECONDS
from workbench.tui.widgets.lines import PlainLines

if TYPE_CHECKING:
    from textual.timer import Timer

    from workbench.app.live import OpenQuestion, Outcome


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question, and the time at which it expires."""

    question: OpenQuestion
    until: float


class LiveBox(PlainLines):
    """The first waiting call with the time that is left; without waiting calls, a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty."""
        super().__init__(id="live-box")
        self._clock = clock
        self._waiting: list[Waiting] = []
        self._sentence = ""
        self._shown: OpenQuestion | None = None
        self.came = 0.0
        """The time when the visible question appeared, by the clock that stamps messages."""
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Start the timer that redraws the time left."""
        self._timer = self.set_interval(REDRAW_SECONDS, self._draw, pause=True)

    @property
    def first(self) -> OpenQuestion | None:
        """The question that is shown."""
        return self._waiting[0].question if self._waiting else None

    @property
    def sentence(self) -> str:
        """The sentence that can be put away."""
        return self._sentence

    def say(self, words: str) -> None:
        """Show a sentence until it is put away; an empty one shows nothing."""
        self._sentence = words
        self._draw()

    def put(self, question: OpenQuestion) -> None:
        """Add a question after the waiting ones."""
        self._waiting.append(Waiting(question, self._clock() + question.seconds))
        self._draw()

    def take(self, question: OpenQuestion) -> None:
        """Remove a question."""
        self._waiting = [waiting for waiting in self._waiting if waiting.question is not question]
        self._draw()

    def clear(self) -> None:
        """Remove all questions."""
        self._waiting = []
        self._draw()

    def _draw(self) -> None:
        self._waiting = [waiting for waiting in self._waiting if waiting.until > self._clock()]
        if self.first is not self._shown:
            self._shown, self.came = self.first, Message().time
        if not self.is_attached:
            return
        self.display = bool(self._waiting or self._sentence)
        if self._timer is not None:
            (self._timer.resume if self._waiting else self._timer.pause)()
        if self._waiting:
            first, count = self._waiting[0], len(self._waiting)
            left = max(round(first.until - self._clock()), 0)
            self.show_rows(partial(waiting_rows, first.question.outcome, left, count))
        else:
            words = self._sentence
            self.show_rows(lambda: [paragraph(words, muted("  Esc puts this away"))])
        self.refresh(layout=True)


def waiting_rows(outcome: Outcome, seconds: int, count: int) -> Iterator[Row]:
    """Rows of the call, why the policy asks about it, and the possible answers."""
    call, decision = outcome.call, outcome.decision
    of = f"  1 of {count}" if count > 1 else ""
    yield paragraph(warn("? May this call run?  "), muted(f"call {call.index} of {one_line(call.run)}{of}"))
    arguments = one_line(call_arguments(call), LONGEST_LINE)
    yield paragraph(strong(f"{call.tool} "), arguments, indent=2, hang=2, most=2)
    messages = (violation.message or violation.rule for violation in decision.violations)
    why = one_line(in_a_row((*messages, *undetermined_words(decision.reasons))))
    yield paragraph(verdict_run(decision.verdict), f"  {why}", indent=2, hang=6, most=2)
    answers = zip("123", ("let it run   ", "refuse it   ", "grant more   "), strict=True)
    offers = (line(accent(f"{digit} "), words) for digit, words in answers)
    yield paragraph(*offers, muted(f"silence refuses it in {seconds} s"), indent=2)
