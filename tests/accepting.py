"""The one way by which tests accept the present version of a session, so that guards enforce it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from workbench.app.workbench import Workbench


def accepted(bench: Workbench) -> Workbench:
    """Make the present version of an open session the accepted one, without a check."""
    bench.acceptance.store(by="a test")
    return bench


def accept(folder: Path) -> Path:
    """Make the present version of the session in a folder the accepted one, without a check."""
    with closing(Workbench.open(folder)) as bench:
        accepted(bench)
    return folder


def asking(folder: Path, *rules: str) -> Path:
    """Make the session in a folder ask a person where these rules forbid (all, if none are named)."""
    policy = folder / "policy.py"
    text = policy.read_text(encoding="utf-8")
    for rule in rules or ("",):
        assert f"def forbid_{rule}" in text
        text = text.replace(f"forbid_{rule}", f"ask_{rule}")
    policy.write_text(text, encoding="utf-8")
    return accept(folder)
