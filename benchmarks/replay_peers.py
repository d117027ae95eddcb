"""Import and replay of tool calls by two versions of a policy, compared with permdiff on the same file.

Run: python benchmarks/replay_peers.py [CALLS]

Writes CALLS (default 100,000) calls in permdiff's own JSONL, which the workbench imports too, and runs each
tool on it in a process of its own: read the file, decide every call by the old and the new version, count
newly allowed and newly denied calls. Both must count the same. permdiff gets its fastest engine, a Python
callable, and is called through its API, so that neither its rendering nor its command line is counted. Every
call has different arguments, so that no cache of decisions can help, unless ``--repeating`` is given. Install
it with ``pip install --group bench`` (pip 25.1, or uv); without it only the workbench is measured. CPU is
user and system time of the whole process.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from workbench.model import AgentSpec, ArgumentType, ContextField, Json, Kind, Tool

# The peer's values are read as JSON.
# pyright: reportAny=false, reportExplicitAny=false

ROUNDS = 3
TOOLS = ("read_file", "send_money", "send_email", "delete_file")

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}, "target": {"type": "string"}, "note": {"type": "string"}},
    "required": ["amount", "target", "note"],
}
SPEC = AgentSpec(
    "agent",
    tools=tuple(Tool(name, "", SCHEMA) for name in TOOLS),
    context={"role": ContextField(ArgumentType(Kind.STR), "principal.attrs.role")},
)
OLD = '''"""Payments."""

from agent import DeleteFile, Run, SendEmail, SendMoney

DEFAULT = "allow"


def forbid_large(call: SendMoney) -> bool:
    """R1: No payment above 500."""
    return call.amount > 500


def forbid_guest(call: DeleteFile, run: Run) -> bool:
    """R2: Guests may not delete."""
    return run.context.role == "guest"


def forbid_outside(call: SendEmail) -> bool:
    """R3: Mail stays in the house."""
    return not call.target.endswith("@example.org")
'''
NEW = OLD.replace("amount > 500", "amount > 400").replace('role == "guest"', 'role == "visitor"')

WORKBENCH = """
import json, sys
from collections import Counter
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from replay_peers import NEW, OLD, SPEC
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Run
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import read_all
from workbench.runs.replay.decide import DecisionCache
from workbench.runs.replay.flips import flip_kind
from workbench.runs.world.earlier_calls import Earlier

lowered = [lowered_policy(text, SPEC) for text in (OLD, NEW)]
old, new = (DecisionCache(compile_policy(one.terms)) for one in lowered)
extractor = Extractor(lowered[0].arguments, SPEC)
counts = Counter()
for run in read_all([Path(sys.argv[1])]):
    for place, call in enumerate(run.calls if isinstance(run, Run) else ()):
        extracted = extractor.extract(call, Earlier(run.calls, place))
        counts[flip_kind(old.decide(extracted), new.decide(extracted)).value] += 1
allowed, denied = counts["newly-allowed"], counts["newly-denied"]
print(json.dumps({"calls": counts.total(), "allowed": allowed, "denied": denied}))
"""

PERMDIFF_POLICY = """
def decide(call, policy_dir):
    arguments = call.arguments
    name = call.tool.name
    if name == "send_money" and arguments["amount"] > LIMIT:
        return "deny"
    if name == "delete_file" and call.principal.attrs["role"] == ROLE:
        return "deny"
    if name == "send_email" and not arguments["target"].endswith("@example.org"):
        return "deny"
    return "allow"
"""

PERMDIFF = """
import json, sys
from collections import Counter
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import rules
from permdiff.api import diff_sources, load_traces
from permdiff.policy.source import DirectorySource
loaded = load_traces([sys.argv[1]], fmt="jsonl")
report = diff_sources(
    traces=loaded.calls, base=DirectorySource(Path(sys.argv[2]) / "old", "old"),
    head=DirectorySource(Path(sys.argv[2]) / "new", "new"),
    policy_path="rules", engine="python:rules:evaluate", import_stats=loaded.stats,
)
kinds = Counter()
for one in report.transitions:
    kinds[one.base.effect.value, one.head.effect.value] += 1
