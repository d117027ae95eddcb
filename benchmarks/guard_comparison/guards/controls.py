"""Controls that any guard has to beat. None of them reads the content of a call."""

from __future__ import annotations

from dataclasses import dataclass

from guard_comparison.dataset import Dataset
from guard_comparison.guards.evaluated_guard import JudgedCall
from workbench.model import Decision, RecordedCall, Run, Verdict, Violation


@dataclass(frozen=True, slots=True)
class AllowAll:
    """Allows every call."""

    name: str = "allow all (control)"

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """Allow."""
        del call, run
        return JudgedCall(Decision(Verdict.ALLOW))


@dataclass(frozen=True, slots=True)
class DenyAll:
    """Denies every call."""

    name: str = "deny all (control)"

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """Deny."""
        del call, run
        return JudgedCall(Decision(Verdict.DENY, (Violation("deny_all", "Everything is denied."),)))


@dataclass(frozen=True, slots=True)
class PositionOnly:
    """Denies every call from one place in a run on, to show what cutting by position alone achieves.

    The place is fitted to the labels, so that no other place does better: a guard with no higher figure has
    shown nothing.
    """

    first_denied: int
    name: str = "position only (control)"

    @classmethod
    def fitted(cls, dataset: Dataset) -> PositionOnly:
        """The place at which most calls are decided as labelled; the earliest of several best ones."""
        truths = [
            (call.index, truth.denied) for example in dataset.examples for call, truth in example.calls()
        ]
        places = range(max((index for index, _ in truths), default=0) + 2)
        best = max(
            places, key=lambda place: (sum((index >= place) is denied for index, denied in truths), -place)
        )
        return cls(best)

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """Deny the calls from the place on."""
        del run
        if call.index < self.first_denied:
            return JudgedCall(Decision(Verdict.ALLOW))
        violation = Violation("position_only", f"Call {call.index} is not before {self.first_denied}.")
        return JudgedCall(Decision(Verdict.DENY, (violation,)))
