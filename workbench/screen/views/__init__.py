"""The views of the screen, in the order of their keys."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.screen.views.author.view import AuthorView
from workbench.screen.views.evidence.view import EvidenceView
from workbench.screen.views.memory.view import MemoryView
from workbench.screen.views.policy.view import PolicyView
from workbench.screen.views.runs.view import RunsView
from workbench.screen.views.view import View


def all_views() -> Iterator[View]:
    """One of each."""
    yield AuthorView()
    yield PolicyView()
    yield RunsView()
    yield MemoryView()
    yield EvidenceView()
