"""Values and texts on one line, for a person and for the agent."""

from __future__ import annotations

from decimal import Decimal

from workbench.model import Value
from workbench.policy.value_words import value_words

_SHOWN = 80


def one_line(text: str, most: int = 0) -> str:
    """The text with its white space as single spaces, cut to ``most`` characters unless that is 0."""
    found = " ".join(text.split())
    return found[: most - 3] + "..." if most and len(found) > most else found


def shown(value: Value) -> str:
    """A value in words, on one line and cut to a length that can be read."""
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return one_line(value_words(value), _SHOWN)
