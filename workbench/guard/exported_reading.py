"""A session's way to read calls as Python text in an exported file, and back without running it."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from math import isfinite
from typing import cast

from workbench.dialect.run_values import CheckedExpressions
from workbench.guard.call_reading import CallReading
from workbench.guard.carried_modules import EXPRESSION, PARTS_OF_RUNS, READING
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    CallExpression,
    ContextField,
    Demonstration,
    Extraction,
    FieldNote,
    Kind,
    LookUpTool,
    Record,
    RecordField,
    RecordResult,
    RecordType,
    TextReading,
    Tool,
    WorkbenchError,
    learns,
)

_CLASSES = (
    AgentSpec, Argument, ArgumentType, CallExpression, CallReading, ContextField, Demonstration, Extraction,
    FieldNote, LookUpTool, Record, RecordField, RecordResult, RecordType, TextReading, Tool,
)  # fmt: skip
_NOUNS: Mapping[str, Callable[..., object]] = {noun.__name__: noun for noun in _CLASSES}
_NAMESPACE = "noun"
_WIDTH = 100
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


# --- written ----------------------------------------------------------------------


def written(value: object, indent: int = 0) -> str:
    """A noun as a Python expression over the names of ``noun``. Raises WorkbenchError if there is none."""
    text = _on_one_line(value)
    if len(text) + indent <= _WIDTH:
        return text
    inner = " " * (indent + 4)
    match value:
        case tuple() | list():
            parts = [written(element, indent + 4) for element in cast("Sequence[object]", value)]
            open_, close = ("(", ")") if isinstance(value, tuple) else ("[", "]")
        case Mapping():
            members = cast("Mapping[str, object]", value)
            parts = [f"{_plain(key)}: {written(entry, indent + 4)}" for key, entry in members.items()]
            open_, close = "{", "}"
        case _ if dataclasses.is_dataclass(value):
            fields = _stated_fields(value)
            parts = [f"{name}={written(field_value, indent + 4)}" for name, field_value in fields]
            open_, close = f"{_NAMESPACE}.{type(value).__name__}(", ")"
        case _:
            return text
    return f"{open_}\n{''.join(f'{inner}{part},\n' for part in parts)}{' ' * indent}{close}"


def _on_one_line(value: object) -> str:
    match value:
        case tuple():
            parts = [_on_one_line(element) for element in cast("tuple[object, ...]", value)]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        case list():
            return f"[{', '.join(_on_one_line(element) for element in cast('list[object]', value))}]"
        case Mapping():
            members = cast("Mapping[str, object]", value)
            return (
                f"{{{', '.join(f'{_plain(key)}: {_on_one_line(entry)}' for key, entry in members.items())}}}"
            )
        case _ if dataclasses.is_dataclass(value) and type(value).__name__ in _NOUNS:
            parts = [f"{name}={_on_one_line(field_value)}" for name, field_value in _stated_fields(value)]
            return f"{_NAMESPACE}.{type(value).__name__}({', '.join(parts)})"
        case _:
            return _plain(value)


def _stated_fields(value: object) -> list[tuple[str, object]]:
    """The fields of a noun that differ from their defaults."""
    stated_fields: list[tuple[str, object]] = []
    for field in dataclasses.fields(cast("AgentSpec", value)):
        default: object = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        held = cast("object", getattr(value, field.name))
        if default is dataclasses.MISSING or held != default or type(held) is not type(default):
            stated_fields.append((field.name, held))
    return stated_fields


def _plain(value: object) -> str:
    match value:
        case Kind():
            return f"{_NAMESPACE}.Kind.{value.name}"
        case StrEnum():
            pass
        case None | bool():
            return repr(value)
        case str():
            return repr(str(value))
        case int():
            return repr(int(value))
        case float() if isfinite(value):
            return repr(float(value))
        case _:
            pass
    raise WorkbenchError(f"The agent spec holds {value!r:.60}, which an exported file cannot carry.")


# --- read -------------------------------------------------------------------------


def read(text: str) -> CallReading:
    """The reading from which ``written`` made the text; none of the text is run. Raises WorkbenchError."""
    try:
        reading = _read(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
        reading = None
    if not isinstance(reading, CallReading):
        raise WorkbenchError(
            "The part that says how calls are read is of another version of the workbench, or made by hand: "
            "export the session again."
        )
    return reading


def _read(node: ast.expr) -> object:
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
            return -number
        case ast.Tuple(items):
            return tuple(_read(item) for item in items)
        case ast.List(items):
            return [_read(item) for item in items]
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            return {_read(key): _read(value) for key, value in pairs if key is not None}
        case ast.Attribute(ast.Attribute(ast.Name("noun"), "Kind"), name):
            return Kind[name]
        case ast.Call(ast.Attribute(ast.Name("noun"), name), [], keywords):
            noun = _NOUNS[name](**{keyword.arg or "": _read(keyword.value) for keyword in keywords})
            if isinstance(noun, CallExpression):
                _check_texts(noun)
            return noun
        case _:
            raise ValueError(type(node).__name__)


def _check_texts(expression: CallExpression) -> None:
    """Raise TypeError for an expression of anything but texts."""
    tools, fields = cast("object", expression.tools), cast("object", expression.fields)
    if not isinstance(tools, tuple) or not isinstance(fields, dict):
        raise TypeError
    texts = [*expression.texts, expression.tool, *expression.tools, *expression.fields]
    if {type(text) for text in texts} != {str}:
        raise TypeError
