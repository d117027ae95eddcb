"""CPU time for a full report of contract strength, and its findings.

Run: python benchmarks/strength.py [--json FILE] [SESSION...]

The policies are the role table and rule cards of ``shapes`` at growing sizes, and those of the named
sessions. The score is compared with a control: the same policy with only its first clause.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time

from shapes import cards, hospital

from workbench.app.workbench import Workbench
from workbench.check.strength import Fate, StrengthReport, strength
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms


@dataclass(frozen=True, slots=True)
class Row:
    """One report; ``seconds`` are of the processor, ``control`` is the score with the first clause alone."""

    policy: str
    mutants: int
    killed: int
    survived: int
    equivalent: int
    unknown: int
    left_out: int
    score: float | None
    control: float | None
    seconds: float


def counted(name: str, report: StrengthReport, control: StrengthReport, seconds: float) -> Row:
    """Count the fates of a report."""
    survived, equivalent, unknown = (
        len(report.having(fate)) for fate in (Fate.SURVIVED, Fate.EQUIVALENT, Fate.UNKNOWN)
    )
    return Row(
        name,
        len(report.results),
        report.killed,
        survived,
        equivalent,
        unknown,
        report.left_out,
        report.score,
        control.score,
        seconds,
    )


def policies(sessions: Sequence[Path]) -> Iterator[tuple[str, PolicyTerms]]:
    """Yield the policies to measure by name."""
    for session in sessions:
        with closing(Workbench.open(session, read_only=True)) as bench:
            yield session.name, bench.policy.terms()
    for columns in (62, 200, 600):
        yield f"role table, {columns} columns", check(hospital(columns))
    for rules in (5, 10, 20, 50):
        yield f"cards, {rules} rules", check(cards(rules))


def percent(share: float | None) -> str:
    """A share in percent."""
    return "-" if share is None else f"{100 * share:.1f} %"


def main() -> None:
    """Print the table, and write it as JSON if asked."""
    parser = argparse.ArgumentParser(description="Measure contract strength.")
    parser.add_argument("sessions", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    print(
        "| policy | mutants | killed | survived | equivalent | unknown | left out | score | first clause "
        "| CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, terms in policies(options.sessions):
        started = process_time()
        report = strength(terms)
        seconds = process_time() - started
        control = strength(replace(terms, clauses=terms.clauses[:1]), most=200)
        row = counted(name, report, control, seconds)
        rows.append(row)
        print(
            f"| {row.policy} | {row.mutants} | {row.killed} | {row.survived} | {row.equivalent} "
            f"| {row.unknown} | {row.left_out} | {percent(row.score)} | {percent(row.control)} "
            f"| {row.seconds:.1f} |"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
