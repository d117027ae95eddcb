"""The pictures of the screen's page: every widget has one, and every one can be drawn."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURE = re.compile(r"!\[[^\]]+\]\(\.\./pictures/([a-z_]+)\.svg\)")
LARGEST = 60_000


def script() -> ModuleType:
    """The script that draws the pictures."""
    spec = importlib.util.spec_from_file_location("widget_pictures", ROOT / "scripts/widget_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = script().names()


def words(svg: str) -> str:
    """The text of a picture that a browser would draw."""
    root = ElementTree.fromstring(svg)
    return " ".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))


def test_the_page_shows_every_widget_once() -> None:
    shown = PICTURE.findall((ROOT / "docs/use/screen.md").read_text())
    assert sorted(shown) == NAMES, "a widget of workbench/old_screen/widgets is not on the page, or not once"
    stored = sorted(path.stem for path in (ROOT / "docs/pictures").iterdir())
    assert stored == NAMES, "run 'make snapshot'"


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_picture_is_small_and_loads_nothing(name: str) -> None:
    svg = (ROOT / "docs/pictures" / f"{name}.svg").read_text()
    assert len(svg.encode()) < LARGEST
    assert "Policy workbench" in words(svg).replace("\xa0", " ")
    assert not re.search(r"<script|<image|url\(\W?http|href=", svg)


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_picture_shows_what_the_widget_draws(name: str, tmp_path: Path) -> None:
    drawn = words(script().draw(name, tmp_path).read_text())
    stored = words((ROOT / "docs/pictures" / f"{name}.svg").read_text())
    assert drawn.split() == stored.split(), "run 'make snapshot'"
