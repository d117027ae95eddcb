"""Decide loaded calls again after every edit, with work only for what the edit can have changed.

Each different vector of arguments is decided once. For a vector that was decided before, it is first
checked whether the same rules fire, which takes a fraction of a full decision. It is decided in full only
if they do not, or if the check cannot tell. An equal decision keeps the same object as before.

Extract loaded calls again after the agent spec or the policy changed.

Nothing is imported again: only the arguments with a changed definition are extracted, from the calls
that are already loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.engines.compiled.compile import CompiledPolicy
from workbench.model import Argument, CallDecision, Decision, Extracted, RecordedCall, Run
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import VectorKey, decision_on, vector_key
from workbench.runs.world.earlier_calls import Earlier

LOOK = 2_048  # vectors between two checks of whether the work was cancelled


@dataclass(frozen=True, slots=True)
class _Known:
    """The last outcome, by vector and by call."""

    policy: CompiledPolicy
    decisions: list[Decision]
    calls: tuple[CallDecision, ...]


class Redecider:
    """Loaded calls, ready to be decided by several versions of a policy in turn."""

    def __init__(self, calls: Sequence[RecordedCall], extracted: Sequence[Mapping[str, Extracted]]) -> None:
        """Find the different vectors of arguments; both sequences are in the same order."""
        self._calls = calls
        self._extracted = extracted
        self._vectors: list[Mapping[str, Extracted]] = []
        place_by_key: dict[VectorKey, int] = {}
        self._of_call = [self._place(reading, place_by_key) for reading in extracted]
        self._last: _Known | None = None

    def _place(self, extracted: Mapping[str, Extracted], place_by_key: dict[VectorKey, int]) -> int:
        """The number of the argument vector of a call."""
        place = place_by_key.setdefault(vector_key(extracted), len(self._vectors))
        if place == len(self._vectors):
            self._vectors.append(extracted)
        return place

    def decide(
        self, policy: CompiledPolicy, cancelled: threading.Event | None = None
    ) -> tuple[CallDecision, ...]:
        """The decisions of a policy on all calls, in their order; none once ``cancelled`` is set."""
        last = self._last  # read once: another thread may decide at the same time
        decisions = self._decisions(policy, last, cancelled)
        if len(decisions) < len(self._vectors):
            return ()
        if last is None:
            decided_calls = tuple(
                [
                    CallDecision(call.run, call.index, decisions[place], extracted, call.step)
                    for call, place, extracted in zip(
                        self._calls, self._of_call, self._extracted, strict=True
                    )
                ]
            )
        else:
            decided_calls = tuple(
                [
                    before
                    if before.decision is (decision := decisions[place])
                    else CallDecision(before.run, before.index, decision, before.extracted, before.step)
                    for before, place in zip(last.calls, self._of_call, strict=True)
                ]
            )
        self._last = _Known(policy, decisions, decided_calls)
        return decided_calls

    def _decisions(
        self, policy: CompiledPolicy, last: _Known | None, cancelled: threading.Event | None
    ) -> list[Decision]:
        """The decision on every vector; fewer once ``cancelled`` is set."""
        decisions: list[Decision] = []
        quick = last is not None and _evaluates_alike(policy, last.policy)
        for place in range(len(self._vectors)):
            if place % LOOK == 0 and cancelled is not None and cancelled.is_set():
                return decisions
            if last is None:
                decisions.append(decision_on(policy, self._vectors[place]))
                continue
            before = last.decisions[place]
            if quick and policy.confirms(before):
                decisions.append(before)
                continue
            decision = decision_on(policy, self._vectors[place])
            decisions.append(before if decision == before else decision)
        return decisions


def _evaluates_alike(policy: CompiledPolicy, other_policy: CompiledPolicy) -> bool:
    """Whether both policies can evaluate the same vectors: equal arguments, and no preconditions."""
    new, old = policy.terms, other_policy.terms
    return new.arguments == old.arguments and not new.preconditions and not old.preconditions


def _calls(runs: Sequence[Run]) -> Iterator[tuple[int, tuple[RecordedCall, Sequence[RecordedCall]]]]:
    position = 0
    for run in runs:
        for index, call in enumerate(run.calls):
            yield position, (call, Earlier(run.calls, index))
            position += 1


def read_again(
    extractor: Callable[[Sequence[Argument]], Extractor],
    old: Sequence[Argument],
    new: Sequence[Argument],
    runs: Sequence[Run],
    extracted: Sequence[Mapping[str, Extracted]],
    *,
    all_of_them: bool = False,
) -> tuple[Mapping[str, Extracted], ...]:
    """The readings of loaded calls under new definitions; unchanged arguments are not read again.

    ``extractor`` makes an extractor for some arguments. ``all_of_them`` reads everything, as a change
    of the agent's vocabulary or schema needs.
    """
    old_by_name = {argument.name: argument for argument in old}
    differ = [argument for argument in new if all_of_them or old_by_name.get(argument.name) != argument]
    names = [argument.name for argument in new]
    if not differ and names == list(old_by_name):
        return tuple(extracted)
    reader = extractor(differ)
    kept = {argument.name for argument in new} - {argument.name for argument in differ}
    readings: list[Mapping[str, Extracted]] = []
    for position, (call, history) in _calls(runs):
        same = {name: value for name, value in extracted[position].items() if name in kept}
        read = {**same, **reader.extract(call, history)}
        readings.append({name: read[name] for name in names if name in read})
    return tuple(readings)
