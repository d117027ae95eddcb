"""The text about conflicts: edits of a person that a draft would have to overwrite."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.results import kept_sentence
from workbench.clean_text import clean, one_line

if TYPE_CHECKING:
    from workbench.app.results import SessionChange


def conflict_lines(changed: SessionChange, session: Path | None) -> Iterator[str]:
    """Lines on each conflict: the difference from the person's text to the draft's, and what to do.

    Without the folder of a session no command is named.
    """
    conflicts = changed.conflicts
    doubtful = any(conflict.doubtful for conflict in conflicts)
    if doubtful:
        yield one_line(kept_sentence(conflicts))
    for conflict in conflicts:
        heading = "Kept" if conflict.doubtful else "Kept your edit where the draft changed it too"
        yield one_line(f"{heading}: {conflict.name}")
        ours, theirs = ((text or "").splitlines() for text in (conflict.ours, conflict.theirs))
        for line in list(difflib.unified_diff(ours, theirs, "yours", "draft", n=1, lineterm=""))[3:]:
            yield f"    {clean(line)}"
    if conflicts:
        folder = one_line(str(session))
        file = f"{folder}/policy.py" if session is not None else "the policy"
        yield (
            "Lines with - are yours and stay, those with + are the draft's: take over what you want in "
            f"{file}, or leave it."
        )
        if doubtful and session is not None:
            yield (
                f"'workbench draft {folder} --discard-edits' takes the draft as it is; 'workbench undo' "
                "brings yours back."
            )
