"""One decision for each recorded call from those of several guards, as a guard of all of them makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from workbench.guard.several_policies import named, none_denies, together
from workbench.model import CallDecision, Decision, RecordedCall, Run, Verdict, WorkbenchError


class KeptGuard(Protocol):
    """A guard whose decisions on live calls were kept; on other calls it makes no decision.

    GuardAgent is an example: its decisions are kept in a session, which a replay does not know.
    """

    @property
    def name(self) -> str:
        """The name of the guard in decisions."""
        ...

    @property
    def behind(self) -> bool:
        """Whether it is asked only about calls that the policies allow."""
        ...

    def keeps(self, call: RecordedCall) -> bool:
        """Whether it was asked about this call."""
        ...

    def decide(self, call: RecordedCall, run: Run) -> Decision:
        """The kept decision on a call of a run."""
        ...


type Decided = Mapping[str, Sequence[CallDecision | None]]
"""The decisions of policies on the same calls, by their names; None for a call that a policy does not decide.

The first policy decides each call.
"""


def joined(decisions: Decided) -> tuple[CallDecision, ...]:
    """The joint decision on each call, from the decisions of several policies by their names.

    Rules, reasons and arguments are prefixed with the name of their policy. Raises WorkbenchError if the
    policies' sessions do not read the same calls from the logs.
    """
    first = next(iter(decisions), "")
    other_name = next(
        (name for name, decided in decisions.items() if not _same_calls(decisions[first], decided)), None
    )
    if other_name is not None:
        raise WorkbenchError(
            f"{first} and {other_name} do not read the same calls from these logs: "
            "declare the same tools in both."
        )
    places = range(len(decisions[first]) if decisions else 0)
    return tuple(_of_one_call(_at(decisions, place)) for place in places)


def _same_calls(decided: Sequence[CallDecision | None], other: Sequence[CallDecision | None]) -> bool:
    """Whether two policies decided the same calls, as far as each decided."""
    return len(decided) == len(other) and all(
        one is None or two is None or (one.run, one.index) == (two.run, two.index)
        for one, two in zip(decided, other, strict=True)
    )


def _at(decisions: Decided, place: int) -> dict[str, CallDecision]:
    """The decisions on one call, of the policies that decide it."""
    return {name: found for name, decided in decisions.items() if (found := decided[place]) is not None}


def with_kept_guards(
    decisions: Decided,
    kept_guards: Sequence[KeptGuard],
    calls: Sequence[RecordedCall],
    runs: Sequence[Run],
    *,
    fail_closed: bool = False,
) -> tuple[CallDecision, ...]:
    """The joint decisions of the policies and of guards with kept decisions, on the calls that these decided.

    On other calls the policies decide alone. With ``fail_closed`` these calls cannot be evaluated, as a call
    is refused if a guard does not answer.
    """
    run_of = {run.id: run for run in runs}
    combined: list[CallDecision] = []
    for place, (whole, call) in enumerate(zip(joined(decisions), calls, strict=True)):
        decision_by_name = {name: decided.decision for name, decided in _at(decisions, place).items()}
        for guard in kept_guards:
            if (fail_closed or guard.keeps(call)) and _waits_for(guard, decision_by_name):
                decision_by_name[guard.name] = guard.decide(call, run_of[call.run])
        combined.append(
            replace(whole, decision=together(decision_by_name), parts=_verdicts(decision_by_name))
        )
    return tuple(combined)


def unasked(
    decisions: Decided,
    kept_guards: Sequence[KeptGuard],
    calls: Sequence[RecordedCall],
) -> dict[str, int]:
    """For each guard with kept decisions: the number of calls that it would have decided but did not."""
    decisions_by_call = [
        {name: of.decision for name, of in _at(decisions, place).items()} for place in range(len(calls))
    ]
    return {
        guard.name: sum(
            _waits_for(guard, of_call) and not guard.keeps(call)
            for of_call, call in zip(decisions_by_call, calls, strict=True)
        )
        for guard in kept_guards
    }


def _waits_for(guard: KeptGuard, decisions: Mapping[str, Decision]) -> bool:
    """Whether the guard decides on a call, given the decisions of the policies."""
    return not guard.behind or none_denies(decisions)


def _of_one_call(of: Mapping[str, CallDecision]) -> CallDecision:
    extracted = {
        named(name, argument): item
        for name, decided in of.items()
        for argument, item in decided.extracted.items()
    }
    decision_by_name = {name: decided.decision for name, decided in of.items()}
    first = next(iter(of.values()))
    return CallDecision(
        first.run,
        first.index,
        together(decision_by_name),
        extracted,
        first.step,
        _verdicts(decision_by_name),
    )


def _verdicts(decisions: Mapping[str, Decision]) -> dict[str, Verdict]:
    return {name: decision.verdict for name, decision in decisions.items()}
