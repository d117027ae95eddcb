"""Recognises events of OpenHands: an action with ``args``, an observation with ``cause``, or a ``kind``."""

from __future__ import annotations

from workbench.model import Json

_BESIDE = ("source", "args", "extras", "cause", "timestamp")
_KINDS = ("Event", "Observation")
_LOOKED_AT = 20


def is_event(value: Json) -> bool:
    """Whether a value is an event of OpenHands, in the form with ``action`` or the form with ``kind``."""
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    if isinstance(kind, str) and kind.endswith(_KINDS):
        return True
    named = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return named and any(key in value for key in _BESIDE)


def are_events(value: Json) -> bool:
    """Whether a value is a list of events, or of pairs of an action and its observation."""
    if not isinstance(value, list):
        return False
    first = value[:_LOOKED_AT]
    hits = sum(
        is_event(item) or (isinstance(item, list) and bool(item) and all(map(is_event, item)))
        for item in first
    )
    return hits * 2 > len(first)
