"""The first minute at the screen: four things to do, each complete when it is done."""

from __future__ import annotations

from workbench.model import Verdict
from workbench.tui.change_walk import Walk
from workbench.tui.messages import PlaceKind
from workbench.tui.text_runs import accent, muted, strong
from workbench.tui.widgets.lines import PlainLines, paragraph

STEPS = (
    "R shows the calls that an agent made, each as the policy decides it: go down to one that says deny, "
    "with ↓ in the list of calls (Tab goes from pane to pane); Enter reads it.",
    "A, then ↓ to R8 and Enter: the sentence that it means. Write 300 for its first 3,000; below "
    "stands what turns. Enter keeps it; a call that breaks a promise is shown: store it anyway.",
    "n goes to what is wrong now: a promise of the contract, and a run that breaks it.",
    "u takes your change back (v walks through it first, both versions side by side).",
)


class FirstMinute(PlainLines):
    """The next step, on display until all are done or Esc skips them."""

    def __init__(self) -> None:
        """Start hidden."""
        super().__init__(id="first-minute")
        self.display = False
        self._done = 0

    def begin(self) -> None:
        """Show the first step."""
        self.display = True
        self._show()

    def take(self, walk: Walk, chosen: Verdict | None, here: PlaceKind | None) -> bool:
        """Go on if the present step is done; True once all steps are done.

        ``chosen`` is the verdict on the call at the cursor of Runs, None in other views; ``here`` is what is
        looked at.
        """
        if not self.display or not done(self._done, walk, chosen, here):
            return False
        self._done += 1
        self.display = self._done < len(STEPS)
        if self.display:
            self._show()
        return not self.display

    def _show(self) -> None:
        number = accent(f"{self._done + 1} of {len(STEPS)}  ")
        row = paragraph(number, strong(STEPS[self._done]), muted("   Esc skips"), indent=1)
        self.show_rows(lambda: [row])
        self.refresh(layout=True)


def done(step: int, walk: Walk, chosen: Verdict | None, here: PlaceKind | None) -> bool:
    """Whether a step is done: a denial is looked at, an edit turns calls, what it breaks is seen, undone."""
    edited = not walk.undone and bool(walk.changes.rules and walk.changes.calls)
    seen = walk.undone or here is PlaceKind.CLAUSE
    return (chosen is Verdict.DENY, edited, seen, walk.undone)[step]
