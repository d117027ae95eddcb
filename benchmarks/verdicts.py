"""The decisions of a session against labels: for each recorded call, whether it may be made.

Run: python benchmarks/verdicts.py SESSION DIR

DIR has ``runs.jsonl``, a log, and ``labels.jsonl`` with a JSON object on each line: ``id`` (the run),
``call`` (its place among the calls of the run), ``label`` (allow or deny) and ``because``. A call that cannot
be evaluated counts as denied. Every decision that differs from its label is listed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import cast

from workbench.app.workbench import Workbench
from workbench.model import CallDecision, Verdict, WorkbenchError

type Label = Mapping[str, object]


def labels_of(path: Path) -> dict[tuple[str, int], Label]:
    """The label of each call by run and place."""
    labels = [cast("dict[str, object]", json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    return {(str(label["id"]), cast("int", label["call"])): label for label in labels}


def decided(session: Path, log: Path) -> tuple[CallDecision, ...]:
    """Every call of the log, decided by the session."""
    with closing(Workbench.open(session, read_only=True)) as bench:
        logs = bench.runs.load([log], None)
        if logs.problems:
            raise WorkbenchError(f"{len(logs.problems)} calls of {log} cannot be read.")
        return tuple(bench.runs.decide(bench.policy.terms(), logs))


def report(decisions: Sequence[CallDecision], labels: Mapping[tuple[str, int], Label]) -> list[str]:
    """The number of decisions that agree with their labels, and each decision that does not."""
    if {(call_decision.run, call_decision.index) for call_decision in decisions} != set(labels):
        raise WorkbenchError("The calls of the log and the labels do not belong to each other.")
    counts: Counter[tuple[bool, bool]] = Counter()
    differing: list[str] = []
    for call_decision in decisions:
        label = labels[call_decision.run, call_decision.index]
        allowed, wanted = call_decision.decision.verdict is Verdict.ALLOW, label["label"] == "allow"
        counts[allowed, wanted] += 1
        if allowed is not wanted:
            why = ", ".join(violation.rule for violation in call_decision.decision.violations)
            reason = why or "; ".join(call_decision.decision.reasons) or "allowed"
            differing.append(
                f"{call_decision.run} call {call_decision.index}: {reason}; its label: {label['because']}"
            )
    unsure = sum(call_decision.decision.verdict is Verdict.CANNOT_EVALUATE for call_decision in decisions)
    right = counts[True, True] + counts[False, False]
    return [
        f"{len(decisions)} calls, {unsure} of them cannot be evaluated",
        f"{right} decided as labelled ({100 * right / max(len(decisions), 1):.1f} %)",
        f"{counts[True, False]} allowed that are labelled deny, {counts[False, True]} denied, labelled allow",
        "",
        *differing,
    ]


def main() -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("session", type=Path)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    try:
        decisions = decided(options.session, options.data / "runs.jsonl")
        print("\n".join(report(decisions, labels_of(options.data / "labels.jsonl"))))
    except (OSError, ValueError, KeyError, WorkbenchError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
