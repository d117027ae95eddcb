"""How quickly the screen starts and answers, beside a Textual app that shows one line.

    python benchmarks/screen.py [--proving]

CPU seconds (user and system), because a wall clock on a busy machine says little; best of the runs.
Key presses are sent to the real app and waited for until everything is drawn. With ``--proving`` the
keys are measured without and with the real prover at work in its own process, one proof after the other.
A key is its own repaint: the work on the edited text, which begins once no key comes, is put off until
the presses are over (``repaint.py`` measures it).
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from endurance import policy as small_policy

from workbench.check.proof import Prover, ProverCancelled, VerdictCache
from workbench.model import Step, StepDecision
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.tui import live
from workbench.tui.app import WorkbenchApp
from workbench.tui.sample import CONTENTS, POLICY, STEPS, decide_sample
from workbench.tui.sample_port import SamplePort

ROOT = Path(__file__).resolve().parent.parent
RUNS = 7
PRESSES = 60
ROWS = 100_000
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App[None]):
    def compose(self):
        yield Static("hello")
    def on_mount(self):
        self.screen.call_after_refresh(self.exit)
Bare().run(headless=True)
"""
OURS = """
import sys
from pathlib import Path
from workbench.tui.app import WorkbenchApp
from workbench.tui.live_session import LiveSession
app = WorkbenchApp(LiveSession(Path(sys.argv[1])))
app._live.open = app.exit  # the first thing after the first paint
app.run(headless=True)
"""
HELP = "import sys; from workbench.cli import main; sys.exit(main(['--help']))"


class ManySteps(SamplePort):
    """The sample with a hundred thousand steps."""

    def steps(self) -> tuple[Sequence[Step], int]:
        """The sample's steps again and again."""
        return STEPS * (ROWS // len(STEPS)), 0

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        """Their decisions."""
        del cancelled
        return tuple(decide_sample(terms)) * (ROWS // len(STEPS))


def spent(*words: str) -> float:
    """CPU seconds of a Python program, best of the runs."""
    best = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


async def presses(port: SamplePort, begin: Sequence[str], key: Callable[[int], str]) -> float:
    """CPU milliseconds from a key press to the end of the repaint, in the middle of all presses."""
    app = WorkbenchApp(port)
    app.animation_level = "none"
    times: list[float] = []
    async with app.run_test(size=(160, 48)) as pilot:
        while app.busy:
            await pilot.pause(0.05)
        await pilot.press(*begin)
        await pilot.pause()
        for number in range(PRESSES):
            start = time.process_time()
            await pilot.press(key(number))
            times.append(time.process_time() - start)
        await pilot.press("ctrl+q")
    return sorted(times)[len(times) // 2] * 1000


@contextmanager
def proving() -> Generator[None]:
    """Nagini proves one policy after the other, in its own process, from the first verdict on."""
    begun = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)

        def work() -> None:
            with suppress(ProverCancelled):
                for number in count(1):
                    prover.prove(check(small_policy(number)), time_limit=600)
                    begun.set()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        begun.wait()
        try:
            yield
        finally:
            prover.cancel()
            worker.join()
            prover.close()


def keys() -> None:
    """Measure the key presses and print."""
    text = POLICY + "".join(f"# line {number}\n" for number in range(300 - POLICY.count("\n")))
    assumed = replace(CONTENTS, policy=text, questions=())
    editor = asyncio.run(presses(SamplePort(assumed), ("f3", "enter", "ctrl+end"), lambda _: "x"))
    print(f"a key in the policy, 300 lines          {editor:.1f} ms CPU")
    for name, key in (("down", "down"), ("a page down", "pagedown")):
        found = asyncio.run(
            presses(ManySteps(replace(CONTENTS, questions=())), ("f6",), lambda _, key=key: key)
        )
        print(f"{name} in the replay, {ROWS:,} rows".ljust(40) + f"{found:.1f} ms CPU")


def main() -> int:
    """Measure and print."""
    live.CHECK_SOONEST = live.CHECK_AFTER = 60.0
    if "--proving" in sys.argv:
        keys()
        print("while Nagini proves:")
        with proving():
            keys()
        return 0
    session = str(ROOT / "sessions" / "hospital-access")
    bare, ours = spent(BARE), spent(OURS, session)
    print(f"workbench --help           {spent(HELP):.2f} s CPU")
    print(f"first paint, bare Textual  {bare:.2f} s CPU")
    print(f"first paint, workbench     {ours:.2f} s CPU, {ours / bare:.2f} times the bare one")
    keys()
    return 0


if __name__ == "__main__":
    sys.exit(main())
