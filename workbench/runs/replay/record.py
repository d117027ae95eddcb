"""The JSON form of a decided call, one object a call."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import (
    Extracted,
    Json,
    LookedUp,
    Provenance,
    Step,
    StepDecision,
    Value,
    Verdict,
    Violation,
)
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form


def step_to_json(step: StepDecision) -> dict[str, Json]:
    """The object that ``workbench replay --json`` prints for a call.

    Its place (``run``, ``step``, ``call``), ``decision``, ``violations`` (``rule``, ``message``, ``items``),
    ``arguments`` (by name: ``value``, ``source``, ``missing`` where there is no value, and ``look_up`` where
    a call would tell more; of a record also its ``state`` and the ``source`` of each of its ``fields``),
    ``reasons``, and where several guards decided together ``guards``, the decision of each by its name. Sets
    are sorted lists, decimals and dates are texts.
    """
    return STEP.write(step)


def place_to_json(step: Step | StepDecision) -> dict[str, Json]:
    """Where a call stands: its run, the action of the run, and its index over all calls of the run."""
    return PLACE.write(step)


def _parts(step: StepDecision) -> Mapping[str, Verdict] | None:
    return step.parts or None


def _look_up(item: Extracted) -> LookedUp | None:
    return item.look_up if item.missing is None else None


def _state(item: Extracted) -> str | None:
    return item.state or None


def _fields(item: Extracted) -> Mapping[str, tuple[Provenance, ...]] | None:
    return item.items if item.state and item.missing is None else None


def _action(step: Step | StepDecision) -> int:
    return step.index if step.action is None else step.action


def _value(item: Extracted) -> Value:
    return item.value if item.missing is None else None


def _source(item: Extracted) -> tuple[Provenance, ...]:
    return item.provenance if item.missing is None else ()


def _spans(entry: Provenance) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in entry.spans)


json_form(Violation, "rule", "message", "items")
json_form(Provenance, "method", "text", ("spans", _spans), "confidence", ("call?", "call"))
json_form(LookedUp, "tool", "arguments")
json_form(
    Extracted,
    *(("value", _value), ("source", _source), ("missing?", "missing"), ("look_up?", _look_up)),
    *(("state?", _state), ("fields?", _fields)),
)
PLACE = JsonForm[Step | StepDecision](StepDecision, fields("run", ("step", _action), ("call", "index")))
STEP = json_form(
    StepDecision,
    Nested(PLACE),
    ("decision", "decision.verdict"),
    ("violations", "decision.violations"),
    ("arguments", "extracted"),
    *(("reasons", "decision.reasons"), ("guards?", _parts)),
)
