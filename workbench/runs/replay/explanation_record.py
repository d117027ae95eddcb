"""The JSON form of an explained decision."""

from __future__ import annotations

from workbench.model import Json
from workbench.policy.json_values import json_arguments, json_value
from workbench.runs.replay.counterfactual import Change, Turning
from workbench.runs.replay.explanation import StepExplanation
from workbench.runs.replay.origins import Origin, Quote
from workbench.runs.replay.record import place_to_json


def explanation_to_json(found: StepExplanation) -> dict[str, Json]:
    """The object that ``workbench explain --json`` prints."""
    decision = found.decision
    return {
        **place_to_json(found.step),
        "tool": found.step.tool,
        "place": found.place,
        "decision": decision.verdict.value,
        "reason": found.reason,
        "message": found.message,
        "violations": [
            {"rule": one.rule, "message": one.message, "items": list(one.items)}
            for one in decision.violations
        ],
        "reasons": list(decision.reasons),
        "wanted": [{"rule": one.rule, "message": one.message} for one in found.wanted],
        "path": [
            {
                "rule": one.rule,
                "fired": one.fired,
                "conditions": [{"condition": text, "holds": truth} for text, truth in one.conditions],
            }
            for one in found.path
        ],
        "arguments": {origin.name: _origin_json(origin) for origin in found.origins},
        "counterfactual": _counterfactual_json(found.turning),
        "nearest": None
        if found.nearest is None
        else {
            **place_to_json(found.nearest.decided),
            "changes": [_change_json(change) for change in found.nearest.changes],
        },
    }


def _origin_json(origin: Origin) -> dict[str, Json]:
    return {
        "value": json_value(origin.value),
        "missing": origin.missing,
        "method": origin.method,
        "confidence": origin.confidence,
        "changed_by": origin.reach.name.lower(),
        "quotes": [_quote_json(one) for one in origin.quotes],
        "items": {item: [_quote_json(one) for one in places] for item, places in origin.items.items()},
    }


def _quote_json(one: Quote) -> Json:
    return {"text": one.text, "line": one.line, "start": one.start, "end": one.end, "quote": one.quote}


def _change_json(change: Change) -> Json:
    return {
        "argument": change.name,
        "old": None if change.supplied else json_value(change.old),
        "new": json_value(change.new),
        "supplied": change.supplied,
        "one_of": change.one_of or None,
        "changed_by": change.reach.name.lower(),
    }


def _counterfactual_json(turning: Turning) -> Json:
    if turning.found is None:
        return {"found": False, "impossible": turning.impossible}
    found = turning.found
    return {
        "found": True,
        "decision": found.verdict.value,
        "changes": [_change_json(change) for change in found.changes],
        "reach": found.reach.name.lower(),
        "fewest": found.fewest,
        "arguments": json_arguments(found.arguments),
    }
