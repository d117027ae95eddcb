"""Several guards on recorded steps: one decision of each step, as a guard of all of them makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from workbench.guard.several_policies import all_allow, named, together
from workbench.model import Decision, Run, Step, StepDecision, Verdict, WorkbenchError


class KeptGuard(Protocol):
    """A guard whose decisions on live calls were kept; of other calls it says nothing.

    GuardAgent is one: its decisions are kept in a session, which a replay does not know.
    """

    @property
    def name(self) -> str:
        """What it is called in decisions."""
        ...

    @property
    def behind(self) -> bool:
        """Whether it is asked only about calls that the policies allow."""
        ...

    def keeps(self, step: Step) -> bool:
        """Whether it was asked about this step."""
        ...

    def decide(self, step: Step, run: Run) -> Decision:
        """What it decided of a step of a run."""
        ...


def joined(decisions: Mapping[str, Sequence[StepDecision]]) -> tuple[StepDecision, ...]:
    """The decisions of policies, by their names, on the same steps as one of each step.

    Rules, reasons and arguments have the name of their policy before them. Raises WorkbenchError where the
    policies' sessions do not read the same steps from the logs.
    """
    places = {
        name: [(decision.run, decision.index) for decision in decided] for name, decided in decisions.items()
    }
    first = next(iter(places), "")
    other = next((name for name in places if places[name] != places[first]), None)
    if other is not None:
        raise WorkbenchError(
            f"{first} and {other} do not read the same calls from these logs: declare the same tools in both."
        )
    return tuple(
        _of_one_step(dict(zip(decisions, steps, strict=True)))
        for steps in zip(*decisions.values(), strict=True)
    )


def with_kept_guards(
    decisions: Mapping[str, Sequence[StepDecision]],
    kept_guards: Sequence[KeptGuard],
    steps: Sequence[Step],
    runs: Sequence[Run],
    *,
    fail_closed: bool = False,
) -> tuple[StepDecision, ...]:
    """The policies with guards whose decisions were kept, on the steps that these were asked about.

    On others the policies decide alone; with ``fail_closed`` they cannot be evaluated, as a guard that
    says nothing refuses a call.
    """
    run_of = {run.id: run for run in runs}
    combined: list[StepDecision] = []
    for place, (whole, step) in enumerate(zip(joined(decisions), steps, strict=True)):
        decision_by_name = {name: decided[place].decision for name, decided in decisions.items()}
        for guard in kept_guards:
            if (fail_closed or guard.keeps(step)) and _waits_for(guard, decision_by_name):
                decision_by_name[guard.name] = guard.decide(step, run_of[step.run])
        combined.append(
            replace(whole, decision=together(decision_by_name), parts=_verdicts(decision_by_name))
        )
    return tuple(combined)


def unasked(
    decisions: Mapping[str, Sequence[StepDecision]], kept_guards: Sequence[KeptGuard], steps: Sequence[Step]
) -> dict[str, int]:
    """For each guard whose decisions were kept: on how many steps it would have been asked, and was not."""
    decisions_by_step = [
        {name: of[place].decision for name, of in decisions.items()} for place in range(len(steps))
    ]
    return {
        guard.name: sum(
            _waits_for(guard, of_step) and not guard.keeps(step)
            for of_step, step in zip(decisions_by_step, steps, strict=True)
        )
        for guard in kept_guards
    }


def _waits_for(guard: KeptGuard, decisions: Mapping[str, Decision]) -> bool:
    """Whether a call on which policies decided so is put to the guard."""
    return not guard.behind or all_allow(decisions)


def _of_one_step(of: Mapping[str, StepDecision]) -> StepDecision:
    extracted = {
        named(name, argument): item for name, step in of.items() for argument, item in step.extracted.items()
    }
    decision_by_name = {name: step.decision for name, step in of.items()}
    first = next(iter(of.values()))
    return StepDecision(
        first.run,
        first.index,
        together(decision_by_name),
        extracted,
        first.action,
        _verdicts(decision_by_name),
    )


def _verdicts(decisions: Mapping[str, Decision]) -> dict[str, Verdict]:
    return {name: decision.verdict for name, decision in decisions.items()}
