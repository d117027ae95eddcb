"""CPU seconds of a session with records: replay from the start of the command, preview, live calls, strength.

Run: python benchmarks/desk_speed.py SESSION LOG

The seconds are of this process and its children, so that other work on the machine counts little; the best of
a few runs counts. An edit changes one rule so that it never fires; the preview decides all clauses before and
after it. A live call is one in a run in which every earlier call was answered. It is measured in a process
that only guards, from its first call on, with what is compiled for it: in another process its calls would pay
for the memory that other measurements leave behind.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from workbench.app.workbench import Workbench
from workbench.check.strength import Fate
from workbench.engines.smt.preview import preview
from workbench.engines.smt.solved_queries import forget
from workbench.guard import Mode, Strategy, ToolCall
from workbench.policy.terms import Constant, PolicyTerms

REPEATS = 3
LENGTHS = (100, 400, 1600)


def best(measured: Callable[[], float]) -> float:
    """The smallest of a few measurements."""
    return min(measured() for _ in range(REPEATS))


def replay_seconds(session: Path, log: Path) -> float:
    """CPU seconds of the command ``workbench replay`` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(Path(sys.executable).with_name("workbench")), "replay", str(session), "--log", str(log)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def preview_seconds(terms: PolicyTerms) -> dict[str, float]:
    """CPU seconds of the first preview, and of one after an edit of each rule that forbids."""
    rounds = [preview_round(terms) for _ in range(REPEATS)]
    first, *edits = (min(seconds) for seconds in zip(*rounds, strict=True))
    return {"preview_first": first, "preview_edit_median": median(edits), "preview_edit_worst": max(edits)}


def preview_round(terms: PolicyTerms) -> list[float]:
    """CPU seconds of the first preview, then of each edit, without stored results of the solver."""
    forget()
    seconds = [preview_takes(terms)]
    for edited in (rule for rule in terms.rules if rule.forbids):
        rules = tuple(replace(rule, body=Constant(False)) if rule is edited else rule for rule in terms.rules)
        seconds.append(preview_takes(replace(terms, interpreted=True, rules=rules)))
    return seconds


def preview_takes(terms: PolicyTerms) -> float:
    """CPU seconds of one preview."""
    start = process_time()
    preview(terms)
    return process_time() - start


def milliseconds_a_call(bench: Workbench, log: Path, length: int) -> float:
    """CPU milliseconds of a live call in a run of ``length`` calls, made of the calls of a log."""
    calls = [call for call in bench.runs.load([log]).calls if call.tool is not None]
    guard = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.SHADOW).run()
    gc.collect()  # what reading the log left behind is not of a guard
    start = process_time()
    for number in range(length):
        call = calls[number % len(calls)]
        outcome = guard.check(ToolCall(call.tool or "", call.arguments or {}))
        guard.finish(outcome, call.result, failed=call.failed)
    return (process_time() - start) / length * 1000


def live_milliseconds(session: Path, log: Path, length: int) -> float:
    """The same, measured in a process of its own."""
    command = [sys.executable, str(Path(__file__)), str(session), str(log), "--live", str(length)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("session", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("--live", type=int, default=0, help="only a live call, of so many")
    namespace = parser.parse_args()
    bench = Workbench.open(namespace.session, read_only=True)
    bench.enforced.needed()  # without an accepted version each call would be denied at once
    if namespace.live:
        print(milliseconds_a_call(bench, namespace.log, namespace.live))
        return
    figures: dict[str, float] = {
        "replay_seconds": best(lambda: replay_seconds(namespace.session, namespace.log))
    }
    figures.update(preview_seconds(bench.policy.terms()))
    for length in LENGTHS:
        live = partial(live_milliseconds, namespace.session, namespace.log, length)
        figures[f"live_ms_of_{length}"] = best(live)
    start = process_time()
    report = bench.strength.measure(bench.policy.terms())
    figures["strength_seconds"] = process_time() - start
    figures["wrong_versions"] = len(report.results)
    figures["refused"] = len(report.having(Fate.KILLED))
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
