"""Rows of a theorem about whole runs: its sentence, the preview's verdict, and the run that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.app.value_texts import run_words
from workbench.clean_text import one_line
from workbench.model import ProofStatus, TheoremVerdict
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import paragraph
from workbench.tui.verdict_signs import theorem_sign
from workbench.tui.widgets.lines import Row

_MOST_SENTENCE = 2


def theorem_rows(theorem: TheoremVerdict, width: int) -> Iterator[Row]:
    """Rows of a theorem: its sentence, the preview's verdict, assumptions, and the run that breaks it."""
    key = f"theorem:{theorem.name}"
    proved = theorem.status is ProofStatus.PROVED
    head = line(theorem_sign(theorem), TextRun(" run  ", Tone.TITLE), one_line(theorem.sentence))
    yield from paragraph(head, width, key, hang=6)[:_MOST_SENTENCE]
    said = "holds for all runs by the preview" if proved else f"{theorem.status} by the preview"
    words = said if not theorem.why else f"{said}: {one_line(theorem.why)}"
    yield from paragraph(line(muted(words)), width, key, indent=6, hang=2)
    for assumption in theorem.assumed:
        yield from paragraph(line(muted(f"assumes {one_line(assumption)}")), width, key, indent=6, hang=2)
    for call in () if theorem.breaking is None else run_words(theorem.breaking):
        yield from paragraph(line(TextRun(call, Tone.CODE)), width, key, indent=6, hang=2)
