"""Edits of a person that a draft would have to overwrite, in lines of text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.output import clean, one_line

if TYPE_CHECKING:
    from workbench.policy.merge import Conflict


def conflict_lines(conflicts: Sequence[Conflict], session: Path) -> Iterator[str]:
    """Each conflict with the difference from the person's text to the draft's, and what to do."""
    for conflict in conflicts:
        yield one_line(f"Kept your edit where the draft changed it too: {conflict.name}")
        ours, theirs = ((text or "").splitlines() for text in (conflict.ours, conflict.theirs))
        for line in list(difflib.unified_diff(ours, theirs, "yours", "draft", n=1, lineterm=""))[3:]:
            yield f"    {clean(line)}"
    if conflicts:
        yield (
            "Lines with - are yours and stay, those with + are the draft's: take over what you want in "
            f"{one_line(str(session))}/policy.py, or leave it."
        )
