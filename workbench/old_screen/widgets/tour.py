"""The tour: a few steps, each beside the pane that it is about and never over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.old_screen.actions import BY_ID, bindings, keys_shown
from workbench.old_screen.key_order import KeyOrder
from workbench.old_screen.plain import TextRun, Tone, line, title
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import paragraph
from workbench.old_screen.widgets.lines import Row, RowList


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step: the pane that it is about, a heading and two or three sentences."""

    pane: str
    name: str
    text: str


STEPS = (
    TourStep(
        "rail",
        "A session",
        "On this side is what a policy is made of: the request in plain language, what could not be decided "
        "from it, and the assumptions that answers became. Everything is a file in the session's folder.",
    ),
    TourStep(
        "question",
        "Questions",
        "Where the request leaves something open, you are asked, with an input on which the answers differ. "
        "One key answers; policy, contract and cases change with it, and Ctrl+Z takes it back.",
    ),
    TourStep(
        "policy",
        "The policy",
        "Plain Python in a small dialect: forbid and permit rules, and a contract. It is checked while you "
        "type. Marks beside the lines: ✓ proved, ◇ holds in preview, ∅ vacuous, ✗ refuted, 7: denied steps.",
    ),
    TourStep(
        "cases",
        "Cases",
        "What each requirement expects, as inputs with a decision. They come from the request, not from the "
        "policy, so that an edit can fail them.",
    ),
    TourStep(
        "proof",
        "Proof",
        "Nagini proves each clause of the contract for all inputs, or a counterexample is shown. "
        "m asks how much the proof means: which wrong versions would still pass.",
    ),
    TourStep(
        "replay",
        "Replay",
        "Every recorded step of the agent, decided by the policy as it stands. d shows what is denied, / "
        "filters, w explains why. A change of the policy marks the steps that it flips.",
    ),
    TourStep(
        "policy",
        "That is all",
        "F1 helps with the pane you are in, Ctrl+P lists every command, F9 zooms. Nothing here can be lost: "
        "edits are kept as you type. 'workbench tour' shows these steps again.",
    ),
)


class Tour(KeyOrder, RowList):
    """The step of the tour, below the panes. Enter goes on, Escape ends it."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tour")]
    HELP = (
        "A tour of the screen in a few steps. Enter goes on, Backspace goes back, Escape ends it. "
        "Any other letter goes to the pane that the step is about, so that its keys can be tried at once."
    )

    @dataclass
    class At(Message):
        """The tour stands at a step about this pane; an empty pane means that it ended."""

        pane: str

    @dataclass
    class Meant(Message):
        """A key was pressed that is none of the tour's: it is meant for the pane of the step."""

        key: str
        character: str | None

    def __init__(self, steps: Sequence[TourStep] = STEPS, *, id: str | None = None) -> None:
        """Take the steps; nothing is shown until ``begin``."""
        super().__init__(id=id)
        self._steps = steps
        self._at = -1

    @property
    def running(self) -> bool:
        """Whether a step is shown."""
        return self._at >= 0

    @property
    def pane(self) -> str:
        """The pane that the step is about."""
        return self._steps[self._at].pane if self.running else ""

    def begin(self) -> None:
        """Show the first step."""
        self._go(0)

    def go_on(self) -> None:
        """Take the keyboard back, at the step that is shown."""
        self._go(self._at)

    async def on_key(self, event: events.Key) -> None:
        """Hand a letter that is none of the tour's to the pane of the step."""
        if not (self.running and event.is_printable):
            return
        event.stop()
        event.prevent_default()
        bound = self.screen.active_bindings.get(event.key)
        if bound is not None and (bound.binding.id or "").startswith("tour."):
            await self.run_action(bound.binding.action)
        else:
            self.post_message(self.Meant(event.key, event.character))

    def on_focus(self) -> None:
        """Say what Enter does."""
        self._name_keys(here=True)

    def on_blur(self) -> None:
        """Say how to come back."""
        self._name_keys(here=False)

    def _name_keys(self, *, here: bool) -> None:
        if not here:
            self.border_subtitle = title(f"{keys_shown(BY_ID['tour'])} goes on with the tour")
        elif self._at == len(self._steps) - 1:
            self.border_subtitle = title("Enter ends the tour")
        else:
            self.border_subtitle = title("Enter next · Esc ends the tour")

    def action_step(self, direction: int) -> None:
        """Show the next or the previous step; after the last the tour ends."""
        target = max(self._at + direction, 0)
        self._go(target if target < len(self._steps) else -1)

    def action_end(self) -> None:
        """End the tour."""
        self._go(-1)

    def _go(self, at: int) -> None:
        self._at = at
        if at >= 0:
            step = self._steps[at]
            self.border_title = title(f"Tour {at + 1} of {len(self._steps)}: {step.name}")
            self._name_keys(here=self.has_focus)
            self.show_rows(lambda width: tour_rows(step, width))
        self.post_message(self.At(self.pane))


def tour_rows(step: TourStep, width: int) -> list[Row]:
    """The sentences of a step."""
    return paragraph(line(TextRun("▲ ", Tone.ACCENT), step.text), width, hang=2)


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    def fill(tour: Tour) -> None:
        """Begin, where nothing but the tour is shown."""
        tour.display = True
        tour.begin()

    run_alone(Tour(), fill)
