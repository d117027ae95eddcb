"""Lists of things in calls, such as the lines of a report: the facts that rules may use about each one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.argument_terms import variable
from workbench.author.rules.words import split_words, stem
from workbench.clarify.derived_facts import Declared, derived_fact
from workbench.clarify.facts_of_calls import values_of_context
from workbench.clarify.kinds_of_texts import kind_named, kinds_of_text, parts_of_text
from workbench.clarify.sayable_facts import DerivedValue, FactSource, SayableFact, options_of
from workbench.clarify.stated_settings import KindOptions
from workbench.clarify.tool_values import ToolValue, observed_type
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Record,
    RecordedCall,
    RecordField,
    RecordValue,
)
from workbench.policy.elements import Place, size_of
from workbench.policy.terms import Attribute, Variable
from workbench.policy.types import INT
from workbench.policy.walk import path_of
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.propose import free_name, name_of
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.proposals.proposed_names import singular

_CALL = "$.arguments"


@dataclass(frozen=True, slots=True)
class ListedThings:
    """A list of a call: its argument, its place there, and the facts of an element.

    ``size`` is the fact for the number of elements. ``absent`` are the places that may be None if there is no
    list; without them it is the argument itself. The term of a fact is a field of ``element``, or is built
    from its fields.
    """

    argument: Argument
    place: Place
    element: Variable
    words: frozenset[str]
    facts: tuple[SayableFact, ...]
    size: SayableFact | None = None
    absent: tuple[Place, ...] = ()

    @property
    def path(self) -> str:
        """The name of the list in the dialect."""
        return path_of(self.place)


def lists_of_things(
    spec: AgentSpec, called: Mapping[str, Sequence[ToolValue]], options: KindOptions
) -> tuple[ListedThings, ...]:
    """The lists of things in calls; ``options`` are the options for the kinds of value of the texts."""
    lists: dict[tuple[str, ...], dict[str, list[ToolValue]]] = {}
    for tool, leaves in called.items():
        for leaf in leaves:
            if "[*]" in leaf.path and leaf.path[-1] != "[*]" and leaf.path.count("[*]") == 1:
                place = leaf.path[: leaf.path.index("[*]")]
                lists.setdefault(place, {}).setdefault(tool, []).append(leaf)
    listings = (_list(spec, place, by_tool, options) for place, by_tool in lists.items())
    return (*listings, *_lists_of_kinds(spec, called, options))


def lists_of_context(
    spec: AgentSpec, calls: Sequence[RecordedCall], options: KindOptions | None = None
) -> Iterator[ListedThings]:
    """Yield the lists of things in the contexts of recorded runs: “children of the user”.

    A field of such a thing may be missing, since no schema requires it. ``options`` are the options for the
    kinds of value.
    """
    lists: dict[tuple[str, ...], list[ToolValue]] = {}
    for path, values in values_of_context(calls).items():
        type_ = observed_type(values)
        if type_ is not None and path.count("[*]") == 1 and path[-1] != "[*]":
            leaf = ToolValue(path, type_, many=True, required=False)
            lists.setdefault(path[: path.index("[*]")], []).append(leaf)
    for place, leaves in lists.items():
        elements, own_fields = _elements(spec, place, {"": leaves}, "$.context")
        facts = tuple(_own_facts(elements, own_fields, (), options or {}, FactSource.CONTEXT))
        words = frozenset(map(stem, split_words(f"{elements.plural} {elements.record} of the user")))
        size = elements.size(f"number of {elements.plural} of the user", (), FactSource.CONTEXT)
        listed = elements.argument
        yield ListedThings(listed, variable(listed), elements.element, words, facts, size)


def _lists_of_kinds(
    spec: AgentSpec, called: Mapping[str, Sequence[ToolValue]], chosen: KindOptions
) -> Iterator[ListedThings]:
    """Yield the lists in texts of a kind: the uses of columns in SQL, the programs of a command."""
    tools: dict[ToolValue, list[str]] = {}
    for tool, leaves in called.items():
        for leaf in leaves:
            if not leaf.many:
                tools.setdefault(leaf, []).append(tool)
    for leaf, holders in tools.items():
        for kind in (KINDS[name] for name in kinds_of_text(leaf)):
            path = leaf.written("$.arguments")
            kind_options = {option: value for (of, option), value in chosen.items() if of == kind.name}
            source_options: dict[str, Json] = {"path": path, "tools": list[Json](holders), **kind_options}
            type_ = ArgumentType(Kind.RECORD, optional=True, record=kind.type)
            declared = (argument for argument in spec.arguments if argument.type.record == kind.type)
            with_same_path = (argument for argument in declared if options_of(argument).get("path") == path)
            name = free_name(f"{name_of(leaf.path)}_read", {argument.name for argument in spec.arguments})
            argument = next(
                with_same_path, Argument(name, type_, leaf.words, Extraction("jsonpath", source_options))
            )
            for part, held in kind.parts:
                place = Attribute(variable(argument), part, held)
                if held.kind is Kind.LIST and held.element is not None and held.element.record is not None:
                    yield _of_a_kind(argument, place, held.element, leaf.words, tuple(holders))


def _of_a_kind(
    argument: Argument, place: Attribute, type_: ArgumentType, phrase: str, tools: tuple[str, ...]
) -> ListedThings:
    assert type_.record is not None, "its elements are records"
    element, declared = Variable(f"one_{singular(place.name)}", type_), ((), (argument,))
    kind = kind_named(argument.type, {})
    fields = (
        Attribute(element, name, held)
        for name, held in type_.record.fields
        if held.kind not in (Kind.LIST, Kind.SET, Kind.RECORD)
    )
    facts = tuple(
        replace(
            derived_fact(field.name.replace("_", " "), field, tools, declared, FactSource.CALL),
            meaning=f"{kind}.{field.name}",
        )
        for field in fields
    )
    words = frozenset(map(stem, split_words(f"{singular(place.name)} {place.name} of {phrase}")))
    return ListedThings(argument, place, element, words, facts)


def _list(
    spec: AgentSpec,
    place: tuple[str, ...],
    by_tool: Mapping[str, Sequence[ToolValue]],
    chosen: KindOptions,
) -> ListedThings:
    elements, own_fields = _elements(spec, place, by_tool, _CALL)
    tools = tuple(by_tool)
    facts = tuple(_own_facts(elements, own_fields, tools, chosen, FactSource.CALL))
    words = frozenset(map(stem, split_words(f"{elements.plural} {elements.record}")))
    size, listed = elements.size(f"number of {elements.plural}", tools, FactSource.CALL), elements.argument
    return ListedThings(listed, variable(listed), elements.element, words, facts, size)


def _declared(spec: AgentSpec, path: str) -> tuple[str, str] | None:
    """The record and the argument of a list that the agent spec declares."""
    for argument in spec.arguments:
        element = argument.type.element
        if argument.type.kind is Kind.LIST and element is not None and element.record is not None:
            of = next((record.name for record in spec.records if record.type.name == element.record.name), "")
            if of and argument.extraction is not None and argument.extraction.options.get("path") == path:
                return of, argument.name
    return None


def _named(spec: AgentSpec, place: tuple[str, ...]) -> tuple[str, str]:
    taken_names = {record.name for record in spec.records} | set(KINDS)
    name = singular(name_of((place[-1],)))
    if name in taken_names:
        name = f"given_{name}"
    return free_name(name, taken_names), free_name(
        name_of(place), {argument.name for argument in spec.arguments}
    )


@dataclass(frozen=True, slots=True)
class _Elements:
    """The name of the record of the elements, the argument that lists them, and one of them."""

    record: str
    argument: Argument
    plural: str
    element: Variable

    def field(self, name: str, type_: ArgumentType) -> Attribute:
        """A field of an element."""
        return Attribute(self.element, name, type_)

    def size(self, phrase: str, tools: tuple[str, ...], source: FactSource) -> SayableFact:
        """The fact for the number of elements."""
        of = self.element.type.record
        assert of is not None
        declared = self.declared_with([RecordField(*of.fields[0])])
        return derived_fact(
            phrase, DerivedValue(size_of(variable(self.argument)), INT), tools, declared, source
        )

    def declared_with(self, fields: Sequence[RecordField]) -> Declared:
        """The records and arguments that a fact of an element needs."""
        record = Record(self.record, tuple(fields))
        element = ArgumentType(Kind.RECORD, record=record.type)
        return (record,), (replace(self.argument, type=ArgumentType(Kind.LIST, element=element)),)


def _elements(
    spec: AgentSpec, place: tuple[str, ...], by_tool: Mapping[str, Sequence[ToolValue]], root: str
) -> tuple[_Elements, Mapping[str, tuple[ToolValue, RecordField]]]:
    """The list at a place below a root, and the fields of its elements."""
    path = ToolValue(place, ArgumentType(Kind.STR)).written(root)
    record, name = _declared(spec, path) or _named(spec, place if root == _CALL else place[-1:])
    listed = Argument(name, ArgumentType(Kind.LIST), "", Extraction("jsonpath", {"path": path}))
    declared_field_by_name = {
        field.name: field
        for declared_record in spec.records
        if declared_record.name == record
        for field in declared_record.fields
    }
    own_fields = {
        name: (leaf, declared_field_by_name.get(name, field))
        for name, (leaf, field) in _own_fields(place, by_tool).items()
    }
    of = Record(record, tuple(field for _, field in own_fields.values()))
    one = free_name(f"one_{record}", {argument.name for argument in spec.arguments})
    element = Variable(one, ArgumentType(Kind.RECORD, record=of.type))
    return _Elements(record, listed, place[-1].replace("_", " "), element), own_fields


def _own_fields(
    place: tuple[str, ...], by_tool: Mapping[str, Sequence[ToolValue]]
) -> Mapping[str, tuple[ToolValue, RecordField]]:
    """The fields of the elements in the calls; fields that a call may lack are optional."""
    field_by_name: dict[str, tuple[ToolValue, RecordField]] = {}
    for tool, leaves in by_tool.items():
        for leaf in leaves:
            inner_path = leaf.path[len(place) + 1 :]
            name = name_of(inner_path)
            other_leaves = [tool_leaves for other_tool, tool_leaves in by_tool.items() if other_tool != tool]
            everywhere = all(
                any(tool_value.path == leaf.path for tool_value in tool_leaves)
                for tool_leaves in other_leaves
            )
            type_ = replace(leaf.type, optional=not (leaf.required and everywhere))
            path = "" if inner_path == (name,) else ".".join(inner_path)
            field_by_name.setdefault(name, (leaf, RecordField(name, type_, path)))
    return field_by_name


def _own_facts(
    elements: _Elements,
    own_fields: Mapping[str, tuple[ToolValue, RecordField]],
    tools: tuple[str, ...],
    chosen: KindOptions,
    source: FactSource,
) -> Iterator[SayableFact]:
    """Yield the fields of the elements in the list itself, and the typed parts of its texts."""
    for name, (leaf, field) in own_fields.items():
        phrase = name.replace("_", " ")
        place = elements.field(name, field.type)
        yield derived_fact(phrase, place, tools, elements.declared_with([field]), source)
        for part, type_, form in parts_of_text(leaf):
            if type_.kind is Kind.SET:
                continue
            named = f"{name}_{part.partition('.')[2]}"
            held = replace(type_, optional=field.type.optional)
            options = {
                option: value for (of, option), value in chosen.items() if of == part.partition(".")[0]
            }
            typed = RecordField(named, held, field.path or name, part=part, options=options)
            place, declared = elements.field(named, typed.type), elements.declared_with([typed])
            fact = derived_fact(form.format(phrase), place, tools, declared, source)
            yield replace(fact, meaning=part, root=str(options.get("root", "")))


def sql_columns(
    spec: AgentSpec, calls: Sequence[RecordedCall], lists: Sequence[ListedThings]
) -> frozenset[str]:
    """The columns that the SQL in recorded calls names, each after its table."""
    arguments = {
        listing.argument.name: listing.argument
        for listing in lists
        if isinstance(listing.place, Attribute) and listing.place.name == "uses"
    }
    extractor = Extractor(tuple(arguments.values()), spec)
    all_columns: set[str] = set()
    for call in calls:
        for extracted in extractor.extract(call).values():
            if isinstance(extracted.value, RecordValue):
                columns = dict(extracted.value.fields).get("columns")
                all_columns |= set(map(str, columns)) if isinstance(columns, frozenset) else set()
    return frozenset(all_columns)
