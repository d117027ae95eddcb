"""One record of a session as a text, and back: viewing it changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.file_error import FileError
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Case,
    Demonstration,
    Extraction,
    Json,
    Kind,
    Tool,
    Verdict,
)
from workbench.session import excerpts

ROLES = ("physician", "nursing")
COLUMNS = ("allergy.drugname", "diagnosis.icd9code", "cost.cost")
COLUMN: Json = {"type": "object", "properties": {"column": {"type": "string"}}, "required": ["column"]}
SPEC = AgentSpec(
    "ehr-agent",
    "Answers questions of hospital staff.",
    (Tool("GetValue", "Reads a column.", COLUMN), Tool("Finish", "Says the answer.", {"type": "object"})),
    (
        Argument("role", ArgumentType(Kind.ENUM, ROLES), "who asks", Extraction("field", {"key": "User"})),
        Argument(
            "columns", ArgumentType(Kind.SET, COLUMNS), "", Extraction("regex", {"pattern": '"(\\w+)"'})
        ),
        Argument("rows", ArgumentType(Kind.INT), "how many", Extraction("regex", {"pattern": "=(\\d+)"})),
    ),
    {"role": ROLES},
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
    assert excerpts.read_case(excerpts.case_text(listed), TYPES) == listed


def test_code_stands_on_its_own_lines() -> None:
    text = excerpts.demonstration_text(replace(DEMONSTRATION, code='def guard():\n    return "a\\n"\n'))
    assert '\n    return "a\\n"\n' in text


def test_two_cases_in_the_text_of_one_are_refused() -> None:
    text = excerpts.case_text(CASES[0])
    with pytest.raises(FileError, match="exactly one case"):
        excerpts.read_case(text + excerpts.case_text(CASES[1]), TYPES)
