"""The facts of the context that reading calls needs from the program that starts a run."""

from __future__ import annotations

from workbench.guard.call_reading import CallReading
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind
from workbench.runs.extract.reading_needs import needed_context


def _argument(name: str, **options: Json) -> Argument:
    return Argument(name, ArgumentType(Kind.STR), "", Extraction("jsonpath", options))


def test_members_of_the_context_are_named_once_wherever_an_option_has_them() -> None:
    reading = CallReading(
        (
            _argument("role", path="$.context.user.role"),
            _argument("amount", path="$.arguments.context.amount"),
            _argument("owner", where={"any": ["$.context.user.role", "$.context.team[*]"]}),
        ),
        AgentSpec("a"),
    )
    assert needed_context(reading) == "user.role, team[*]"
    assert needed_context(CallReading((), AgentSpec("a"))) == "nothing"
