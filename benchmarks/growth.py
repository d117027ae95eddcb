"""Growth of the time of proofs and previews with the size of the policy, as figures and as a plot.

Run: python benchmarks/growth.py [--rules N...] [--columns N...] [--json FILE] [--svg FILE]

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
from math import log10
from pathlib import Path

from shapes import cards, hospital

from workbench.check.proof import Prover, VerdictCache
from workbench.engines.smt.preview import preview
from workbench.engines.smt.solved_queries import forget
from workbench.model import ProofStatus
from workbench.policy.check import check

RULES = (5, 10, 20, 50, 100, 200)
COLUMNS = (60, 200, 600)
LINES = {"first": "#1b6ca8", "edit": "#b85c00", "preview": "#3a7d44"}


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


def plot(points: Sequence[Point]) -> str:
    """Two panels, both axes logarithmic: a straight line at 45 degrees is linear growth."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 340"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="860" height="340" fill="white"/>',
    ]
    for place, kind in enumerate(("rules", "columns")):
        chosen = sorted((point for point in points if point.kind == kind), key=lambda point: point.size)
        parts += _panel(chosen, kind, 60 + place * 420)
    return "\n".join([*parts, "</svg>", ""])


def _panel(points: Sequence[Point], kind: str, left: int) -> list[str]:
    low, high = (5, 200) if kind == "rules" else (60, 600)
    width, height, top = 320, 240, 40
    bottom = top + height

    def across(size: float) -> float:
        return left + width * log10(size / low) / log10(high / low)

    def up(seconds: float) -> float:
        return bottom - height * (log10(max(seconds, 0.001)) + 3) / 6

    lines = [f'<text x="{left}" y="22" font-size="14">seconds, by number of {kind}</text>']
    for power in range(-3, 4):
        y = up(10.0**power)
        lines.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for size in RULES if kind == "rules" else COLUMNS:
        lines.append(f'<text x="{across(size):.1f}" y="{bottom + 18}" text-anchor="middle">{size}</text>')
    for number, (name, colour) in enumerate(LINES.items()):
        places = [(across(point.size), up(float(getattr(point, name)))) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        label = {"first": "proof, first", "edit": "proof after an edit", "preview": "preview, first"}[name]
        x = left + number * 110
        lines.append(f'<text x="{x}" y="{bottom + 40}" fill="{colour}">{label}</text>')
    return lines


def main() -> None:
    """Measure, print a table, write the figures and the plot."""
    parser = argparse.ArgumentParser(description="Growth of proofs and previews.")
    parser.add_argument("--rules", type=int, nargs="*", default=RULES)
    parser.add_argument("--columns", type=int, nargs="*", default=COLUMNS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
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
    if options.svg is not None:
        options.svg.write_text(plot(points), encoding="utf-8")


if __name__ == "__main__":
    main()
