"""Rows of a theorem about whole runs: its sentence, the preview's verdict, and the run that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.app.theorems import searched_words
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
    head = line(theorem_sign(theorem), TextRun(" run  ", Tone.TITLE), one_line(theorem.sentence))
    yield from paragraph(head, width, key, hang=6)[:_MOST_SENTENCE]
    for words in _verdict_words(theorem):
        yield from paragraph(muted(one_line(words)), width, key, indent=6, hang=2)
    for assumption in theorem.assumed:
        yield from paragraph(muted(f"assumes {one_line(assumption)}"), width, key, indent=6, hang=2)
    for call in () if theorem.breaking is None else run_words(theorem.breaking):
        yield from paragraph(TextRun(call, Tone.CODE), width, key, indent=6, hang=2)


def _verdict_words(theorem: TheoremVerdict) -> Iterator[str]:
    """What the preview says of a theorem, what that means, and what it rests on."""
    if theorem.breaking is not None and theorem.breaking.calls:
        yield "refuted: the guard lets a run through that breaks it"
    else:
        proved = theorem.status is ProofStatus.PROVED
        said = "holds for all runs by the preview" if proved else f"{theorem.status} by the preview"
        yield said if not theorem.why else f"{said}: {theorem.why}"
    if theorem.status is ProofStatus.UNKNOWN:
        yield searched_words(theorem)
    if rests := (*theorem.lemmas, *theorem.found):
        yield f"with {', '.join(rests)}"
