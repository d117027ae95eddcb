"""``agent.toml``: what the agent is, and how the policy's arguments are obtained from its steps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, cast

from pydantic import ConfigDict, Field, WithJsonSchema

from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, Tool
from workbench.policy.names import refused
from workbench.session.fields import Count, FileForm, Flag, Place, parse_toml, read_form
from workbench.session.toml_text import Inline, Toml, compact, render

NAME = "agent.toml"
_PLACES = 2


class ToolForm(FileForm):
    """A tool of the agent with the JSON schema of its parameters, as a table or as JSON text."""

    description: str = ""
    parameters: Annotated[object, WithJsonSchema({"type": ["object", "string"]})] = {}


class ExtractForm(FileForm):
    """How an argument is obtained from a step: a method, and its options."""

    model_config = ConfigDict(extra="allow")

    method: str


class ArgumentForm(FileForm):
    """A typed input of the policy."""

    type: Kind
    values: tuple[str, ...] = ()
    optional: Flag = False
    places: Count = _PLACES
    description: str = ""
    extract: ExtractForm | None = None


class AgentFile(FileForm):
    """``agent.toml``: what the agent is, and how the policy's arguments are obtained from its steps."""

    name: str
    description: str = ""
    tools: dict[str, ToolForm] = Field({})
    arguments: dict[str, ArgumentForm] = Field({})
    vocabulary: dict[str, tuple[str, ...]] = Field({})
    schema_: dict[str, tuple[str, ...]] = Field({}, alias="schema")
    synonyms: dict[str, str] = Field({})


def read_agent(text: str, path: str = NAME) -> AgentSpec:
    """The agent spec of an ``agent.toml``. Raises SessionError with the place of a mistake in ``path``."""
    top = Place(path, text)
    read = read_form(AgentFile, parse_toml(text, path), top)
    return AgentSpec(
        name=read.name,
        description=read.description,
        tools=tuple(
            Tool(name, tool.description, _schema(tool.parameters, top.below("tools", name)))
            for name, tool in read.tools.items()
        ),
        arguments=tuple(
            _argument(name, argument, top.below("arguments", name))
            for name, argument in read.arguments.items()
        ),
        vocabulary=read.vocabulary,
        schema=read.schema_,
        synonyms=read.synonyms,
    )


def write_agent(spec: AgentSpec, old: str = "") -> str:
    """The text of ``agent.toml``; comments of the old text are kept where their place still exists."""
    data: dict[str, Toml] = {"name": spec.name}
    if spec.description:
        data["description"] = spec.description
    data["tools"] = {tool.name: _tool_table(tool) for tool in spec.tools}
    data["arguments"] = {argument.name: _argument_table(argument) for argument in spec.arguments}
    data["vocabulary"] = _list_table(spec.vocabulary)
    data["schema"] = _list_table(spec.schema)
    data["synonyms"] = dict(spec.synonyms)
    return render({key: value for key, value in data.items() if value != {}}, old, path=NAME)


def _list_table(lists: Mapping[str, tuple[str, ...]]) -> dict[str, Toml]:
    return {name: cast("list[Toml]", list(words)) for name, words in lists.items()}


def _schema(value: object, place: Place) -> Mapping[str, Json]:
    """A JSON schema, as a table or, where it has a null, as JSON text."""
    if isinstance(value, str):
        try:
            value = cast("object", json.loads(value))
        except (ValueError, RecursionError):
            raise place.error("parameters", '"parameters" is not valid JSON.') from None
    if not isinstance(value, dict):
        raise place.error("parameters", '"parameters" must be a table or the JSON text of an object.')
    place = place.below("parameters")
    return {key: _to_json(item, place, key) for key, item in cast("dict[str, object]", value).items()}


def _tool_table(tool: Tool) -> dict[str, Toml]:
    table: dict[str, Toml] = {}
    if tool.description:
        table["description"] = tool.description
    if tool.parameters:
        parameters = dict(tool.parameters)
        table["parameters"] = (
            json.dumps(parameters, ensure_ascii=False) if _has_null(parameters) else _table(parameters)
        )
    return table


def _argument(name: str, read: ArgumentForm, place: Place) -> Argument:
    if why := refused(name):
        raise place.error(None, why)
    if read.type is Kind.SET and read.optional:
        raise place.error("optional", f'the set "{name}" cannot be optional.', "An empty set says the same.")
    if read.type is Kind.ENUM and not read.values:
        raise place.error(None, f'the enum "{name}" needs its "values".')
    declared = ArgumentType(kind=read.type, values=read.values, optional=read.optional, places=read.places)
    extraction = None
    if read.extract is not None:
        place = place.below("extract")
        options = {
            key: _to_json(value, place, key) for key, value in (read.extract.model_extra or {}).items()
        }
        extraction = Extraction(read.extract.method, options)
    return Argument(name, declared, read.description, extraction)


def _argument_table(argument: Argument) -> dict[str, Toml]:
    table: dict[str, Toml] = {"type": argument.type.kind.value}
    if argument.type.values:
        table["values"] = cast("list[Toml]", list(argument.type.values))
    if argument.type.optional:
        table["optional"] = True
    if argument.type.places != _PLACES:
        table["places"] = argument.type.places
    if argument.description:
        table["description"] = argument.description
    if argument.extraction is not None:
        options = {key: _from_json(value) for key, value in argument.extraction.options.items()}
        table["extract"] = compact({"method": argument.extraction.method, **options})
    return table


def _table(value: Mapping[str, Json]) -> dict[str, Toml]:
    """A JSON object as a table, in one line if that is short, its parts likewise."""
    whole = {key: _from_json(item) for key, item in value.items()}
    short = compact(whole)
    if isinstance(short, Inline):
        return short
    return {key: _table(item) if isinstance(item, dict) else whole[key] for key, item in value.items()}


def _to_json(value: object, place: Place, key: str) -> Json:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_to_json(item, place, key) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {name: _to_json(item, place, key) for name, item in table.items()}
    raise place.error(key, f'"{key}" holds a date or time; write it as a string.')


def _from_json(value: Json) -> Toml:
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if isinstance(value, dict):
        return {key: _from_json(item) for key, item in value.items()}
    return "" if value is None else value


def _has_null(value: Json) -> bool:
    if isinstance(value, list):
        return any(_has_null(item) for item in value)
    if isinstance(value, dict):
        return any(_has_null(item) for item in value.values())
    return value is None
