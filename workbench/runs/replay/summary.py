"""Counts of decided steps by their outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.model import Json, StepDecision, Verdict
from workbench.serialization.json_form import json_form


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """Counts of steps by verdict, and of violations by rule, in the order of the rules' names."""

    steps: int = 0
    allow: int = 0
    deny: int = 0
    cannot_evaluate: int = 0
    by_rule: Mapping[str, int] = field(default_factory=dict[str, int])

    def to_json(self) -> dict[str, Json]:
        """The JSON form, with the names of the fields as keys."""
        return SUMMARY.write(self)


SUMMARY = json_form(ReplaySummary, "steps", "allow", "deny", "cannot_evaluate", "by_rule")


def summarise(decisions: Iterable[StepDecision]) -> ReplaySummary:
    """Count the decisions of a replay."""
    verdicts: Counter[Verdict] = Counter()
    rules: Counter[str] = Counter()
    for step in decisions:
        verdicts[step.decision.verdict] += 1
        rules.update({violation.rule for violation in step.decision.violations})
    return ReplaySummary(
        steps=verdicts.total(),
        allow=verdicts[Verdict.ALLOW],
        deny=verdicts[Verdict.DENY],
        cannot_evaluate=verdicts[Verdict.CANNOT_EVALUATE],
        by_rule=dict(sorted(rules.items())),
    )
