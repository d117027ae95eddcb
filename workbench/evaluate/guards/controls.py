"""Controls: what any guard has to beat. None of them reads what a step says."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.evaluate.dataset import Dataset
from workbench.evaluate.guards.evaluated_guard import JudgedStep
from workbench.model import Decision, Run, Step, Verdict, Violation


@dataclass(frozen=True, slots=True)
class AllowAll:
    """Allows every step."""

    name: str = "allow all (control)"

    def decide(self, step: Step, run: Run) -> JudgedStep:
        """Allow."""
        del step, run
        return JudgedStep(Decision(Verdict.ALLOW))


@dataclass(frozen=True, slots=True)
class DenyAll:
    """Denies every step."""

    name: str = "deny all (control)"

    def decide(self, step: Step, run: Run) -> JudgedStep:
        """Deny."""
        del step, run
        return JudgedStep(Decision(Verdict.DENY, (Violation("deny_all", "Everything is denied."),)))


@dataclass(frozen=True, slots=True)
class PositionOnly:
    """Denies every step from one place in a run on; shows what cutting by position alone achieves.

    The place is fitted to the labels, so that no other place does better: a guard whose figure is
    not above this one has shown nothing.
    """

    first_denied: int
    name: str = "position only (control)"

    @classmethod
    def fitted(cls, dataset: Dataset) -> PositionOnly:
        """The place at which most steps are decided as labelled; the earliest of equal ones."""
        truths = [
            (step.index, truth.denied) for example in dataset.examples for step, truth in example.steps()
        ]
        places = range(max((index for index, _ in truths), default=0) + 2)
        best = max(
            places, key=lambda place: (sum((index >= place) is denied for index, denied in truths), -place)
        )
        return cls(best)

    def decide(self, step: Step, run: Run) -> JudgedStep:
        """Deny from the place on."""
        del run
        if step.index < self.first_denied:
            return JudgedStep(Decision(Verdict.ALLOW))
        violation = Violation("position_only", f"Step {step.index} is not before {self.first_denied}.")
        return JudgedStep(Decision(Verdict.DENY, (violation,)))
