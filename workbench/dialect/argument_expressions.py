"""The expressions of an agent's arguments, read by the checker: what evaluation and exported files have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import run_expression
from workbench.dialect.run_values import ELEMENT, CheckedExpressions, RunExpression
from workbench.model import AgentSpec, Argument, ArgumentType, WorkbenchError
from workbench.policy.problems import PolicyError


def checked_expressions(arguments: Iterable[Argument], spec: AgentSpec) -> CheckedExpressions:
    """The classes of an agent's calls, and every expression that these arguments are, checked.

    Raises WorkbenchError for a text that is no expression of the dialect, or a tool that the agent has not.
    """
    types = agent_types(spec)
    found: dict[tuple[str, str, ArgumentType | None], RunExpression] = {}
    for argument in arguments:
        for one in _of_argument(argument, types):
            found[one.text, one.tool, one.element] = one
    return CheckedExpressions(tuple(types.calls.values()), tuple(found.values()))


def _of_argument(argument: Argument, types: AgentTypes) -> Iterator[RunExpression]:
    expression = argument.expression
    if expression is None:
        return
    if expression.tool and all(one.tool != expression.tool for one in types.calls.values()):
        raise WorkbenchError(
            f"In argument {argument.name}: the agent has no tool {expression.tool!r} that has a class."
        )
    whole = _read(argument, expression.text, types, expression.tool)
    yield whole
    for path, of_element in expression.fields.items():
        element = whole.element_at(path)
        if element is None:
            raise WorkbenchError(
                f"In argument {argument.name}: {path[:80]} is no field of a list's elements."
            )
        yield _read(argument, of_element, types, expression.tool, element)


def _read(
    argument: Argument, text: str, types: AgentTypes, tool: str, element: ArgumentType | None = None
) -> RunExpression:
    try:
        return run_expression(text, types, tool, None if element is None else (ELEMENT, element))
    except PolicyError as error:
        raise WorkbenchError(
            f"In argument {argument.name}: {text!r:.200} is no expression of the dialect: {error}"
        ) from None
