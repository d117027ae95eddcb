"""Things that calls name by one text and that a tool looks up: the report of a report's id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.rules.words import split_words
from workbench.clarify.told_values import ToldValue
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    LookUpTool,
    Record,
    RecordField,
    RecordResult,
)
from workbench.runs.extract.propose import name_of, path_part

# A result that says that the call failed, as JSON interfaces write it.
ERRORS = r'^\s*\{\s*"error"'


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A record that ``tool`` looks up by one text, the ``key``, and the argument that it is of a call.

    ``fields`` are those that other calls take too: the customer of an order.
    """

    record: Record
    argument: Argument
    fields: tuple[str, ...]
    key: str
    tool: str


def named_things(
    spec: AgentSpec, called: Mapping[str, Sequence[ToldValue]], returned: Mapping[str, Sequence[ToldValue]]
) -> tuple[NamedThing, ...]:
    """The things that the tools look up; of several tools for one kind of thing the first counts."""
    found: dict[str, NamedThing] = {}
    for thing in _things(spec, called, returned):
        found.setdefault(thing.record.name, thing)
    return tuple(found.values())


def _things(
    spec: AgentSpec, called: Mapping[str, Sequence[ToldValue]], returned: Mapping[str, Sequence[ToldValue]]
) -> Iterator[NamedThing]:
    taken = {leaf.path[0] for leaves in called.values() for leaf in leaves if len(leaf.path) == 1}
    for tool in spec.tools:
        texts = [leaf for leaf in called[tool.name] if leaf.type.kind is Kind.STR and len(leaf.path) == 1]
        own = {leaf.path[0]: leaf for leaf in returned[tool.name] if len(leaf.path) == 1 and not leaf.many}
        if len(texts) != 1 or len(called[tool.name]) != 1 or texts[0].path[0] not in own or len(own) == 1:
            continue
        key = texts[0].path[0]
        words = [word for word in split_words(tool.name)[1:] if word != "up"]
        name = name_of((key.removesuffix("_id") if key.endswith("_id") else "_".join(words) or tool.name,))
        others = tuple(one for one in own if one != key and one in taken)
        shown = others or tuple(one for one in own if one != key)[:1]
        fields = tuple(RecordField(name_of((one,)), replace(own[one].type, optional=True)) for one in shown)
        told = (RecordResult(tool.name, "$"),)
        record = Record(
            name, fields, key, told, look_up=LookUpTool(tool.name, {key: "key"}), errors=(ERRORS,)
        )
        yield from _as_declared(spec, record, others, key, tool.name)


def _as_declared(
    spec: AgentSpec, record: Record, fields: tuple[str, ...], key: str, tool: str
) -> Iterator[NamedThing]:
    """The thing, as the agent spec declares it where it does."""
    place = f"$.arguments{path_part(key)}"
    declared = next((one for one in spec.records if one.name == record.name), None)
    if declared is not None:
        if declared.key != record.key:
            return
        known = {one.name for one in declared.fields}
        new = (one for one in record.fields if one.name in fields and one.name not in known)
        record = replace(declared, fields=(*declared.fields, *new))
    for argument in spec.arguments:
        told = options_of(argument)
        if told.get("record") == record.name and told.get("key") == place:
            yield NamedThing(record, argument, fields, key, tool)
            return
    type_ = ArgumentType(Kind.RECORD, optional=True, record=record.type)
    source = Extraction("record", {"record": record.name, "key": place})
    argument = Argument(f"{record.name}_of_call", type_, f"the {record.name} of the call", source)
    yield NamedThing(record, argument, fields, key, tool)


def options_of(argument: Argument) -> Mapping[str, Json]:
    """The options of an argument's extraction."""
    return {} if argument.extraction is None else argument.extraction.options
