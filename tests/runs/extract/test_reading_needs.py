"""The facts of the context that reading calls needs from the program that starts a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.runs.expressions.small_agent import SPEC
from workbench.guard.call_reading import CallReading
from workbench.model import Argument, ArgumentType, CallExpression, Kind
from workbench.runs.extract.reading_needs import needed_context, needed_messages


def _expression(*texts: str) -> CallReading:
    arguments = (
        Argument(text, ArgumentType(Kind.STR), "", CallExpression(text, "pay_invoice")) for text in texts
    )
    return CallReading(tuple(arguments), SPEC)


def test_a_policy_that_asks_where_values_came_from_needs_the_messages_of_the_user() -> None:
    assert 'run.message("user", text)' in needed_messages(_expression("call.iban.source"))
    assert needed_messages(_expression("call.iban")) == "nothing"


def test_the_context_that_expressions_read_is_needed() -> None:
    role = 'run.context.role == "clerk"'
    read = _expression(role, "run.context.budget", "run.context.role")
    assert needed_context(read) == '{"role": ..., "budget": ...}'
    assert needed_context(_expression("call.iban")) == "nothing"


@pytest.mark.parametrize(
    ("role", "budget", "shown"),
    [
        ("user.role", "user.limits.budget", '{"user": {"role": ..., "limits": {"budget": ...}}}'),
        ("user['its role']", "budget", '{"user": {"its role": ...}, "budget": ...}'),
        ("users[0].role", "budget", "users[0].role, budget"),
        ("user", "user.budget", "user, user.budget"),
        ("user.role", "user", "user.role, user"),
    ],
)
def test_the_context_is_shown_in_the_form_in_which_a_run_takes_it(role: str, budget: str, shown: str) -> None:
    places = {"role": role, "budget": budget}
    context = {
        name: replace(field, path=places[name]) for name, field in SPEC.context.items() if name in places
    }
    reading = _expression("run.context.role", "run.context.budget")
    assert needed_context(replace(reading, spec=replace(SPEC, context=context))) == shown
