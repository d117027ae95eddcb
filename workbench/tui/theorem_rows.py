"""Rows of a theorem about whole runs: its sentence, the preview's verdict, and the run that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.app.theorems import searched_words
from workbench.app.value_texts import run_words
from workbench.clean_text import one_line
from workbench.model import ProofStatus, TheoremVerdict
from workbench.tui.text_runs import coded, muted, strong
from workbench.tui.verdict_signs import theorem_sign
from workbench.tui.widgets.lines import Row, paragraph

_MOST_SENTENCE = 2


def theorem_rows(theorem: TheoremVerdict) -> Iterator[Row]:
    """Rows of a theorem: its sentence, the preview's verdict, assumptions, and the run that breaks it."""
    key = f"theorem:{theorem.name}"
    words = [*_verdict_words(theorem), *(f"assumes {assumption}" for assumption in theorem.assumed)]
    calls = () if theorem.breaking is None else run_words(theorem.breaking)
    head = theorem_sign(theorem), strong(" run  "), one_line(theorem.sentence)
    yield paragraph(*head, key=key, hang=6, most=_MOST_SENTENCE)
    for run in (*map(muted, map(one_line, words)), *map(coded, calls)):
        yield paragraph(run, key=key, indent=6, hang=2)


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
