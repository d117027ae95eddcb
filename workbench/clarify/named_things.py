"""Things that calls name by one text and that a tool looks up, such as a report by its id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.rules.words import split_words
from workbench.clarify.tool_values import ToolValue
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    LookUpTool,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
)
from workbench.runs.extract.propose import free_name, name_of, path_part
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.proposals.proposed_names import is_id
from workbench.runs.proposals.tool_answers import error_patterns, read_answers
from workbench.runs.values.error_results import ERRORS


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A record that ``tool`` looks up by one text, the ``key``, and the argument for the record of a call.

    ``fields`` are the fields that are also arguments of calls: the customer of an order. ``phrase`` is its
    name.
    """

    record: Record
    argument: Argument
    fields: tuple[str, ...]
    key: str
    tool: str
    latest: bool = False

    @property
    def phrase(self) -> str:
        """The name of the thing, to follow “the”."""
        name = self.record.name.replace("_", " ")
        return f"{name} looked up last" if self.latest else name


def error_forms(calls: Sequence[RecordedCall]) -> tuple[str, ...]:
    """The forms of results of failed calls, including texts of tools that otherwise answer in JSON."""
    answers = read_answers(calls)
    failed = [text for tool, texts in answers.failures.items() if tool in answers.by_tool for text in texts]
    return tuple(dict.fromkeys((ERRORS, *error_patterns(failed, ()))))


def named_things(
    spec: AgentSpec,
    called: Mapping[str, Sequence[ToolValue]],
    returned: Mapping[str, Sequence[ToolValue]],
    errors: tuple[str, ...] = (ERRORS,),
) -> tuple[NamedThing, ...]:
    """The things that the tools look up; if several tools look up one thing, a read-only tool comes first."""
    thing_by_name: dict[str, NamedThing] = {}
    tools = {tool.name: tool for tool in spec.tools}
    for thing in sorted(
        _things(spec, called, returned, errors),
        key=lambda named_thing: not effect_of(tools[named_thing.tool]).reads,
    ):
        thing_by_name.setdefault(thing.record.name, thing)
    return tuple(thing_by_name.values())


def latest_things(
    spec: AgentSpec, called: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> tuple[NamedThing, ...]:
    """The same things as “the one looked up last”, for the calls that name none."""
    taken_names = {argument.name for argument in spec.arguments}
    latest: list[NamedThing] = []
    for thing in things:
        tools = [name for name, leaves in called.items() if all(leaf.path != (thing.key,) for leaf in leaves)]
        source = Extraction(
            "record",
            {
                "record": thing.record.name,
                "key": f"$.arguments{path_part(thing.key)}",
                "last_of": thing.tool,
                "tools": list[Json](tools),
            },
        )
        declared = next((argument for argument in spec.arguments if argument.extraction == source), None)
        name, description = (
            free_name(f"last_{thing.record.name}", taken_names),
            f"the {thing.record.name} looked up last",
        )
        argument = declared or Argument(name, thing.argument.type, description, source)
        latest.append(replace(thing, argument=argument, latest=True))
    return tuple(latest)


def _things(
    spec: AgentSpec,
    called: Mapping[str, Sequence[ToolValue]],
    returned: Mapping[str, Sequence[ToolValue]],
    errors: tuple[str, ...],
) -> Iterator[NamedThing]:
    argument_names = {leaf.path[0] for leaves in called.values() for leaf in leaves if len(leaf.path) == 1}
    for tool in spec.tools:
        texts = [leaf for leaf in called[tool.name] if leaf.type.kind is Kind.STR and len(leaf.path) == 1]
        leaf_by_name = {
            leaf.path[0]: leaf for leaf in returned[tool.name] if len(leaf.path) == 1 and not leaf.many
        }
        if len(texts) != 1 or len(called[tool.name]) != 1:
            continue
        key = texts[0].path[0]
        if (
            key not in leaf_by_name and not (is_id(key) and effect_of(tool).reads)
        ) or not leaf_by_name.keys() - {key}:
            continue
        words = [word for word in split_words(tool.name)[1:] if word != "up"]
        name = name_of((key.removesuffix("_id") if key.endswith("_id") else "_".join(words) or tool.name,))
        shared_names = tuple(
            field_name for field_name in leaf_by_name if field_name != key and field_name in argument_names
        )
        field_names = (
            shared_names or tuple(field_name for field_name in leaf_by_name if field_name != key)[:1]
        )
        fields = tuple(
            RecordField(name_of((field_name,)), replace(leaf_by_name[field_name].type, optional=True))
            for field_name in field_names
        )
        record_results = tuple(
            RecordResult(result_name, "$")
            for result_name in (tool.name, *_whole(returned, tool.name, leaf_by_name))
        )
        record = Record(
            name, fields, key, record_results, look_up=LookUpTool(tool.name, {key: "key"}), errors=errors
        )
        yield from _as_declared(spec, record, shared_names, key, tool.name)


def _whole(
    returned: Mapping[str, Sequence[ToolValue]], tool: str, leaf_by_name: Mapping[str, ToolValue]
) -> Iterator[str]:
    """Yield the other tools whose results have all fields of the look-up's result; the latest counts."""
    for name, leaves in returned.items():
        if name != tool and leaf_by_name.keys() <= {leaf.path[0] for leaf in leaves if len(leaf.path) == 1}:
            yield name


def _as_declared(
    spec: AgentSpec, record: Record, fields: tuple[str, ...], key: str, tool: str
) -> Iterator[NamedThing]:
    """Yield the thing, with the record and argument of the agent spec if it declares them."""
    place = f"$.arguments{path_part(key)}"
    declared = next(
        (declared_record for declared_record in spec.records if declared_record.name == record.name), None
    )
    if declared is not None:
        if declared.key != record.key:
            return
        declared_names = {field.name for field in declared.fields}
        new = (field for field in record.fields if field.name in fields and field.name not in declared_names)
        record = replace(declared, fields=(*declared.fields, *new))
    for argument in spec.arguments:
        options = options_of(argument)
        if options.get("record") == record.name and options.get("key") == place:
            yield NamedThing(record, argument, fields, key, tool)
            return
    type_ = ArgumentType(Kind.RECORD, optional=True, record=record.type)
    source = Extraction("record", {"record": record.name, "key": place})
    argument = Argument(f"{record.name}_of_call", type_, f"the {record.name} of the call", source)
    yield NamedThing(record, argument, fields, key, tool)


def options_of(argument: Argument) -> Mapping[str, Json]:
    """The options of an argument's extraction."""
    return {} if argument.extraction is None else argument.extraction.options
