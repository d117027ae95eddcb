"""The JSON form of a decided call, one object a call."""

from __future__ import annotations

from workbench.model import Extracted, Json, LookedUp, Provenance, Step, StepDecision
from workbench.policy.json_values import json_value


def step_to_json(step: StepDecision) -> dict[str, Json]:
    """The object that ``workbench replay --json`` prints for a call.

    Its place (``run``, ``step``, ``call``), ``decision``, ``violations`` (``rule``, ``message``, ``items``),
    ``arguments`` (by name: ``value``, ``source``, ``missing`` where there is no value, and ``look_up`` where
    a call would tell more), ``reasons``. Sets are sorted lists, decimals and dates are texts.
    """
    return {
        **place_to_json(step),
        "decision": step.decision.verdict.value,
        "violations": [
            {"rule": violation.rule, "message": violation.message, "items": list(violation.items)}
            for violation in step.decision.violations
        ],
        "arguments": {name: _argument(item) for name, item in step.extracted.items()},
        "reasons": list(step.decision.reasons),
    }


def place_to_json(step: Step | StepDecision) -> dict[str, Json]:
    """Where a call stands: its run, the action of the run, and its index over all calls of the run."""
    return {"run": step.run, "step": step.index if step.action is None else step.action, "call": step.index}


def _argument(item: Extracted) -> dict[str, Json]:
    if item.missing is not None:
        return {"value": None, "source": [], "missing": item.missing}
    first: dict[str, Json] = {} if item.look_up is None else {"look_up": look_up_to_json(item.look_up)}
    return {"value": json_value(item.value), "source": [_source(entry) for entry in item.provenance], **first}


def look_up_to_json(call: LookedUp) -> dict[str, Json]:
    """The call that would tell of a record of which nothing is known."""
    return {"tool": call.tool, "arguments": dict(call.arguments)}


def _source(entry: Provenance) -> Json:
    call: dict[str, Json] = {} if entry.call is None else {"call": entry.call}
    return {
        "method": entry.method,
        "text": entry.text,
        "spans": [[span.start, span.end] for span in entry.spans],
        "confidence": entry.confidence,
        **call,
    }
