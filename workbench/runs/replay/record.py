"""The JSON form of a decided step, one object a step."""

from __future__ import annotations

from workbench.model import Extracted, Json, Provenance, StepDecision
from workbench.policy.json_values import json_value


def step_to_json(step: StepDecision) -> dict[str, Json]:
    """The object that ``workbench replay --json`` prints for a step.

    ``run``, ``step``, ``decision``, ``violations`` (``rule``, ``message``, ``items``),
    ``arguments`` (by name: ``value``, ``source``, and ``missing`` where there is no value),
    ``reasons``. Sets are sorted lists, decimals and dates are texts.
    """
    return {
        "run": step.run,
        "step": step.index,
        "decision": step.decision.verdict.value,
        "violations": [
            {"rule": violation.rule, "message": violation.message, "items": list(violation.items)}
            for violation in step.decision.violations
        ],
        "arguments": {name: _argument(item) for name, item in step.extracted.items()},
        "reasons": list(step.decision.reasons),
    }


def _argument(item: Extracted) -> dict[str, Json]:
    if item.missing is not None:
        return {"value": None, "source": [], "missing": item.missing}
    return {"value": json_value(item.value), "source": [_source(entry) for entry in item.provenance]}


def _source(entry: Provenance) -> Json:
    return {
        "method": entry.method,
        "text": entry.text,
        "spans": [[span.start, span.end] for span in entry.spans],
        "confidence": entry.confidence,
    }
