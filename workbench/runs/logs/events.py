"""Recognises events of OpenHands: an action with ``args``, an observation with ``cause``, or a ``kind``."""

from __future__ import annotations

from workbench.model import Json

_SOURCES = frozenset({"agent", "user", "environment", "hook"})
_BESIDE = ("content", "extras", "cause")
_KINDS = ("Event", "Observation")
_LOOKED_AT = 20


def is_event(value: Json) -> bool:
    """Whether a value is an event of OpenHands, in the form with ``action`` or the form with ``kind``.

    Many other lists have a key ``action``: an event also names its source, and has what its kind has.
    """
    if not isinstance(value, dict) or str(value.get("source")) not in _SOURCES:
        return False
    kind = value.get("kind")
    if isinstance(kind, str) and kind.endswith(_KINDS):
        return True
    acts = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict)
    return acts or (isinstance(value.get("observation"), str) and any(key in value for key in _BESIDE))


def are_events(value: Json) -> bool:
    """Whether a value is a list of events, or of pairs of an action and its observation."""
    if not isinstance(value, list):
        return False
    first = value[:_LOOKED_AT]
    hits = sum(is_event(item) or (isinstance(item, list) and any(map(is_event, item))) for item in first)
    return hits * 2 > len(first)
