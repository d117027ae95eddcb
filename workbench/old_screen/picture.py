"""Pictures of the screen with the sample session, as SVG: ``python -m workbench.old_screen.picture``."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from textual.pilot import Pilot

from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.port import Port


async def settled(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    """Wait until nothing runs and the screen is drawn."""
    await pilot.pause()
    while app.busy:
        await pilot.pause(0.01)
    await pilot.pause()


async def take(port: Port, size: tuple[int, int], keys: tuple[str, ...] = (), theme: str = "dark") -> str:
    """The screen as SVG in a size of columns and lines, after some keys."""
    app = WorkbenchApp(port)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await settled(app, pilot)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await settled(app, pilot)
        return app.export_screenshot(title="Policy workbench")


def main() -> None:
    """Write the picture of the documentation, or any other size and state."""
    from workbench.old_screen.samples.sample_port import SamplePort

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=Path("docs/screenshot.svg"))
    parser.add_argument("--size", default="160x48", help="columns x lines")
    parser.add_argument("--theme", default="dark")
    parser.add_argument("--keys", default="", help="keys to press first, separated by commas")
    options = parser.parse_args()
    columns, lines = (int(part) for part in str(options.size).split("x"))
    keys = tuple(key for key in str(options.keys).split(",") if key)
    svg = asyncio.run(take(SamplePort(), (columns, lines), keys, str(options.theme)))
    path: Path = options.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
