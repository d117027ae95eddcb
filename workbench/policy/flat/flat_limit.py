"""The limits of flat forms."""

from __future__ import annotations

from workbench.model import WorkbenchError


class FlatLimit(WorkbenchError):
    """Records or lists are used in a way that has no flat form; what depends on it stays undecided."""
