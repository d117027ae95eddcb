"""How quickly the screen starts and answers, beside a Textual app that shows one line.

    python benchmarks/screen.py [--proving]

CPU seconds (user and system), because a wall clock on a busy machine says little; best of the runs.
The first paint is the first frame that is written to a terminal of 120 by 40 and holds the session's name;
the program ends there. Of the workbench it shows the pipeline line, the place and name of every pane, and
the keys; the panes themselves come next.
Key presses are sent to the real app and waited for until everything is drawn. With ``--proving`` the
keys are measured without and with the real prover at work in its own process, one proof after the other.
A key is its own repaint: the work on the edited text, which begins once no key comes, is put off until
the presses are over (``repaint.py`` measures it).
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import sys
import tempfile
import termios
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
from workbench.old_screen import background_work
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.samples.sample import CONTENTS, POLICY, STEPS, decide_sample
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms

ROOT = Path(__file__).resolve().parent.parent
RUNS = 7
PRESSES = 60
ROWS = 100_000
FIRST_FRAME = """
import os, sys
from textual.drivers.linux_driver import LinuxDriver
write = LinuxDriver.write
def first_frame(driver, data):
    write(driver, data)
    if sys.argv[1] in data:  # the frame is on its way to the terminal
        driver._writer_thread.stop()
        os._exit(0)
LinuxDriver.write = first_frame
"""
BARE = f"""
{FIRST_FRAME}
from textual.app import App
from textual.widgets import Static
class Bare(App[None]):
    def compose(self):
        yield Static(sys.argv[1])
Bare().run()
"""
OURS = f"""
{FIRST_FRAME}
from pathlib import Path
from workbench.old_screen.start_screen import run
run(Path(sys.argv[2]))
"""
READY = f"""
from workbench.old_screen.background_work import Live
Live.open = lambda live: None  # nothing is read beside it
{OURS}
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


def spent(*programs: tuple[str, ...]) -> list[float]:
    """CPU seconds of Python programs that take turns, best of the runs."""
    return [
        min(runs) for runs in zip(*([_once(words) for words in programs] for _ in range(RUNS)), strict=True)
    ]


def _once(words: Sequence[str]) -> float:
    """CPU seconds of a Python program in a terminal of 120 by 40.

    It is compiled as an installed package is, whatever the environment says.
    """
    process, terminal = pty.fork()
    if not process:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-c", *words], environment | {"TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    with suppress(OSError):  # Linux says so that the program has ended
        while os.read(terminal, 65536):
            pass
    os.close(terminal)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{words[0]}\nended with {status}")
    return used.ru_utime + used.ru_stime


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
    begin = ("f3", "enter", "ctrl+end", "r")
    opened = asyncio.run(presses(SamplePort(assumed), begin, lambda number: ("o", "backspace")[number % 2]))
    print(f"a key that shows or hides words to take {opened:.1f} ms CPU")
    for name, key in (("down", "down"), ("a page down", "pagedown")):
        found = asyncio.run(
            presses(ManySteps(replace(CONTENTS, questions=())), ("f6",), lambda _, key=key: key)
        )
        print(f"{name} in the replay, {ROWS:,} rows".ljust(40) + f"{found:.1f} ms CPU")


def main() -> int:
    """Measure and print."""
    background_work.CHECK_SOONEST = background_work.CHECK_AFTER = 60.0
    if "--proving" in sys.argv:
        keys()
        print("while Nagini proves:")
        with proving():
            keys()
        return 0
    name = "hospital-access"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WORKBENCH_STATE_DIR"] = folder
        path = str(ROOT / "sessions" / name)
        shown, bare, ours, ready = spent(
            (HELP,), (BARE, name), (OURS, name, path), (READY, "Reading the logs.", path)
        )
    print(f"workbench --help           {shown:.2f} s CPU")
    print(f"first paint, bare Textual  {bare:.2f} s CPU")
    print(f"first paint, workbench     {ours:.2f} s CPU, {ours / bare:.2f} times the bare one")
    print(f"the panes are painted      {ready:.2f} s CPU")
    keys()
    return 0


if __name__ == "__main__":
    sys.exit(main())
