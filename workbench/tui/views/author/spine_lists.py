"""The lists of the spine besides the requirements: context, answers, rules without sentence, default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Assumption
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, paragraph
from workbench.tui.views.author.requirement import aloud_rows, rule_code_rows
from workbench.tui.widgets.lines import Row


def context_rows(state: SessionState, width: int) -> Sequence[Row]:
    """The sentences that require nothing, each with the reason for that reading."""
    rows = paragraph(
        line(muted("Taken for context: no rule comes of them. Enter says that a sentence states a rule.")),
        width,
    )
    for number, sentence in enumerate(state.context):
        key = f"context:{number}"
        words = line(muted(f"line {sentence.span.line}: "), f"“{one_line(sentence.text)}”")
        rows += [BLANK, *paragraph(words, width, key, hang=2)]
        rows += paragraph(line(muted(one_line(sentence.why) or "context")), width, key, indent=2)
    return rows


def assumption_rows(state: SessionState, width: int) -> Sequence[Row]:
    """Every answer as an assumption: its statement, its sentence, and who made it."""
    rows = paragraph(
        line(muted("Enter chooses another answer, a writes a note to it, d takes it back.")), width
    )
    question_by_id = {question.id: question for question in state.questions}
    for assumption in state.assumptions:
        key, question = f"assumed:{assumption.question}", question_by_id.get(assumption.question)
        rows += [BLANK, *paragraph(line(TextRun(one_line(assumption.statement), Tone.TITLE)), width, key)]
        if question is not None and question.quote:
            rows += paragraph(line(muted(f"“{one_line(question.quote)}”")), width, key, indent=2)
        rows += paragraph(line(muted(_maker_text(assumption))), width, key, indent=2)
    if not state.assumptions:
        rows += [BLANK, *paragraph(line(muted("Nothing is assumed: no question was answered.")), width)]
    return rows


def _maker_text(assumption: Assumption) -> str:
    by = "by a person" if assumption.made_by.value == "human" else "as the default of an unattended run"
    why = f"; {one_line(assumption.why)}" if assumption.why else ""
    return f"{by}, {assumption.when.replace('T', ' ')[:16]}{why}"


def unclaimed_rows(state: SessionState, aloud: Mapping[str, str], width: int) -> Sequence[Row]:
    """The rules that no sentence of the request asks for."""
    rows = paragraph(line(muted("Rules that no sentence of the request asks for.")), width)
    for rule in state.unclaimed:
        rows += [BLANK, *rule_code_rows(state, rule, width)]
        rows += aloud_rows(aloud.get(rule.name, ""), width, f"rule:{rule.name}")
    return rows


def otherwise_rows(state: SessionState, width: int) -> Sequence[Row]:
    """The decision if no rule applies."""
    allows = state.terms is not None and state.terms.default_allow
    words = (
        "A call that no rule forbids is allowed."
        if allows
        else "A call is denied unless a rule permits it and none forbids it."
    )
    return paragraph(line(words), width)
