"""The contrast of every drawn text, in every theme with colours of its own, by WCAG 2.2."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style

from tests.tui.driving import Driver, opened
from workbench.tui import themes

ENOUGH = 4.5  # 1.4.3 AA; no exception is made for large, bold or inactive text
ENOUGH_FOR_LINES = 3.0  # 1.4.11 AA: lines that show where the focus is, and those of inactive panes
KEYS = ("1", "v", "escape", "tab", "e", "escape", "P", "R", "M", "E", "question_mark", "escape")

type Rgb = tuple[int, ...]


def luminance(colour: Rgb) -> float:
    """The relative luminance of an sRGB colour (WCAG 2.2, definitions)."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: Rgb, other: Rgb) -> float:
    """The contrast ratio of two colours, between 1 and 21."""
    lighter, darker = sorted((luminance(colour), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def colours(style: Style) -> tuple[Rgb, Rgb] | None:
    """Text and background of a style; None if the terminal chooses one of them."""
    pair = (style.color, style.bgcolor)
    if style.reverse:
        pair = pair[::-1]
    text, ground = (part and part.triplet for part in pair)
    return (text, ground) if text and ground else None


def too_faint(segment: Segment, *, lines: bool) -> bool:
    """Whether a text is hard to read; the borders of panes count only in the theme for high contrast."""
    pair = None if segment.style is None else colours(segment.style)
    if pair is None or not segment.text.strip():
        return False
    if any(character.isalnum() or character in "✓✗◇?○·" for character in segment.text):
        return contrast(*pair) < ENOUGH
    return (
        lines and any(character in "─━" for character in segment.text) and contrast(*pair) < ENOUGH_FOR_LINES
    )


def segments(person: Driver) -> list[Segment]:
    """All text on the screen, without text dimmed behind a window, which WCAG exempts as not usable."""
    screen = person.app.screen
    box = screen.query("Vertical").first().region if screen.is_modal else screen.region
    strips = screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    return [
        segment
        for y, strip in enumerate(strips)
        if box.y <= y < box.bottom
        for segment in strip.crop(box.x, box.right)
    ]


def test_the_contrast_of_known_pairs() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


async def test_every_text_has_enough_contrast_in_every_theme(asked_desk: Path) -> None:
    faint: set[str] = set()
    async with opened(asked_desk) as person:
        for key in KEYS:
            await person.press(key)
            for theme in themes.OWN:
                person.app.theme = theme.name
                await person.settle()
                for segment in segments(person):
                    if too_faint(segment, lines=theme is themes.HIGH_CONTRAST):
                        pair = None if segment.style is None else colours(segment.style)
                        assert pair is not None
                        shown = f"{contrast(*pair):.2f} {pair} {segment.text.strip()[:40]!r}"
                        faint.add(f"{theme.name}, after {key}: {shown}")
    assert faint == set(), "\n".join(sorted(faint))
