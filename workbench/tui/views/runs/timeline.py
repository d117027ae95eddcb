"""The decisions of one run from its first call to its last, on one line above the view."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Verdict
from workbench.tones import Tone
from workbench.tui.run_text import whole_run
from workbench.tui.text_runs import TextRun, fit_middle, line, muted, width_of
from workbench.tui.verdict_signs import VERDICT_TONE
from workbench.tui.widgets.lines import PlainLines, Row

MARKS = {Verdict.ALLOW: "·", Verdict.ASK: "!", Verdict.DENY: "✗", Verdict.CANNOT_EVALUATE: "?"}
NAME = 28


class Timeline(PlainLines):
    """A mark for each call of the run, with the chosen one emphasised; a click goes to a call."""

    @dataclass
    class Wanted(Message):
        """A request to show a call."""

        position: int

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(id="timeline")
        self._first = self._begin = self._shown = 0

    def show(self, state: SessionState, position: int | None, playing: bool) -> None:
        """Show the run around a call."""
        self.show_rows(lambda width: [self._row(state, position, playing, width)])

    def _row(self, state: SessionState, position: int | None, playing: bool, width: int) -> Row:
        self._shown = 0
        if position is None or state.logs is None or position >= len(state.decisions):
            return Row(())
        run = whole_run(state, position)
        call = state.logs.calls[position]
        name = one_line(call.run)
        sign = TextRun(" ▶ " if playing else "   ", Tone.ACCENT)
        place = f"call {call.index} · {position - run.start + 1} of {len(run)}  "
        head = line(
            sign, TextRun(fit_middle(name, min(len(name), NAME, width // 3)), Tone.TITLE), muted(f"  {place}")
        )
        self._begin = width_of(head)
        room = max(width - self._begin - 1, 4)
        skipped = max(min(position - run.start - room // 2, len(run) - room), 0)
        self._first = run.start + skipped
        marks: list[TextRun] = []
        for at in run[skipped : skipped + room]:
            verdict = state.verdicts[at]
            marks.append(TextRun(MARKS[verdict], Tone.MARK if at == position else VERDICT_TONE[verdict]))
        self._shown = len(marks)
        return Row((*head, *marks))

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked call."""
        event.stop()
        place = event.x - self._begin
        if 0 <= place < self._shown:
            self.post_message(self.Wanted(self._first + place))
