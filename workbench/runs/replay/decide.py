"""Decisions on extracted arguments. A missing argument is never a reason to allow.

Loaded calls are decided again after every edit (``Redecider``), with work only for what the edit can have
changed: each different vector of arguments is decided once, and an equal decision keeps the same object as
before. After a change of the agent spec only the arguments with a changed definition are extracted again
(``read_again``).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.guard.call_reading import EnforcedPolicy
from workbench.model import (
    Argument,
    Arguments,
    ArgumentType,
    Between,
    CallDecision,
    Decision,
    Extracted,
    RecordedCall,
    RecordValue,
    Run,
    Value,
)
from workbench.policy.narrowed_values import narrowed
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier

if TYPE_CHECKING:
    from workbench.engines.compiled.compile import CompiledPolicy

_CACHE = 100_000
_TRIAL = 5_000
_WORTH = 0.1
_COMPOSED = (RecordValue, tuple)

type VectorKey = tuple[tuple[str, type, Value, str | None, bool, Between | None], ...]


def replay(policy: EnforcedPolicy, extractor: Extractor, runs: Iterable[Run]) -> Iterator[CallDecision]:
    """Extract and decide every call of every run, in order; one run at a time is in memory."""
    cache = DecisionCache(policy)
    for run in runs:
        for position, call in enumerate(run.calls):
            extracted = extractor.extract(call, Earlier(run.calls, position))
            yield CallDecision(call.run, call.index, cache.decide(extracted), extracted, call.step)


def decision_on(policy: EnforcedPolicy, extracted: Mapping[str, Extracted]) -> Decision:
    """The decision on extracted arguments. A missing one matters only if it could change the decision.

    If it is not known what the call is (no arguments, keys that a tool could read otherwise, a tool that is
    not declared), it cannot be evaluated. Records are reduced to the fields that the policy takes: an agent
    spec declares more.
    """
    return _decision_on_taken(policy, taken_of(policy.parameters, extracted))


def _decision_on_taken(policy: EnforcedPolicy, extracted: Mapping[str, Extracted]) -> Decision:
    values: Arguments = {name: item.value for name, item in extracted.items() if item.missing is None}
    if len(values) == len(extracted):
        return policy.decide(values)
    why = {name: item.missing for name, item in extracted.items() if item.missing is not None}
    if any(item.needed for item in extracted.values()):
        return EnforcedPolicy.decide_incomplete(policy, values, why)
    return policy.decide_incomplete(values, why, bounds_by_name(extracted))


def bounds_by_name(extracted: Mapping[str, Extracted]) -> Mapping[str, Between]:
    """What is known of values that are missing, by the name of the argument."""
    return {name: item.between for name, item in extracted.items() if item.between is not None}


def taken_of(
    types: Mapping[str, ArgumentType] | None, extracted: Mapping[str, Extracted]
) -> Mapping[str, Extracted]:
    """The arguments, and the fields of their records, that a policy takes; all if ``types`` is None."""
    extracted = _named(types, extracted)
    if types is None or not any([isinstance(item.value, _COMPOSED) for item in extracted.values()]):
        return extracted
    return {name: replace(item, value=narrowed(item.value, types[name])) for name, item in extracted.items()}


def _named(
    types: Mapping[str, ArgumentType] | None, extracted: Mapping[str, Extracted]
) -> Mapping[str, Extracted]:
    """The arguments that a policy takes, with their whole records."""
    if types is None or types.keys() >= extracted.keys():
        return extracted
    return {name: item for name, item in extracted.items() if name in types}


def _has_records(type_: ArgumentType) -> bool:
    return type_.record is not None or type_.element is not None


def vector_key(extracted: Mapping[str, Extracted]) -> VectorKey:
    """A key that is equal exactly for equal vectors of arguments."""
    # The type is part of the key because 1, True and Decimal(1) are equal.
    return tuple(
        [
            (name, type(item.value), item.value, item.missing, item.needed, item.between)
            for name, item in extracted.items()
        ]
    )


class DecisionCache:
    """Decisions by argument vector: logs repeat vectors, and a decision is a pure function of its vector."""

    def __init__(self, policy: EnforcedPolicy) -> None:
        """Take the policy, which decides the vectors that are not in the cache."""
        self._policy = policy
        self._types = policy.parameters
        records = self._types is not None and any(map(_has_records, self._types.values()))
        self._taken = taken_of if records else _named
        self._known: OrderedDict[VectorKey, Decision] | None = OrderedDict()
        self._queries = 0
        self._hits = 0

    def decide(self, extracted: Mapping[str, Extracted]) -> Decision:
        """The decision on extracted arguments, as ``decision_on`` makes it."""
        known_decisions = self._known
        if known_decisions is None:
            return decision_on(self._policy, extracted)
        extracted = self._taken(self._types, extracted)
        key = vector_key(extracted)
        self._queries += 1
        decision = known_decisions.get(key)
        if decision is not None:
            self._hits += 1
            return decision
        decision = _decision_on_taken(self._policy, extracted)
        known_decisions[key] = decision
        if len(known_decisions) > _CACHE:
            known_decisions.popitem(last=False)
        if self._queries == _TRIAL and self._hits < _TRIAL * _WORTH:
            self._known = None  # these logs do not repeat themselves
        return decision


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
