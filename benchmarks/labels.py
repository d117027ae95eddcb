"""Each rule of a session against its label, on recorded runs whose calls are labelled.

Run: python benchmarks/labels.py SESSION LOG LABELS [--database DIR] [--without RUN:CALL ...]

LABELS has a JSON object on each line: ``run`` (or ``task`` and ``trial``, from which the run's name is made),
``call`` (the place of the call among those of its run), and ``breaks``, the names of the rules that the call
breaks. The rule ``forbid_no_minors`` has the label ``no-minors``. A label without a rule of that name is
missed by every call that breaks it, and has a row that says so. DIR is a folder that answers for records that
a run does not show. A call that cannot be evaluated counts as denied. A call that only rules without a label
deny is counted separately. ``--without`` names calls with disputed labels; they are left out. Nothing is
learnt from the labels.
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
from workbench.model import CallDecision, Json, Verdict, WorkbenchError

_HEAD = "| guard | denied | of them right | beyond the label | missed | precision | recall |"
_RULE = "|---|---:|---:|---:|---:|---:|---:|"


@dataclass(frozen=True, slots=True)
class Judged:
    """A call with its decision and the labels that it breaks."""

    call: CallDecision
    breaks: frozenset[str]

    @property
    def fired(self) -> frozenset[str]:
        """The rules that denied the call."""
        return frozenset(violation.rule for violation in self.call.decision.violations)


def labels_of(path: Path) -> dict[tuple[str, int], frozenset[str]]:
    """The labels of each call by run and place."""
    labels_by_call: dict[tuple[str, int], frozenset[str]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        value = cast("Json", json.loads(line))
        if not isinstance(value, dict) or not isinstance(value.get("breaks"), list):
            raise WorkbenchError(f'{path}:{number}: the line is no object with the list "breaks".')
        run = str(value["run"]) if "run" in value else f"{value.get('task')}-{value.get('trial')}"
        labels_by_call[run, cast("int", value["call"])] = frozenset(cast("list[str]", value["breaks"]))
    return labels_by_call


def judged(session: Path, log: Path, labels: Path, database: Path | None) -> tuple[Judged, ...]:
    """Every call of the log, decided by the session, with its label; each call needs one."""
    wanted = labels_of(labels)
    with closing(Workbench.open(session, read_only=True)) as bench:
        logs = bench.runs.load([log], database)
        decided = bench.runs.decide(bench.policy.terms(), logs)
    places = {(call_decision.run, call_decision.index) for call_decision in decided}
    if logs.problems or places != wanted.keys():
        lost = len(logs.problems) + len(places ^ wanted.keys())
        raise WorkbenchError(f"{lost} calls of {log} and labels of {labels} do not belong to each other.")
    return tuple(
        Judged(call_decision, wanted[call_decision.run, call_decision.index]) for call_decision in decided
    )


def rules_of_labels(judged_calls: Sequence[Judged], rules: Sequence[str]) -> dict[str, str]:
    """The labels, each with the rule of its name; empty where the session has no such rule."""
    labels = sorted(frozenset[str]().union(*(judged_call.breaks for judged_call in judged_calls)))
    names = {label: f"forbid_{label.replace('-', '_')}" for label in labels}
    return {label: rule if rule in rules else "" for label, rule in names.items()}


def row(name: str, denied: Sequence[bool], breaks: Sequence[bool]) -> str:
    """One line of a table: the denials of a guard against the calls that it should deny."""
    right = sum(is_denied and other for is_denied, other in zip(denied, breaks, strict=True))
    beyond, missed = sum(denied) - right, sum(breaks) - right
    precision = f"{100 * right / sum(denied):.1f} %" if any(denied) else "-"
    recall = f"{100 * right / sum(breaks):.1f} %" if any(breaks) else "-"
    cells = [name, str(sum(denied)), str(right), str(beyond), str(missed), precision, recall]
    return "| " + " | ".join(cells) + " |"


def table(judged_calls: Sequence[Judged], rules: dict[str, str]) -> list[str]:
    """The rules against their labels, then all decisions against all of these labels, with controls."""
    lines = [_HEAD, _RULE]
    for label, rule in rules.items():
        lines.append(
            row(
                f"`{rule}`" if rule else f"{label} (no rule)",
                [rule in judged_call.fired for judged_call in judged_calls],
                [label in judged_call.breaks for judged_call in judged_calls],
            )
        )
    breaks = [bool(judged_call.breaks) for judged_call in judged_calls]
    refused = [judged_call.call.decision.verdict is not Verdict.ALLOW for judged_call in judged_calls]
    by_label = [not judged_call.fired.isdisjoint(rules.values()) for judged_call in judged_calls]
    lines.append(row("all rules with a label", by_label, breaks))
    lines.append(row("all rules of the session", refused, breaks))
    lines.append(row("deny all (control)", [True] * len(judged_calls), breaks))
    lines.append(row("allow all (control)", [False] * len(judged_calls), breaks))
    return lines


def differences(judged_calls: Sequence[Judged]) -> list[str]:
    """The calls that are denied without one of the labels, or allowed with one."""
    lines: list[str] = []
    for judged_call in judged_calls:
        if (judged_call.call.decision.verdict is not Verdict.ALLOW) is bool(judged_call.breaks):
            continue
        why = ", ".join(sorted(judged_call.fired)) or judged_call.call.decision.verdict
        broken_labels = ", ".join(sorted(judged_call.breaks)) or "nothing"
        lines.append(
            f"{judged_call.call.run} call {judged_call.call.index}: {why}; its labels: {broken_labels}"
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
        judged_calls = judged(options.session, options.log, options.labels, options.database)
    except (OSError, ValueError, WorkbenchError) as error:
        print(error, file=sys.stderr)
        return 1
    judged_calls = tuple(
        judged_call
        for judged_call in judged_calls
        if f"{judged_call.call.run}:{judged_call.call.index}" not in options.without
    )
    with closing(Workbench.open(options.session, read_only=True)) as bench:
        rules = rules_of_labels(judged_calls, [rule.name for rule in bench.policy.terms().rules])
    unsure = sum(judged_call.call.decision.verdict is Verdict.CANNOT_EVALUATE for judged_call in judged_calls)
    print(f"{len(judged_calls)} calls, {unsure} of them cannot be evaluated\n")
    print("\n".join(table(judged_calls, rules)))
    print("\n" + "\n".join(differences(judged_calls)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
