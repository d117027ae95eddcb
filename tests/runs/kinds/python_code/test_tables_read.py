"""The tables and columns that code reads by the functions of an agent, as parts of the kind ``code``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.runs.kinds.python_code.table_stand_in import columns_read
from workbench.model import Json
from workbench.runs.kinds.code import CODE
from workbench.runs.values.found_value import Missing
from workbench.session.agent_file import read_agent

_HOSPITAL = read_agent(
    (Path(__file__).parents[4] / "sessions" / "hospital-access" / "agent.toml").read_text("utf-8")
)
SCHEMA = _HOSPITAL.schema
FUNCTIONS: dict[str, Json] = {
    "table": ["LoadDB"],
    "conditions": ["FilterDB"],
    "columns": ["GetValue"],
    "sql": ["SQLInterpreter"],
    "pure": ["Calculate", "Calendar"],
}
READER = CODE.reader({**FUNCTIONS, "schema": {table: list(columns) for table, columns in SCHEMA.items()}})
_TEXT = Path(__file__).with_name("agent_programs.txt").read_text("utf-8")
PROGRAMS = dict(re.findall(r"^== (\d+)\n(.*?)(?=^== |\Z)", _TEXT, re.MULTILINE | re.DOTALL))
# A condition for each item of a dict of any size.
UNDETERMINED = {"27"}


def part(program: str, name: str) -> set[str]:
    value = READER.part(program, name)
    assert isinstance(value, frozenset)
    return set(map(str, value))


@pytest.mark.parametrize("number", sorted(PROGRAMS, key=int))
def test_the_columns_of_a_program_are_those_that_it_really_reads(number: str) -> None:
    really = columns_read(PROGRAMS[number], SCHEMA)
    assert really
    if number in UNDETERMINED:
        with pytest.raises(Missing, match="only known when the code runs"):
            part(PROGRAMS[number], "columns")
    else:
        assert part(PROGRAMS[number], "columns") == really
        assert part(PROGRAMS[number], "tables") == {column.partition(".")[0] for column in really}


def test_a_table_that_is_only_counted_is_read_whole() -> None:
    assert part("n = len(LoadDB('lab'))", "tables") == {"lab"}
    assert part("n = len(LoadDB('lab'))", "columns") == {f"lab.{column}" for column in SCHEMA["lab"]}


def test_code_that_reads_no_table_has_none() -> None:
    assert part("answer = 1 + 1", "columns") == part("answer = 1 + 1", "tables") == set()


def test_the_names_of_described_functions_exist_before_the_code_begins() -> None:
    assert READER.part("LoadDB('lab')", "hidden") is False
    assert CODE.reader({}).part("LoadDB('lab')", "hidden") is True


@pytest.mark.parametrize(
    "program",
    [
        "t = LoadDB(input())",
        "class A:\n    t = LoadDB('lab')",
        "import os\nos.system('cat lab.csv')",
        "LoadDB('lab').query('labname == @x')",
        "LoadDB('lab').to_csv('lab.csv')",
        "eval(\"LoadDB('lab')\")",
    ],
)
def test_what_is_not_followed_leaves_the_columns_undetermined(program: str) -> None:
    for name in ("columns", "tables"):
        with pytest.raises(Missing):
            part(program, name)


def test_without_described_functions_no_table_is_known() -> None:
    with pytest.raises(Missing, match="describes no function that loads a table"):
        CODE.reader({}).part("answer = 1", "columns")
