"""The expressions of an agent's arguments, read by the checker: what evaluation and exported files have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import run_expression
from workbench.dialect.run_values import ELEMENT, CheckedExpressions, RunExpression
from workbench.model import AgentSpec, Argument, ArgumentType, WorkbenchError
from workbench.policy.problems import PolicyError
from workbench.policy.written import EXPRESSION


def checked_expressions(arguments: Iterable[Argument], spec: AgentSpec) -> CheckedExpressions:
    """The classes of an agent's calls, and every expression that these arguments are, checked.

    Raises WorkbenchError for a text that is no expression of the dialect. An argument whose options are no
    texts has none.
    """
    types = agent_types(spec)
    found: dict[tuple[str, str, ArgumentType | None], RunExpression] = {}
    for argument in arguments:
        for one in _of_argument(argument, types):
            found[one.text, one.tool, one.element] = one
    return CheckedExpressions(tuple(types.calls.values()), tuple(found.values()))


def _of_argument(argument: Argument, types: AgentTypes) -> Iterator[RunExpression]:
    if argument.extraction is None or argument.extraction.method != EXPRESSION:
        return
    options = argument.extraction.options
    text, tool, fields = options.get("of"), options.get("tool") or "", options.get("fields")
    known = isinstance(tool, str) and (not tool or any(one.tool == tool for one in types.calls.values()))
    if not isinstance(text, str) or not isinstance(tool, str) or not known:
        return
    whole = _read(argument, text, types, tool)
    yield whole
    for path, of_element in fields.items() if isinstance(fields, Mapping) else ():
        element = whole.element_at(path)
        if isinstance(of_element, str) and element is not None:
            yield _read(argument, of_element, types, tool, element)


def _read(
    argument: Argument, text: str, types: AgentTypes, tool: str, element: ArgumentType | None = None
) -> RunExpression:
    try:
        return run_expression(text, types, tool, None if element is None else (ELEMENT, element))
    except PolicyError as error:
        raise WorkbenchError(
            f"In argument {argument.name}, extraction {EXPRESSION}: {text!r:.200} is no expression of the "
            f"dialect: {error}"
        ) from None
