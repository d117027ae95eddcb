"""The scenes with stored pictures: the keys that a person presses, and the sizes of the screen.

``python -m tests.tui.scenes`` draws them all: those at 120 columns and 40 lines are the pictures of the
documentation, the others are in the folder of the tests. No verifier runs, so no part of them depends on
time.
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

from tests.app.refund_desk import refund_desk
from tests.tui.driving import Driver, opened
from tests.tui.svg import picture, strips
from workbench.app.proof import Proving

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTED = (120, 40)
SMALL, LARGE = (80, 24), (200, 60)
USUAL = (DOCUMENTED,)
EVERY = (SMALL, DOCUMENTED, LARGE)


@dataclass(frozen=True, slots=True)
class Scene:
    """The keys pressed after the scene before, and the sizes in which the screen is then drawn."""

    name: str
    keys: tuple[str, ...]
    sizes: tuple[tuple[int, int], ...] = USUAL


ASKED = (Scene("question", (), EVERY),)
"""The scene of one person at a support desk, where a question is open."""
IN_RULE = ("tab", "down", "e", "ctrl+r")
"""From the requirement in focus by its sentence into its rule."""
TO_NUMBER = (*["down"] * 20, *["up"] * 4, "end", *["left"] * len("0 for line in call.lines)"))
"""From the rule about lines to its number."""
SCENES = (
    Scene("author", ("down",) * 6, EVERY),
    Scene("changed", (*IN_RULE, *TO_NUMBER, "1", "escape", "V")),
    Scene("policy", ("u", "P"), EVERY),
    Scene("edit", ("down", "down", "down", "e")),
    Scene("runs", ("escape", "R", "tab", *["down"] * 11), EVERY),
    Scene("why", ("w",)),
    Scene("try", ("e",)),
    Scene("strategies", ("escape", "escape", "s")),
    Scene("memory", ("M",), EVERY),
    Scene("evidence", ("E",), EVERY),
    Scene("commands", ("colon",)),
)
"""The scenes of one person at the travel desk, in order."""


def path_of(name: str, size: tuple[int, int], folder: Path = ROOT) -> Path:
    """The path of a scene's stored picture."""
    if size == DOCUMENTED:
        return folder / "docs" / "pictures" / f"{name}.svg"
    return folder / "tests" / "tui" / "pictures" / f"{name}-{size[0]}x{size[1]}.svg"


def paths() -> set[Path]:
    """The paths of all stored pictures."""
    return {path_of(scene.name, size) for scene in (*ASKED, *SCENES) for size in scene.sizes}


def shipped_desk(folder: Path) -> Path:
    """A copy of the shipped travel desk."""
    copied = shutil.copytree(
        ROOT / "sessions/travel-desk", folder / "travel-desk", ignore=shutil.ignore_patterns(".workbench")
    )
    return Path(copied)


async def pictures(session: Path, scenes: Iterable[Scene] = SCENES) -> AsyncGenerator[tuple[Path, str]]:
    """Every picture of the scenes of a session with its path."""
    told = mock.patch("workbench.tui.widgets.key_line.SHOWN_SECONDS", 3600)  # stays until the next word
    explained = mock.patch("workbench.tui.background_result.EXPLAIN_AFTER", 0.01)  # no rest counts as work
    with told, explained:
        async with opened(session) as driver:
            for scene in scenes:
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
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(Proving, "prover", return_value=None):
        os.environ["WORKBENCH_CACHE_DIR"] = folder  # no stored verdict of the person who draws
        desks = (
            (refund_desk(Path(folder) / "refunds", left_open=1), ASKED),
            (shipped_desk(Path(folder)), SCENES),
        )
        for desk, scenes in desks:
            async for path, drawn_picture in pictures(desk, scenes):
                if not wanted or path.stem in wanted:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(drawn_picture, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write(sys.argv[1:]))
