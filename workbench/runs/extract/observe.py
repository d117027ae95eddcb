"""The agent spec that recorded runs suggest: its tools, their parameters, facts of its context.

A schema inferred from calls shows the values seen, not the possible ones. So the only enums are facts of the
context that repeat a few short values, such as a role. A name of one of many changing things (a user, a team,
an incident) is a text, and its values so far are known words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.model import ArgumentType, ContextField, Json, Kind, RecordedCall, Tool
from workbench.runs.extract.propose import name_of, path_part, take_name
from workbench.runs.values.name_words import is_money
from workbench.runs.values.schema_kinds import SCALARS

_MOST_VALUES = 12
_LONGEST_VALUE = 40
_DEPTH = 3
_NAMES_ONE_OF_MANY = frozenset({
    "id", "ids", "number", "no", "name", "user", "username", "login", "account", "email", "mail", "address",
    "phone", "customer", "client", "owner", "member", "team", "tenant", "organization", "project", "ticket",
    "incident",
})  # fmt: skip
_MARKS_OF_ONE = re.compile(r"[\d@]")
_FEWEST_RUNS = 4
# Fields in which a log describes its own record; inside an object of the context they are facts like others.
_ABOUT_THE_RECORD = frozenset({
    "id", "index", "time", "timestamp", "created_at", "date", "run",
    "run_id", "trace", "trace_id", "record_id", "conversation_id", "session_id",
})  # fmt: skip


def observed_tools(recorded_calls: Iterable[RecordedCall]) -> tuple[Tool, ...]:
    """The called tools, in order of appearance; a parameter is required if every call has it."""
    calls: dict[str, list[Mapping[str, Json]]] = {}
    for call in recorded_calls:
        if call.tool is not None:
            calls.setdefault(call.tool, [])
            if call.arguments is not None:
                calls[call.tool].append(call.arguments)
    return _alike([Tool(name, "", _object(samples, _DEPTH)) for name, samples in calls.items()])


def _object(samples: Sequence[Mapping[str, Json]], depth: int) -> dict[str, Json]:
    """The schema of the objects; empty if none has a key."""
    names = dict.fromkeys(name for sample in samples for name in sample)
    properties: dict[str, Json] = {
        name: _schema([sample[name] for sample in samples if name in sample], depth - 1) for name in names
    }
    required: list[Json] = [name for name in names if all(sample.get(name) is not None for sample in samples)]
    if not properties:
        return {}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _schema(values: Sequence[Json], depth: int) -> Json:
    """The common schema of all values that are not null; empty if their kinds differ."""
    present_values = [value for value in values if value is not None]
    kinds = {_kind(value) for value in present_values}
    if kinds == {"integer", "number"}:
        return {"type": "number"}
    if len(kinds) != 1:
        return {}
    (kind,) = kinds
    if kind == "object":
        inner = (
            _object([value for value in present_values if isinstance(value, dict)], depth)
            if depth > 0
            else {}
        )
        return inner or {"type": kind}
    if kind == "array":
        items = [item for value in present_values if isinstance(value, list) for item in value]
        return {"type": kind, **({"items": _schema(items, depth)} if items else {})}
    return {"type": kind}


def _kind(value: Json) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _alike(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools with whole numbers as numbers if another tool has a fraction under the same name.

    The same applies if the name means money, since a short log may show only whole amounts.
    """
    broken = {
        name for tool in tools for name, schema in _schemas(tool).items() if schema == {"type": "number"}
    }
    adjusted_tools: list[Tool] = []
    for tool in tools:
        properties: dict[str, Json] = {
            name: {"type": "number"}
            if schema == {"type": "integer"} and (name in broken or is_money([name]))
            else schema
            for name, schema in _schemas(tool).items()
        }
        parameters = {**tool.parameters, "properties": properties} if properties else tool.parameters
        adjusted_tools.append(replace(tool, parameters=parameters))
    return tuple(adjusted_tools)


def _schemas(tool: Tool) -> Mapping[str, Json]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def observed_context(calls: Iterable[RecordedCall]) -> Mapping[str, ContextField]:
    """Each scalar fact of the calls' context, and each list of texts as a set, by a name for it.

    A scalar fact that some call lacks is optional. A text is an enum if it repeats a few short values that do
    not look like identifiers, as new identifiers may come at any time. Facts that only identify a record of
    the log, or give its time, are left out: no rule could use them.
    """
    values_by_path: dict[tuple[str, ...], list[tuple[str, Json]]] = {}
    count = 0
    for call in calls:
        count += 1
        for path, value in _facts(call.context):
            values_by_path.setdefault(path, []).append((call.run, value))
    names: set[str] = set()
    fields: dict[str, ContextField] = {}
    for path, by_run in values_by_path.items():
        values = [value for _, value in by_run]
        type_ = _fact_type(values)
        if type_ is not None and type_.kind is Kind.ENUM and _names_one_of_many(path[-1], by_run):
            type_ = replace(type_, kind=Kind.STR)
        if type_ is None or any(not name or '"' in name or "]" in name for name in path):
            continue
        if type_.kind is not Kind.SET:
            type_ = replace(type_, optional=len(values) < count or None in values)
        place = "".join(path_part(name) for name in path).removeprefix(".")
        name = name_of(path[-1:])
        name = take_name(name if name not in names else name_of(path), names)
        fields[name] = ContextField(type_, "" if place == name else place)
    return fields


def _facts(
    context: Mapping[str, Json], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The single values of a context with their paths, without the facts about the record of the log."""
    for name, value in context.items():
        path = (*above, name)
        if isinstance(value, dict) and len(path) < _DEPTH:
            yield from _facts(value, path)
        elif above or name.lower() not in _ABOUT_THE_RECORD:
            yield path, value


def _fact_type(values: Sequence[Json]) -> ArgumentType | None:
    schema = _schema(values, 0)
    kind = schema.get("type") if isinstance(schema, dict) else None
    if schema == {"type": "array", "items": {"type": "string"}} and None not in values:
        return ArgumentType(Kind.SET)
    if not isinstance(kind, str) or kind not in SCALARS:
        return None
    if kind != "string":
        return ArgumentType(SCALARS[kind])
    texts = sorted({value for value in values if isinstance(value, str)})
    few = 1 < len(texts) <= min(_MOST_VALUES, len(values) // 2)
    if few and all(0 < len(text) <= _LONGEST_VALUE and "\n" not in text for text in texts):
        return ArgumentType(Kind.ENUM, tuple(texts))
    return ArgumentType(Kind.STR)


def _names_one_of_many(name: str, by_run: Sequence[tuple[str, Json]]) -> bool:
    """Whether the values of a fact are identifiers: by name, by form, or as each run has its own."""
    if name_of((name,)).strip("_").rpartition("_")[2] in _NAMES_ONE_OF_MANY:
        return True
    run_texts = {(run, value) for run, value in by_run if isinstance(value, str)}
    runs, texts = {run for run, _ in run_texts}, {text for _, text in run_texts}
    is_one_per_run = len(run_texts) == len(runs) == len(texts) >= _FEWEST_RUNS
    return is_one_per_run or any(_MARKS_OF_ONE.search(text) for text in texts)
