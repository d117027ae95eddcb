"""Agents of the OpenAI Agents SDK and of LangGraph act in a live run; a model's reply is one action."""

# The frameworks declare much as Any.
# pyright: reportAny=false, reportExplicitAny=false, reportUnknownMemberType=false

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, override

import pytest

from tests.live.toy import played
from workbench.guard import Strategy
from workbench.live import LiveRun, LiveState

type Turn = list[tuple[str, str]] | str


def arguments(log: Path) -> list[tuple[bool, int | None, str]]:
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return [
        (entry["runs"], entry.get("action"), entry.get("arguments", ""))
        for entry in entries
        if "decision" in entry
    ]


TURNS: list[Turn] = [
    [("transfer", '{"amount": 5}'), ("transfer", '{"amount": 500}'), ("transfer", '{"amount": 6}')],
    [("transfer", '{"amount": 7}')],
    [("transfer", '{"amount": 7')],
    "Done.",
]
MADE = [
    (True, 0, '{"amount": 5}'),
    (False, 0, '{"amount": 500}'),
    (False, 0, '{"amount": 6}'),
    (True, None, '{"amount": 7}'),
    (False, None, "null"),
]


def openai_agent(turns: list[Turn]) -> Any:
    """An agent of the OpenAI Agents SDK whose model gives these replies."""
    agents = pytest.importorskip("agents")
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    from workbench.live.adapters.openai_agents import RunTools

    agents.set_tracing_disabled(True)

    class Scripted(Model):
        """Gives the replies of the list."""

        def __init__(self) -> None:
            self.turns = iter(turns)

        @override
        async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
            turn = next(self.turns)
            output: list[Any] = []
            if isinstance(turn, str):
                text = ResponseOutputText(text=turn, type="output_text", annotations=[])
                output.append(
                    ResponseOutputMessage(
                        id="m", content=[text], role="assistant", status="completed", type="message"
                    )
                )
            else:
                output += [
                    ResponseFunctionToolCall(
                        name=name,
                        arguments=tool_arguments,
                        call_id=f"c{id(turn)}-{place}",
                        type="function_call",
                    )
                    for place, (name, tool_arguments) in enumerate(turn)
                ]
            return ModelResponse(output=output, usage=Usage(), response_id=None)

        @override
        def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
            raise NotImplementedError

    async def act(run: LiveRun) -> str:
        tools = RunTools(run)
        agent = Agent(name="bank", tools=[*tools.function_tools], model=Scripted())
        run_result = await Runner.run(
            agent, run.task.request, hooks=tools.hooks, run_config=RunConfig(tracing_disabled=True)
        )
        return str(run_result.final_output)

    return act


def langgraph_agent(turns: list[Turn]) -> Any:
    """A graph of LangGraph whose node for the model gives these replies."""
    pytest.importorskip("langgraph")
    from langchain_core.messages import AIMessage, HumanMessage
    from langgraph.graph import END, START, MessagesState, StateGraph

    from workbench.live.adapters.langgraph import tool_node

    def act(run: LiveRun) -> str:
        remaining = iter(turns)

        def model(_state: Any) -> Any:
            turn = next(remaining)
            if isinstance(turn, str):
                return {"messages": [AIMessage(turn)]}
            calls: list[Any] = []
            broken: list[Any] = []
            for place, (name, tool_arguments) in enumerate(turn):
                call_id = f"c{id(turn)}-{place}"
                try:
                    calls.append({"name": name, "args": json.loads(tool_arguments), "id": call_id})
                except ValueError:
                    broken.append({"name": name, "args": tool_arguments, "id": call_id, "error": "no JSON"})
            return {"messages": [AIMessage("", tool_calls=calls, invalid_tool_calls=broken)]}

        def goes_on(state: Any) -> str:
            last = state["messages"][-1]
            called = isinstance(last, AIMessage) and (last.tool_calls or last.invalid_tool_calls)
            return "tools" if called else END

        graph: Any = StateGraph(MessagesState)
        graph.add_node("model", model)
        graph.add_node("tools", tool_node(run))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", goes_on, ["tools", END])
        graph.add_edge("tools", "model")
        state = graph.compile().invoke({"messages": [HumanMessage(run.task.request)]})
        return str(state["messages"][-1].content)

    return act


FRAMEWORKS = pytest.mark.parametrize("framework", [openai_agent, langgraph_agent])


@FRAMEWORKS
def test_the_calls_of_a_reply_are_one_action(framework: Any, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    result = played(framework(TURNS), log, strategy=Strategy.REPLAN)
    assert (result.state, result.answer, result.detail) == (LiveState.FINISHED, "Done.", "")
    assert arguments(log) == MADE


@FRAMEWORKS
def test_a_task_that_is_terminated_ends_the_loop_of_the_framework(framework: Any, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    result = played(framework(TURNS), log, strategy=Strategy.TERMINATE_TASK)
    assert (result.state, result.steps) == (LiveState.TERMINATED, 1)
    assert [runs for runs, *_ in arguments(log)] == [True, False, False]


def test_single_tools_for_a_ready_made_agent_of_langchain(tmp_path: Path) -> None:
    pytest.importorskip("langchain_core")
    from workbench.live.adapters.langgraph import tools_of

    def act(run: LiveRun) -> str:
        transfer = next(base_tool for base_tool in tools_of(run) if base_tool.name == "transfer")
        return "|".join(str(transfer.invoke({"amount": amount})) for amount in (5, 500))

    result = played(act, tmp_path / "live.jsonl")
    assert result.answer.startswith("[5]|Refused: No transfer above 100.")
