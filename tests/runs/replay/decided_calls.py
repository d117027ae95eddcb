"""Calls decided one by one, with nothing kept between them: what deciding again is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.engines.compiled.compile import CompiledPolicy
from workbench.model import CallDecision, Extracted, RecordedCall
from workbench.runs.replay.decide import decision_on


def decide_calls(
    policy: CompiledPolicy, calls: Sequence[RecordedCall], extracted: Sequence[Mapping[str, Extracted]]
) -> tuple[CallDecision, ...]:
    """The decisions on calls whose arguments were extracted before; both are in the same order."""
    return tuple(
        CallDecision(call.run, call.index, decision_on(policy, arguments), arguments, call.step)
        for call, arguments in zip(calls, extracted, strict=True)
    )
