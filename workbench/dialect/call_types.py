"""The classes of a policy that speaks of calls: one for each tool, with the fields of its parameters."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from workbench.dialect.call_fields import CallField, CallType, type_of_record
from workbench.dialect.class_names import OF_RUN, RESERVED_CLASSES, class_of_tool, is_class_name
from workbench.dialect.field_notes import BadNote
from workbench.dialect.nouns import check_nouns
from workbench.dialect.schema_fields import FieldsOfTool, fields_of_tool
from workbench.dialect.text_readings import check_readings
from workbench.dialect.written_agent import WrittenAgent
from workbench.likeness import did_you_mean
from workbench.model import (
    AgentSpec,
    ArgumentType,
    ContextField,
    Kind,
    Record,
    RecordType,
    TextReading,
    Tool,
    WorkbenchError,
)
from workbench.policy.types import set_element
from workbench.runs.kinds.kinds_by_name import kind_of

MOST_TOOLS = 2_000
"""The most tools of an agent whose calls have classes."""


@dataclass(frozen=True)
class AgentTypes:
    """The types of an agent: its calls by the name of their class, its records, context and readings by name.

    ``unreadable`` has the sentence about each field that has no type, by its class and name
    (``PayInvoice.payload``), and about each tool that has no class, by the tool's name. ``nouns`` and
    ``units`` are those of the agent spec.
    """

    calls: Mapping[str, CallType]
    records: Mapping[str, Record]
    context: Mapping[str, ContextField]
    unreadable: Mapping[str, str] = field(default_factory=dict[str, str])
    readings: Mapping[str, TextReading] = field(default_factory=dict[str, TextReading])
    nouns: Mapping[str, str] = field(default_factory=dict[str, str])
    units: Mapping[str, str] = field(default_factory=dict[str, str])

    def of_tool(self, tool: str) -> CallType:
        """The class of the calls of a tool; raises KeyError for an unknown tool."""
        return self._by_tool.get(tool) or self.calls[tool]

    @cached_property
    def _by_tool(self) -> Mapping[str, CallType]:
        return {call.tool: call for call in reversed([*self.calls.values()])}

    @cached_property
    def decided(self) -> Mapping[str, RecordType]:
        """The types of the calls that are decided, by the names of their tools."""
        return {tool: call.decided for tool, call in self._by_tool.items()}

    @cached_property
    def record_classes(self) -> Mapping[str, RecordType]:
        """The classes of the records by name."""
        return {type_.name: type_ for type_ in self.type_of_record.values()}

    @cached_property
    def type_of_record(self) -> Mapping[str, RecordType]:
        """The type of each record, by the record's name."""
        return {name: type_of_record(record) for name, record in self.records.items()}

    @cached_property
    def normal_forms(self) -> Mapping[tuple[str, str], str]:
        """The normal form of a plain text, or of each of several, by the class and name of its field.

        It is empty for one that is read as it is written.
        """
        forms: dict[tuple[str, str], str] = {}
        for call in self.calls.values():
            for owner, one in _with_owners(call.name, call.fields):
                if _is_text(one.type) and not one.kind:
                    forms.setdefault((owner, one.name), str(one.options.get("normal", "")))
        for name, record in self.records.items():
            for own in record.fields:
                if _is_text(own.type) and not own.kind:
                    forms.setdefault((self.type_of_record[name].name, own.name), own.normal)
        return forms


def agent_types(spec: AgentSpec) -> AgentTypes:
    """The types of an agent, from the schemas of its tools and what ``agent.toml`` says besides.

    A parameter that is not required is optional: missing or null in a call, it is None. A list or set that
    is not required has no value if it is missing, unless a note says ``optional = true``: then it is empty.
    What a schema cannot say is left out, and ``unreadable`` says why. Raises WorkbenchError where two classes
    have one name. Agents that are written equally have the same types.
    """
    return _agent_types(WrittenAgent(spec))


