"""Style sheets of widgets, and the styles that they give to parts of a widget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from rich.style import Style
from textual.app import App
from textual.css.model import RuleSet
from textual.dom import DOMNode
from textual.widget import Widget


def style_sheet(module_file: str) -> str:
    """The text of the ``.tcss`` file next to a widget's module (pass ``__file__``)."""
    return Path(module_file).with_suffix(".tcss").read_text(encoding="utf-8")


class PartStyles:
    """The styles of a widget's parts, each computed when the part is first drawn by a style sheet.

    Textual computes the styles of all ``COMPONENT_CLASSES`` whenever a widget's own may have changed. With
    twenty widgets of a dozen parts, most of them not on the screen, that takes a third of the first paint.
    Here none depends on the classes of its widget, which change with the focus, but on the theme, with which
    the rules of the style sheet are others.
    """

    def __init__(self, widget: Widget) -> None:
        """Compute the styles for ``widget``."""
        self._widget = widget
        self._rules: Sequence[RuleSet] = ()
        self._style_by_name: dict[str, Style] = {}

    @property
    def rules(self) -> Sequence[RuleSet]:
        """The rules that give the styles; those of another theme are others."""
        return cast("App[object]", self._widget.app).stylesheet.rules

    def of(self, name: str) -> Style:
        """The style of the class ``name`` inside the widget, without the widget's own."""
        if self.rules is not self._rules:
            self._rules, self._style_by_name = self.rules, {}
        style = self._style_by_name.get(name)
        if style is None:
            part = DOMNode(classes=name)
            part._attach(self._widget)  # pyright: ignore[reportPrivateUsage]  as Textual does for its own parts
            cast("App[object]", self._widget.app).stylesheet.apply(part)  # pyright: ignore[reportUnknownMemberType]  a bare dict in Textual's signature
            style = self._style_by_name[name] = part.styles.partial_rich_style
        return style
