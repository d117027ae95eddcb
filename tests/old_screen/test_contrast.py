"""The contrast of every text that is drawn, in every theme with colours of its own, by WCAG 2.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widget import Widget

from tests.old_screen.pictures import strips
from tests.old_screen.screens import settled
from tests.old_screen.test_app import ANSWERED, opened, quick
from workbench.model import Proof
from workbench.old_screen import themes
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.samples.sample import PREVIEW, PROOF, REFUTED
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.samples.sample_sessions import HERE, RECENT
from workbench.old_screen.widgets.browser import SessionBrowser

assert quick
ENOUGH = 4.5  # 1.4.3 AA; no exception is made for large, bold or inactive text
ENOUGH_FOR_SIGNS = 3.0  # 1.4.11 AA: borders that tell where the focus is
BROKEN = Proof((*PROOF.clauses[:2], REFUTED))

type Rgb = tuple[int, ...]


def luminance(colour: Rgb) -> float:
    """The relative luminance of an sRGB colour (WCAG 2.2, definitions)."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast ratio of two colours, between 1 and 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def colours(style: Style) -> tuple[Rgb, Rgb] | None:
    """Text and background of a style; None where the terminal chooses one of them."""
    pair = (style.color, style.bgcolor)
    if style.reverse:
        pair = pair[::-1]
    text, ground = (part and part.triplet for part in pair)
    return (text, ground) if text and ground else None


def segments(app: App[Any]) -> Iterator[Segment]:
    """Everything that can be used on the screen, as it would reach the terminal.

    What lies dimmed behind a window cannot be used, which WCAG exempts as inactive.
    """
    screen = app.screen
    regions = [screen.region]
    if screen.is_modal:
        regions = [node.region for node in screen.walk_children(Widget) if node.parent is screen]
    for y, strip in enumerate(strips(app)):
        for region in regions:
            if region.y <= y < region.bottom:
                yield from (part for part in strip.crop(region.x, region.right) if part.text.strip())


def too_faint(app: App[Any], where: str) -> set[str]:
    """The texts on the screen that are hard to read."""
    found: dict[object, str] = {}
    for text, style, _ in segments(app):
        assert style is not None
        pair = colours(style)
        assert pair is not None, f"{where}: the colours of {text!r} are not the theme's"
        if any(character.isalnum() or character in "✓✗◇?~◐·=▲" for character in text):
            ratio = contrast(*pair)
            if ratio < ENOUGH:
                found[pair] = f"{where}: {ratio:.2f} {pair} {text.strip()[:40]!r}"
    return set(found.values())


def test_the_contrast_of_known_pairs() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


async def looked_at(app: WorkbenchApp, pilot: Pilot[None], keys: str) -> set[str]:
    for key in keys.split():
        await pilot.press(key)
        await settled(app, pilot)
    return too_faint(app, keys)


@pytest.mark.parametrize("theme", [theme.name for theme in themes.OWN])
async def test_every_text_has_enough_contrast(theme: str) -> None:
    faint: set[str] = set()
    asking = SamplePort(preview=PREVIEW)
    async with opened(asking) as (app, pilot, _):
        app.theme = theme
        for keys in ("f2", "down", "f8", "down down enter", "f1", "escape", "ctrl+p", "escape"):
            faint |= await looked_at(app, pilot, keys)
    answered = SamplePort(replace(ANSWERED, notice="Restored."), proof=BROKEN, preview=BROKEN)
    async with opened(answered) as (app, pilot, _):
        app.theme = theme
        walks = ("f3", "down shift+down", "f4 down", "f5 down", "m", "f6 d down", "f7", "f6 v", "slash q")
        for keys in (*walks, "f4 n", "escape", "f11", "escape", "alt+d down", "escape", "ctrl+g", "escape"):
            faint |= await looked_at(app, pilot, keys)
        for keys in ("f4 slash a", "escape f3 ctrl+n", "escape escape z", "z alt+t", "enter enter", "escape"):
            faint |= await looked_at(app, pilot, keys)
        app.push_screen(SessionBrowser(HERE, RECENT, HERE[0].path))
        faint |= await looked_at(app, pilot, "down down")
        faint |= await looked_at(app, pilot, "escape f3 x")
        app.notify("It cannot be stored.", severity="error", markup=False)
        app.notify("Careful.", severity="warning", markup=False)
        faint |= await looked_at(app, pilot, "f4")
    assert faint == set(), "\n".join(sorted(faint))


async def test_the_palette_takes_a_theme_that_is_chosen_while_it_is_open() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("ctrl+p")
        await settled(app, pilot)
        before = app.screen.styles.background
        await pilot.press("ctrl+t")
        await settled(app, pilot)
        assert app.theme == themes.LIGHT.name
        assert isinstance(app.screen, CommandPalette)
        assert app.screen.styles.background != before


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_the_ansi_themes_draw_with_the_colours_of_the_terminal_only(theme: str) -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        app.theme = theme
        for keys in ("f6", "d", "f4"):
            await pilot.press(keys)
            await settled(app, pilot)
            kinds: set[tuple[str, str, str]] = set()
            for text, style, _ in segments(app):
                if style is not None:
                    for part in (style.color, style.bgcolor):
                        if part is not None and part.type is ColorType.TRUECOLOR:
                            kinds.add((keys, str(style), text[:30]))
            assert not kinds
