"""Rows of the Author view: sentences with equal beginnings, whole rules, and conditions under a negation."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_surroundings import desk_of_files
from tests.plain_policies import check
from workbench.app.question_texts import once
from workbench.app.session_state import RequirementState, SessionState
from workbench.app.workbench import Workbench
from workbench.clean_text import one_line
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.likeness import told_apart
from workbench.model import (
    Arguments,
    Assumption,
    Engine,
    MadeBy,
    ProofStatus,
    Question,
    Requirement,
    Span,
    TheoremVerdict,
)
from workbench.session.agent_file import read_agent
from workbench.tui.code_rows import code_rows
from workbench.tui.run_text import rule_rows
from workbench.tui.views.author.requirement import (
    question_rows,
    requirement_rows,
    said_of,
    sentence_rows,
)
from workbench.tui.views.author.sentence_writing import Writing, writing_rows
from workbench.tui.views.author.spine import (
    RUNS,
    assumption_rows,
    runs_rows,
    spine_keys,
    spine_rows,
)
from workbench.tui.widgets.lines import Row, laid_out, text_of

BEGINNING = "Nobody may see the columns of the table of patients of the northern ward that hold"
ENDS = ("names.", "addresses.", "names of doctors.", "names of doctors and nurses of the day.")
NEGATED = '''"""A rule with a negation that holds."""


def forbid_drive(licensed: bool, age: int) -> bool:
    """R1: Nobody drives without a licence."""
    return not licensed and age > 3


def allow(licensed: bool, age: int) -> bool:
    """The decision: every call is allowed unless a rule forbids it."""
    return not forbid_drive(licensed, age)
'''
PANE = 53
"""The width of the middle pane of Author on a screen of 120 columns."""


def shown(rows: Iterable[Row], key: str = "", width: int = PANE) -> str:
    lines = [row for row in laid_out(rows, width) if key in ("", row.key)]
    return " ".join("".join(run.text for run in row.line).strip() for row in lines)


def test_an_answer_that_no_person_gave_is_told_from_one_that_a_person_gave() -> None:
    said = Assumption.by_person("q", "a", "Said.", "2026-11-28T10:00:00")
    rows = assumption_rows(SessionState("x", assumptions=(said,)))
    taken = replace(said, made_by=MadeBy.DEFAULT)
    assert "by default" not in shown(rows, "assumed:q")
    assert "by default" in shown(assumption_rows(SessionState("x", assumptions=(taken,))), "assumed:q")


def test_an_answer_stands_beside_the_sentences_that_it_is_about_alone() -> None:
    said = replace(Assumption.by_person("q", "a", "Said."), requirements=("R1",))
    state = SessionState("x", assumptions=(said,))
    for name, expected in (("R1", "assumed: Said."), ("R2", "")):
        row = RequirementState(Requirement(name, "Be polite.", "Be polite.", Span(0, 10)))
        assert shown(sentence_rows(state, row), "assumed:q") == expected


def test_answers_that_say_the_same_stand_once_beside_a_sentence() -> None:
    said = [replace(Assumption.by_person(q, "a", "Said."), requirements=("R1",)) for q in "pqr"]
    other = replace(Assumption.by_person("s", "a", "Other."), requirements=("R1",))
    state = SessionState("x", assumptions=(*said, other))
    row = RequirementState(Requirement("R1", "Be polite.", "Be polite.", Span(0, 10)))
    assert shown(sentence_rows(state, row)).count("assumed: Said.") == 1
    assert shown(sentence_rows(state, row), "assumed:s") == "assumed: Other."


def test_sentences_that_begin_alike_are_told_apart_in_the_spine() -> None:
    requirements = [
        Requirement(f"R{at}", f"{BEGINNING} {end}", f"{BEGINNING} {end}", Span(at, at))
        for at, end in enumerate(ENDS, 1)
    ]
    rows = [*spine_rows(SessionState("x", requirements=tuple(requirements)))]
    texts = [shown(rows, requirement.id, 28) for requirement in requirements]
    assert len({text.partition(" ")[2] for text in texts}) == len(ENDS), texts
    assert all("Nobody may see" in text for text in texts)
    assert "addresses." in texts[1]


@given(
    st.lists(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd"]), min_size=1).map(" ".join), max_size=5),
    st.integers(10, 40),
)
def test_a_sentence_that_is_alone_stays_as_it_is(texts: list[str], width: int) -> None:
    distinct = told_apart({str(at): text for at, text in enumerate(texts)}, width)
    assert [*distinct] == [str(at) for at in range(len(texts))]
    for text, shortened in zip(texts, distinct.values(), strict=True):
        beginning, _, end = shortened.partition(" … ")
        assert shortened == text or (text.startswith(beginning) and text.endswith(end) and end)


def test_a_condition_under_a_negation_that_holds_is_said_to_be_false_where_the_rule_fired() -> None:
    arguments: Arguments = {"licensed": False, "age": 20}
    (step,) = compile_policy(check(NEGATED)).path(arguments)
    rows = ["".join(run.text for run in row.line).split() for row in laid_out(rule_rows(step), 80)]
    assert rows == [["forbid_drive", "fired"], ["false", "licensed"], ["true", "age", ">", "3"]]


def test_every_rule_of_the_shipped_sessions_is_whole_at_120_columns() -> None:
    for policy in Path("sessions").glob("*/policy.py"):
        bench = Workbench.open(policy.parent, read_only=True)
        terms = bench.policy.terms()
        bench.close()
        lines = terms.file.text.splitlines()
        for rule in terms.rules:
            part = terms.file.part(rule)
            rows = laid_out(code_rows(terms.file.text, part.line, part.end_line), PANE)
            assert all(sum(len(run.text) for run in row.line) <= PANE for row in rows)
            text = "".join(run.text for row in rows for run in row.line)
            assert "".join(text.split()) == "".join("".join(lines[part.line - 1 : part.end_line]).split())


@pytest.mark.parametrize(
    "policy", sorted(Path("sessions").glob("*/policy.py")), ids=lambda one: one.parent.name
)
def test_the_sentence_of_a_requirement_stands_once_above_everything_about_it(policy: Path) -> None:
    with closing(Workbench.open(policy.parent, read_only=True)) as bench:
        state = bench.judged_state()
    for row in state.rows:
        quote, requested = one_line(row.requirement.quote), state.requested_of(row.requirement.id)
        if not quote or one_line(row.requirement.text) != quote:
            continue
        said = said_of(state, row)
        asked = [line for one in row.questions for line in question_rows(one, {}, said=said)]
        text = shown(requirement_rows(state, row, asked, whole=True, code=True), width=10_000)
        read = () if requested is None else requested.texts
        assert text.count(quote) == 1 + sum(quote in one_line(one) for one in read), text


def test_the_input_of_a_question_is_told_by_what_sentences_call_its_arguments() -> None:
    with closing(Workbench.open(Path("sessions/coding-agent"), read_only=True)) as bench:
        words = bench.judged_state().words
    called = {text: words.noun(text) for text in words.expressions.values() if words.noun(text) != text}
    question = Question(
        "q", "exception", "Which wins?", "", Span(0, 0), (), "", example=dict.fromkeys(called, True)
    )
    told = shown(question_rows(question, {}, words=words), width=10_000)
    assert called
    assert all(noun in told for noun in called.values())


QUOTES = '"' * 3
SAYS = "R1: Not more than 5."


@pytest.mark.parametrize(
    ("written", "left_out"),
    [
        (f"{QUOTES}{SAYS}{QUOTES}\n    return call.total > 5", True),
        (f"'{SAYS}'\n    return call.total > 5", True),
        ("'R1: Not more ' 'than 5.'\n    return call.total > 5", True),
        (f"{QUOTES}{SAYS}{QUOTES}; return call.total > 5", False),
        (f"{QUOTES}{SAYS}{QUOTES}  # unless it is Monday\n    return call.total > 5", False),
        (f"{QUOTES}{SAYS}\n    Or more on a Monday.\n    {QUOTES}\n    return call.total > 5", False),
        (f"{QUOTES}{SAYS}\\nOr more on a Monday.{QUOTES}\n    return call.total > 5", False),
        (f"'{SAYS}'\n    return call.note == '{QUOTES}' or call.total > 5", True),
        (f"'{SAYS}'\n    return call.note == {QUOTES}{SAYS}{QUOTES} or call.total > 5", True),
    ],
)
def test_of_a_shown_rule_nothing_but_a_line_that_says_the_sentence_above_is_left_out(
    written: str, left_out: bool
) -> None:
    policy = TOLD.replace(f"{QUOTES}{SAYS}{QUOTES}\n    return call.total > 5", written)
    terms = lowered_policy(policy, read_agent(AGENT)).terms
    (rule,) = terms.rules
    state = SessionState("x", terms=terms)
    row = RequirementState(
        Requirement("R1", "Not more than 5.", "Not more than 5.", Span(0, 5)), rules=(rule,)
    )
    part = terms.file.part(rule)
    code = policy.splitlines()[part.line - 1 : part.end_line]
    rows = laid_out(requirement_rows(state, row, (), whole=True, code=True), 200)
    seen = ["".join(run.text for run in row.line) for row in rows if row.key == f"rule:{rule.name}"]
    assert [line.rstrip() for line in seen] == [code[0], *code[1 + left_out :]]


def test_a_question_does_not_repeat_the_sentence_above_it() -> None:
    said = {"Pay at most 5.", "The agent must not pay if the total is more than 5."}
    for text, shorter in (
        ("“Pay at most 5.”: does it mean 5 itself too?", "Does it mean 5 itself too?"),
        ("“Pay at most 5.” This is allowed all the same: pay 6.", "This is allowed all the same: pay 6."),
        ("“Pay at most 5.” holds for no call at all.", "This sentence holds for no call at all."),
        (
            "Some are permitted by “Pay at most 5.” and forbidden.",
            "Some are permitted by this sentence and forbidden.",
        ),
        ("As it is: The agent must not pay if the total is more than 5.", "As it is"),
        ("“Pay at most 50.” is another.", "“Pay at most 50.” is another."),
        ("forbid_it tests raw text.", "forbid_it tests raw text."),
    ):
        assert once(text, said) == shorter
        assert once(text, ()) == text


# --- sentences about runs

TOLD = '''"""What may be paid."""

from agent import Pay, Run

DEFAULT = "allow"


def forbid_much(call: Pay, run: Run) -> bool:
    """R1: Not more than 5."""
    return call.total > 5


def theorem_each(run: Run) -> bool:
    """In no run is more than [b]5[/b] paid at once."""
    return all(c.total <= 5 for c in run.calls(Pay))
'''
AGENT = """name = "desk"

