"""The themes of the screen: light and dark are Textual's own, high contrast is ours."""

from __future__ import annotations

from textual.theme import Theme

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
    variables={"border": "#ffffff", "block-cursor-text-style": "bold reverse"},
)

THEMES = ("textual-dark", "textual-light", "high-contrast", "ansi-dark", "ansi-light")


def following(theme: str) -> str:
    """The theme after this one, around all of them."""
    return THEMES[(THEMES.index(theme) + 1) % len(THEMES)] if theme in THEMES else THEMES[0]
