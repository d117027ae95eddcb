"""The screen: CPU time until it is useful, CPU time of keys, losses by a kill.

    python benchmarks/screen.py [start] [long] [reading] [filter] [kill [ROUNDS]] [typing [SECONDS [CALLS]]]

Without a word all but the last are measured. ``typing`` types at random, ten minutes without a number, in a
session of 1,000 sentences, 200 rules and 100,000 calls, and now and then pastes 200 kB; the CPU time of a key
is that of the thread that draws, until it rests. Other CPU time is that of the process of the screen, user
and system, all its threads, from its start until a text is on a terminal of 120 by 40. The terminal and the
verifier are other processes. No part of the screen is switched off.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the terminal is that of the tests

from tests.app.refund_desk import refund_desk  # noqa: E402
from tests.tui.terminal import WITHOUT_PROVER, Terminal  # noqa: E402
from workbench.app.workbench import Workbench  # noqa: E402
from workbench.tui.messages import ViewName  # noqa: E402
from workbench.tui.screen_memory import Remembered  # noqa: E402
from workbench.tui.widgets.recorded_call_list import SearchTexts  # noqa: E402

type Waits = tuple[Callable[[str], bool], ...]

SHIPPED = ROOT / "sessions" / "travel-desk"
SCREEN = """
import sys
from workbench.cli import main
sys.exit(main())
"""
BARE = """
from textual.app import App
from textual.widgets import Static

class Bare(App):
    def compose(self):
        yield Static("one line")

Bare().run()
"""
TIMES = 5
LONG = 20_000
LONG_TIMES = 3
MANY = 100_000
TYPED = ("d", "de", "den", "deny", "deny b", "deny book", "zzz", "2026-03", "p", "pay_invoice")


def desk(folder: Path) -> Path:
    """A copy of the travel desk."""
    return Path(shutil.copytree(SHIPPED, folder / "travel-desk", ignore=shutil.ignore_patterns(".workbench")))


def left_in(session: Path, folder: Path, view: ViewName) -> Path:
    """The folder of the screen's memory, in which the session was left in a view."""
    remembered = Remembered(folder / "state")
    remembered.opened(session, view)
    return folder / "state"


def cpu(process: int) -> float:
    """CPU seconds of another process so far, all its threads."""
    return time.clock_gettime((~process << 3) | 2)  # the clock of a process, as Linux numbers them


def until(code: str, words: tuple[str, ...], waits: Waits, state: str) -> list[float]:
    """CPU seconds of a process from its start until its screen fulfils each of these, in this order."""
    terminal = Terminal(
        code, *words, environment={"WORKBENCH_STATE_DIR": state, "WORKBENCH_SHARED_PROVER": "0"}
    )
    seconds: list[float] = []
    for holds in waits:
        terminal.wait(lambda holds=holds: holds(terminal.text))
        assert terminal.process.pid is not None
        seconds.append(cpu(terminal.process.pid))
    terminal.kill()
    return seconds


def shown(name: str, rounds: list[list[float]], parts: tuple[str, ...]) -> None:
    """Print least and median of every part."""
    for part, seconds in zip(parts, zip(*rounds, strict=True), strict=True):
        print(f"{name}, {part}: least {min(seconds):.2f} s, median {statistics.median(seconds):.2f} s")


def start() -> None:
    """The first paint, and the first useful screen: the policy with its decisions."""
    with tempfile.TemporaryDirectory() as folder:
        session = desk(Path(folder))
        words = ("open", str(session))
        waits: Waits = (
            lambda text: "travel-desk" in text,
            lambda text: " def " in text and " calls: " in text,
        )
        state = left_in(session, Path(folder), ViewName.POLICY)
        until(SCREEN, words, waits, str(state))
        bare = [until(BARE, (), (lambda text: "one line" in text,), str(state)) for _ in range(TIMES)]
        ours = [until(SCREEN, words, waits, str(state)) for _ in range(TIMES)]
    shown("a bare Textual app", bare, ("its line",))
    shown("the screen on travel-desk", ours, ("first paint", "the policy with decisions"))


