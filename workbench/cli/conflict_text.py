"""The text about conflicts: edits that a draft would overwrite, and clauses that an act would refute."""

from __future__ import annotations

import difflib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.clean_text import clean, counted, one_line
from workbench.cli.output import paint
from workbench.model import WorkbenchError
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.app.results import SessionChange
    from workbench.app.workbench import Workbench


@contextmanager
def agreed(bench: Workbench, *, anyway: bool) -> Generator[None]:
    """Do an act that may contradict the contract; then it is refused, unless it is to be stored anyway."""
    from workbench.app.contradictions import Contradicts

    if anyway:
        with bench.request.anyway():
            yield
        return
    try:
        yield
    except Contradicts as error:
        raise WorkbenchError(f"{error} (--anyway does that.)", exit_code=error.exit_code) from None


def contradiction_lines(found: Sequence[Contradiction]) -> Iterator[str]:
    """A line on each clause that would not hold, or does not hold any more."""
    from workbench.app.contradictions import MOST_SHOWN

    for contradiction in found[:MOST_SHOWN]:
        yield paint(f"Contradicts  {one_line(contradiction.sentence)}", Tone.BAD)
    if len(found) > MOST_SHOWN:
        yield f"  and {counted(len(found) - MOST_SHOWN, 'clause')} more"


def conflict_lines(changed: SessionChange, session: Path) -> Iterator[str]:
    """Lines on each conflict: the difference from the person's text to the draft's, and what to do."""
    conflicts = changed.conflicts
    for conflict in conflicts:
        yield one_line(f"Kept your edit where the draft changed it too: {conflict.name}")
        ours, theirs = ((text or "").splitlines() for text in (conflict.ours, conflict.theirs))
        for line in list(difflib.unified_diff(ours, theirs, "yours", "draft", n=1, lineterm=""))[3:]:
            yield f"    {clean(line)}"
    if conflicts:
        folder = one_line(str(session))
        yield (
            "Lines with - are yours and stay, those with + are the draft's: take over what you want in "
            f"{folder}/policy.py, or leave it."
        )
    yield from contradiction_lines(changed.contradictions)