[tools.pay.parameters]
type = "object"
required = ["total"]
properties.total.type = "integer"
properties.note.type = "string"
"""


def test_sentences_about_runs_are_in_the_spine_and_judged_by_the_preview() -> None:
    terms = lowered_policy(TOLD, read_agent(AGENT)).terms
    state = SessionState("x", sentences=(), terms=terms)
    (row,) = [row for row in laid_out(spine_rows(state), 60) if row.key == RUNS]
    assert text_of(row.line) == "·  1 sentence about runs"
    assert RUNS in spine_keys(state)
    shown_rows = shown(runs_rows(state), width=80)
    assert "· In no run is more than [b]5[/b] paid at once." in shown_rows and "not judged" in shown_rows
    held = TheoremVerdict(
        "theorem_each", "In no run is more than 5.", (), 3, ProofStatus.REFUTED, Engine.CVC5, "", ()
    )
    judged = replace(state, theorems=(held,))
    (row,) = [row for row in laid_out(spine_rows(judged), 60) if row.key == RUNS]
    assert text_of(row.line).startswith("✗")
    assert "refuted by the preview" in shown(runs_rows(judged), width=80)


def test_a_policy_without_theorems_has_no_sentences_about_runs() -> None:
    assert RUNS not in spine_keys(SessionState("x", terms=check(NEGATED)))


def test_a_sentence_that_cannot_be_evaluated_says_why_in_a_line(tmp_path: Path) -> None:
    said = "The agent must not write a file if the path does not lie inside “/srv/app”."
    with closing(desk_of_files(tmp_path)) as bench:
        effect = bench.sentences.preview(said, bench.runs.current())
    rows = laid_out(writing_rows(Writing(None, text=said, effect=effect)), 200)
    text = "\n".join("".join(part.text for part in row.line) for row in rows)
    assert "1 cannot of 5 recorded calls" in text
    assert "1 cannot, as path of the call" in text and "the path is relative" in text