def long() -> None:
    """Print times of a session with a log of many calls: its policy, its first calls, all calls decided."""
    with tempfile.TemporaryDirectory() as folder:
        session = desk(Path(folder))
        lines, calls = _log_of(session, LONG)
        (session / "logs" / "a-long-one.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        state = left_in(session, Path(folder), ViewName.RUNS)
        waits: Waits = (
            lambda text: "travel-desk" in text,
            lambda text: " calls: " in text,
            lambda text: f" {calls:,} calls: " in text and "reading" not in text,
        )
        words = ("open", str(session))
        runs = [until(SCREEN, words, waits, str(state)) for _ in range(LONG_TIMES)]
    shown(f"a log of {calls:,} calls", runs, ("first paint", "first calls, decided", "all calls, decided"))


def reading() -> None:
    """The same log without the screen: its first calls decided, and all of them."""
    with tempfile.TemporaryDirectory() as folder:
        session = desk(Path(folder))
        lines, calls = _log_of(session, LONG)
        (session / "logs" / "a-long-one.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        bench = Workbench.open(session)
        terms = bench.policy.terms()
        begun = time.process_time()
        bench.runs.decide(terms, bench.runs.first(terms))
        first = time.process_time() - begun
        bench.runs.decide(terms, bench.runs.current())
        whole = time.process_time() - begun
        bench.close()
    print(f"{calls:,} calls in this process: the first decided {first:.2f} s, all decided {whole:.1f} s")


def _log_of(session: Path, most: int) -> tuple[list[str], int]:
    """The lines of the session's logs repeated under new names, and the resulting number of calls."""
    entries = [json.loads(line) for log in sorted((session / "logs").iterdir()) for line in log.open()]
    lines: list[str] = []
    calls, again = sum("tool" in entry for entry in entries), 0
    while calls < most:
        again += 1
        for entry in entries:
            lines.append(json.dumps({**entry, "run": f"{entry['run']}-{again}"}))
            calls += "tool" in entry
    return lines, calls


def filtering() -> None:
    """Print the CPU time of the searching thread after a key of the filter among many calls."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench.open(desk(Path(folder)))
        state = bench.judged_state()
        assert state.logs is not None
        times = MANY // len(state.logs.calls) + 1
        calls = tuple(
            replace(call, run=f"{call.run}-{again}") for again in range(times) for call in state.logs.calls
        )[:MANY]
        logs = replace(state.logs, calls=calls)
        state = replace(state, logs=logs, decisions=(tuple(state.decisions) * times)[:MANY])
        texts, whole, never = SearchTexts(), range(MANY), threading.Event()
        begun = time.thread_time()
        texts.having(state, whole, ("nothing",), never)
        print(f"texts of {MANY:,} calls, once: {time.thread_time() - begun:.2f} s in a thread of their own")
        keys: list[float] = []
        for typed in TYPED:
            begun = time.thread_time()
            matches = texts.having(state, whole, tuple(typed.split()), never)
            keys.append(time.thread_time() - begun)
            print(f"  {typed!r}: {keys[-1] * 1000:.1f} ms, {len(matches):,} calls")
        bench.close()
    print(
        f"a key of the filter: median {statistics.median(keys) * 1000:.1f} ms, most {max(keys) * 1000:.1f} ms"
    )


def kill(rounds: int) -> None:
    """Answer or type into the policy, kill the screen at a random moment, and open the session again."""
    chance = random.Random(7)
    intact, lost = 0, list[int]()
    with tempfile.TemporaryDirectory() as parent:
        known = _both_ends(Path(parent) / "ends")
        for number in range(rounds):
            folder = Path(parent) / f"{number}"
            session = _desk_with_question(folder)
            if number % 2:
                missing = _typed_and_killed(session, folder, chance)
                lost.append(max(missing, 0))
                intact += missing >= 0
            else:
                _answered_and_killed(session, folder, chance)
                intact += _content(session) in known
    print(f"{rounds} rounds: {intact} sessions intact")
    if lost:
        print(f"keys lost, one typed every 30 ms: most {max(lost)}, median {statistics.median(lost)}")


def _desk_with_question(folder: Path) -> Path:
    return refund_desk(folder / "refunds", left_open=1)


def _both_ends(folder: Path) -> list[tuple[str, ...]]:
    """The content of the session before the answer, and after it."""
    session = _desk_with_question(folder)
    before = _content(session)
    bench = Workbench.open(session)
    (question,) = bench.state().open
    bench.questions.answer(question, question.options[1].value)
    bench.close()
    return [before, _content(session)]


def _content(session: Path) -> tuple[str, ...]:
    """The policy, the answers and the cases of the session after opening it again."""
    bench = Workbench.open(session)
    try:
        assumption_lines = sorted(
            f"{assumption.question} {assumption.value}" for assumption in bench.session.assumptions
        )
        return (
            bench.session.written,
            *assumption_lines,
            *(f"{case.id} {case.expected}" for case in bench.session.cases),
        )
    finally:
        bench.close()


def _opened(session: Path, folder: Path, view: ViewName) -> Terminal:
    state = left_in(session, folder, view)
    terminal = Terminal(WITHOUT_PROVER, "open", str(session), environment={"WORKBENCH_STATE_DIR": str(state)})
    terminal.until(" calls: ", "? 1 question")
    return terminal


def _answered_and_killed(session: Path, folder: Path, chance: random.Random) -> None:
    terminal = _opened(session, folder, ViewName.AUTHOR)
    terminal.until(" answer   ")
    terminal.press("2")
    time.sleep(chance.uniform(0.0, 3.0))
    terminal.kill()


def _typed_and_killed(session: Path, folder: Path, chance: random.Random) -> int:
    """The number of last typed keys that are lost; less than 0 if the stored text is damaged."""
    terminal = _opened(session, folder, ViewName.POLICY)
    terminal.press("g", "e")
    terminal.until("EDIT")
    typed = "#"
    terminal.press("#")
    end = time.monotonic() + chance.uniform(0.5, 4.0)
    while time.monotonic() < end:
        key = chance.choice("abcdefgh")
        terminal.press(key)
        typed += key
        time.sleep(0.03)
    terminal.kill()
    bench = Workbench.open(session)
    try:
        stored = bench.editing.kept_edit
        if stored is None:
            return len(typed)
        kept_length = next((length for length in range(len(typed), 0, -1) if typed[:length] in stored), 0)
        return (
            len(typed) - kept_length
            if stored.replace(typed[:kept_length], "", 1) == bench.session.written
            else -1
        )
    finally:
        bench.close()


SENTENCES, RULES = 1_000, 200
RESTS = 0.15
"""Seconds in which the drawing thread takes no CPU time, and wants none, after which a key is answered."""
_LAST_SENT = 4_096
WORDS = ("The agent must not pay an invoice if the total is more than 5", "x", "(", " ", ".", "“")
KEYS = (
    *("j", "k", "Down", "Up", "Down", "Up", "Tab", "Enter", "Enter", "Esc", "Esc", "Esc", "Left", "Right"),
    *("A", "P", "R", "M", "E", "n", "n", "N", "v", "g", "G", "z", "w", "s", "?", "/", ":", "e", "a", "f"),
    *("1", "2", "p", "u", " ", "\x06", "\x02", *WORDS),
)  # fmt: skip
PASTE = f"\x1b[200~{'Never pay twice, whoever asks for it. ' * 5_400}\x1b[201~"


def large(folder: Path, calls: int) -> Path:
    """A session of many sentences, rules and calls: those of the travel desk, repeated."""
    session = desk(folder)
    said = "\n".join(
        f"- Desk {number} pays for trip {number} what page {number} says." for number in range(SENTENCES)
    )
    request, policy = session / "request.md", session / "policy.py"
    request.write_text(f"{request.read_text(encoding='utf-8')}\n## Desks\n\n{said}\n", encoding="utf-8")
    rules = "\n".join(
        f'def forbid_desk_{number}(call: PayInvoice) -> bool:\n    """Desk {number} pays nothing large."""\n'
        f'    return call.total > Decimal("{900_000 + number}")\n\n'
        for number in range(RULES)
    )
    text = policy.read_text(encoding="utf-8")
    at = text.index("def contract_")
    policy.write_text(f"{text[:at]}{rules}\n{text[at:]}", encoding="utf-8")
    lines, _ = _log_of(session, calls)
    (session / "logs" / "a-long-one.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return session


def _drawn(process: int) -> float:
    """CPU seconds of the thread that draws, the first of its process."""
    return int(Path(f"/proc/{process}/task/{process}/schedstat").read_text().split()[0]) / 1e9


def _sleeps(process: int) -> bool:
    """Whether the thread that draws waits for something else than a processor."""
    status = Path(f"/proc/{process}/task/{process}/stat").read_text()
    return status.rpartition(")")[2].split()[0] == "S"


def _answered(terminal: Terminal, process: int) -> float:
    """CPU seconds of the thread that draws until it rests, ten seconds at most."""
    begun = last = _drawn(process)
    rests, end = time.monotonic(), time.monotonic() + 10
    while time.monotonic() < min(end, rests + RESTS):
        with suppress(pexpect.TIMEOUT):
            terminal.take(0.01)
        terminal.sent = terminal.sent[-_LAST_SENT:]  # what a screen sends in ten minutes is long
        now = _drawn(process)
        if now > last + 0.0005 or not _sleeps(process):
            last, rests = now, time.monotonic()
    return last - begun


def typing(seconds: int, calls: int) -> None:
    """Type at random, and print the CPU time of keys, with the screen's state before the slowest ones."""
    chance, found = random.Random(11), list[tuple[float, str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        session = large(Path(folder), calls)
        state = left_in(session, Path(folder), ViewName.AUTHOR)
        environment = {"WORKBENCH_STATE_DIR": str(state)}
        terminal = Terminal(WITHOUT_PROVER, "open", str(session), environment=environment)
        terminal.until("Nothing may be", " allow ", gone="reading")
        process = terminal.process.pid
        assert process is not None
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            key = PASTE if chance.random() < 0.005 else chance.choice(KEYS)
            before = terminal.text.splitlines()
            if key == "Enter" and "─Commands" in terminal.text:
                key = "Esc"  # one of the commands leaves the screen
            for one in key if key in WORDS else (key,):
                terminal.press(one)
                found.append(
                    (_answered(terminal, process), one[:20], f"{before[0][-40:].strip()} {before[1]}")
                )
        with suppress(pexpect.ExceptionPexpect):  # a loaded machine ends it later
            terminal.kill()
    times = sorted(spent for spent, _, _ in found)
    print(f"{len(times):,} keys: median {statistics.median(times) * 1000:.0f} ms, ", end="")
    print(f"99 of 100 below {times[len(times) * 99 // 100] * 1000:.0f} ms, ", end="")
    print(f"above 100 ms {sum(spent > 0.1 for spent in times)}, most {times[-1] * 1000:.0f} ms")
    for spent, key, place in sorted(found, reverse=True)[:20]:
        print(f"  {spent * 1000:.0f} ms  {key!r}  {place[:110]}")


def main(words: list[str]) -> None:
    """Measure what is named, or everything."""
    numbers = [int(word) for word in words if word.isdigit()]
    rounds = next(iter(numbers), 10)
    named = [word for word in words if not word.isdigit()] or ["start", "long", "reading", "filter", "kill"]
    known = {
        "start": start,
        "long": long,
        "reading": reading,
        "filter": filtering,
        "kill": lambda: kill(rounds),
        "typing": lambda: typing(*(numbers + [600, MANY][len(numbers) :])),
    }
    for word in named:
        known[word]()


if __name__ == "__main__":
    main(sys.argv[1:])
