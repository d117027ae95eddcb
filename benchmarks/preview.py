"""Speed of the preview: the time for deciding all clauses after one edit.

Run: python benchmarks/preview.py [--json FILE] [SESSION...]

For each policy: the first preview without stored results, then the previews of edits; each edit changes one
place of the policy and undoes it again. An edit is timed from its text, in CPU time: "check" is reading it
into terms, "preview" the verdicts on all clauses with counterexamples. The policies are the role table and
rule cards of ``shapes`` at growing sizes, and those of the named sessions.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import process_time

from shapes import cards, hospital

from tests.plain_policies import PolicyError, check
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.lowered_policy import lowered_calls
from workbench.engines.smt.preview import preview
from workbench.engines.smt.solved_queries import forget
from workbench.model import ProofStatus
from workbench.policy.terms import PolicyTerms
from workbench.session.session import Session

EDITS = 20
type Reader = Callable[[str], PolicyTerms]


@dataclass(frozen=True, slots=True)
class Row:
    """CPU milliseconds. ``worst`` is the slowest preview of an edit; ``refuted`` edits broke a clause."""

    policy: str
    clauses: int
    edits: int
    refuted: int
    check: float
    first: float
    preview: float
    worst: float


def text_edits(source: str, read: Reader) -> Iterator[str]:
    """Yield texts of the dialect with one word, number or comparison changed before the contract."""
    head, mark, tail = source.partition("\ndef contract_" if "\ndef contract_" in source else "\ndef allow(")
    places = list(re.finditer(r'"[a-z][^"\n]*", |(?<![<>=!])(?:<|>)(?!=)|\b\d+\b', head))
    step = max(1, len(places) // (3 * EDITS))
    for place in places[::step]:
        text = place.group()
        new = {"<": "<=", ">": ">="}.get(
            text, "" if text.startswith('"') else str(int(text) + 1) if text.isdigit() else ""
        )
        edited = head[: place.start()] + new + head[place.end() :] + mark + tail
        try:
            read(edited)
        except PolicyError:
            continue
        yield edited


def measure(name: str, source: str, read: Reader) -> Row:
    """Measure one policy."""
    forget()
    terms = read(source)
    started = process_time()
    clauses = len(preview(terms).clauses)
    first = process_time() - started
    checks: list[float] = []
    previews: list[float] = []
    refuted = 0
    for edited, _ in zip(text_edits(source, read), range(EDITS), strict=False):
        for text in (edited, source):
            begun = process_time()
            terms = read(text)
            is_read = process_time()
            proof = preview(terms)
            if text is edited:
                checks.append(is_read - begun)
                previews.append(process_time() - is_read)
                refuted += proof.status is ProofStatus.REFUTED
    return Row(
        name,
        clauses,
        len(previews),
        refuted,
        *(1000 * value for value in (median(checks), first, median(previews), max(previews))),
    )


def policies(sessions: Sequence[Path]) -> Iterator[tuple[str, str, Reader]]:
    """Yield the policies to measure by name, each with what reads its text."""
    for session in sessions:
        with Session.open(session, read_only=True) as opened:
            types = agent_types(opened.agent)
            yield (
                session.name,
                opened.written,
                lambda text, of=types: lowered_calls(check_calls(text, of)).terms,
            )
    for columns in (62, 200, 600):
        yield f"role table, {columns} columns", hospital(columns), check
    for rules in (5, 10, 20, 50, 100, 200):
        yield f"cards, {rules} rules", cards(rules), check


def main() -> None:
    """Print the table, and write it as JSON if asked."""
    parser = argparse.ArgumentParser(description="Time the preview of edits.")
    parser.add_argument("sessions", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    print("| policy | clauses | edits | refuted | check ms | first ms | edit ms (median) | edit ms (worst) |")
    print("|---|---|---|---|---|---|---|---|")
    for name, source, read in policies(options.sessions):
        row = measure(name, source, read)
        rows.append(row)
        print(
            f"| {row.policy} | {row.clauses} | {row.edits} | {row.refuted} | {row.check:.1f} "
            f"| {row.first:.1f} | {row.preview:.1f} | {row.worst:.1f} |"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
