"""From an edit of the policy to the end of the repaint, with every loaded step decided again.

    python benchmarks/repaint.py [STEPS...]

The log of payments of ``redecide.py`` is loaded into the real screen; then a limit in the policy is
edited in the editor, and the time runs until the first paint with the decisions of the edited text.
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
from textual.message import Message

from workbench.model import Step, StepDecision
from workbench.outcomes import Logs
from workbench.policy.check import check
from workbench.policy.compile import compile_policy
from workbench.policy.terms import PolicyTerms
from workbench.replay.again import Redecider
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CHECK_AFTER, CHECK_SOONEST
from workbench.tui.messages import Decided
from workbench.tui.sample import CONTENTS
from workbench.tui.sample_port import SamplePort
from workbench.tui.widgets.editor import Editor

EDITS = 5


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
class Edit:
    """Milliseconds from a key to the end of the repaint."""

    clock: float
    cpu: float


async def edits(logs: Logs) -> list[Edit]:
    """Edit the limit again and again, and wait for the paint each time."""
    app = WorkbenchApp(Payments(logs))
    app.animation_level = "none"
    painted = asyncio.Event()

    def heard(message: Message) -> None:
        if isinstance(message, Decided):
            app.call_after_refresh(painted.set)

    found: list[Edit] = []
    async with app.run_test(size=(160, 48), message_hook=heard) as pilot:
        while app.busy:
            await pilot.pause(0.05)
        await pilot.press("f3", "enter")
        editor = app.query_one(Editor)
        row = next(at for at, line in enumerate(editor.text.splitlines()) if 'Decimal("' in line)
        column = editor.document.get_line(row).index('Decimal("') + len('Decimal("')
        for number in range(EDITS):
            while app.busy:
                await pilot.pause(0.05)
            painted.clear()
            clock, cpu = time.perf_counter(), time.process_time()
            editor.replace(str(400 + number), (row, column), (row, column + 3))
            await painted.wait()
            found.append(Edit(1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - cpu)))
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
