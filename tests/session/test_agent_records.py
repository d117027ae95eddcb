"""Records in ``agent.toml`` are unchanged, and in order, after writing and reading."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.agent import line_of_part
from workbench.files.file_error import FileError
from workbench.model import AgentSpec, ArgumentType, Kind, Record, RecordField, RecordResult
from workbench.session.agent_file import read_agent, write_agent

LONG = "a_name_that_alone_is_so_long_that_nothing_with_it_fits_into_one_line_of_a_file_for_people_to_read"
FIELDS = st.sampled_from(
    [
        RecordField("id", ArgumentType(Kind.STR)),
        RecordField("folder", ArgumentType(Kind.STR), "path", kind="path", options={"root": f"/{LONG}"}),
        RecordField("state", ArgumentType(Kind.ENUM, values=("open", "closed"), optional=True)),
        RecordField("amount", ArgumentType(Kind.DECIMAL, places=2), LONG),
    ]
)
RESULTS = st.sampled_from(
    [RecordResult("list_all", "$.found[*]"), RecordResult("get_one", f"$.{LONG}", "$.arguments.id")]
)


@settings(deadline=None, max_examples=examples(40))
@given(
    st.lists(FIELDS, min_size=1, unique_by=lambda field: field.name).map(tuple),
    st.lists(RESULTS, min_size=1, unique_by=lambda result: result.tool).map(tuple),
)
def test_a_record_keeps_the_order_of_its_parts(
    fields: tuple[RecordField, ...], results: tuple[RecordResult, ...]
) -> None:
    spec = AgentSpec("desk", records=(Record("thing", fields, "id", results),))
    text = write_agent(spec)
    assert read_agent(text) == spec
    assert write_agent(spec, text) == text


def test_the_errors_of_an_agent_are_patterns_that_compile() -> None:
    spec = AgentSpec("desk", errors=("^Error", "^Refused"))
    assert read_agent(write_agent(spec)) == spec
    with pytest.raises(FileError, match=r'the pattern "\[" does not compile'):
        read_agent('name = "desk"\nerrors = ["["]\n')


def test_a_part_of_the_spec_is_at_its_table_or_at_the_first_of_its_parts() -> None:
    text = '[records.leg.fields]\nto = 1\n\n[tools]\n\n[tools.pay]\n\n[synonyms]\n"pay out" = "pay"\n'
    parts = (
        ("record", "leg"),
        ("tool", "pay"),
        ("synonym", "pay out"),
        ("tool", "book"),
        ("proposal", "leg"),
    )
    assert [line_of_part(text, *part) for part in parts] == [1, 6, 9, 4, 0]
