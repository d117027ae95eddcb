"""The decisions of a session beside labels that say of each recorded call whether it may be made.

Run: python benchmarks/verdicts.py SESSION DIR

DIR has ``runs.jsonl``, a log, and ``labels.jsonl`` with a JSON object on each line: ``id`` (the run),
``call`` (its place among the calls of the run), ``label`` (allow or deny) and ``because``. A call that
cannot be evaluated counts as denied. Every decision that its label does not share is listed.
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
from workbench.model import StepDecision, Verdict, WorkbenchError

type Label = Mapping[str, object]


def labels_of(path: Path) -> dict[tuple[str, int], Label]:
    """The label of each call by run and place."""
    labels = [cast("dict[str, object]", json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    return {(str(label["id"]), cast("int", label["call"])): label for label in labels}


def decided(session: Path, log: Path) -> tuple[StepDecision, ...]:
    """Every call of the log, decided by the session."""
    with closing(Workbench.open(session, read_only=True)) as bench:
        logs = bench.runs.load([log], None)
        if logs.problems:
            raise WorkbenchError(f"{len(logs.problems)} calls of {log} cannot be read.")
        return tuple(bench.runs.decide(bench.policy.terms(), logs))


def report(steps: Sequence[StepDecision], labels: Mapping[tuple[str, int], Label]) -> list[str]:
    """How many decisions and labels agree, and those that do not."""
    if {(step.run, step.index) for step in steps} != set(labels):
        raise WorkbenchError("The calls of the log and the labels do not belong to each other.")
    counts: Counter[tuple[bool, bool]] = Counter()
    differing: list[str] = []
    for step in steps:
        label = labels[step.run, step.index]
        allowed, wanted = step.decision.verdict is Verdict.ALLOW, label["label"] == "allow"
        counts[allowed, wanted] += 1
        if allowed is not wanted:
            why = ", ".join(violation.rule for violation in step.decision.violations)
            reason = why or "; ".join(step.decision.reasons) or "allowed"
            differing.append(f"{step.run} call {step.index}: {reason}; its label: {label['because']}")
    unsure = sum(step.decision.verdict is Verdict.CANNOT_EVALUATE for step in steps)
    right = counts[True, True] + counts[False, False]
    return [
        f"{len(steps)} calls, {unsure} of them cannot be evaluated",
        f"{right} decided as labelled ({100 * right / max(len(steps), 1):.1f} %)",
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
        steps = decided(options.session, options.data / "runs.jsonl")
        print("\n".join(report(steps, labels_of(options.data / "labels.jsonl"))))
    except (OSError, ValueError, KeyError, WorkbenchError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