@lru_cache(maxsize=8)
def _agent_types(agent: WrittenAgent) -> AgentTypes:
    spec = agent.spec
    if len(spec.tools) > MOST_TOOLS:
        raise WorkbenchError(
            f"The agent has {len(spec.tools):,} tools, and the calls of at most {MOST_TOOLS:,} have classes; "
            "keep those that the policy is about."
        )
    unreadable: dict[str, str] = {}
    tool_by_class: dict[str, Tool] = {}
    for tool in spec.tools:
        if (name := class_name(tool)) == "":
            unreadable[tool.name] = _without_class(tool)
        elif name in tool_by_class:
            raise WorkbenchError(
                f'The tools "{tool_by_class[name].name}" and "{tool.name}" would both have the class '
                f"`{name}`; give one a `class_name` in agent.toml."
            )
        else:
            tool_by_class[name] = tool
    _check_records(spec, tool_by_class)
    _check_look_ups(spec)
    taken = RESERVED_CLASSES | set(tool_by_class) | {record.class_name for record in spec.records}
    calls: dict[str, CallType] = {}
    for name, tool in tool_by_class.items():
        fields = _fields(tool, name, taken)
        calls[name] = CallType(
            name,
            tool.name,
            fields.fields,
            tool.description,
            tool.cwd,
            tool.cwd_parameter,
            tool.file_system,
            fields.keys,
        )
        unreadable |= fields.unreadable
    records = {record.name: record for record in spec.records}
    classes = list(_classes((*(call.earlier for call in calls.values()), *map(type_of_record, spec.records))))
    readings = check_readings(spec.readings, classes)
    check_nouns(spec.nouns, spec.units, classes, spec.context)
    return AgentTypes(calls, records, spec.context, unreadable, readings, spec.nouns, spec.units)


def _is_text(type_: ArgumentType) -> bool:
    """Whether a value is a plain text, or several."""
    plain = set_element(type_) if type_.kind is Kind.SET else type_.element or type_
    return plain.kind is Kind.STR


def _with_owners(owner: str, fields: Sequence[CallField]) -> Iterator[tuple[str, CallField]]:
    """Yield the fields of a call, and of the objects and elements in it, each after its class."""
    for one in fields:
        yield owner, one
        inner = one.type.record or (one.type.element.record if one.type.element is not None else None)
        if inner is not None and one.fields:
            yield from _with_owners(inner.name, one.fields)


def _classes(records: Iterable[RecordType]) -> Iterator[RecordType]:
    """Classes with those of the objects and elements in them; a kind of value is none."""
    for record in records:
        yield record
        inner = (type_.element or type_ for _, type_ in record.fields)
        yield from _classes(
            type_.record for type_ in inner if type_.record is not None and kind_of(type_.record) is None
        )


def class_name(tool: Tool) -> str:
    """The class of a tool's calls; empty if its name gives none."""
    if tool.class_name:
        return tool.class_name if is_class_name(tool.class_name) else ""
    return class_of_tool(tool.name)


def _without_class(tool: Tool) -> str:
    if tool.class_name:
        return f'The class `{tool.class_name}` of "{tool.name}" needs a free name, such as "PayInvoice".'
    return (
        f'The name of the tool "{tool.name}" gives no name of a class in plain letters; '
        "give it a `class_name` in agent.toml."
    )


def _check_records(spec: AgentSpec, tool_by_class: Mapping[str, Tool]) -> None:
    """Check that each record has a class and a place at the run of its own."""
    record_by_class: dict[str, Record] = {}
    for record in spec.records:
        name = record.class_name
        if name in tool_by_class:
            raise WorkbenchError(
                f'The record "{record.name}" and the tool "{tool_by_class[name].name}" would both have the '
                f"class `{name}`; give the tool a `class_name` in agent.toml."
            )
        if name in record_by_class or name in RESERVED_CLASSES or keyword.iskeyword(name):
            other = (
                f'the record "{record_by_class[name].name}"' if name in record_by_class else "every policy"
            )
            raise WorkbenchError(
                f'The record "{record.name}" would have the class `{name}`, which {other} has; '
                f'call it "own_{record.name}" in agent.toml, for example.'
            )
        if record.key and (record.name in OF_RUN or keyword.iskeyword(record.name)):
            raise WorkbenchError(
                f'The record "{record.name}" cannot be read as `run.{record.name}(...)`; '
                f'call it "own_{record.name}" in agent.toml, for example.'
            )
        record_by_class[name] = record


def _check_look_ups(spec: AgentSpec) -> None:
    """Check that a record is looked up and told by tools that the agent has."""
    tools = {tool.name for tool in spec.tools}
    for record in spec.records:
        named = [result.tool for result in record.results]
        named += [record.look_up.tool] if record.look_up is not None else []
        named += [*record.changed_by, *record.changed_to]
        if strange := [name for name in named if name not in tools]:
            hint = did_you_mean(strange[0], tools) or "Declare it under [tools]."
            raise WorkbenchError(
                f'The record "{record.name}" names the tool "{strange[0]}", which the agent does not have. '
                f"{hint}"
            )


def _fields(tool: Tool, name: str, taken: set[str]) -> FieldsOfTool:
    try:
        return fields_of_tool(tool, name, taken)
    except BadNote as bad:
        hint = did_you_mean(bad.path, bad.known, 'Did you mean "{}"?')
        raise WorkbenchError(f"In the fields of a tool in agent.toml, {bad} {hint}".strip()) from None
