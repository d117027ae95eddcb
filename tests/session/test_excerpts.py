"""One record of a session as a text, and back: nothing is changed by looking at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Assumption,
    Case,
    Demonstration,
    Extraction,
    Json,
    Kind,
    MadeBy,
    Tool,
    Verdict,
)
from workbench.session import SessionError, excerpts
from workbench.session.agent_file import read_agent

ROLES = ("physician", "nursing")
COLUMNS = ("allergy.drugname", "diagnosis.icd9code", "cost.cost")
COLUMN: Json = {"type": "object", "properties": {"column": {"type": "string"}}, "required": ["column"]}
SPEC = AgentSpec(
    "ehr-agent",
    "Answers questions of hospital staff.",
    (Tool("GetValue", "Reads a column.", COLUMN), Tool("Finish", "Says the answer.", {"type": "object"})),
    (
        Argument(
            "role", ArgumentType(Kind.ENUM, ROLES), "who asks", Extraction("vocabulary", {"field": "User"})
        ),
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
def test_a_demonstration_survives_being_looked_at(asked: str, plan: str, code: str) -> None:
    item = Demonstration("one", asked, "", (plan, "", asked, "x"), code, enabled=False)
    assert excerpts.read_demonstration(excerpts.demonstration_text(item), item) == item


@given(TEXT | LINES, TEXT)
def test_an_assumption_survives_being_looked_at(statement: str, why: str) -> None:
    item = Assumption("A:x", "x", "yes", statement, MadeBy.HUMAN, "2026-01-05T09:30:00Z", ("R1",), why)
    assert excerpts.read_assumption(excerpts.assumption_text(item)) == item


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_survives_being_looked_at(case: object) -> None:
    found = next(item for item in CASES if item is case)
    assert excerpts.read_case(excerpts.case_text(found), TYPES) == found


def test_code_stands_on_its_own_lines() -> None:
    text = excerpts.demonstration_text(replace(DEMONSTRATION, code='def guard():\n    return "a\\n"\n'))
    assert '\n    return "a\\n"\n' in text


PARTS = [
    *(("argument", one.name) for one in SPEC.arguments),
    *(("tool", one.name) for one in SPEC.tools),
    *(("vocabulary", name) for name in SPEC.vocabulary),
    *(("schema", name) for name in SPEC.schema),
    *(("synonym", name) for name in SPEC.synonyms),
    ("agent", ""),
]


@pytest.mark.parametrize(("part", "name"), PARTS)
def test_a_part_of_the_spec_survives_and_is_alone(part: str, name: str) -> None:
    text = excerpts.spec_text(SPEC, part, name)
    assert excerpts.read_spec(text, SPEC, part, name) == SPEC
    others = [other for kind, other in PARTS if kind == part and other not in ("", name)]
    assert all(f"{part}s.{other}]" not in text for other in others)


DESK = Path(__file__).resolve().parents[2] / "sessions" / "travel-desk" / "agent.toml"
DESK_SPEC = read_agent(DESK.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [one.name for one in DESK_SPEC.arguments])
def test_an_argument_of_records_stands_alone_and_survives(name: str) -> None:
    text = excerpts.spec_text(DESK_SPEC, "argument", name)
    assert text.count("\n[arguments.") - text.count(f"\n[arguments.{name}.") == 1
    assert "[records" not in text
    assert excerpts.read_spec(text, DESK_SPEC, "argument", name) == DESK_SPEC


def test_what_an_argument_names_wrongly_is_told_at_its_line() -> None:
    text = excerpts.spec_text(DESK_SPEC, "argument", "trip").replace('record = "trip"', 'record = "journey"')
    with pytest.raises(SessionError, match=r'agent\.toml:\d+: the argument "trip" is of no record'):
        excerpts.read_spec(text, DESK_SPEC, "argument", "trip")


def test_a_part_is_renamed_in_its_place() -> None:
    text = excerpts.spec_text(SPEC, "argument", "rows").replace("[arguments.rows]", "[arguments.count]")
    text = text.replace("arguments.rows.", "arguments.count.")
    names = [one.name for one in excerpts.read_spec(text, SPEC, "argument", "rows").arguments]
    assert names == [("count" if one.name == "rows" else one.name) for one in SPEC.arguments]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (excerpts.spec_text(SPEC, "agent", ""), "argument"),
        (excerpts.spec_text(AgentSpec("x"), "agent", ""), "tool"),
        (excerpts.spec_text(SPEC, "tool", SPEC.tools[0].name), "argument"),
    ],
)
def test_a_text_that_holds_anything_else_is_refused(text: str, part: str) -> None:
    with pytest.raises(SessionError, match=f"Leave one {part}"):
        excerpts.read_spec(text, SPEC, part, "rows")


def test_two_cases_in_the_text_of_one_are_refused() -> None:
    text = excerpts.case_text(CASES[0])
    with pytest.raises(SessionError, match="exactly one case"):
        excerpts.read_case(text + excerpts.case_text(CASES[1]), TYPES)