allowed, denied = kinds["deny", "allow"], kinds["allow", "deny"]
print(json.dumps({"calls": len(loaded.calls), "allowed": allowed, "denied": denied}))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall-clock and CPU seconds, peak memory in mebibytes, and its counts."""

    wall: float
    cpu: float
    memory: float
    counted: dict[str, int]


def write_calls(path: Path, count: int, *, repeating: bool) -> None:
    """Write calls of 500 users, the same in every run."""
    chance = random.Random(11)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            house = "example.org" if chance.random() < 0.8 else "elsewhere.net"
            person = number % 50 if repeating else number
            call: dict[str, Any] = {
                "id": f"call-{number}",
                "timestamp": f"2026-09-{1 + number % 28:02}T{number % 24:02}:00:00+00:00",
                "principal": {
                    "id": f"user-{number % 500}",
                    "type": "user",
                    "attrs": {"role": chance.choice(["guest", "staff", "admin"])},
                },
                "agent": {"id": "assistant"},
                "tool": {"name": chance.choice(TOOLS)},
                "arguments": {
                    "amount": chance.randint(1, 10 if repeating else 1000),
                    "target": f"person-{person}@{house}",
                    "note": "as agreed on the telephone",
                },
                "context": {"channel": "chat"},
            }
            file.write(json.dumps(call) + "\n")


def run(program: str, *arguments: str) -> Run:
    """Run a Python program in a process of its own."""
    read, write = os.pipe()
    start = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", program, *arguments],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read)],
    )
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit("a measured program failed; see above")
    counted = cast(dict[str, int], json.loads(text))
    wall = time.perf_counter() - start
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, counted)


def best(program: str, *arguments: str) -> Run:
    """The run with the least CPU time of several: other work can only add to it."""
    return min((run(program, *arguments) for _ in range(ROUNDS)), key=lambda timed_run: timed_run.cpu)


def permdiff_rules(folder: Path) -> None:
    """The same rules as a Python callable, whose limits depend on the version."""
    for version, limit, role in (("old", 500, "guest"), ("new", 400, "visitor")):
        (folder / version).mkdir()
        text = PERMDIFF_POLICY.replace("LIMIT", str(limit)).replace("ROLE", repr(role))
        (folder / version / "version.py").write_text(text)
        (folder / f"{version}_rules.py").write_text(text)
    (folder / "rules.py").write_text(
        "import new_rules, old_rules\n"
        "def evaluate(call, policy_dir):\n"
        "    version = old_rules if policy_dir.name == 'old' else new_rules\n"
        "    return version.decide(call, policy_dir)\n"
    )


def main() -> int:
    """Print the table; 1 if the two count differently."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    repeating = "--repeating" in sys.argv
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calls = folder / "calls.jsonl"
        write_calls(calls, numbers[0] if numbers else 100_000, repeating=repeating)
        size = calls.stat().st_size / 2**20
        ours = best(WORKBENCH, str(calls), str(Path(__file__).parent))
        rows = [("workbench", ours)]
        if importlib.util.find_spec("permdiff") is None:
            print("permdiff is not installed and is left out.", file=sys.stderr)
        else:
            permdiff_rules(folder)
            rows.append(("permdiff 0.5.0, Python callable", best(PERMDIFF, str(calls), str(folder))))
    kind = "repeating" if repeating else "all different"
    print(f"{ours.counted['calls']} calls ({kind}), {size:.0f} MiB of JSONL\n")
    print("| tool | wall s | CPU s | memory MiB | newly allowed | newly denied |")
    print("|---|---:|---:|---:|---:|---:|")
    for label, peer_run in rows:
        counted = peer_run.counted
        print(
            f"| {label} | {peer_run.wall:.1f} | {peer_run.cpu:.1f} | {peer_run.memory:.0f} "
            f"| {counted['allowed']} | {counted['denied']} |"
        )
    if len(rows) > 1:
        peer = rows[1][1]
        print(f"\nCPU {ours.cpu / peer.cpu:.2f} and memory {ours.memory / peer.memory:.2f} of permdiff's.")
        return 0 if peer.counted == ours.counted else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
