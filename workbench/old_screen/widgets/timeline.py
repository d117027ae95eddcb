"""The decisions of one run from its first step to its last, on one line."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.clean_text import one_line
from workbench.model import Verdict
from workbench.old_screen.plain import TextRun, Tone, fit, line, muted
from workbench.old_screen.state import Replayed
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import VERDICT_TONE
from workbench.old_screen.widgets.lines import PlainLines, Row

MARKS = {Verdict.ALLOW: "✓", Verdict.DENY: "✗", Verdict.CANNOT_EVALUATE: "?"}
NAME = 24


class Timeline(PlainLines):
    """A mark for each step of the run, the selected one among them; a click goes to a step."""

    DEFAULT_CSS = style_sheet(__file__)

    @dataclass
    class Wanted(Message):
        """The user wants to see a step."""

        index: int

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id)
        self._first = 0
        self._begin = 0
        self._shown = 0

    def show(self, replayed: Replayed, index: int | None, playing: bool) -> None:
        """Show the run around a step; nothing for a run of one step."""
        run = replayed.run_range(index) if index is not None else range(0)
        self.display = len(run) > 1
        self.show_rows(lambda width: [self._row(replayed, run, index, playing, width)])

    def _row(self, replayed: Replayed, run: range, index: int | None, playing: bool, width: int) -> Row:
        if index is None or not run:
            return Row(())
        here = index - run.start
        name = fit(one_line(replayed.steps[index].run), min(NAME, width // 4))
        count = f" {here + 1}/{len(run)} "
        sign = "▶ " if playing else "  "
        self._begin = len(sign) + len(name) + len(count)
        room = max(width - self._begin, 4)
        skipped = max(min(here - room // 2, len(run) - room), 0)
        self._first = run.start + skipped
        marks: list[TextRun] = []
        for at in run[skipped : skipped + room]:
            verdict = replayed.decision(at).verdict
            marks.append(TextRun(MARKS[verdict], Tone.MARK if at == index else VERDICT_TONE[verdict]))
        self._shown = len(marks)
        return Row(line(TextRun(sign, Tone.ACCENT), name, muted(count), *marks))

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked step."""
        place = event.x - self._begin
        if 0 <= place < self._shown:
            self.post_message(self.Wanted(self._first + place))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample_replay import ONE_RUN

    run_alone(Timeline(), lambda widget: widget.show(ONE_RUN, 3, playing=False))
