"""Time for re-deciding loaded calls after an edit, and memory per loaded call.

``python benchmarks/redecide.py [STEPS...]`` makes a log of payments, loads it once, then edits a number in
the policy and decides every call again. It prints CPU seconds, best and worst of five edits; the time
includes checking and compiling the edited text. "Repeating" logs have a thousand different argument vectors;
"distinct" logs have no two equal ones.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

from workbench.app.results import Logs
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, ArgumentType, CallDecision, ContextField, Json, Kind, Tool
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import flips
from workbench.runs.replay.redecide import Redecider

PAYMENT: dict[str, Json] = {
    "type": "object",
    "properties": {"amount": {"type": "number", "multipleOf": 0.01}, "payee": {"type": "string"}},
}
SPEC = AgentSpec(
    "payer",
    tools=tuple(Tool(name, "", PAYMENT) for name in ("pay", "read", "delete")),
    context={"role": ContextField(ArgumentType(Kind.ENUM, ("clerk", "chief")))},
)
POLICY = '''"""Payments of an agent."""

from decimal import Decimal

from agent import Delete, Pay, Read, Run

DEFAULT = "allow"
BLOCKED = {"acme", "initech"}


def forbid_large(call: Pay, run: Run) -> bool:
    """R1: Clerks pay at most so much."""
    return run.context.role == "clerk" and call.amount is not None and call.amount > Decimal("LIMIT")


def forbid_blocked(call: Pay | Read) -> bool:
    """R2: Nothing goes to blocked payees."""
    return call.payee is not None and call.payee in BLOCKED


def forbid_delete(call: Delete) -> bool:
    """R3: Nothing is deleted."""
    return True
'''


def _policy(limit: str) -> LoweredPolicy:
    return lowered_policy(POLICY.replace("LIMIT", limit), SPEC)


def write_log(path: Path, steps: int, distinct: int) -> None:
    """Write payments with this number of different argument vectors."""
    with path.open("w") as out:
        for number in range(steps):
            kind = number % distinct
            record = {
                "run": f"t{number // 10}",
                "tool": ("pay", "read", "pay", "delete")[kind % 4],
                "arguments": {"amount": kind % 977, "payee": f"p{kind}"},
                "context": {"role": ("clerk", "chief")[kind % 3 == 0]},
            }
            out.write(json.dumps(record) + "\n")


def load(path: Path) -> Logs:
    """The log with its arguments extracted."""
    extractor = Extractor(_policy("500").arguments, SPEC)
    runs = load_runs([path]).runs
    calls = tuple(call for run in runs for call in run.calls)
    extracted = tuple(
        extractor.extract(call, run.calls[:position])
        for run in runs
        for position, call in enumerate(run.calls)
    )
    return Logs(runs, calls, extracted)


def _measure(steps: int, distinct: int, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        write_log(path, steps, distinct)
        tracemalloc.start()
        logs = load(path)
        gc.collect()
        memory = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    redecider = Redecider(logs.calls, logs.extracted)
    before: Sequence[CallDecision] = redecider.decide(compile_policy(_policy("500").terms))
    seconds: list[float] = []
    changed = 0
    for edit in range(5):
        started = time.process_time()
        after = redecider.decide(compile_policy(_policy(str(400 + edit)).terms))
        seconds.append(time.process_time() - started)
        changed = sum(flip.kind.value != "same" for flip in flips(before, after))
    print(
        f"| {steps:,} | {name} | {1000 * min(seconds):.0f} | {1000 * max(seconds):.0f} | {changed:,} "
        f"| {memory / steps / 1024:.1f} |"
    )


def main() -> None:
    """Measure every requested size."""
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 100_000]
    print("| calls | argument vectors | best, ms CPU | worst, ms CPU | calls that flipped | KiB a call |")
    print("|---:|---|---:|---:|---:|---:|")
    for steps in sizes:
        _measure(steps, 1000, "repeating")
        _measure(steps, steps, "distinct")


if __name__ == "__main__":
    main()
