"""A guard whose decisions on live calls are those of a replay of its decision log.

Both read the same JSON text of a call, make the same step of it and extract from that alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.guard import (
    Approval,
    DecisionLog,
    EnforcedPolicy,
    Guard,
    LookUps,
    Mode,
    PastCall,
    Strategy,
    ToolCall,
)
from workbench.guard.log import arguments_text, context_text
from workbench.guard.reading import CallReader, Reading
from workbench.model import Decision, Extracted, Json, LookedUp, Step
from workbench.runs.extract import Extractor
from workbench.runs.logs.live_step import live_step
from workbench.runs.replay.asked_look_ups import look_ups_of
from workbench.runs.replay.decide import DecisionCache


def live_guard(
    policy: EnforcedPolicy,
    extractor: Extractor,
    *,
    strategy: Strategy = Strategy.BLOCK_ACTION,
    mode: Mode = Mode.ENFORCE,
    log: DecisionLog | None = None,
    approval: Approval | None = None,
    context: Mapping[str, Json] | None = None,
    look_ups: LookUps | None = None,
) -> Guard:
    """A guard for ``policy`` whose arguments are extracted from each call as from a recorded step."""
    return Guard(
        policy, StepReader(extractor), strategy=strategy, mode=mode, log=log, approval=approval,
        context=context, look_ups=look_ups,
    )  # fmt: skip


class StepReader:
    """Reads a call as the step that its line of a decision log becomes."""

    def __init__(self, extractor: Extractor) -> None:
        """Read by this extraction."""
        self._extractor = extractor

    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision as a replay makes it."""
        return DecisionCache(policy).decide(self._extracted(call, history))

    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups that would tell of records of which nothing is known."""
        return self._extractor.wanted(step_of(call, len(history)), _steps(history))

    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups that the agent could make first."""
        return look_ups_of(policy, decision, self._extracted(call, history))

    def _extracted(self, call: ToolCall, history: Sequence[PastCall]) -> Mapping[str, Extracted]:
        return self._extractor.extract(step_of(call, len(history)), _steps(history))


def reader_of(reading: Reading) -> CallReader:
    """The reader of calls that an exported file describes. Raises WorkbenchError for a wrong extraction."""
    return StepReader(Extractor(reading.arguments, reading.spec, None, reading.memory))


def _steps(history: Sequence[PastCall]) -> list[Step]:
    return [
        step_of(past.call, place, past.result, ran=past.ran, failed=past.failed, known_from=past.known_from)
        for place, past in enumerate(history)
    ]


def step_of(
    call: ToolCall,
    index: int,
    result: str | None = None,
    *,
    ran: bool = True,
    failed: bool = False,
    known_from: int = 0,
) -> Step:
    """A call that an agent wants to make, as the step that its line of a decision log becomes.

    ``index`` is its place among the lines: a call that a person was asked about stands where it was decided.
    """
    return live_step(
        call.tool,
        arguments_text(call),
        context_text(call),
        run=call.run,
        index=index,
        call_id=call.call_id,
        result=result,
        time=call.time or None,
        said=call.said,
        look_ups=call.look_ups,
        ran=ran,
        failed=failed,
        known_from=known_from,
    )
