"""The first minute at the screen: three things to do, each complete when it is done."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.app.session_state import SessionState
from workbench.model import Verdict
from workbench.tones import Tone
from workbench.tui.change_walk import Walk
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import paragraph
from workbench.tui.widgets.lines import PlainLines, Row

STEPS = (
    "This session is finished but for one answer, which was taken back for you to give: press the digit of "
    "what you mean. The line below says what that changed.",
    "Change a number until a recorded call turns, such as 300 in the place of 3000: v goes to the rule that "
    "changed, e edits it, Esc keeps it.",
    "Look at a call that is denied now: v walks on to it, or Tab to the calls and press Enter.",
)


class FirstMinute(PlainLines):
    """The next step, until all are done or Esc skips them."""

    def __init__(self) -> None:
        """Start hidden."""
        super().__init__(id="first-minute")
        self.display = False
        self._done = 0

    @property
    def running(self) -> bool:
        """Whether a step is still to be done."""
        return bool(self.display)

    def begin(self) -> None:
        """Show the first step."""
        self.display = True
        self._show()

    def end(self) -> None:
        """Hide the steps for good."""
        self.display = False

    def take(self, state: SessionState, walk: Walk, place: Place) -> bool:
        """Go on if the present step is done; True once all steps are done."""
        if not self.running or not done(self._done, state, walk, place):
            return False
        self._done += 1
        if self._done == len(STEPS):
            self.end()
            return True
        self._show()
        return False

    def _show(self) -> None:
        at = self._done
        self.show_rows(lambda width: step_rows(at, width))
        self.refresh(layout=True)


def done(step: int, state: SessionState, walk: Walk, place: Place) -> bool:
    """Whether a step is done: an answer given, a rule edited so that calls turn, a denied call looked at."""
    if step == 0:
        answered = any(not question.opened for question in walk.changes.questions)
        return answered or bool(state.requirements and not state.open)
    if step == 1:
        return not walk.label.startswith("Answered") and bool(walk.changes.rules and walk.changes.calls)
    if place.view is not ViewName.RUNS or place.kind is not PlaceKind.CALL:
        return False
    position = int(place.name)
    return position < len(state.verdicts) and state.verdicts[position] is Verdict.DENY


def step_rows(step: int, width: int) -> Sequence[Row]:
    """The rows of the step to do, and how to skip it."""
    number = TextRun(f"{step + 1} of {len(STEPS)}  ", Tone.ACCENT)
    return paragraph(line(number, TextRun(STEPS[step], Tone.TITLE), muted("   Esc skips")), width, indent=1)
