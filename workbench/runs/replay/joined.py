"""Several policies on recorded steps: one decision of each step, as a guard of all of them makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.guard.several import named, together
from workbench.model import StepDecision, WorkbenchError


def joined(decisions: Mapping[str, Sequence[StepDecision]]) -> tuple[StepDecision, ...]:
    """The decisions of policies, by their names, on the same steps as one of each step.

    Rules, reasons and arguments have the name of their policy before them. Raises WorkbenchError where the
    policies' sessions do not read the same steps from the logs.
    """
    places = {name: [(one.run, one.index) for one in decided] for name, decided in decisions.items()}
    first = next(iter(places), "")
    other = next((name for name in places if places[name] != places[first]), None)
    if other is not None:
        raise WorkbenchError(
            f"{first} and {other} do not read the same calls from these logs: declare the same tools in both."
        )
    return tuple(_of_one_step(decisions, steps) for steps in zip(*decisions.values(), strict=True))


def _of_one_step(names: Mapping[str, object], steps: Sequence[StepDecision]) -> StepDecision:
    of = dict(zip(names, steps, strict=True))
    extracted = {
        named(name, argument): item for name, step in of.items() for argument, item in step.extracted.items()
    }
    decision = together({name: step.decision for name, step in of.items()})
    return StepDecision(steps[0].run, steps[0].index, decision, extracted, steps[0].action)
