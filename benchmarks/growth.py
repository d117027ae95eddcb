"""Growth of the time of proofs and previews with the size of the policy, in a table.

Run: python benchmarks/growth.py [--rules N...] [--columns N...] [--json FILE]

The policies are those of ``shapes``: cards with a clause each, and a role table over columns. "first" is the
proof of all clauses without stored results, in a warm prover. "edit" is the proof after a boundary or a
column was changed. "preview" is the solver's verdict on all clauses, without stored results. Times are
wall-clock seconds. Sizes that are in the JSON file already are not measured again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from shapes import cards, hospital

from tests.plain_policies import check
from workbench.check.proof.prover import Prover
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.smt.preview import preview
from workbench.engines.smt.solved_queries import forget
from workbench.model import ProofStatus

RULES = (5, 10, 20, 50, 100, 200)
COLUMNS = (60, 200, 600)


@dataclass(frozen=True, slots=True)
class Point:
    """One size: seconds, and the number of clauses that were decided correctly."""

    kind: str
    size: int
    clauses: int
    decided: int
    first: float
    edit: float
    preview: float


def measure(prover: Prover, kind: str, size: int) -> Point:
    """Measure one size; the edit breaks exactly one clause or none."""
    source, edited = (
        (cards(size), cards(size, slip=0)) if kind == "rules" else (hospital(size), hospital(size, swap=True))
    )
    terms, changed = check(source), check(edited)
    forget()
    started = time.perf_counter()
    preview(terms)
    previewed = time.perf_counter()
    first = prover.prove(terms)
    proved = time.perf_counter()
    again = prover.prove(changed)
    ended = time.perf_counter()
    decided = sum(clause.status is ProofStatus.PROVED for clause in first.clauses)
    if sum(clause.status is ProofStatus.REFUTED for clause in again.clauses) != 1:
        decided = -decided
    seconds = (proved - previewed, ended - proved, previewed - started)
    return Point(kind, size, len(first.clauses), decided, *seconds)


def run(wanted: Mapping[str, Sequence[int]], points: list[Point], file: Path | None) -> None:
    """Measure the sizes without a stored figure, smallest first, and store each at once."""
    known = {(point.kind, point.size) for point in points}
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)
        try:
            prover.prove(check(cards(2)))
            for kind, sizes in wanted.items():
                for size in sizes:
                    if (kind, size) not in known:
                        points.append(measure(prover, kind, size))
                        print(points[-1], flush=True)
                        if file is not None:
                            file.write_text(json.dumps([asdict(point) for point in points], indent=1) + "\n")
        finally:
            prover.close()


def main() -> None:
    """Measure, print a table, write the figures."""
    parser = argparse.ArgumentParser(description="Growth of proofs and previews.")
    parser.add_argument("--rules", type=int, nargs="*", default=RULES)
    parser.add_argument("--columns", type=int, nargs="*", default=COLUMNS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    points: list[Point] = []
    if options.json is not None and options.json.exists():
        points = [Point(**fields) for fields in json.loads(options.json.read_text())]
    wanted: dict[str, Sequence[int]] = {"rules": options.rules, "columns": options.columns}
    if any(
        (kind, size) not in {(p.kind, p.size) for p in points} for kind in wanted for size in wanted[kind]
    ):
        run(wanted, points, options.json)
    print("\n| policy | clauses | decided | proof, first s | proof after an edit s | preview, first s |")
    print("|---|---:|---:|---:|---:|---:|")
    for point in sorted(points, key=lambda measured_point: (measured_point.kind, measured_point.size)):
        cells = f"{point.first:.1f} | {point.edit:.1f} | {point.preview:.3f}"
        print(f"| {point.size} {point.kind} | {point.clauses} | {point.decided} | {cells} |")


if __name__ == "__main__":
    main()
