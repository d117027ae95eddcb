"""The JSON form of a decided call, one object a call."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import (
    CallDecision,
    Extracted,
    Json,
    LookedUp,
    Provenance,
    RecordedCall,
    Value,
    Verdict,
    Violation,
)
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form


def call_to_json(decided: CallDecision) -> dict[str, Json]:
    """The object that ``workbench replay --json`` prints for a call.

    Its place (``run``, ``step``, ``call``), ``decision``, ``violations`` (``rule``, ``message``, ``items``),
    ``arguments``, ``reasons``, and, if several guards decided together, ``guards``: the decision of each by
    its name. An argument has by its name ``value``, ``source``, ``missing`` if there is no value, and
    ``look_up`` if a look-up would give its record. A record also has its ``state`` and the ``source`` of
    each of its ``fields``. Sets are sorted lists; decimals and dates are texts.
    """
    return CALL.write(decided)


def _parts(decided: CallDecision) -> Mapping[str, Verdict] | None:
    return decided.parts or None


def _look_up(item: Extracted) -> LookedUp | None:
    return item.look_up if item.missing is None else None


def _state(item: Extracted) -> str | None:
    return item.state or None


def _fields(item: Extracted) -> Mapping[str, tuple[Provenance, ...]] | None:
    return item.items if item.state and item.missing is None else None


def _step(call: RecordedCall | CallDecision) -> int:
    return call.index if call.step is None else call.step


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
PLACE = JsonForm[RecordedCall | CallDecision](CallDecision, fields("run", ("step", _step), ("call", "index")))
CALL = json_form(
    CallDecision,
    Nested(PLACE),
    ("decision", "decision.verdict"),
    ("violations", "decision.violations"),
    ("arguments", "extracted"),
    *(("reasons", "decision.reasons"), ("guards?", _parts)),
)
