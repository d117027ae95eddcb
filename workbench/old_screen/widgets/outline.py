"""The policy with its contract folded to one line, to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.old_screen.highlighting import Paint, openings, paint
from workbench.old_screen.plain import Line, TextRun, Tone, fit, line, muted
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import plural
from workbench.old_screen.widgets.lines import Row, RowList

if TYPE_CHECKING:
    from workbench.policy.terms import Clause, PolicyTerms

TONES = {
    Paint.KEYWORD: Tone.ACCENT,
    Paint.STRING: Tone.GOOD,
    Paint.NUMBER: Tone.WARN,
    Paint.COMMENT: Tone.MUTED,
    Paint.CONTRACT: Tone.CODE,
    Paint.RULE: Tone.TITLE,
    Paint.CONSTANT: Tone.WARN,
}


class Outline(RowList):
    """The lines of the policy; a key is the number of the line. Enter on the fold opens it."""

    DEFAULT_CSS = style_sheet(__file__)
    HELP = "The policy without its contract. Enter goes to the marked line in the text, z opens the fold."

    def show(self, text: str, terms: PolicyTerms) -> None:
        """Show a text, whose contract ``terms`` knows."""
        self.show_rows(lambda width: outline_rows(text, terms, width))


def contract_lines(text: str, clauses: Sequence[Clause]) -> range:
    """The lines of the contract (from 1), the comments above its clauses with them; empty without one."""
    if not clauses:
        return range(0)
    lines = text.splitlines()
    first = min(clause.line for clause in clauses)
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return range(first, max(clause.end_line for clause in clauses) + 1)


def outline_rows(text: str, terms: PolicyTerms, width: int) -> list[Row]:
    """The lines of the text, those of the contract as one."""
    folded = contract_lines(text, (*terms.preconditions, *terms.clauses))
    lines = text.splitlines()
    inside = openings(lines)
    rows: list[Row] = []
    for number, source in enumerate(lines, start=1):
        if number not in folded:
            painted = _painted(source, inside[number - 1])
            rows.append(Row(line(muted(f"{number:>5} "), *painted), str(number)))
        elif number == folded[0]:
            words = f"▸ contract: {plural(len(terms.clauses), 'clause')}, {plural(len(folded), 'line')}"
            rows.append(
                Row(line(muted(f"{number:>5} "), TextRun(fit(words, width - 6), Tone.MARK)), str(number))
            )
    return rows


def _painted(source: str, inside: str) -> Line:
    runs: list[TextRun] = []
    at = 0
    for start, end, name in paint(source[:4000], inside)[0]:
        runs += [TextRun(source[at:start]), TextRun(source[start:end], TONES[name])]
        at = end
    return (*runs, TextRun(source[at:]))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import POLICY, TERMS

    run_alone(Outline(), lambda widget: widget.show(POLICY, TERMS))
