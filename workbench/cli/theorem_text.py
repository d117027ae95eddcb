"""The text of verdicts on theorems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.app.theorems import searched_words
from workbench.app.value_texts import run_words
from workbench.clean_text import counted, one_line
from workbench.cli.output import paint
from workbench.cli.report_text import STATUS_TONE
from workbench.model import Engine, ProofStatus, TheoremVerdict
from workbench.tones import Tone

_HOLD = (ProofStatus.PROVED, ProofStatus.VACUOUS)


def theorem_lines(verdicts: Sequence[TheoremVerdict], extends: str = "") -> Iterator[str]:
    """The number of theorems that are proved, the verdict on each, and the session that it extends."""
    if verdicts:
        proved = sum(one.status is ProofStatus.PROVED for one in verdicts)
        yield f"Theorems    {proved} of {len(verdicts)} proved for all runs"
        yield from verdict_lines(verdicts)
    else:
        yield "The policy has no theorem: write def theorem_NAME(run: Run) -> bool."
    if extends:
        yield f"It extends {one_line(extends)}: what is proved of the runs of that is true of its own."


def verdict_lines(verdicts: Sequence[TheoremVerdict]) -> Iterator[str]:
    """The verdict on each theorem, what it rests on and what it assumes."""
    for one in verdicts:
        yield from _lines(one)


def _lines(one: TheoremVerdict) -> Iterator[str]:
    status = paint(f"{one.status:8}", STATUS_TONE[one.status])
    yield f"  {status}  {one_line(one.sentence)}"
    by = "the preview (cvc5) alone" if one.engine is Engine.CVC5 and one.status in _HOLD else one.engine
    yield f"            {one_line(one.name)}, line {one.line}; by {by}, {one.seconds:.1f} s"
    if one.why:
        yield paint(f"            {one_line(one.why)}", Tone.WARN)
    elif one.status is ProofStatus.PROVED:
        yield "            it says something: a run was found in which a call that it speaks of is allowed"
    if one.status is ProofStatus.UNKNOWN:
        yield f"            {searched_words(one)}"
    if one.lemmas:
        yield f"            with the theorems {one_line(', '.join(one.lemmas))}"
    yield from (f"            with what was found and proved: {one_line(lemma)}" for lemma in one.found)
    yield from (f"            assumed: {one_line(assumption)}" for assumption in one.assumed)
    if one.refuses is not None:
        yield f"            refuses {counted(one.refuses, 'wrong version')} of the policy"
    if one.breaking is not None and one.breaking.calls:
        yield "            a run that the guard lets through and that breaks it:"
        yield from (f"              {words}" for words in run_words(one.breaking))
        if one.rules:
            yield f"            rules about the last call: {one_line(', '.join(one.rules))}"
