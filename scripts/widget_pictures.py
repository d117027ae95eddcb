"""Draw every widget of the screen alone: ``python scripts/widget_pictures.py [FOLDER]``.

Each is drawn as ``python -m workbench.old_screen.widgets.NAME --picture FILE`` draws it. Without a folder the
pictures of docs/use/screen.md are written.
"""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
WIDGETS = ROOT / "workbench" / "tui" / "widgets"
PICTURES = ROOT / "docs" / "pictures"
BASE = "lines"
"""What the lists are built on; it shows nothing by itself."""
USUAL = "76x16"
SIZES = {
    "area": "76x5", "choice": "76x4", "completions": "76x8", "entry": "76x4", "form": "76x10",
    "key_line": "76x4", "pipeline_line": "120x3",
    "step_table": "100x14", "strategies": "76x12", "tabs": "76x4", "timeline": "76x4", "tour": "76x8",
    "workspace": "110x22", "replay": "100x18", "question": "76x24", "rail": "60x24", "details": "76x24",
}  # fmt: skip


def names() -> list[str]:
    """The modules of the widgets that are drawn."""
    return sorted(path.stem for path in WIDGETS.glob("*.py") if path.stem not in ("__init__", BASE))


def draw(name: str, folder: Path) -> Path:
    """Draw one widget into a folder."""
    path = folder / f"{name}.svg"
    words = [name, "--picture", str(path), "--size", SIZES.get(name, USUAL)]
    with mock.patch.object(sys, "argv", words), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the module may be loaded under its own name too
        runpy.run_module(f"workbench.old_screen.widgets.{name}", run_name="__main__")
    return path


def main() -> None:
    """Draw all of them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name in names():
        draw(name, folder)


if __name__ == "__main__":
    main()
