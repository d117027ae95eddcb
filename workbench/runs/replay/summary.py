"""Counts of decided calls by their outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.model import CallDecision, Verdict
from workbench.serialization.json_form import json_form


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """Counts of calls by verdict, and of violations by rule, in the order of the rules' names."""

    calls: int = 0
    allow: int = 0
    ask: int = 0
    deny: int = 0
    cannot_evaluate: int = 0
    by_rule: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def words(self) -> str:
        """The counts by verdict in words; calls to be asked about are named where there are any."""
        asked = f"{self.ask} to be asked about, " if self.ask else ""
        return f"{self.allow} allowed, {asked}{self.deny} denied, {self.cannot_evaluate} cannot be evaluated"


json_form(ReplaySummary)


def summarise(decisions: Iterable[CallDecision]) -> ReplaySummary:
    """Count the decisions of a replay."""
    verdicts: Counter[Verdict] = Counter()
    rules: Counter[str] = Counter()
    for decided in decisions:
        verdicts[decided.decision.verdict] += 1
        rules.update({violation.rule for violation in decided.decision.violations})
    return ReplaySummary(
        calls=verdicts.total(),
        allow=verdicts[Verdict.ALLOW],
        ask=verdicts[Verdict.ASK],
        deny=verdicts[Verdict.DENY],
        cannot_evaluate=verdicts[Verdict.CANNOT_EVALUATE],
        by_rule=dict(sorted(rules.items())),
    )
