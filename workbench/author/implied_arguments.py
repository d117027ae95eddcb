"""The arguments of an agent: those that it declares, or those that the schemas of its tools imply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind
from workbench.policy.names import usable
from workbench.runs.values.schema_kinds import FORMATS, SCALARS


def effective_arguments(spec: AgentSpec) -> tuple[Argument, ...]:
    """The declared arguments of a spec, or those implied by the schemas of its tools.

    Without declared arguments there is one called ``tool`` and one per parameter name; a parameter that not
    every tool requires is optional.
    """
    if spec.arguments or not spec.tools:
        return spec.arguments
    names = tuple(tool.name for tool in spec.tools)
    tool = Argument(
        "tool",
        ArgumentType(Kind.ENUM, names),
        "the tool that is called",
        Extraction("jsonpath", {"path": "$.tool"}),
    )
    argument_by_name: dict[str, Argument] = {}
    holders: dict[str, list[Json]] = {}
    for declared_tool in spec.tools:
        for name, schema in _properties(declared_tool.parameters):
            argument = _from_schema(name, schema)
            if argument is None or not name.isidentifier() or name == "tool":
                continue
            earlier_argument = argument_by_name.get(name)
            if earlier_argument is not None and earlier_argument.type != argument.type:
                argument = replace(argument, type=ArgumentType(Kind.STR))
            argument_by_name[name] = argument
            holders.setdefault(name, []).append(declared_tool.name)
    required = [_required(any_tool.parameters) for any_tool in spec.tools]
    with_extraction = (
        _extracted(argument, holders[name], required) for name, argument in argument_by_name.items()
    )
    return (tool, *(replace(argument, name=usable(argument.name)) for argument in with_extraction))


def _extracted(argument: Argument, holders: list[Json], required: list[frozenset[str]]) -> Argument:
    """The argument with its place in a call. In other tools' calls a set is empty, another value absent."""
    options: dict[str, Json] = {"path": f"$.arguments.{argument.name}", "tools": holders}
    if argument.type.kind is Kind.SET:
        return replace(argument, extraction=Extraction("jsonpath", {**options, "elsewhere": list[Json]()}))
    optional = not all(argument.name in group for group in required)
    return replace(
        argument, type=replace(argument.type, optional=optional), extraction=Extraction("jsonpath", options)
    )


def _properties(schema: Mapping[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            if isinstance(inner, dict):
                yield name, inner


def _required(schema: Mapping[str, Json]) -> frozenset[str]:
    listed = schema.get("required")
    return frozenset(str(name) for name in listed) if isinstance(listed, list) else frozenset()


def _from_schema(name: str, schema: dict[str, Json]) -> Argument | None:
    declared = schema.get("type")
    description = str(schema.get("description") or "")
    values = schema.get("enum")
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return Argument(name, ArgumentType(Kind.ENUM, tuple(map(str, values))), description)
    if declared == "array":
        return Argument(name, ArgumentType(Kind.SET), description)
    kind = SCALARS.get(str(declared))
    if kind is Kind.STR:
        kind = FORMATS.get(str(schema.get("format")), Kind.STR)
    return None if kind is None else Argument(name, ArgumentType(kind), description)
