"""A question with many answers is shown short: its default first, and how to see the others."""

from __future__ import annotations

from pathlib import Path

from workbench.cli.report_text import question_lines
from workbench.model import Option, Question, Span

MANY = Question(
    id="exception:1",
    kind="exception",
    text="Which wins?",
    quote="",
    span=Span(0, 0, 1),
    options=tuple(Option(f"rule-{number}", f"Rule {number} wins.", "", "") for number in range(19)),
    default="rule-18",
)


def test_a_question_shows_its_default_first_and_says_how_to_see_its_other_answers() -> None:
    lines = list(question_lines(MANY, Path("desk")))
    options = [line for line in lines if line.startswith("  - ")]
    assert len(options) == 5
    assert options[0] == "  - rule-18 (default): Rule 18 wins."
    assert "  and 14 more answers; ask --all lists them" in lines


def test_everything_shows_every_answer() -> None:
    lines = list(question_lines(MANY, Path("desk"), everything=True))
    assert len([line for line in lines if line.startswith("  - ")]) == 19
    assert not any("more answer" in line for line in lines)
