"""A guard over an extractor."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.guard import Approval, DecisionLog, EnforcedPolicy, Guard, LookUps, Mode, Strategy
from workbench.model import Json
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.live_guard import RecordedCallReader


def live_guard(
    policy: EnforcedPolicy,
    extractor: Extractor,
    *,
    strategy: Strategy = Strategy.BLOCK_CALL,
    mode: Mode = Mode.ENFORCE,
    log: DecisionLog | None = None,
    approval: Approval | None = None,
    context: Mapping[str, Json] | None = None,
    look_ups: LookUps | None = None,
    measuring: bool = False,
) -> Guard:
    """A guard for ``policy`` whose arguments are extracted from each call as from a recorded call."""
    return Guard(
        policy, RecordedCallReader(extractor), strategy=strategy, mode=mode, log=log, approval=approval,
        context=context, look_ups=look_ups, measuring=measuring,
    )  # fmt: skip
