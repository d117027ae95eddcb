"""The limits of flat forms."""

from __future__ import annotations

from workbench.model import WorkbenchError


class FlatLimit(WorkbenchError):
    """Records or lists are used in a way without a flat form; the goals that depend on it stay undecided."""
