"""A guard whose decisions on live calls are those of a replay of its decision log.

Both read the same JSON text of a call, make the same step of it and extract from that alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.guard import Approval, DecisionLog, EnforcedPolicy, Guard, Mode, PastCall, Strategy, ToolCall
from workbench.guard.log import arguments_text, context_text
from workbench.model import Arguments, Json, Step
from workbench.runs.extract import Extractor
from workbench.runs.logs.tool_calls import live_step


def live_guard(
    policy: EnforcedPolicy,
    extractor: Extractor,
    *,
    strategy: Strategy = Strategy.BLOCK_ACTION,
    mode: Mode = Mode.ENFORCE,
    log: DecisionLog | None = None,
    approval: Approval | None = None,
    context: Mapping[str, Json] | None = None,
) -> Guard:
    """A guard for ``policy`` whose arguments are extracted from each call as from a recorded step."""

    def arguments_of(call: ToolCall, past: Sequence[PastCall]) -> Arguments:
        earlier = [step_of(item.call, item.result) for item in past]
        extracted = extractor.extract(step_of(call), earlier)
        return {name: item.value for name, item in extracted.items() if item.missing is None}

    return Guard(
        policy, arguments_of, strategy=strategy, mode=mode, log=log, approval=approval, context=context
    )  # fmt: skip


def step_of(call: ToolCall, result: str | None = None) -> Step:
    """A call that an agent wants to make, as the step that its line of a decision log becomes."""
    return live_step(
        call.tool,
        arguments_text(call),
        context_text(call),
        run=call.run,
        index=call.index,
        call_id=call.call_id,
        result=result,
    )
