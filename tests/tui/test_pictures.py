"""The pictures of the screen: stored ones equal drawn ones, at three sizes, and are harmless in a browser."""

from __future__ import annotations

import difflib
import re
import shutil
from pathlib import Path

import pytest

from tests.tui.scenes import ASKED, DOCUMENTED, ROOT, SCENES, Scene, path_of, paths, pictures
from tests.tui.svg import words

SHIPPED = ROOT / "sessions" / "travel-desk"
LARGEST = 60_000
_MEASURED = re.compile(r"\d+\.\d s|\d{4}-\d\d-\d\d|\b\d\d:\d\d\b")
"""Seconds, and the times of versions, which may be on two lines."""


def shown(svg: str) -> list[str]:
    """The words of a picture without measured values."""
    return _MEASURED.sub("", words(svg)).split()


@pytest.mark.parametrize("scenes", [ASKED, SCENES], ids=["asked", "shipped"])
async def test_what_is_drawn_is_what_is_kept(
    made_asked_desk: Path, tmp_path: Path, scenes: tuple[Scene, ...]
) -> None:
    differing: dict[str, list[str]] = {}
    original = made_asked_desk if scenes is ASKED else SHIPPED
    desk = shutil.copytree(original, tmp_path / original.name, ignore=shutil.ignore_patterns(".workbench"))
    async for path, picture in pictures(desk, scenes):
        stored_lines = shown(path.read_text(encoding="utf-8")) if path.exists() else []
        if stored_lines != shown(picture):
            compared = difflib.ndiff(stored_lines, shown(picture))
            differing[path.name] = [word for word in compared if word.startswith(("+", "-"))]
    assert not differing, "look at the screen, then run 'make snapshot'"


def test_no_picture_is_left_over() -> None:
    folders = {path.parent for path in paths()}
    stored = {path for folder in folders for path in folder.iterdir()}
    assert stored == paths()


@pytest.mark.parametrize("path", sorted(paths()), ids=lambda path: path.stem)
def test_a_picture_is_small_and_loads_nothing(path: Path) -> None:
    svg = path.read_text(encoding="utf-8")
    assert len(svg.encode()) < LARGEST
    assert not re.search(r"<script|<image|url\(|href=", svg)


def test_the_page_shows_every_scene_of_the_documentation() -> None:
    page = (ROOT / "docs/use/screen.md").read_text(encoding="utf-8")
    named = {path_of(scene.name, DOCUMENTED).name for scene in (*ASKED, *SCENES)}
    assert set(re.findall(r"\.\./pictures/([a-z]+\.svg)", page)) == named
