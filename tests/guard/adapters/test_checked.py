"""A guarded tool runs with the checked arguments, whatever names an agent uses for them."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from workbench.guard import ActionDenied, Approval, EnforcedPolicy, Guard, Outcome, ToolCall
from workbench.model import Decision, Value, Verdict, Violation

# Both frameworks declare most objects that tests pass to them as Any.
# pyright: reportAny=false, reportExplicitAny=false, reportUnknownMemberType=false

ODD_NAMES = [
    "Amount", "AMOUNT", "amount\x00", "amount ", "am\u200bount", "\u0430mount", "\uff41mount", "a_mount",
    "amou\u00adnt", "amount\n", "amoun\u03c4", "_amount",
]  # fmt: skip


class Limit(EnforcedPolicy):
    """Replaces a compiled policy: ``above`` is its decision on an amount above 100."""

    above = Verdict.DENY

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """Deny an amount above the limit."""
        amount = arguments["amount"]
        if isinstance(amount, int) and amount <= 100:
            return Decision(Verdict.ALLOW, (), arguments)
        return Decision(self.above, (Violation("forbid_large", "No transfer above 100."),), arguments)


def total(call: ToolCall, _past: object) -> Mapping[str, Value]:
    """The sum of all amounts in the call, at any place."""

    def amounts(value: object) -> int:
        match value:
            case dict():
                return sum(amounts(item) for item in cast("dict[str, object]", value).values())
            case list() | set() | tuple():
                return sum(amounts(item) for item in cast("list[object]", value))
            case int():
                return value
            case _:
                return 0

    return {"amount": amounts(call.arguments)}


def amount_only(call: ToolCall, _past: object) -> Mapping[str, Value]:
    """The arguments in a session that reads only ``amount``."""
    amount = (call.arguments or {}).get("amount", 0)
    return {"amount": amount if isinstance(amount, int) else 1_000}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_keyword_that_could_be_a_parameter_is_refused(name: str) -> None:
    ran: list[object] = []

    def transfer(amount: int = 5, **more: int) -> None:
        ran.append((amount, more))

    with pytest.raises(ActionDenied, match="cannot be evaluated"):
        Guard(Limit(), amount_only).tool(transfer)(**{"amount": 5, name: 500})
    assert ran == []


class Box:
    """An object with arguments that change while the guard decides."""

    def __init__(self, value: Any, change: Callable[[Any], object]) -> None:
        self.value, self.change = value, change


def _set(key: str, value: object) -> Callable[[Any], object]:
    return lambda container: container.__setitem__(key, value)


CHANGED: list[Callable[[], Box]] = [
    lambda: Box([5], lambda container: container.append(500)),
    lambda: Box([5], lambda container: container.__setitem__(0, 500)),
    lambda: Box([5], lambda container: container.extend([500])),
    lambda: Box([[5]], lambda container: container[0].append(500)),
    lambda: Box([{"x": 5}], lambda container: container[0].update(x=500)),
    lambda: Box({"x": 5}, _set("x", 500)),
    lambda: Box({"x": 5}, _set("y", 500)),
    lambda: Box({"x": [5]}, lambda container: container["x"].append(500)),
    lambda: Box({"x": {"y": 5}}, lambda container: container["x"].update(y=500)),
    lambda: Box({"x": 5}, lambda container: container.clear()),
    lambda: Box(([5],), lambda container: container[0].append(500)),
]


@pytest.mark.parametrize("make_box", CHANGED)
@pytest.mark.parametrize("in_async", [False, True])
def test_an_argument_that_is_changed_while_a_person_is_asked_runs_as_it_was_shown(
    make_box: Callable[[], Box], in_async: bool
) -> None:
    box, ran = make_box(), list[object]()
    before = json.dumps(box.value)

    class Never(Limit):
        def decide(self, arguments: Mapping[str, Value]) -> Decision:
            return Decision(Verdict.ASK, (Violation("ask", "Ask."),), arguments)

    def approve(_outcome: Outcome) -> str:
        box.change(box.value)
        return "desk"

    guard = Guard(Never(), total, approval=Approval(approve, timeout=20))

    def transfer(order: Any) -> None:
        ran.append(order)

    async def transfer_async(order: Any) -> None:
        ran.append(order)

    if in_async:
        asyncio.run(guard.tool(transfer_async)(box.value))
    else:
        guard.tool(transfer)(order=box.value)
    assert json.dumps(ran) == f"[{before}]"
    assert json.dumps(box.value) != before


def test_a_default_that_is_changed_later_is_checked_as_it_is_then() -> None:
    order: list[int] = [5]
    ran: list[list[int]] = []

    def transfer(order: list[int] = order) -> None:
        ran.append(order)

    tool = Guard(Limit(), total).tool(transfer)
    tool()
    order.append(500)
    with pytest.raises(ActionDenied):
        tool()
    assert ran == [[5]]


def test_a_guarded_function_does_not_lead_to_the_function_behind_it() -> None:
    def transfer(amount: int) -> int:
        """Send money."""
        return amount

    tool = Guard(Limit(), total).tool(transfer)
    assert inspect.unwrap(tool) is tool
    assert inspect.signature(tool).parameters.keys() == {"amount"}
    assert (tool.__doc__, tool.__name__) == ("Send money.", "transfer")
    assert inspect.get_annotations(tool) == {"amount": int, "return": int}


# --- frameworks -----------------------------------------------------------------------


def openai_tool(ran: list[object], guard: Guard) -> Any:
    agents = pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed")
    from workbench.guard.adapters.openai_agents import guard_tools

    async def send(context: Any, text: str) -> str:
        ran.append((context.tool_arguments, text))
        return "sent"

    schema = {"type": "object", "properties": {"amount": {"type": "integer", "default": 5}}}
    transfer = agents.FunctionTool("transfer", "Send money.", schema, send, strict_json_schema=False)
    return guard_tools(guard, [transfer])[0]


def invoked(tool: Any, text: str) -> object:
    from agents.tool_context import ToolContext

    context = ToolContext(context=None, tool_name=tool.name, tool_call_id="c", tool_arguments=text)
    return asyncio.run(tool.on_invoke_tool(context, text))


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps({"amount": 5, name: 500}) for name in ODD_NAMES),
        '{"amount": 5, "amount": 500}',
        '{"amount": 5, "more": 500}',
        '{"amount": NaN}',
        '{"amount": 1e999}',
        "[5]",
        "5",
        '{"amount": 5} {"amount": 500}',
        '\ufeff{"amount": 5}',
    ],
)
def test_agents_text_that_could_be_read_in_two_ways_is_refused(text: str) -> None:
    ran: list[object] = []
    answer = invoked(openai_tool(ran, Guard(Limit(), amount_only)), text)
    assert "cannot be evaluated" in str(answer)
    assert ran == []


def test_an_agents_tool_gets_and_sees_the_text_that_was_checked() -> None:
    ran: list[object] = []
    assert invoked(openai_tool(ran, Guard(Limit(), amount_only)), ' { "am\\u006funt" : 7 }') == "sent"
    assert invoked(openai_tool(ran, Guard(Limit(), amount_only)), "") == "sent"
    assert ran == [('{"amount": 7}', '{"amount": 7}'), ('{"amount": 5}', '{"amount": 5}')]


def langchain_tool(ran: list[object], guard: Guard) -> Any:
    langchain = pytest.importorskip("langchain_core.tools", reason="langchain-core is not installed")
    from workbench.guard.adapters.langchain import guard_tools

    @langchain.tool
    def transfer(order: dict[str, int], amount: int = 5) -> str:
        """Send money."""
        ran.append((order, amount))
        return "sent"

    return guard_tools(guard, [transfer])[0]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_langchain_arguments_that_could_be_others_are_refused(name: str) -> None:
    ran: list[object] = []
    tool = langchain_tool(ran, Guard(Limit(), amount_only))
    assert "cannot be evaluated" in tool.invoke({"order": {}, "amount": 5, name: 500})
    assert "cannot be evaluated" in asyncio.run(tool.ainvoke({"order": {name: 500}, "amount": 5}))
    assert ran == []


@pytest.mark.parametrize("in_async", [False, True])
def test_langchain_input_that_is_changed_while_a_person_is_asked_runs_as_it_was(in_async: bool) -> None:
    ran: list[object] = []
    tool_input: dict[str, Any] = {"order": {"x": 500}}

    def approve(_outcome: Outcome) -> str:
        tool_input["order"]["x"] = 900
        tool_input["amount"] = 900
        return "desk"

    class Asking(Limit):
        above = Verdict.ASK

    tool = langchain_tool(ran, Guard(Asking(), total, approval=Approval(approve, timeout=20)))
    assert (asyncio.run(tool.ainvoke(tool_input)) if in_async else tool.invoke(tool_input)) == "sent"
    assert ran == [({"x": 500}, 5)]
