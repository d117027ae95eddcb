"""A line that is typed or pasted into; characters that cannot be seen are made visible in it."""

from __future__ import annotations

from textual.widgets import Input

from workbench.clean_text import clean_same_width


class TypedLine(Input):
    """An ``Input`` that lets nothing hostile in a pasted text reach the terminal."""

    def validate_value(self, value: str) -> str:
        """The text with hostile characters made visible, one for one: the cursor stays where it is."""
        return clean_same_width(value)
