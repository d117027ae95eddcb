"""``agent.toml``: what the agent is, and how the policy's arguments are obtained from its steps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import cast

from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, Tool
from workbench.policy.names import refused
from workbench.session.fields import Fields, parse_toml
from workbench.session.toml_text import Inline, Toml, compact, render

NAME = "agent.toml"
_PLACES = 2


def read_agent(text: str, path: str = NAME) -> AgentSpec:
    """The agent spec of an ``agent.toml``. Raises SessionError with the place of a mistake in ``path``."""
    top = Fields(parse_toml(text, path), path, text).only(
        "name", "description", "tools", "arguments", "vocabulary", "schema", "synonyms"
    )
    synonyms = top.table("synonyms")
    return AgentSpec(
        name=top.string("name"),
        description=top.string("description", ""),
        tools=tuple(_tool(name, fields) for name, fields in top.tables("tools")),
        arguments=tuple(_argument(name, fields) for name, fields in top.tables("arguments")),
        vocabulary=_lists(top.table("vocabulary")),
        schema=_lists(top.table("schema")),
        synonyms={word: synonyms.string(word) for word in synonyms.data},
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


def _lists(fields: Fields) -> dict[str, tuple[str, ...]]:
    return {name: fields.strings(name) for name in fields.data}


def _list_table(lists: Mapping[str, tuple[str, ...]]) -> dict[str, Toml]:
    return {name: cast("list[Toml]", list(words)) for name, words in lists.items()}


def _tool(name: str, fields: Fields) -> Tool:
    fields.only("description", "parameters")
    return Tool(name, fields.string("description", ""), _schema(fields))


def _schema(fields: Fields) -> Mapping[str, Json]:
    """A JSON schema, as a table or, where it has a null, as JSON text."""
    value = fields.data.get("parameters", {})
    if isinstance(value, str):
        try:
            value = cast("object", json.loads(value))
        except (ValueError, RecursionError):
            raise fields.error("parameters", '"parameters" is not valid JSON.') from None
    if not isinstance(value, dict):
        raise fields.error("parameters", '"parameters" must be a table or the JSON text of an object.')
    return {key: _to_json(item, fields, key) for key, item in cast("dict[str, object]", value).items()}


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


def _argument(name: str, fields: Fields) -> Argument:
    fields.only("type", "values", "optional", "places", "description", "extract")
    if why := refused(name):
        raise fields.error(None, why)
    kind = fields.choice("type", Kind)
    if kind is Kind.SET and fields.boolean("optional", False):
        raise fields.error("optional", f'the set "{name}" cannot be optional.', "An empty set says the same.")
    declared = ArgumentType(
        kind=kind,
        values=fields.strings("values"),
        optional=fields.boolean("optional", False),
        places=fields.integer("places", _PLACES),
    )
    if kind is Kind.ENUM and not declared.values:
        raise fields.error(None, f'the enum "{name}" needs its "values".')
    extraction = _extraction(fields.table("extract")) if "extract" in fields.data else None
    return Argument(name, declared, fields.string("description", ""), extraction)


def _extraction(fields: Fields) -> Extraction:
    options = {key: _to_json(fields.data[key], fields, key) for key in fields.data if key != "method"}
    return Extraction(fields.string("method"), options)


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


def _to_json(value: object, fields: Fields, key: str) -> Json:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_to_json(item, fields, key) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {name: _to_json(item, fields, key) for name, item in table.items()}
    raise fields.error(key, f'"{key}" holds a date or time; write it as a string.')


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
