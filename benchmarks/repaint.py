"""From an edit of the policy to the end of the repaint, with every loaded step decided again.

    python benchmarks/repaint.py [STEPS...]

The log of payments of ``redecide.py`` is loaded into the real screen; then a limit in the policy is
edited in the editor, and the time runs until the last paint of what the decisions of the edited text change.
It includes the wait for the next key, which is told apart. Best and worst of five edits, by the clock
and in CPU time of the screen's process; no two argument vectors of the log are alike, or a thousand are.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from redecide import POLICY, load, write_log
from rich.console import RenderableType
from textual.message import Message
from textual.screen import Screen

import workbench.old_screen.app
from workbench.app.results import Logs
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Step, StepDecision
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.background_work import CHECK_AFTER, CHECK_SOONEST
from workbench.old_screen.messages import Decided
from workbench.old_screen.samples.sample import CONTENTS
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.editor import Editor
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.runs.replay.redecide import Redecider

EDITS = 5
MORE = 0.1  # seconds in which paints still belong to the decisions: panes are not all painted at once
APP_STYLES = Path(workbench.old_screen.app.__file__).with_name("app.tcss")


class Payments(SamplePort):
    """A log of payments, decided as a session decides its own."""

    def __init__(self, logs: Logs) -> None:
        """Take the loaded steps."""
        text = POLICY.replace("LIMIT", "500")
        super().__init__(replace(CONTENTS, policy=text, questions=()))
        self._steps = logs.steps
        self._redecider = Redecider(logs.steps, logs.extracted)

    def steps(self) -> tuple[Sequence[Step], int]:
        """The loaded steps."""
        return self._steps, 0

    def check(self, policy: str) -> PolicyTerms:
        """The terms of a text."""
        return check(policy)

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        """Every step, doing only what the edit changed."""
        return self._redecider.decide(compile_policy(terms), cancelled)


@dataclass(frozen=True, slots=True)
class Moment:
    """Milliseconds by the clock and of CPU time."""

    clock: float
    cpu: float


def now() -> Moment:
    """The time by both."""
    return Moment(1000 * time.perf_counter(), 1000 * time.process_time())


class Watched(WorkbenchApp):
    """Notes when what new decisions changed is painted."""

    CSS_PATH = APP_STYLES

    def __init__(self, logs: Logs) -> None:
        """Show these steps."""
        super().__init__(Payments(logs))
        self.animation_level = "none"
        self.awaited: Sequence[StepDecision] = ()
        self.painted = asyncio.Event()
        self.last = now()

    def hear(self, message: Message) -> None:
        """Wait for the paint of new decisions."""
        if isinstance(message, Decided):
            self.awaited = message.decisions

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)  # type: ignore[misc] # Textual leaves the screen's type open
        drawn = renderable is not None  # else nothing had changed since the paint before
        if drawn and self.awaited and self.board.replayed.decisions is self.awaited:
            self.last = now()
            self.painted.set()


async def edits(logs: Logs) -> list[Moment]:
    """Edit the limit again and again, and wait for the paint each time."""
    app = Watched(logs)
    found: list[Moment] = []
    async with app.run_test(size=(160, 48), message_hook=app.hear) as pilot:
        while app.busy:
            await pilot.pause(0.05)
        await pilot.press("f3", "enter")
        editor = app.query_one(Editor)
        editor.cursor_blink = False  # a paint of its own
        row = next(at for at, line in enumerate(editor.text.splitlines()) if 'Decimal("' in line)
        column = editor.document.get_line(row).index('Decimal("') + len('Decimal("')
        for number in range(EDITS):
            while app.busy:
                await pilot.pause(0.05)
            app.awaited = ()
            app.painted.clear()
            begun = now()
            editor.replace(str(400 + number), (row, column), (row, column + 3))
            await app.painted.wait()
            await asyncio.sleep(MORE)
            found.append(Moment(app.last.clock - begun.clock, app.last.cpu - begun.cpu))
            assert not app.board.replayed.stale
        await pilot.press("ctrl+q")
    return found


def main() -> int:
    """Measure and print."""
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 100_000]
    shortest, longest = 1000 * CHECK_SOONEST, 1000 * CHECK_AFTER
    print(f"The wait for the next key, {shortest:.0f} to {longest:.0f} ms, is part of the clock.\n")
    print("| steps | argument vectors | clock, ms | CPU, ms |")
    print("|---:|---|---:|---:|")
    for steps in sizes:
        for name, distinct in (("repeating", 1000), ("distinct", steps)):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "log.jsonl"
                write_log(path, steps, distinct)
                logs = load(path)
            found = asyncio.run(edits(logs))
            clocks, cpus = [one.clock for one in found], [one.cpu for one in found]
            print(
                f"| {steps:,} | {name} | {min(clocks):.0f} to {max(clocks):.0f} "
                f"| {min(cpus):.0f} to {max(cpus):.0f} |"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
