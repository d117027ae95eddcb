"""Guarded tools of real agent frameworks: denied calls never run, and the agent gets the reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, cast

import pytest

from workbench.guard import EnforcedPolicy, Guard, PastCall, Strategy, TaskTerminated, ToolCall
from workbench.model import Decision, Value, Verdict, Violation, WorkbenchError

# Both frameworks declare most objects that tests pass to them as Any.
# pyright: reportAny=false, reportExplicitAny=false, reportUnknownMemberType=false

agents = pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed")
langchain = pytest.importorskip("langchain_core.tools", reason="langchain-core is not installed")


class Limit(EnforcedPolicy):
    """Replaces a compiled policy: denies transfers above 100."""

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """Deny an amount above the limit."""
        amount = arguments["amount"]
        if isinstance(amount, int) and amount > 100:
            return Decision(Verdict.DENY, (Violation("forbid_large", "No transfer above 100."),), arguments)
        return Decision(Verdict.ALLOW, (), arguments)


def arguments_of(call: ToolCall, _past: Sequence[PastCall]) -> Mapping[str, Value]:
    assert call.arguments is not None
    amount = call.arguments["amount"]
    assert isinstance(amount, int)
    return {"amount": amount}


def limit_guard(strategy: Strategy = Strategy.BLOCK_CALL) -> Guard:
    return Guard(Limit(), arguments_of, strategy=strategy)


REFUSAL = "Refused: No transfer above 100. This action was not carried out."


# --- OpenAI Agents SDK ------------------------------------------------------------


class ScriptedModel(agents.Model):
    """A model that makes the given calls of ``transfer`` one after another, then repeats the results."""

    def __init__(self, calls: Sequence[str]) -> None:
        self.calls = list(calls)
        self.heard: list[str] = []

    async def get_response(self, *_args: Any, input: Any, **_options: Any) -> Any:
        """One call of the script, or the end."""
        from openai.types.responses import (
            ResponseFunctionToolCall,
            ResponseOutputMessage,
            ResponseOutputText,
        )

        self.heard = [item["output"] for item in input if item.get("type") == "function_call_output"]
        if self.calls:
            item: Any = ResponseFunctionToolCall(
                arguments=self.calls.pop(0),
                call_id=f"call-{len(self.calls)}",
                name="transfer",
                type="function_call",
            )
        else:
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            item = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        return agents.ModelResponse(output=[item], usage=agents.Usage(), response_id=None)

    def stream_response(self, *_args: Any, **_options: Any) -> AsyncIterator[Any]:
        """Not used here."""
        raise NotImplementedError


def run_agent(
    calls: Sequence[str], strategy: Strategy = Strategy.BLOCK_CALL
) -> tuple[list[int], ScriptedModel]:
    from workbench.guard.adapters.openai_agents import guard_tools

    sent: list[int] = []

    @agents.function_tool(strict_mode=False)
    def transfer(amount: int = 500) -> str:
        """Send money."""
        sent.append(amount)
        return f"sent {amount}"

    agents.set_tracing_disabled(True)
    model = ScriptedModel(calls)
    agent = agents.Agent(name="a", model=model, tools=guard_tools(limit_guard(strategy), [transfer]))
    try:
        asyncio.run(agents.Runner.run(agent, "pay"))
    finally:
        model.heard.extend(str(amount) for amount in sent)
    return sent, model


def test_an_agent_hears_the_refusal_as_the_result_of_its_call_and_goes_on() -> None:
    sent, model = run_agent(['{"amount": 500}', '{"amount": 5}'])
    assert sent == [5]
    assert model.heard[:2] == [REFUSAL, "sent 5"]


def test_a_default_that_the_agent_leaves_out_is_checked() -> None:
    assert run_agent(["{}"])[0] == []


@pytest.mark.parametrize("text", ["not json", "[5]", '{"amount": 5, "amount": 500}'])
def test_odd_spellings_of_arguments_never_run_above_the_limit(text: str) -> None:
    assert run_agent([text])[0] == []


def test_termination_ends_the_run_of_the_agent() -> None:
    with pytest.raises(Exception, match="The task ends here") as caught:
        run_agent(['{"amount": 500}', '{"amount": 5}'], Strategy.TERMINATE_TASK)
    assert isinstance(caught.value, TaskTerminated) or isinstance(caught.value.__cause__, TaskTerminated)


def test_a_tool_that_runs_elsewhere_is_not_taken() -> None:
    from workbench.guard.adapters.openai_agents import guard_tools

    with pytest.raises(WorkbenchError, match="WebSearchTool"):
        guard_tools(limit_guard(), [agents.WebSearchTool()])


def test_the_given_tools_are_left_unguarded_as_they_are() -> None:
    from workbench.guard.adapters.openai_agents import guard_tools

    @agents.function_tool
    def transfer(amount: int) -> str:
        """Send money."""
        return str(amount)

    before = transfer.on_invoke_tool
    copied = guard_tools(limit_guard(), [transfer])[0]
    assert transfer.on_invoke_tool is before
    assert cast(Any, copied).params_json_schema == transfer.params_json_schema


# --- LangChain and LangGraph ------------------------------------------------------


def make_transfer(sent: list[int]) -> Any:
    @langchain.tool
    def transfer(amount: int = 500) -> str:
        """Send money."""
        sent.append(amount)
        return f"sent {amount}"

    return transfer


def guarded_transfer(sent: list[int], strategy: Strategy = Strategy.BLOCK_CALL) -> Any:
    from workbench.guard.adapters.langchain import guard_tools

    return guard_tools(limit_guard(strategy), [make_transfer(sent)])[0]


def message(amount: int | str, call_id: str = "c1") -> dict[str, Any]:
    return {"name": "transfer", "args": {"amount": amount}, "id": call_id, "type": "tool_call"}


def test_langchain_gives_the_refusal_as_a_tool_message_with_the_status_error() -> None:
    sent: list[int] = []
    answer = guarded_transfer(sent).invoke(message(500))
    assert (answer.content, answer.status, answer.tool_call_id, sent) == (REFUSAL, "error", "c1", [])


def test_langchain_runs_what_is_allowed_sync_and_async() -> None:
    sent: list[int] = []
    tool = guarded_transfer(sent)
    assert tool.invoke(message(5)).content == "sent 5"
    assert asyncio.run(tool.ainvoke({"amount": 6})) == "sent 6"
    assert asyncio.run(tool.ainvoke({"amount": 600})) == REFUSAL
    assert sent == [5, 6]


def test_langchain_checks_defaults_and_converted_values() -> None:
    sent: list[int] = []
    tool = guarded_transfer(sent)
    assert tool.invoke({}) == REFUSAL
    assert tool.invoke(message("500")).content == REFUSAL
    assert tool.invoke(message("7")).content == "sent 7"
    assert tool.invoke("500") == REFUSAL
    assert sent == [7]


def test_langchain_input_that_does_not_fit_the_schema_is_refused() -> None:
    sent: list[int] = []
    assert "cannot be evaluated" in guarded_transfer(sent).invoke({"amount": "many"})
    assert sent == []


def test_langchain_shows_the_model_the_same_tool() -> None:
    inner, guarded = make_transfer([]), guarded_transfer([])
    assert (guarded.name, guarded.description) == (inner.name, inner.description)
    assert guarded.tool_call_schema.model_json_schema() == inner.tool_call_schema.model_json_schema()


def test_langchain_arguments_that_the_framework_injects_are_not_the_agents() -> None:
    from workbench.guard.adapters.langchain import guard_tools

    seen: list[object] = []

    @langchain.tool
    def transfer(amount: int, call: Annotated[str, langchain.InjectedToolCallId]) -> str:
        """Send money."""
        return f"{call} sent {amount}"

    def arguments(call: ToolCall, past: Sequence[PastCall]) -> Mapping[str, Value]:
        seen.append(call.arguments)
        return arguments_of(call, past)

    tool = guard_tools(Guard(Limit(), arguments), [transfer])[0]
    assert tool.invoke(message(5)).content == "c1 sent 5"
    assert tool.invoke(message(500)).content == REFUSAL
    assert seen == [{"amount": 5}, {"amount": 500}]


def test_langgraph_runs_guarded_tools_in_its_tool_node_and_termination_ends_it() -> None:
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    graphs = pytest.importorskip("langgraph.graph")
    messages = pytest.importorskip("langchain_core.messages")

    def run(strategy: Strategy, sent: list[int]) -> Any:
        graph = graphs.StateGraph(graphs.MessagesState)
        graph.add_node("tools", prebuilt.ToolNode([guarded_transfer(sent, strategy)]))
        graph.add_edge(graphs.START, "tools")
        reply = messages.AIMessage("", tool_calls=[message(500, "a"), message(5, "b")])
        return graph.compile().invoke({"messages": [reply]})

    sent: list[int] = []
    answers = {item.tool_call_id: item.content for item in run(Strategy.BLOCK_CALL, sent)["messages"][1:]}
    assert (answers, sent) == ({"a": REFUSAL, "b": "sent 5"}, [5])
    with pytest.raises(TaskTerminated):
        run(Strategy.TERMINATE_TASK, [])


def test_results_of_guarded_tools_are_known_to_later_decisions() -> None:
    from workbench.guard.adapters.langchain import guard_tools

    results: list[list[str | None]] = []

    def arguments(call: ToolCall, past: Sequence[PastCall]) -> Mapping[str, Value]:
        results.append([item.result for item in past])
        return arguments_of(call, past)

    tool = guard_tools(Guard(Limit(), arguments), [make_transfer([])])[0]
    for amount in (5, 500, 6):
        tool.invoke(message(amount))
    assert results == [[], ["sent 5"], ["sent 5"]]
    assert json.dumps(results)
