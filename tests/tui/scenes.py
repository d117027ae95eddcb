"""The scenes of which pictures are kept: what a person presses, and at which sizes the screen is drawn.

``python -m tests.tui.scenes`` draws them all: those at 120 columns and 40 lines are the pictures of the
documentation, the others stand beside the tests. No verifier runs, so nothing in them depends on time.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from tests.tui.driving import Driver, opened
from tests.tui.svg import picture, strips
from workbench.app.proof import Proving
from workbench.app.workbench import Workbench

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTED = (120, 40)
SMALL, LARGE = (80, 24), (200, 60)
USUAL = (DOCUMENTED,)
EVERY = (SMALL, DOCUMENTED, LARGE)
ANSWERED = "boundary:"
"""The start of the name of the question of the travel desk that is open in the scenes."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is pressed after the scene before, and the sizes in which the screen is then drawn."""

    name: str
    keys: tuple[str, ...]
    sizes: tuple[tuple[int, int], ...] = USUAL


SCENES = (
    Scene("question", (), EVERY),
    Scene("changed", ("2", "v")),
    Scene("author", ("escape",), EVERY),
    Scene("policy", ("P",), EVERY),
    Scene("edit", ("down", "down", "down", "e")),
    Scene("runs", ("escape", "R", "tab", *["down"] * 11), EVERY),
    Scene("why", ("w",)),
    Scene("strategies", ("s",)),
    Scene("memory", ("M",), EVERY),
    Scene("evidence", ("E",), EVERY),
    Scene("commands", ("colon",)),
)
"""Of one person at the travel desk, one after the other."""


def path_of(name: str, size: tuple[int, int], folder: Path = ROOT) -> Path:
    """Where the picture of a scene is kept."""
    if size == DOCUMENTED:
        return folder / "docs" / "pictures" / f"{name}.svg"
    return folder / "tests" / "tui" / "pictures" / f"{name}-{size[0]}x{size[1]}.svg"


def paths() -> set[Path]:
    """Every picture that is kept."""
    return {path_of(scene.name, size) for scene in SCENES for size in scene.sizes}


def asked_desk(folder: Path) -> Path:
    """A copy of the travel desk in which one answer is taken back."""
    copy = folder / "travel-desk"
    shutil.copytree(ROOT / "sessions/travel-desk", copy, ignore=shutil.ignore_patterns(".workbench"))
    bench = Workbench.open(copy)
    try:
        answered = (assumption.question for assumption in bench.session.assumptions)
        bench.questions.retract(next(name for name in answered if name.startswith(ANSWERED)))
    finally:
        bench.close()
    return copy


async def pictures(session: Path) -> AsyncGenerator[tuple[Path, str]]:
    """Every picture with the place where it is kept."""
    async with opened(session) as driver:
        for scene in SCENES:
            await driver.press(*scene.keys)
            for size in scene.sizes:
                await _resized(driver, size)
                yield path_of(scene.name, size), picture(strips(driver.app))
            await _resized(driver, DOCUMENTED)


async def _resized(driver: Driver, size: tuple[int, int]) -> None:
    if driver.app.size != size:
        await driver.pilot.resize_terminal(*size)
        await driver.settle()


async def _write(names: Iterable[str]) -> None:
    wanted = set(names)
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(Proving, "start"):
        os.environ["WORKBENCH_CACHE_DIR"] = folder  # no verdict that is stored for who draws
        async for path, drawn_picture in pictures(asked_desk(Path(folder))):
            if not wanted or path.stem in wanted:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(drawn_picture, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write(sys.argv[1:]))
