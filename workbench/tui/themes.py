"""The themes of the screen: dark, light and high contrast have own colours, the ANSI ones the terminal's.

Every text that the first three draw has at least the contrast 4.5:1 that WCAG 2.2 (1.4.3, level AA) asks of
text of ordinary size; a test computes it from the drawn text.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from textual.app import App
from textual.theme import Theme

_COLOURS = tomllib.loads(files(__package__).joinpath("themes.toml").read_text(encoding="utf-8"))
_VARIABLES = ("border", "input-selection-background")


def _theme(name: str, at: int, *, dark: bool, text_alpha: float = 0.95, **variables: str) -> Theme:
    """The theme of a column of the colours."""
    colours: dict[str, Any] = {what: every[at] for what, every in _COLOURS.items() if what not in _VARIABLES}
    variables |= {what: _COLOURS[what][at] for what in _VARIABLES}
    return Theme(name=name, dark=dark, text_alpha=text_alpha, variables=variables, **colours)


DARK = _theme("dark", 0, dark=True)
LIGHT = _theme("light", 1, dark=False)
_CURSOR = {"block-cursor-text-style": "bold reverse"}
HIGH_CONTRAST = _theme("high-contrast", 2, dark=True, text_alpha=1.0, **_CURSOR)

OWN = (DARK, LIGHT, HIGH_CONTRAST)
THEMES = (*(theme.name for theme in OWN), "ansi-dark", "ansi-light")


def take_themes(app: App[Any], name: str = "") -> None:
    """Register the workbench's own themes in an app and switch to the wanted one, else to the first."""
    for theme in OWN:
        app.register_theme(theme)
    app.theme = name if name in THEMES else DARK.name


def following(theme: str) -> str:
    """The theme after this one; after the last comes the first."""
    return THEMES[(THEMES.index(theme) + 1) % len(THEMES)] if theme in THEMES else THEMES[0]
