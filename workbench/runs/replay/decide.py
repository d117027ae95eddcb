"""Decisions on extracted arguments. A missing argument is never a reason to allow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from workbench.model import (
    Arguments,
    ArgumentType,
    Decision,
    Extracted,
    RecordValue,
    Run,
    Step,
    StepDecision,
    Value,
    Verdict,
)
from workbench.policy.narrowed_values import narrowed_arguments
from workbench.runs.world.earlier_steps import Earlier

_CACHE = 100_000
_TRIAL = 5_000
_WORTH = 0.1
_COMPOSED = (RecordValue, tuple)


class Decider(Protocol):
    """What a replay needs of a compiled policy."""

    def decide(self, arguments: Arguments) -> Decision:
        """The decision on a complete vector of arguments."""
        ...


class ArgumentSource(Protocol):
    """What a replay needs of an extractor."""

    def extract(self, step: Step, history: Sequence[Step] = ()) -> Mapping[str, Extracted]:
        """Every argument of one step."""
        ...


def replay(policy: Decider, extractor: ArgumentSource, runs: Iterable[Run]) -> Iterator[StepDecision]:
    """Extract and decide every step of every run, in order, in memory for one run at a time."""
    cache = DecisionCache(policy)
    for run in runs:
        for position, step in enumerate(run.steps):
            extracted = extractor.extract(step, Earlier(run.steps, position))
            yield StepDecision(step.run, step.index, cache.decide(extracted), extracted, step.action)


def decide_steps(
    policy: Decider, steps: Sequence[Step], extracted: Sequence[Mapping[str, Extracted]]
) -> tuple[StepDecision, ...]:
    """Decide steps whose arguments were extracted before; both sequences are in the same order."""
    cache = DecisionCache(policy)
    return tuple(
        StepDecision(step.run, step.index, cache.decide(arguments), arguments, step.action)
        for step, arguments in zip(steps, extracted, strict=True)
    )


def parameters_of(policy: Decider) -> Mapping[str, ArgumentType] | None:
    """The arguments that a policy takes, with their types; None for another decider, which takes all."""
    parameters: Mapping[str, ArgumentType] | None = getattr(policy, "parameters", None)
    return parameters


def fitted_arguments(policy: Decider, values: Arguments) -> Arguments:
    """The arguments with records cut to the fields that the policy takes: an agent spec declares more."""
    types = parameters_of(policy)
    if types is None or not any(isinstance(value, _COMPOSED) for value in values.values()):
        return values
    return narrowed_arguments(types, values)


class DecisionCache:
    """Decisions by argument vector: logs repeat themselves, and a decision is a pure function."""

    def __init__(self, policy: Decider) -> None:
        """Decide by ``policy`` what was not decided before."""
        self._policy = policy
        types = parameters_of(policy)
        self._needed = None if types is None else frozenset(types)
        self._known: OrderedDict[tuple[tuple[str, type, Value], ...], Decision] | None = OrderedDict()
        self._queries = 0
        self._hits = 0

    def decide(self, extracted: Mapping[str, Extracted]) -> Decision:
        """The decision on extracted arguments; where one that the policy takes is missing there is none."""
        needed = self._needed
        if needed is not None and not needed.issuperset(extracted):
            extracted = {name: item for name, item in extracted.items() if name in needed}
        arguments = fitted_arguments(
            self._policy, {name: item.value for name, item in extracted.items() if item.missing is None}
        )
        if len(arguments) < len(extracted):
            missing = [
                f"{name}: {reading.missing}"
                for name, reading in extracted.items()
                if reading.missing is not None
            ]
            return Decision(Verdict.CANNOT_EVALUATE, arguments=arguments, reasons=tuple(missing))
        known = self._known
        if known is None:
            return self._policy.decide(arguments)
        # The type is part of the key because 1, True and Decimal(1) are equal.
        key = tuple([(name, type(value), value) for name, value in arguments.items()])
        self._queries += 1
        decision = known.get(key)
        if decision is not None:
            self._hits += 1
            return decision
        decision = self._policy.decide(arguments)
        known[key] = decision
        if len(known) > _CACHE:
            known.popitem(last=False)
        if self._queries == _TRIAL and self._hits < _TRIAL * _WORTH:
            self._known = None  # these logs do not repeat themselves
        return decision
