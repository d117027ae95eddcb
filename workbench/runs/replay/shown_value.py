"""A value on one line, for a person and for the agent."""

from __future__ import annotations

from decimal import Decimal

from workbench.clean_text import one_line
from workbench.model import Element, RecordValue, Value
from workbench.policy.value_words import value_words

_SHOWN = 80
_NAMES = ("absolute", "text", "name", "id")
"""The parts of a record that may name it, the first one that it has."""


def shown_value(value: Value) -> str:
    """A value in words, on one line and cut to a readable length."""
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return one_line(value_words(value), _SHOWN)


def named_value(value: Value | Element) -> str:
    """What a value is called: a text is itself, a path where it leads, a program its name."""
    if not isinstance(value, RecordValue):
        return shown_value(value)
    held = dict(value.fields)
    return next((name for part in _NAMES if isinstance(name := held.get(part), str) and name), "")
