"""Logged calls of which the log does not say what they are: what is unknown of them is never assumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plain_policies import check
from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    CallExpression,
    ContextField,
    Json,
    Kind,
    RecordedCall,
    Run,
    Tool,
    Verdict,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs.importer import NOTHING, LogSource, build_run, not_understood
from workbench.runs.replay.decide import replay

TOOLS = ("look", "pay")
HEAD = 'from typing import Literal\n\nTool = Literal["look", "pay"]\nTOOLS = {"look", "pay"}\n\n\n'
TOOL = Argument("tool", ArgumentType(Kind.ENUM, values=TOOLS))
ROLE = Argument("role", ArgumentType(Kind.STR), expression=CallExpression("run.context.role"))
PARAMETERS: dict[str, Json] = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "way": {"type": "string"}},
}


def agent(*arguments: Argument) -> AgentSpec:
    return AgentSpec(
        "payer",
        tools=tuple(Tool(name, "", PARAMETERS) for name in TOOLS),
        arguments=arguments,
        context={"role": ContextField(ArgumentType(Kind.STR))},
    )


def verdict(source: str, spec: AgentSpec, call: RecordedCall) -> Verdict:
    """The decision of a policy on the only call of a run."""
    extractor = Extractor(spec.arguments, spec)
    (decided,) = replay(compile_policy(check(source)), extractor, [Run("r", (call,), "test")])
    return decided.decision.verdict


@pytest.mark.parametrize(
    "source",
    [
        f"{HEAD}def allow(tool: Tool) -> bool:\n    return True\n",
        f'{HEAD}def permit_all(tool: Tool) -> bool:\n    """R1: All."""\n    return tool in TOOLS\n\n\n'
        "def allow(tool: Tool) -> bool:\n    return permit_all(tool)\n",
        'def forbid_guests(role: str) -> bool:\n    """R1: No."""\n    return role == \'guest\'\n\n\n'
        "def allow(role: str) -> bool:\n    return not forbid_guests(role)\n",
    ],
    ids=["allows everything", "permits every declared tool", "does not take the tool"],
)
@pytest.mark.parametrize("arguments", [None, {}])
def test_a_call_of_an_unknown_tool_is_never_allowed(source: str, arguments: dict[str, Json] | None) -> None:
    """The tool may be one that the agent does not have, so that declared tools are not all completions."""
    spec, role = agent(TOOL, ROLE), {"role": "clerk"}
    assert verdict(source, spec, RecordedCall("r", 0, "pay", {}, context=role)) is Verdict.ALLOW
    (lost,) = build_run(
        "r", [not_understood()], NOTHING, "test", LogSource(Path("log.jsonl")), "line 1"
    ).calls
    assert (lost.tool, lost.arguments) == (None, None)
    call = replace(lost, arguments=arguments, context=role)
    assert verdict(source, spec, call) is Verdict.CANNOT_EVALUATE
