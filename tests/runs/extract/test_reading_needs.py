"""The facts of the context that reading calls needs from the program that starts a run."""

from __future__ import annotations

from tests.runs.expressions.small_agent import SPEC
from workbench.guard.call_reading import CallReading
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind
from workbench.runs.extract.reading_needs import needed_context, needed_messages


def _argument(name: str, **options: Json) -> Argument:
    return Argument(name, ArgumentType(Kind.STR), "", Extraction("jsonpath", options))


def test_members_of_the_context_are_named_once() -> None:
    reading = CallReading(
        (
            _argument("role", path="$.context.user.role"),
            _argument("amount", path="$.arguments.context.amount"),
            _argument("owner", path="$.context.user.role"),
            _argument("teams", path="$.context.team[*]"),
        ),
        AgentSpec("a"),
    )
    assert needed_context(reading) == "user.role, team[*]"
    assert needed_context(CallReading((), AgentSpec("a"))) == "nothing"


def _expression(text: str) -> CallReading:
    options: dict[str, Json] = {"tool": "pay_invoice", "of": text}
    argument = Argument("a", ArgumentType(Kind.STR), "", Extraction("expression", options))
    return CallReading((argument,), SPEC)


def test_a_policy_that_asks_where_values_came_from_needs_the_messages_of_the_user() -> None:
    assert 'run.message("user", text)' in needed_messages(_expression("call.iban.source"))
    assert needed_messages(_expression("call.iban")) == "nothing"


def test_the_context_that_expressions_read_is_needed() -> None:
    assert needed_context(_expression("run.context.role")) == "role"
    assert needed_context(_expression("call.iban")) == "nothing"
