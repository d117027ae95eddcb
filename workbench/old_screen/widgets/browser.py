"""The sessions that can be opened: those of this folder and those that were opened last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from workbench.clean_text import one_line
from workbench.old_screen.actions import bindings
from workbench.old_screen.plain import TextRun, Tone, line, muted, title
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, heading, paragraph, plural
from workbench.old_screen.widgets.lines import LineList, Row, RowList

if TYPE_CHECKING:
    from workbench.app.overview import Overview


class SessionList(RowList):
    """One entry for each session: its title, where it lies, and how it stands."""

    HELP = """The sessions in the folder where the workbench was started and in its folder sessions, and below
them those that were opened last. Enter opens the marked one."""

    def show(self, here: Sequence[Overview], recent: Sequence[Overview], current: Path | None = None) -> None:
        """Show the sessions of this folder and the recent ones."""
        self.border_title = title("Sessions")
        self.border_subtitle = title("Enter opens, Esc closes")
        self.show_rows(lambda width: browser_rows(here, recent, current, width))
        if self.cursor < 0:
            self.action_cursor(1, quiet=True)


class SessionBrowser(ModalScreen[str]):
    """The list over the screen; it ends with the path of the chosen session, or empty."""

    DEFAULT_CSS = style_sheet(__file__)
    AUTO_FOCUS = "*"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("reader")]

    def __init__(
        self, here: Sequence[Overview], recent: Sequence[Overview], current: Path | None = None
    ) -> None:
        """Take what to show; ``current`` is the session that is open."""
        super().__init__()
        self._sessions = (here, recent, current)

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield SessionList()

    def on_mount(self) -> None:
        """Fill in the list."""
        self.query_one(SessionList).show(*self._sessions)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.dismiss(self.query_one(SessionList).key)

    def action_close(self) -> None:
        """End without a choice."""
        self.dismiss("")

    def action_copy_all(self) -> None:
        """Copy the path of the marked session."""
        self.post_message(LineList.Copied(self.query_one(SessionList).key))


def browser_rows(
    here: Sequence[Overview], recent: Sequence[Overview], current: Path | None, width: int
) -> list[Row]:
    """The entries under their headings, or how to make the first session."""
    rows: list[Row] = []
    for name, found in (("In this folder", here), ("Opened last", recent)):
        if found:
            rows += [heading(name)]
            for item in found:
                rows += overview_rows(item, current, width)
            rows.append(BLANK)
    if not rows:
        text = "No session here yet. 'workbench new' makes one from a request; 'workbench tour' shows one."
        rows += paragraph(line(muted(text)), width)
    return rows


def overview_rows(item: Overview, current: Path | None, width: int) -> list[Row]:
    """A session in three lines: title, how it stands, where it lies."""
    key = str(item.path)
    if item.problem:
        rows = paragraph(line(TextRun("✗ ", Tone.BAD), one_line(item.path.name)), width, key, indent=1)
        return [*rows, *paragraph(line(muted(one_line(item.problem))), width, key, indent=3)]
    mark = TextRun("▸ ", Tone.ACCENT) if item.path == current else TextRun("  ")
    rows = paragraph(line(mark, TextRun(one_line(item.title), Tone.TITLE)), width, key, indent=1)
    words = [plural(item.assumptions, "assumption"), plural(item.cases, "case"), plural(item.logs, "log")]
    state = line(
        ", ".join(words),
        TextRun(f", {item.defaults} by default", Tone.WARN) if item.defaults else "",
        TextRun(", unsaved edits", Tone.WARN) if item.unsaved else "",
    )
    rows += paragraph(state, width, key, indent=3)
    place = line(muted(one_line(key)), muted(f"  {when(item.changed)}"))
    return [*rows, *paragraph(place, width, key, indent=3)]


def when(seconds: float) -> str:
    """A moment as a day, in universal time."""
    return datetime.fromtimestamp(seconds, UTC).strftime("changed %Y-%m-%d") if seconds else ""


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample_sessions import HERE, RECENT

    run_alone(SessionList(), lambda widget: widget.show(HERE, RECENT, HERE[0].path))
