"""The evidence matrix as rows: what speaks for each clause, and what no clause refuses."""

from __future__ import annotations

from workbench.clean_text import one_line
from workbench.old_screen.plain import TextRun, Tone, fit, line, muted
from workbench.old_screen.state import Evidence, EvidenceRow, Survivor, Verdicts
from workbench.old_screen.value_text import (
    BLANK,
    VERDICT_NAME,
    argument_rows,
    clause_state,
    heading,
    paragraph,
)
from workbench.old_screen.widgets.lines import Row


def survivor_of(evidence: Evidence | None, key: str) -> Survivor | None:
    """The survivor that a row's key names."""
    found = evidence.survivors if evidence is not None else ()
    return next((item for item in found if key == f"survivor {item.id}"), None)


def matrix_rows(verdicts: Verdicts, width: int) -> list[Row]:
    """The matrix in a width; how far measuring is while there is none."""
    evidence = verdicts.evidence
    if evidence is None:
        nothing = "Nothing to measure until the policy is in the dialect."
        words = verdicts.measuring or (nothing if verdicts.terms is None else "Measured after the proof.")
        return paragraph(
            line(muted(f"Measuring the contract: {words}." if verdicts.measuring else words)), width
        )
    share = f"{evidence.killed / evidence.killable:.0%}" if evidence.killable else "nothing to refuse"
    tone = Tone.GOOD if evidence.killed == evidence.killable else Tone.WARN
    count = f"The contract refuses {evidence.killed} of {evidence.killable} wrong versions, "
    rows = paragraph(line(count, TextRun(share, tone)), width)
    rows += [BLANK, Row(line(muted(f"  {fit('clause', width - 28)} cases mutants steps  vac.")))]
    for row in evidence.rows:
        rows += _clause_rows(row, verdicts, width)
    if evidence.survivors:
        rows += [BLANK, heading("Wrong versions that no clause refuses")]
    for item in evidence.survivors:
        rows += _survivor_rows(item, width)
    if evidence.missing:
        rows += [BLANK, heading("Missing")]
    for text in evidence.missing:
        rows += paragraph(line(TextRun("! ", Tone.WARN), one_line(text)), width, hang=2)
    return rows


def _clause_rows(row: EvidenceRow, verdicts: Verdicts, width: int) -> list[Row]:
    mark, tone, _ = clause_state(
        verdicts.proved(row.clause), verdicts.preview_of(row.clause), verdicts.running
    )
    vacuous = {True: "yes", False: "no", None: "?"}[row.vacuous]
    figures = f"{row.cases:>5} {_count(row.killed):>7} {_count(row.steps):>5} {vacuous:>5}"
    text = fit(f"{row.clause} {row.sentence}", width - 2 - len(figures) - 1)
    weak = row.vacuous or row.disagree or row.killed == 0
    rows = [
        Row(
            line(TextRun(f"{mark} ", tone), text, " ", TextRun(figures, Tone.WARN if weak else Tone.PLAIN)),
            row.clause,
        )
    ]
    for statement in row.assumptions:
        rows += paragraph(line(muted(f"rests on: {one_line(statement)}")), width, row.clause, indent=4)
    if row.disagree:
        text = "The engines disagree: this is an error of the workbench."
        rows += paragraph(line(TextRun(text, Tone.BAD)), width, row.clause, indent=4)
    return rows


def _survivor_rows(item: Survivor, width: int) -> list[Row]:
    key = f"survivor {item.id}"
    rows = paragraph(line(TextRun("~ ", Tone.WARN), one_line(item.what)), width, key, hang=2)
    rows += argument_rows(item.example, width, key, indent=4)
    words = f"the policy: {VERDICT_NAME[item.ours]}, it: {VERDICT_NAME[item.theirs]}"
    return [*rows, *paragraph(line(muted(words)), width, key, indent=4)]


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"
