"""A session's way to read calls, as far as an exported file needs it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from workbench.dialect.run_values import CheckedExpressions
from workbench.guard.call_reading import CallReading
from workbench.guard.carried_modules import EXPRESSION, PARTS_OF_RUNS, READING
from workbench.model import AgentSpec, Argument, Demonstration, learns

_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def reading_for(
    taken_names: Collection[str],
    arguments: Iterable[Argument],
    spec: AgentSpec,
    memory: Sequence[Demonstration],
) -> CallReading:
    """The parts of a session that decide: the arguments that the policy takes, and all records."""
    own_arguments = tuple(argument for argument in arguments if argument.name in taken_names)
    expressions = "\n".join(_expressions(own_arguments))
    readings = tuple(reading for reading in spec.readings if f".{reading.name}" in expressions)
    taught = learns(readings)
    reading_spec = dataclasses.replace(
        spec,
        description="",
        arguments=(),
        readings=readings,
        synonyms={},
        not_proposed=(),
        nouns={},
        units={},
    )
    return CallReading(own_arguments, reading_spec, tuple(memory) if taught else None)


def methods_of(reading: CallReading) -> frozenset[str]:
    """What is used: the methods of readings, readings, expressions, and parts of runs."""
    methods = {one.extraction.method for one in reading.spec.readings}
    if reading.spec.readings:
        methods.add(READING)
    if any(argument.expression is not None for argument in reading.arguments):
        methods.add(EXPRESSION)
    if any(".since(" in text or ".until(" in text for text in _expressions(reading.arguments)):
        methods.add(PARTS_OF_RUNS)
    return frozenset(methods)


def _expressions(arguments: Iterable[Argument]) -> Iterator[str]:
    """The texts of the expressions over calls that arguments are."""
    for argument in arguments:
        yield from argument.expression.texts if argument.expression is not None else ()


def kinds_of(reading: CallReading, expressions: CheckedExpressions | None) -> frozenset[str]:
    """The names that may be kinds of values of the arguments, of records, and of fields of calls."""
    fields = [field for record in reading.spec.records for field in record.fields]
    parts: list[object] = [field.kind for field in fields]
    items = (*reading.arguments, *reading.spec.readings)
    parts += [reading.extraction.options.get("part") for reading in reading.spec.readings]
    types = [item.type for item in items] + [field.type for field in fields]
    types += [one.type for one in reading.spec.context.values()]
    of_calls = [] if expressions is None else [one for call in expressions.calls for one in call.fields]
    while of_calls:
        field = of_calls.pop()
        parts.append(field.kind)
        types.append(field.type)
        of_calls += field.fields
    types += [type_.element for type_ in types if type_.element is not None]
    if expressions is not None and any(call.cwd_parameter for call in expressions.calls):
        parts.append("path")
    names = {_WORD.sub(r"_", type_.record.name).lower() for type_ in types if type_.record is not None}
    return frozenset(names | {part.partition(".")[0] for part in parts if isinstance(part, str)})


def expressions_of(reading: CallReading) -> CheckedExpressions | None:
    """The expressions of a policy of calls, which pass the checker here; any other policy has none.

    Raises WorkbenchError for a text that is no expression.
    """
    if EXPRESSION not in methods_of(reading):
        return None
    from workbench.dialect.argument_expressions import (
        checked_expressions,
    )  # the checker knows kinds of values

    return checked_expressions(reading.arguments, reading.spec)
