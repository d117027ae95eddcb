"""A one-line entry into which nothing invisible can be pasted."""

from __future__ import annotations

from textual.widgets import Input

from workbench.clean_text import clean_same_width
from workbench.old_screen.key_order import KeyOrder
from workbench.old_screen.styles import style_sheet


class Entry(KeyOrder, Input):
    """An ``Input`` that shows control and direction characters instead of holding them."""

    DEFAULT_CSS = style_sheet(__file__)

    @staticmethod
    def cleaned(text: str) -> str:
        """A text as the entry holds it: on one line, with nothing that cannot be seen."""
        return clean_same_width(text.replace("\n", " ").replace("\t", " "))

    def validate_value(self, value: str) -> str:
        """Replace what cannot be seen, whichever way it came in."""
        return self.cleaned(value)


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    run_alone(Entry(placeholder="type or paste"), lambda widget: widget.clear())
