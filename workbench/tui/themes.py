"""The themes of the screen: dark, light and high contrast have own colours, the ANSI ones the terminal's.

Every text that the first three draw has at least the contrast 4.5:1 that WCAG 2.2 (1.4.3, level AA) asks of
text of ordinary size; a test computes it from the drawn text.
"""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.theme import Theme

DARK = Theme(
    name="dark",
    primary="#4ea8ff",
    secondary="#3b6ea5",
    accent="#ffb454",
    warning="#ffb454",
    error="#ff7a85",
    success="#63d188",
    foreground="#e6e6e6",
    background="#121212",
    surface="#1a1a1a",
    panel="#262626",
    dark=True,
    variables={"border": "#6f6f6f", "input-selection-background": "#2b4d70"},
)

LIGHT = Theme(
    name="light",
    primary="#00508f",
    secondary="#3d6b94",
    accent="#8a4b00",
    warning="#7a4a00",
    error="#a3142f",
    success="#0b6130",
    foreground="#1c1c1c",
    background="#f4f4f2",
    surface="#fbfbfa",
    panel="#e6e6e3",
    dark=False,
    variables={"border": "#8a8a86", "input-selection-background": "#b9d3ea"},
)

HIGH_CONTRAST = Theme(
    name="high-contrast",
    primary="#7fd4ff",
    secondary="#c8c8c8",
    accent="#ffd75f",
    warning="#ffd75f",
    error="#ff8f8f",
    success="#7dff9b",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#262626",
    dark=True,
    text_alpha=1.0,
    variables={
        "border": "#ffffff",
        "block-cursor-text-style": "bold reverse",
        "input-selection-background": "#23506a",
    },
)

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
