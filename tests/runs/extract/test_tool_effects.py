"""A tool's effect on the world, and its influence on a guard's look-ups and on proposals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.author.model.whole_file.blocks import NotUsable
from workbench.author.model.whole_file.design import refuse_strange
from workbench.model import AgentSpec, LookUpTool, Record, Tool
from workbench.runs.extract.tool_effects import CallEffect, effect_of


@pytest.mark.parametrize("name", ["get_x", "mcp__crm__get_user", "getUser", "get_and_clear_queue"])
def test_a_name_tells_what_a_tool_does_unless_its_owner_does(name: str) -> None:
    assert effect_of(Tool(name)).reads
    assert effect_of(Tool(name, "Deletes all.", reads_only=True)).reads
    assert effect_of(Tool(name, "Reads a thing.", reads_only=False)).effect is CallEffect.CHANGES


def test_a_name_that_says_nothing_leaves_it_to_the_description() -> None:
    assert effect_of(Tool("burn", "Some words.")).effect is CallEffect.UNKNOWN
    assert effect_of(Tool("burn", "Lists what burns.")).reads


def refusal(tool: Tool) -> str:
    """The reason why a model's draft may not make this tool a guard's look-up; empty if it may."""
    given = AgentSpec("desk", tools=(tool,))
    user = Record("user", (), "id", look_up=LookUpTool(tool.name, {"id": "key"}))
    try:
        refuse_strange(replace(given, records=(user,)), given)
    except NotUsable as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["get_and_clear_queue", "mcp__crm__get_user", "getUser", "describe_table"])
def test_a_guard_looks_up_by_itself_only_what_no_owner_declared_to_change_things(name: str) -> None:
    assert not refusal(Tool(name))
    assert not refusal(Tool(name, reads_only=True))
    assert "is declared to change things" in refusal(Tool(name, reads_only=False))


@pytest.mark.parametrize("name", ["lend", "delete_account", "query_database", "select_seat", "verifyAccount"])
@pytest.mark.parametrize("reads_only", [None, True])
def test_a_guard_looks_nothing_up_by_a_tool_that_only_its_list_calls_harmless(
    name: str, reads_only: bool | None
) -> None:
    tool = Tool(name, "Gets a book.", reads_only=reads_only)
    assert "does not only read by its name" in refusal(tool)
