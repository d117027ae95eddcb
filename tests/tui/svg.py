"""The lines of the screen as a small SVG, with a line of text for each line of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.strip import Strip

WIDTH, HEIGHT = 10, 20
"""The size of a cell."""
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" xml:space="preserve">\n'
    "<style>text{{font:16.6px monospace;white-space:pre}}{styles}</style>\n"
)


def strips(app: App[Any]) -> list[Strip]:
    """The lines of the screen as they would reach the terminal."""
    update = app.screen._compositor.render_update(  # pyright: ignore[reportUnknownMemberType,reportPrivateUsage]  as export_screenshot does
        full=True,
        screen_stack=app._background_screens,  # pyright: ignore[reportPrivateUsage,reportUnknownMemberType,reportUnknownArgumentType]
    )
    assert isinstance(update, LayoutUpdate)
    return [Strip.join(parts).simplify() for parts in update.strips]


def picture(lines: list[Strip]) -> str:
    """The lines as SVG. Equal lines give equal text, so that a difference names the changed lines."""
    names: dict[str, str] = {}
    body = [
        line
        for y, strip in enumerate(lines)
        if (line := "".join(_elements_of_line(strip, y * HEIGHT, names)))
    ]
    styles = "".join(f".{name}{{{style}}}" for style, name in names.items())
    width = max((strip.cell_length for strip in lines), default=0)
    head = HEAD.format(width=width * WIDTH, height=len(lines) * HEIGHT, styles=styles)
    return head + "\n".join(body) + "\n</svg>\n"


def words(svg: str) -> str:
    """The text of a picture as a browser would draw it."""
    root = ElementTree.fromstring(svg)
    return " ".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))


def _elements_of_line(strip: Strip, y: int, names: dict[str, str]) -> Iterator[str]:
    """The backgrounds of a line, then its words."""
    x = 0
    for ground, parts in groupby(strip, key=lambda part: _colours(part)[1]):
        width = sum(part.cell_length for part in parts)
        if ground:
            name = names.setdefault(f"fill:{ground}", f"c{len(names)}")
            place = f'x="{x * WIDTH}" y="{y}" width="{width * WIDTH}" height="{HEIGHT}"'
            yield f'<rect class="{name}" {place}/>'
        x += width
    x = 0
    for part in strip:
        text, style = part.text, part.style
        shown = text if style is not None and (style.underline or style.strike) else text.strip()
        if shown:
            name = names.setdefault(_worded(part), f"c{len(names)}")
            begin = x + cell_len(text[: text.index(shown)])
            place = f'x="{begin * WIDTH}" y="{y + 15}" textLength="{cell_len(shown) * WIDTH}"'
            yield f'<text class="{name}" {place}>{escape(shown, quote=False)}</text>'
        x += part.cell_length


def _colours(part: Segment) -> tuple[str, str]:
    """The colours of text and background; empty if the terminal chooses."""
    style = part.style or Style.null()
    text, ground = (colour.name if colour is not None else "" for colour in (style.color, style.bgcolor))
    return (ground, text) if style.reverse else (text, ground)


def _worded(part: Segment) -> str:
    """The style of words, for a style sheet."""
    style = part.style or Style.null()
    words = [f"fill:{_colours(part)[0] or 'currentcolor'}"]
    words += ["font-weight:bold"] if style.bold else []
    words += ["font-style:italic"] if style.italic else []
    words += ["opacity:.6"] if style.dim else []
    lines = [name for name, on in (("underline", style.underline), ("line-through", style.strike)) if on]
    words += [f"text-decoration:{' '.join(lines)}"] if lines else []
    return ";".join(words)
