"""Decisions and explanations of a session's policy on labelled recordings, compared with controls.

Run: python benchmarks/decisions.py SESSION DATA...

SESSION is a session folder whose policy is written. DATA are log files whose records have ``label`` (1: to be
denied) and sometimes ``inaccessible`` (the items that a denial must name, as ``{"database": ["column"]}``).
Nothing is learnt from the labels. A call that cannot be evaluated counts as wrong for either label. Intervals
are 95 % Wilson score intervals.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from workbench.engines.compiled.compile import compile_policy
from workbench.model import CallDecision, Json, Verdict, WorkbenchError
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.logs.importer import run_id
from workbench.runs.logs.log_stream import LogSource
from workbench.runs.replay import replay
from workbench.session import Session

_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Truth:
    """The label that the authors of a record gave it."""

    denied: bool
    items: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One decided call with its label."""

    truth: Truth
    verdict: Verdict
    items: frozenset[str]


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % score interval of a share; (0, 1) if the total is 0."""
    if total == 0:
        return 0.0, 1.0
    share = hits / total
    spread = _Z * sqrt(share * (1 - share) / total + _Z * _Z / (4 * total * total))
    middle = share + _Z * _Z / (2 * total)
    scale = 1 + _Z * _Z / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def truths(path: Path) -> Mapping[str, Truth]:
    """The labels of a file by run id."""
    source = LogSource(path)
    truth_by_run: dict[str, Truth] = {}
    for record in source.records():
        value = record.value
        if isinstance(value, dict) and "label" in value:
            truth_by_run[run_id(value, source, record.line)] = Truth(bool(value["label"]), _items(value))
    return truth_by_run


def _items(record: Mapping[str, Json]) -> frozenset[str] | None:
    tables = record.get("inaccessible")
    if not isinstance(tables, dict):
        return None
    return frozenset(
        f"{table}.{column}"
        for table, columns in tables.items()
        for column in (columns if isinstance(columns, list) else [])
    )


def outcomes(session: Session, path: Path) -> Iterator[Outcome]:
    """Every labelled call of the file, decided by the session's policy."""
    labels = truths(path)
    policy = compile_policy(session.evaluated().terms)
    extractor = Extractor(session.spec.arguments, session.spec)
    for decided in replay(policy, extractor, load_runs([path]).runs):
        if decided.run in labels:
            yield Outcome(labels[decided.run], decided.decision.verdict, named(decided))


def named(decided: CallDecision) -> frozenset[str]:
    """The items that the violations of a call name."""
    return frozenset(item for violation in decided.decision.violations for item in violation.items)


def share(hits: int, total: int) -> str:
    """A share with its interval, in percent."""
    if total == 0:
        return "-"
    low, high = wilson(hits, total)
    return f"{100 * hits / total:.1f} ({100 * low:.1f}-{100 * high:.1f}), {hits}/{total}"


def row(name: str, session_outcomes: Sequence[Outcome], decide: Callable[[Outcome], Verdict]) -> str:
    """One line of the table."""
    pairs = [(outcome.truth.denied, decide(outcome)) for outcome in session_outcomes]
    wanted = {True: Verdict.DENY, False: Verdict.ALLOW}
    denied = [(truth, verdict) for truth, verdict in pairs if verdict is Verdict.DENY]
    should = [verdict for truth, verdict in pairs if truth]
    cells = [
        name,
        share(sum(verdict is wanted[truth] for truth, verdict in pairs), len(pairs)),
        share(sum(truth for truth, _ in denied), len(denied)),
        share(sum(verdict is Verdict.DENY for verdict in should), len(should)),
        str(sum(truth and verdict is Verdict.ALLOW for truth, verdict in pairs)),
        str(sum(verdict is Verdict.CANNOT_EVALUATE for _, verdict in pairs)),
    ]
    return "| " + " | ".join(cells) + " |"


def explanations(session_outcomes: Sequence[Outcome]) -> str:
    """The share of denials with exactly the items of the label, among the calls to be denied."""
    graded = [
        outcome for outcome in session_outcomes if outcome.truth.denied and outcome.truth.items is not None
    ]
    return share(sum(outcome.items == outcome.truth.items for outcome in graded), len(graded))


def report(session: Session, path: Path) -> None:
    """Print the table of one file."""
    session_outcomes = list(outcomes(session, path))
    if not session_outcomes:
        raise WorkbenchError(f"{path} holds no record with a label.")
    print(f"## {path.parent.name}/{path.name}: {len(session_outcomes)} calls\n")
    print(
        "| guard | decision equals label, % | precision, % | recall, % | wrongly allowed | cannot evaluate |"
    )
    print("|---|---|---|---|---:|---:|")
    print(row("policy of the session", session_outcomes, lambda outcome: outcome.verdict))
    print(row("deny all (control)", session_outcomes, lambda _outcome: Verdict.DENY))
    print(row("allow all (control)", session_outcomes, lambda _outcome: Verdict.ALLOW))
    print(f"\nItems of the denial exactly as labelled, %: {explanations(session_outcomes)}\n")


def main() -> int:
    """Print one table for each file."""
    if len(sys.argv) < 3:
        print("usage: python benchmarks/decisions.py SESSION DATA...", file=sys.stderr)
        return 2
    try:
        session = Session.open(Path(sys.argv[1]), read_only=True)
        for name in sys.argv[2:]:
            report(session, Path(name))
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
