"""The steps that are not allowed, by cause; a whole group is judged at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from workbench.clean_text import one_line
from workbench.old_screen.actions import bindings
from workbench.old_screen.plain import TextRun, Tone, line, muted, wrap
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import VERDICT_TONE, paragraph, plural
from workbench.old_screen.widgets.lines import Row, RowList

if TYPE_CHECKING:
    from workbench.old_screen.replay_state import Cause

MOST_LINES = 6
JUDGED = {"right": TextRun("  right", Tone.GOOD), "false alarm": TextRun("  false alarm", Tone.WARN)}


class CauseList(RowList):
    """The causes, the largest group first; the key of a row is the group's."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("causes")]

    @dataclass
    class Judged(Message):
        """The user says of a whole group that it is denied rightly, or that it is a false alarm."""

        key: str
        right: bool

    def show(self, causes: Sequence[Cause] | None) -> None:
        """Show the groups; None while they are being found."""
        if causes is None and self.key:
            return  # those of a moment ago stay until it is known what became of them
        self.show_rows(lambda width: cause_rows(causes, width))

    def action_judge(self, right: bool) -> None:
        """Judge the marked group."""
        if self.key:
            self.post_message(self.Judged(self.key, right))


def cause_rows(causes: Sequence[Cause] | None, width: int) -> list[Row]:
    """A line for each group, and how to judge one."""
    if causes is None:
        return paragraph(line(muted("Finding the causes.")), width)
    if not causes:
        return paragraph(line(muted("Every step is allowed.")), width)
    rows = [row for cause in causes for row in cause_group(cause, width)]
    hint = "Enter shows the steps of a group, r judges it right, f a false alarm; both become cases."
    return [*paragraph(line(muted(hint)), width), *rows]


def cause_group(cause: Cause, width: int) -> list[Row]:
    """A group: how many steps, in how many runs, what was said of it, and the cause."""
    count = f"{len(cause.steps):>6,} "
    judged = JUDGED.get(cause.judged, TextRun(""))
    text = line(
        TextRun(count, VERDICT_TONE[cause.verdict]),
        one_line(cause.title),
        muted(f"  {plural(cause.runs, 'run')}"),
        judged,
    )
    return [Row(part, cause.key) for part in wrap(text, width, indent=len(count), limit=MOST_LINES)]


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample_replay import CAUSES

    run_alone(CauseList(), lambda widget: widget.show(CAUSES))
