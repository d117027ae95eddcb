"""The findings about the rule or clause at the cursor of the policy file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.app.session_state import Clause, ClauseState, Rule, SessionState
from workbench.model import Problem, ProofStatus
from workbench.tones import Tone
from workbench.tui.run_text import call_rows
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, argument_rows, paragraph, plural, realised_rows
from workbench.tui.verdict_signs import clause_sign, verdict_run
from workbench.tui.views.author.requirement import problem_rows, requirement_rows, sentence_line
from workbench.tui.widgets.lines import Row

MOST_CALLS = 50
MOST_SENTENCE = 4
"""The most lines of a sentence here; Enter shows it whole, in the view of its requirement."""


def finding_rows(state: SessionState, part: Rule | Clause, width: int) -> Sequence[Row]:
    """The requirements of a rule or clause with the findings on them, and the calls it decides."""
    rows = [
        row for clause_state in _wrong(state, part) for row in _counterexample(state, clause_state, width)
    ]
    for name in part.requirements:
        row = state.row(name)
        if row is None:
            continue
        sentence = paragraph(sentence_line(row), width, f"requirement:{name}", hang=1)
        rows += sentence[:MOST_SENTENCE]
        if len(sentence) > MOST_SENTENCE:
            rows.append(Row(line(muted(" …")), f"requirement:{name}"))
        question_rows = [
            row
            for question in row.questions
            for row in paragraph(line(TextRun(f"? {question.text}", Tone.WARN)), width, f"requirement:{name}")
        ]
        rows += [
            *requirement_rows(state, row, question_rows, width, whole=False, code=False, sentence=False),
            BLANK,
        ]
    if not any(state.row(name) for name in part.requirements):
        rows += [*paragraph(line(muted("It belongs to no sentence of the request.")), width), BLANK]
    if isinstance(part, Rule) and state.decisions:
        fired = state.fired.get(part.name, ())
        words = f"Fired on {len(fired):,} of {plural(len(state.decisions), 'call')}"
        rows.append(Row(line(TextRun(words, Tone.TITLE))))
        rows += call_rows(state, fired[:MOST_CALLS], width)
    return rows


def _wrong(state: SessionState, part: Rule | Clause) -> Sequence[ClauseState]:
    """The clauses with a counterexample: the one at the cursor, or those about the sentences of a rule."""
    about = set(part.requirements)
    return [
        clause
        for clause in state.clauses
        if (
            _is_at(state, clause, part)
            if isinstance(part, Clause)
            else about & set(clause.clause.requirements)
        )
        and clause.verdict is not None
        and clause.verdict.counterexample is not None
    ]


def _is_at(state: SessionState, clause: ClauseState, part: Clause) -> bool:
    """Whether a clause is this one in the file, which may be a clause for each of several tools."""
    return clause.clause.id == part.id or (
        state.terms is not None and 0 < clause.line == state.terms.file.part(part).line
    )


def _counterexample(state: SessionState, clause: ClauseState, width: int) -> Iterator[Row]:
    """Rows of the input that breaks a clause; they come first, because that has to be mended."""
    verdict, key = clause.verdict, f"clause:{clause.clause.id}"
    if verdict is None or verdict.counterexample is None:
        return
    counterexample = verdict.counterexample
    decided = (
        (TextRun(": it is "), verdict_run(counterexample.decision))
        if counterexample.decision is not None
        else ()
    )
    is_possible = verdict.status is ProofStatus.POSSIBLE
    breaks = TextRun("this would break it; no run gives it", Tone.WARN)
    words = breaks if is_possible else TextRun("this breaks it", Tone.BAD)
    head = line(clause_sign(clause), f" {clause.name} ", words, *decided)
    yield from paragraph(head, width, key, hang=6)
    yield from argument_rows(state.words.shown(counterexample.shown), width, key, indent=2)
    yield from realised_rows(counterexample, width, key, indent=2)
    yield BLANK


def nothing_rows(problems: Sequence[Problem], width: int) -> Sequence[Row]:
    """Rows if the cursor is on no rule or clause: the problems that keep the text out of the dialect."""
    if not problems:
        return paragraph(line(muted("Put the cursor on a rule or a clause.")), width)
    return [row for problem in problems for row in problem_rows(problem, width)]
