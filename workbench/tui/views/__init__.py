"""The views of the screen, in the order of their keys."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.tui.views.author.view import AuthorView
from workbench.tui.views.evidence.view import EvidenceView
from workbench.tui.views.memory.view import MemoryView
from workbench.tui.views.policy.view import PolicyView
from workbench.tui.views.runs.view import RunsView
from workbench.tui.views.view import View


def all_views() -> Iterator[View]:
    """One instance of each view."""
    yield AuthorView()
    yield PolicyView()
    yield RunsView()
    yield MemoryView()
    yield EvidenceView()
