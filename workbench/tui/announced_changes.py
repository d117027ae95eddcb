"""Changes that the person at the screen does not make: their effect, shown before they are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from workbench.app.session_state import SessionState
from workbench.app.what_changed import what_changed
from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.change_rows import change_rows, stops
from workbench.tui.messages import Announced, FilesTouched, Say
from workbench.tui.session_acts import Acts
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, paragraph
from workbench.tui.widgets.changed_line import changed_parts
from workbench.tui.widgets.lines import Row
from workbench.tui.widgets.pane import Pane

MOST_CHANGES = 100

KEYS = "y keeps it · Esc leaves it out"
OUTSIDE_KEYS = "y takes it over · n writes back what was there · Esc later"


class Announcing:
    """Shows changes by others (a model, a merge, another program) and keeps those that the person wants."""

    def __init__(self, app: App[None], acts: Acts) -> None:
        """Show the changes on the screens of an app."""
        self._app = app
        self._acts = acts
        self._put_off: Mapping[str, str] | None = None
        self.touched = False

    def look(self, policy: str) -> None:
        """Look at possible edits of other programs; ``policy`` is the policy's text on the screen."""
        if self.touched:
            self.touched = False
            self._acts.look_outside(policy, self._put_off)

    def show(self, event: Announced, before: SessionState) -> None:
        """Show the effect of a change on the present state, and keep the change if the person agrees."""

        def answered(keep: bool | None) -> None:
            if keep:
                self._acts.do(event.label, event.keep)
            elif event.outside_texts is not None and keep is False:
                self._acts.do(
                    f"Written back: {', '.join(event.outside_texts)}", lambda bench: bench.editing.put_back()
                )
            elif event.outside_texts is not None:
                self._put_off = event.outside_texts
                self._acts.tell_outside()

        keys = KEYS if event.outside_texts is None else OUTSIDE_KEYS
        self._app.push_screen(Announcement(event.label, before, event.after, keys), answered)

    def left(self, event: Announced) -> None:
        """Report a change as dropped, because the session changed; look again at files of other programs."""
        if event.outside_texts is None:
            self._app.post_message(
                Say(f"{event.label}: left, as the session changed meanwhile.", problem=True)
            )
        else:
            self.touched = True
            self._app.post_message(FilesTouched())


class Announcement(ModalScreen[bool | None]):
    """Shows a change; returns True to keep it, False to reject it, None to decide later."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)"),
        Binding("n", "answer(False)"),
        Binding("escape", "answer(None)"),
    ]

    def __init__(self, label: str, before: SessionState, after: SessionState, keys: str) -> None:
        """Show the difference of two states of a session."""
        super().__init__()
        self._label = label
        self._before = before
        self._after = after
        self._keys = keys

    def compose(self) -> ComposeResult:
        """A pane with all changes; its title has the keys."""
        with Vertical():
            yield Pane(self._label, id="announced")

    def on_mount(self) -> None:
        """Fill the pane."""
        pane = self.query_one("#announced", Pane)
        pane.fill(partial(announced_rows, self._before, self._after), note=self._keys)
        pane.focus()

    def action_answer(self, keep: bool | None) -> None:
        """Close the screen with an answer: keep (True), reject (False), later (None)."""
        self.dismiss(keep)


def announced_rows(before: SessionState, after: SessionState, width: int) -> Sequence[Row]:
    """The counts of all changes in a line, then each change with both versions."""
    changes = what_changed(before, after)
    rows: list[Row] = []
    for problem in after.problems:
        rows += paragraph(line(TextRun(f"✗ {one_line(str(problem))}", Tone.BAD)), width, indent=1, hang=2)
    if not changes:
        return [
            *rows,
            *paragraph(line(muted("It changes no rule, clause, case, question or decision.")), width),
        ]
    counts: list[TextRun] = []
    for part in changed_parts(changes):
        counts += [*part, TextRun("   ")]
    rows += [*paragraph(tuple(counts), width), BLANK]
    every = stops(changes)
    for number, stop in enumerate(every[:MOST_CHANGES]):
        rows += [*change_rows(stop.change, before, after, width, f"change:{number}"), BLANK]
    if len(every) > MOST_CHANGES:
        rows += paragraph(line(muted(f"and {len(every) - MOST_CHANGES:,} more")), width)
    return rows
