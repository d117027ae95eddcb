"""One record of a session as a text, and back: viewing it changes nothing."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.check.realise.desk_policies import POLICY, spec
from workbench.check.cases_generate import generate_cases
from workbench.dialect.lowered_policy import lowered_policy
from workbench.files.file_error import FileError
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Case,
    Demonstration,
    Json,
    Kind,
    Tool,
    Verdict,
)
from workbench.policy.written import OWN_NAMES
from workbench.session import excerpts

ROLES = ("physician", "nursing")
COLUMNS = ("allergy.drugname", "diagnosis.icd9code", "cost.cost")
COLUMN: Json = {"type": "object", "properties": {"column": {"type": "string"}}, "required": ["column"]}
SPEC = AgentSpec(
    "ehr-agent",
    "Answers questions of hospital staff.",
    (Tool("GetValue", "Reads a column.", COLUMN), Tool("Finish", "Says the answer.", {"type": "object"})),
    (
        Argument("role", ArgumentType(Kind.ENUM, ROLES), "who asks"),
        Argument("columns", ArgumentType(Kind.SET, COLUMNS), ""),
        Argument("rows", ArgumentType(Kind.INT), "how many"),
    ),
    {"allergy": ("drugname",), "diagnosis": ("icd9code",), "cost": ("cost",)},
    {"nurse": "nursing"},
)
CASES = (
    Case("case-1", {"role": "physician", "columns": frozenset({"cost.cost"}), "rows": 10}, Verdict.DENY,
         "no costs", ("R1",)),
    Case("case-2", {"role": "nursing", "columns": frozenset(COLUMNS), "rows": 100}, Verdict.ALLOW, "all"),
    Case("case-3", {"role": "nursing", "columns": frozenset[str](), "rows": -1}, Verdict.CANNOT_EVALUATE, ""),
)  # fmt: skip
PLAN = ("Read the role.", "Look up the columns.", "Compare.", "Deny if one is left over.")
DEMONSTRATION = Demonstration("d1", "A nurse asks.", "allergy.drugname was read", PLAN, "CheckAccess(x)")
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60)
LINES = st.lists(st.text("ab c'\"\\#=[]", max_size=12), max_size=5).map("\n".join)
TYPES = {argument.name: argument.type for argument in SPEC.arguments}


@given(TEXT | LINES, TEXT, LINES)
def test_a_demonstration_survives_being_looked_at(agent_input: str, plan: str, code: str) -> None:
    item = Demonstration("one", agent_input, "", (plan, "", agent_input, "x"), code, enabled=False)
    assert excerpts.read_demonstration(excerpts.demonstration_text(item), item) == item


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_survives_being_looked_at(case: object) -> None:
    listed = next(item for item in CASES if item is case)
    assert excerpts.read_case(excerpts.case_text(listed, OWN_NAMES), TYPES, OWN_NAMES) == listed


def test_code_stands_on_its_own_lines() -> None:
    text = excerpts.demonstration_text(replace(DEMONSTRATION, code='def guard():\n    return "a\\n"\n'))
    assert '\n    return "a\\n"\n' in text


def test_two_cases_in_the_text_of_one_are_refused() -> None:
    text = excerpts.case_text(CASES[0], OWN_NAMES)
    with pytest.raises(FileError, match="exactly one case"):
        excerpts.read_case(text + excerpts.case_text(CASES[1], OWN_NAMES), TYPES, OWN_NAMES)


def test_a_case_of_a_policy_of_calls_speaks_as_the_policy_does() -> None:
    terms = lowered_policy(POLICY, spec()).terms
    words = terms.file.words
    types = {argument.name: argument.type for argument in terms.arguments}
    cases = generate_cases(terms, witness=None)
    made_up = {name for name, text in words.expressions.items() if name not in ("paid", text)}

    assert len(cases) > 10
    for case in cases:
        text = excerpts.case_text(case, words)
        keys = set(tomllib.loads(text)["case"][0]["arguments"])
        assert excerpts.read_case(text, types, words) == case
        assert not keys & made_up
        assert words.of_tool(case.arguments) == case.arguments
    deny = next(case for case in cases if case.id == "late-cancellation-fires")
    assert set(words.in_file(deny.arguments)) == {"tool", "run.booking(call.booking_id)"}


def test_a_case_is_about_what_its_words_say_whatever_arguments_are_called() -> None:
    terms = lowered_policy(POLICY, spec()).terms
    words = terms.file.words
    text = """[[case]]
id = "own"
expected = "deny"
[case.arguments]
tool = "cancel_booking"
"run.booking(call.booking_id)" = {none = true}
"run.booking(call.nothing)" = {none = true}
"""
    case = excerpts.read_case(text, {argument.name: argument.type for argument in terms.arguments}, words)
    (of_booking,) = [
        name for name, said in words.expressions.items() if said == "run.booking(call.booking_id)"
    ]
    assert case.arguments == {"tool": "cancel_booking", of_booking: None, "run.booking(call.nothing)": None}
