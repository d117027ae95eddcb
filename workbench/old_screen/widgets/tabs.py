"""The names of the panes where only one of them fits on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.old_screen.plain import TextRun, Tone, line, muted, width_of
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.lines import PlainLines


@dataclass(frozen=True, slots=True)
class Tab:
    """A pane's id, its key and its name."""

    pane: str
    key: str
    name: str


class PaneTabs(PlainLines, can_focus=False):
    """One line with all panes, the shown one marked; a click shows another."""

    DEFAULT_CSS = style_sheet(__file__)

    @dataclass
    class Wanted(Message):
        """The user clicked on a tab."""

        pane: str

    def __init__(self, tabs: Sequence[Tab], *, id: str | None = None) -> None:
        """Take the tabs in order."""
        super().__init__(id=id)
        self._tabs = tabs
        self._current = ""

    def show(self, current: str) -> None:
        """Mark the tab of a pane."""
        self._current = current
        self.show_lines(line(*(run for tab in self._tabs for run in self._runs(tab))))

    def _runs(self, tab: Tab) -> tuple[TextRun, ...]:
        tone = Tone.MARK if tab.pane == self._current else Tone.PLAIN
        return muted(f" {tab.key}"), TextRun(f" {tab.name} ", tone)

    def on_click(self, event: events.Click) -> None:
        """Show the clicked tab."""
        position = 0
        for tab in self._tabs:
            width = width_of(self._runs(tab))
            if position <= event.x < position + width:
                self.post_message(self.Wanted(tab.pane))
            position += width


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    TABS = (Tab("policy", "F3", "Policy"), Tab("cases", "F4", "Cases"), Tab("proof", "F5", "Proof"))
    run_alone(PaneTabs(TABS), lambda widget: widget.show("cases"))
