"""Each rule of a session beside the label that it answers, on recorded runs whose calls are labelled.

Run: python benchmarks/labels.py SESSION LOG LABELS [--database DIR] [--without RUN:CALL ...]

LABELS has a JSON object on each line: ``run`` (or ``task`` and ``trial``, of which the run's name is made),
``call`` (the place of the call among those of its run), and ``breaks``, the names of the rules that the call
breaks. The rule ``forbid_no_minors`` answers the label ``no-minors``. A label without a rule is not judged.
DIR is a folder that answers for records of which a run says nothing. A call that cannot be evaluated counts
as denied. A call that only rules without a label deny is counted apart. Calls after ``--without`` are left
out: those whose label is disputed. Nothing is learnt from the labels.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.app.workbench import Workbench
from workbench.model import Json, StepDecision, Verdict, WorkbenchError

_HEAD = "| guard | denied | of them right | beyond the label | missed | precision | recall |"
_RULE = "|---|---:|---:|---:|---:|---:|---:|"


@dataclass(frozen=True, slots=True)
class Judged:
    """A call with its decision and the labels that it breaks."""

    step: StepDecision
    breaks: frozenset[str]

    @property
    def fired(self) -> frozenset[str]:
        """The rules that denied it."""
        return frozenset(violation.rule for violation in self.step.decision.violations)


def labels_of(path: Path) -> dict[tuple[str, int], frozenset[str]]:
    """The labels of each call by run and place."""
    labels_by_step: dict[tuple[str, int], frozenset[str]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        value = cast("Json", json.loads(line))
        if not isinstance(value, dict) or not isinstance(value.get("breaks"), list):
            raise WorkbenchError(f'{path}:{number}: the line is no object with the list "breaks".')
        run = str(value["run"]) if "run" in value else f"{value.get('task')}-{value.get('trial')}"
        labels_by_step[run, cast("int", value["call"])] = frozenset(cast("list[str]", value["breaks"]))
    return labels_by_step


def judged(session: Path, log: Path, labels: Path, database: Path | None) -> tuple[Judged, ...]:
    """Every call of the log, decided by the session and labelled; each call needs its label."""
    wanted = labels_of(labels)
    with closing(Workbench.open(session, read_only=True)) as bench:
        logs = bench.runs.load([log], database)
        decided = bench.runs.decide(bench.policy.terms(), logs)
    places = {(step.run, step.index) for step in decided}
    if logs.problems or places != wanted.keys():
        lost = len(logs.problems) + len(places ^ wanted.keys())
        raise WorkbenchError(f"{lost} calls of {log} and labels of {labels} do not belong to each other.")
    return tuple(Judged(step, wanted[step.run, step.index]) for step in decided)


def answered(judged_steps: Sequence[Judged], rules: Sequence[str]) -> dict[str, str]:
    """The labels that a rule answers, with the rule."""
    labels = sorted(frozenset[str]().union(*(judged_step.breaks for judged_step in judged_steps)))
    names = {label: f"forbid_{label.replace('-', '_')}" for label in labels}
    return {label: rule for label, rule in names.items() if rule in rules}


def row(name: str, denied: Sequence[bool], breaks: Sequence[bool]) -> str:
    """One line of a table: what a guard denies beside what it should."""
    right = sum(is_denied and other for is_denied, other in zip(denied, breaks, strict=True))
    beyond, missed = sum(denied) - right, sum(breaks) - right
    precision = f"{100 * right / sum(denied):.1f} %" if any(denied) else "-"
    recall = f"{100 * right / sum(breaks):.1f} %" if any(breaks) else "-"
    cells = [name, str(sum(denied)), str(right), str(beyond), str(missed), precision, recall]
    return "| " + " | ".join(cells) + " |"


def table(judged_steps: Sequence[Judged], rules: dict[str, str]) -> list[str]:
    """The rules beside their labels, then all decisions beside all of these labels, with controls."""
    lines = [_HEAD, _RULE]
    for label, rule in rules.items():
        lines.append(
            row(
                f"`{rule}`",
                [rule in judged_step.fired for judged_step in judged_steps],
                [label in judged_step.breaks for judged_step in judged_steps],
            )
        )
    breaks = [bool(judged_step.breaks & rules.keys()) for judged_step in judged_steps]
    refused = [judged_step.step.decision.verdict is not Verdict.ALLOW for judged_step in judged_steps]
    by_label = [not judged_step.fired.isdisjoint(rules.values()) for judged_step in judged_steps]
    lines.append(row("all rules with a label", by_label, breaks))
    lines.append(row("all rules of the session", refused, breaks))
    lines.append(row("deny all (control)", [True] * len(judged_steps), breaks))
    lines.append(row("allow all (control)", [False] * len(judged_steps), breaks))
    return lines


def differences(judged_steps: Sequence[Judged], rules: dict[str, str]) -> list[str]:
    """The calls that are refused without one of the labels, or allowed with one."""
    lines: list[str] = []
    for judged_step in judged_steps:
        if (judged_step.step.decision.verdict is not Verdict.ALLOW) is bool(
            judged_step.breaks & rules.keys()
        ):
            continue
        why = ", ".join(sorted(judged_step.fired)) or judged_step.step.decision.verdict
        broken_labels = ", ".join(sorted(judged_step.breaks)) or "nothing"
        lines.append(
            f"{judged_step.step.run} call {judged_step.step.index}: {why}; its labels: {broken_labels}"
        )
    return lines


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("session", "log", "labels"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--without", nargs="*", default=[], metavar="RUN:CALL")
    options = parser.parse_args()
    try:
        judged_steps = judged(options.session, options.log, options.labels, options.database)
    except (OSError, ValueError, WorkbenchError) as error:
        print(error, file=sys.stderr)
        return 1
    judged_steps = tuple(
        judged_step
        for judged_step in judged_steps
        if f"{judged_step.step.run}:{judged_step.step.index}" not in options.without
    )
    with closing(Workbench.open(options.session, read_only=True)) as bench:
        rules = answered(judged_steps, [rule.name for rule in bench.policy.terms().rules])
    unsure = sum(judged_step.step.decision.verdict is Verdict.CANNOT_EVALUATE for judged_step in judged_steps)
    print(f"{len(judged_steps)} calls, {unsure} of them cannot be evaluated\n")
    print("\n".join(table(judged_steps, rules)))
    print("\n" + "\n".join(differences(judged_steps, rules)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
