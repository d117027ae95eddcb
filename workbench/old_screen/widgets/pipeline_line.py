"""One line that says what is true, what is running and what is stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.old_screen.plain import Line, TextRun, Tone, fit, muted, width_of
from workbench.old_screen.state import Stage, StageCondition, StageName
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.lines import PlainLines, Row

MARKS = {
    StageCondition.WAITING: ("·", Tone.MUTED),
    StageCondition.RUNNING: ("◐", Tone.ACCENT),
    StageCondition.GOOD: ("✓", Tone.GOOD),
    StageCondition.OPEN: ("?", Tone.WARN),
    StageCondition.BAD: ("✗", Tone.BAD),
    StageCondition.STALE: ("~", Tone.WARN),
}


PANES = {
    StageName.CLARIFY: "question",
    StageName.DRAFT: "policy",
    StageName.TEST: "cases",
    StageName.PROVE: "proof",
    StageName.REPLAY: "replay",
}
"""Where one sees more of a stage."""


class PipelineLine(PlainLines, can_focus=False):
    """The session's name and its five stages, in as many words as the width allows.

    A click on a stage goes to the pane that shows more of it.
    """

    DEFAULT_CSS = style_sheet(__file__)

    @dataclass
    class Wanted(Message):
        """The user clicked on a stage."""

        pane: str

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id)
        self._shown: tuple[str, Sequence[Stage]] = "", ()

    def show(self, name: str, stages: Sequence[Stage]) -> None:
        """Show the stages of the session called ``name``."""
        if (name, stages) == self._shown:
            return
        self._shown = name, stages
        self.show_rows(lambda width: [Row(pipeline_text(name, stages, width))])

    def on_click(self, event: events.Click) -> None:
        """Go to the pane of the clicked stage."""
        if not self.row_count():
            return
        lead, *parts = self.row_line(0, self.line_width)
        position = event.x - width_of([lead])
        for number, stage in enumerate(self._shown[1]):
            width = width_of(parts[2 * number : 2 * number + 2])
            if 0 <= position < width:
                self.post_message(self.Wanted(PANES[stage.name]))
            position -= width


def pipeline_text(name: str, stages: Sequence[Stage], width: int) -> Line:
    """The stages on one line: full, without the name, then without what is good or waiting."""
    quiet = (StageCondition.GOOD, StageCondition.WAITING)
    for named, drop in ((True, False), (False, False), (False, True)):
        runs: list[TextRun] = (
            [TextRun(f" {fit(name, min(len(name), 28))}  ", Tone.TITLE)] if named else [TextRun(" ")]
        )
        for stage in stages:
            mark, tone = MARKS[stage.condition]
            runs.append(TextRun(f"{mark} {stage.name}", tone))
            words = "" if drop and stage.condition in quiet else stage.text
            runs.append(muted(f" {words}   " if words else "   "))
        if width_of(runs) - 3 <= width:
            break
    return tuple(runs)


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import STAGES

    run_alone(PipelineLine(), lambda widget: widget.show("hospital-access", STAGES))
