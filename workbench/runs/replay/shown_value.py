"""A value on one line, for a person and for the agent."""

from __future__ import annotations

from decimal import Decimal

from workbench.clean_text import one_line
from workbench.model import Value
from workbench.policy.value_words import value_words

_SHOWN = 80


def shown_value(value: Value) -> str:
    """A value in words, on one line and cut to a readable length."""
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return one_line(value_words(value), _SHOWN)
