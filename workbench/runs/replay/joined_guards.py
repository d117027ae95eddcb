"""Several guards on recorded calls: one decision for each call, as a guard of all of them makes it."""

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


def joined(decisions: Mapping[str, Sequence[CallDecision]]) -> tuple[CallDecision, ...]:
    """The joint decision on each call, from the decisions of several policies by their names.

    Rules, reasons and arguments are prefixed with the name of their policy. Raises WorkbenchError if the
    policies' sessions do not read the same calls from the logs.
    """
    places = {
        name: [(decision.run, decision.index) for decision in decided] for name, decided in decisions.items()
    }
    first = next(iter(places), "")
    other_name = next((name for name in places if places[name] != places[first]), None)
    if other_name is not None:
        raise WorkbenchError(
            f"{first} and {other_name} do not read the same calls from these logs: "
            "declare the same tools in both."
        )
    return tuple(
        _of_one_call(dict(zip(decisions, decided_together, strict=True)))
        for decided_together in zip(*decisions.values(), strict=True)
    )


def with_kept_guards(
    decisions: Mapping[str, Sequence[CallDecision]],
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
        decision_by_name = {name: decided[place].decision for name, decided in decisions.items()}
        for guard in kept_guards:
            if (fail_closed or guard.keeps(call)) and _waits_for(guard, decision_by_name):
                decision_by_name[guard.name] = guard.decide(call, run_of[call.run])
        combined.append(
            replace(whole, decision=together(decision_by_name), parts=_verdicts(decision_by_name))
        )
    return tuple(combined)


def unasked(
    decisions: Mapping[str, Sequence[CallDecision]],
    kept_guards: Sequence[KeptGuard],
    calls: Sequence[RecordedCall],
) -> dict[str, int]:
    """For each guard with kept decisions: the number of calls that it would have decided but did not."""
    decisions_by_call = [
        {name: of[place].decision for name, of in decisions.items()} for place in range(len(calls))
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
