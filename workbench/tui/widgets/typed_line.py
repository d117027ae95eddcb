"""A line to type or paste into, in which invisible characters are made visible."""

from __future__ import annotations

from textual.widgets import Input

from workbench.clean_text import clean_same_width


class TypedLine(Input):
    """An ``Input`` that keeps hostile characters of a pasted text from the terminal."""

    def validate_value(self, value: str) -> str:
        """The text with hostile characters made visible, one for one, so that the cursor stays in place."""
        return clean_same_width(value)
