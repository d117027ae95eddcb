"""Style sheets beside their widgets."""

from __future__ import annotations

from pathlib import Path


def style_sheet(module_file: str) -> str:
    """The text of the ``.tcss`` file beside a widget's module (pass ``__file__``)."""
    return Path(module_file).with_suffix(".tcss").read_text(encoding="utf-8")
