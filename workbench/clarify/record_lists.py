"""Facts and lists of the things that a call names: the cabin and the passengers of the reservation.

Rules mention them like the lists of the call itself: “number of passengers of the reservation”, “some flight
of the reservation: date is before day of the call”.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.author.argument_terms import variable
from workbench.author.rules.words import split_words, stem
from workbench.clarify.named_things import NamedThing
from workbench.clarify.sayable_facts import DerivedValue, FactSource, SayableFact
from workbench.clarify.tool_values import ToolValue
from workbench.model import Argument, ArgumentType, Kind, Record, RecordField
from workbench.policy.elements import Place, size_of
from workbench.policy.rule_facts import facts_of
from workbench.policy.terms import Attribute, Parameter, Variable
from workbench.runs.extract.propose import name_of
from workbench.runs.proposals.proposed_names import singular

type Declared = tuple[tuple[Record, ...], tuple[Argument, ...]]
"""The records and the arguments that a fact needs."""


def derived_fact(
    phrase: str,
    value: DerivedValue | Place,
    tools: tuple[str, ...],
    declared: Declared,
    source: FactSource = FactSource.EARLIER_RESULT,
) -> SayableFact:
    """A fact that is derived from arguments, such as a field of one; ``declared`` is what the fact needs."""
    words = frozenset(map(stem, split_words(phrase)))
    derived = value if isinstance(value, DerivedValue) else DerivedValue(value, value.type)
    return SayableFact(phrase, source, derived, tools, words, *declared)


def lists_in(
    thing: NamedThing, returned: Mapping[str, Sequence[ToolValue]]
) -> Mapping[str, Sequence[ToolValue]]:
    """The values in the lists of things that results about a thing contain, by the name of the list."""
    leaves_by_list: dict[str, list[ToolValue]] = {}
    for leaf in returned[thing.tool]:
        if leaf.path.count("[*]") == 1 and leaf.path[1:2] == ("[*]",) and leaf.path[-1] != "[*]":
            leaves_by_list.setdefault(leaf.path[0], []).append(leaf)
    return leaves_by_list


def list_field(listed: str, member: Record) -> RecordField:
    """The field of a record that is a list of members."""
    name, element = name_of((listed,)), ArgumentType(Kind.RECORD, record=member.type)
    type_ = ArgumentType(Kind.LIST, element=element)
    return RecordField(name, type_, "" if name == listed else listed, of=member.name)


def field_of_value(leaf: ToolValue, path: tuple[str, ...]) -> RecordField:
    """The field for a value in a result; it is optional, because other results may lack it."""
    name = name_of(path)
    type_ = replace(leaf.type, optional=True)
    return RecordField(name, type_, "" if path == (name,) else ".".join(path))


def member_name(thing: NamedThing, listed: str) -> str:
    """The name of the record for the members of a list."""
    return f"{thing.record.name}_{singular(name_of((listed,)))}"


def fields_of_records(
    returned: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> Iterator[SayableFact]:
    """Yield the facts of the things that a call names: “cabin of the reservation”."""
    for thing in things:
        for leaf in returned[thing.tool]:
            if leaf.many or leaf.path == (thing.key,):
                continue
            field = field_of_value(leaf, leaf.path)
            declared = (replace(thing.record, fields=(field,)),), (thing.argument,)
            holder = variable(thing.argument)
            place = Attribute(holder, field.name, field.type)
            fact = derived_fact(f"{leaf.words} of the {thing.phrase}", place, (), declared)
            yield replace(fact, absent=(holder, place))


def fields_of_arguments(arguments: Sequence[Argument]) -> Iterator[SayableFact]:
    """Yield the fields of declared record arguments as facts: “adults only of the book”."""
    for argument in arguments:
        if argument.type.kind is not Kind.RECORD:
            continue
        of = argument.name.replace("_", " ")
        for fact in facts_of([Parameter(argument.name, argument.type)]).values():
            of_thing = isinstance(fact.term, Variable | Attribute) and not fact.of
            if not of_thing or fact.type.kind in (Kind.RECORD, Kind.LIST):
                continue
            field = " ".join(reversed([f"{part} of the" for part in fact.path.split(".")[1:]]))
            type_ = replace(fact.type, optional=bool(fact.may_lack))
            phrase, value = f"{field} {of}".replace("_", " "), DerivedValue(fact.term, type_)
            sayable_fact = derived_fact(phrase, value, (), ((), (argument,)))
            yield replace(sayable_fact, absent=fact.may_lack)


def sizes_of_records(
    returned: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> Iterator[SayableFact]:
    """Yield the sizes of the lists of things that a call names: “number of passengers of the reservation”."""
    for thing in things:
        for listed, leaves in lists_in(thing, returned).items():
            field = field_of_value(leaves[0], leaves[0].path[2:])
            member = Record(member_name(thing, listed), (field,))
            held = list_field(listed, member)
            declared = (member, replace(thing.record, fields=(held,))), (thing.argument,)
            phrase = f"number of {listed.replace('_', ' ')} of the {thing.phrase}"
            holder = variable(thing.argument)
            size = size_of(Attribute(holder, held.name, held.type))
            value = DerivedValue(size, ArgumentType(Kind.INT, optional=True))
            yield replace(derived_fact(phrase, value, (), declared), absent=(holder,))


def members_of_records(
    returned: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> Iterator[tuple[NamedThing, str, Variable, tuple[SayableFact, ...]]]:
    """Yield each list of each thing: the thing, the list's name, a member, and the facts of a member."""
    for thing in things:
        for listed, leaves in lists_in(thing, returned).items():
            member = member_name(thing, listed)
            name = f"one_{member}" if thing.phrase == thing.record.name else f"one_last_{member}"
            fields = [field_of_value(leaf, leaf.path[2:]) for leaf in leaves]
            element = Variable(name, ArgumentType(Kind.RECORD, record=Record(member, tuple(fields)).type))
            facts: list[SayableFact] = []
            for field in fields:
                of = Record(member, (field,))
                held = list_field(listed, of)
                declared = (of, replace(thing.record, fields=(held,))), (thing.argument,)
                phrase = field.name.replace("_", " ")
                facts.append(derived_fact(phrase, Attribute(element, field.name, field.type), (), declared))
            yield thing, listed, element, tuple(facts)
