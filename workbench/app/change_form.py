"""What ``workbench diff --json`` prints: regions that two policies decide otherwise, and recorded calls."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.app.results import PolicyChange, RecordedRegion
from workbench.engines.smt.diff import DIFF, REGION, DifferingRegion, SemanticDiff
from workbench.model import StepDecision, Verdict
from workbench.policy.json_form import JsonForm, Nested, fields, json_form
from workbench.runs.replay.flips import Flip, FlipKind
from workbench.runs.replay.record import PLACE


def _region(found: RecordedRegion) -> DifferingRegion:
    return found.region


def _recorded(found: RecordedRegion) -> StepDecision | None:
    return found.recorded


def _semantic(change: PolicyChange) -> SemanticDiff:
    return change.semantic


def _allowed(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(allowed=True)


def _denied(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(allowed=False)


def _buckets(change: PolicyChange) -> Mapping[str, int]:
    return change.buckets


def _changed(change: PolicyChange) -> tuple[Flip, ...]:
    return change.changed


def _rules(flip: Flip) -> tuple[str, ...]:
    return tuple(violation.rule for violation in flip.new.decision.violations)


def _kind(flip: Flip) -> FlipKind:
    return flip.kind


def _old(flip: Flip) -> Verdict:
    return flip.old.decision.verdict


def _new(flip: Flip) -> Verdict:
    return flip.new.decision.verdict


json_form(Flip, Nested(PLACE, "new"), ("bucket", _kind), ("old", _old), ("new", _new), ("rules", _rules))
RECORDED = json_form(
    RecordedRegion, Nested(REGION, _region), ("recorded", Nested(PLACE, _recorded, none=True))
)
_REPLAY = JsonForm[PolicyChange](None, fields(("buckets", _buckets), ("changed", _changed)))
CHANGE = json_form(
    PolicyChange,
    Nested(DIFF, _semantic),
    *(("newly_allowed", _allowed), ("newly_denied", _denied)),
    ("replay", Nested(_REPLAY)),
)
