"""A value that only other tools' calls have is no condition on a tool: the sentence is asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.clarify.parcel_desk import TEXT, made_tool
from workbench.author.rules import RulesAuthor
from workbench.model import AgentSpec, Draft, Json, Kind, SentenceRole
from workbench.runs.extract.propose import propose_arguments

SERVICE: Json = {"type": "string", "enum": ["web", "database"]}
STAGE: Json = {"type": "string", "enum": ["test", "production"]}
TOOLS = (
    made_tool("read_log", ("service",), service=TEXT),
    made_tool("restart_service", ("service", "stage"), service=SERVICE, stage=STAGE),
    made_tool("scale_service", ("service",), service=SERVICE),
    made_tool("deploy_release", ("version", "stage"), version=TEXT, stage=STAGE),
)
TOOL, *OTHERS = propose_arguments(TOOLS)
SPEC = AgentSpec(
    "operations",
    tools=TOOLS,
    arguments=(replace(TOOL, type=replace(TOOL.type, kind=Kind.ENUM)), *OTHERS),
)


def draft(sentence: str) -> Draft:
    return RulesAuthor().draft(f"{sentence}\n", SPEC, {})


def test_tools_with_one_kind_of_value_share_an_argument_beside_one_with_another_kind() -> None:
    options_by_argument = {
        argument.name: argument.extraction.options
        for argument in SPEC.arguments
        if argument.extraction is not None
    }
    assert options_by_argument["service"]["tools"] == ["restart_service", "scale_service"]
    assert options_by_argument["read_log_service"]["tools"] == ["read_log"]


def test_a_value_of_the_tools_own_calls_is_read() -> None:
    drafted = draft("Don't restart the database in production.")
    assert drafted.sentences[0].role is SentenceRole.REQUIREMENT
    assert 'service == "database"' in drafted.policy
    assert 'stage == "production"' in drafted.policy


@pytest.mark.parametrize(
    "sentence",
    ["Don't deploy the database.", "Only the web may be deployed.", "Never scale in production."],
)
def test_a_value_of_other_tools_calls_is_asked_about(sentence: str) -> None:
    assert draft(sentence).sentences[0].role is SentenceRole.OPEN
