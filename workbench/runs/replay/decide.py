"""Decisions on extracted arguments. A missing argument is never a reason to allow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.guard.call_reading import EnforcedPolicy
from workbench.model import (
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


def decide_calls(
    policy: EnforcedPolicy, calls: Sequence[RecordedCall], extracted: Sequence[Mapping[str, Extracted]]
) -> tuple[CallDecision, ...]:
    """Decide calls whose arguments were extracted before; both sequences are in the same order."""
    cache = DecisionCache(policy)
    return tuple(
        CallDecision(call.run, call.index, cache.decide(arguments), arguments, call.step)
        for call, arguments in zip(calls, extracted, strict=True)
    )


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
