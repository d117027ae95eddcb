"""Facts and lists of the things that a call names: the cabin and the passengers of the reservation.

A rule speaks of them as of the lists of the call itself: “number of passengers of the reservation”, “some
flight of the reservation: date is before day of the call”.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.author.rules.words import split_words, stem
from workbench.clarify.named_things import NamedThing
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.tool_values import ToolValue
from workbench.model import Argument, ArgumentType, Kind, Record, RecordField
from workbench.policy.rule_facts import facts_of
from workbench.policy.terms import Parameter
from workbench.runs.extract.propose import name_of
from workbench.runs.proposals.proposed_names import singular

type Declared = tuple[tuple[Record, ...], tuple[Argument, ...]]
"""The records and the arguments that a fact needs."""


def element_fact(
    phrase: str,
    place: str,
    type_: ArgumentType,
    tools: tuple[str, ...],
    declared: Declared,
    source: FactSource = FactSource.EARLIER_RESULT,
) -> SayableFact:
    """A fact whose argument is a place below another one; ``declared`` is what it needs."""
    words = frozenset(map(stem, split_words(phrase)))
    return SayableFact(
        phrase, source, Argument(place, type_, phrase), tools, words, *declared, of_element=True
    )


def lists_in(
    thing: NamedThing, returned: Mapping[str, Sequence[ToolValue]]
) -> Mapping[str, Sequence[ToolValue]]:
    """The values in the lists of things that the results about a thing have, by the name of the list."""
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
    """A field of what a result says; in another result it may be lacking."""
    name = name_of(path)
    type_ = replace(leaf.type, optional=True)
    return RecordField(name, type_, "" if path == (name,) else ".".join(path))


def member_name(thing: NamedThing, listed: str) -> str:
    """The record that the things of a list are of."""
    return f"{thing.record.name}_{singular(name_of((listed,)))}"


def fields_of_records(
    returned: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> Iterator[SayableFact]:
    """The facts of the things that a call names: “cabin of the reservation”."""
    for thing in things:
        for leaf in returned[thing.tool]:
            if leaf.many or leaf.path == (thing.key,):
                continue
            field = field_of_value(leaf, leaf.path)
            declared = (replace(thing.record, fields=(field,)),), (thing.argument,)
            place = f"{thing.argument.name}.{field.name}"
            fact = element_fact(f"{leaf.words} of the {thing.phrase}", place, field.type, (), declared)
            yield replace(fact, absent=(thing.argument.name, place))


def fields_of_arguments(arguments: Sequence[Argument]) -> Iterator[SayableFact]:
    """The facts that the declared record arguments have as fields: “adults only of the book”."""
    for argument in arguments:
        if argument.type.kind is not Kind.RECORD:
            continue
        of = argument.name.replace("_", " ")
        for fact in facts_of([Parameter(argument.name, argument.type)]).values():
            if fact.of or fact.expression != fact.path or fact.type.kind in (Kind.RECORD, Kind.LIST):
                continue
            field = " ".join(reversed([f"{part} of the" for part in fact.path.split(".")[1:]]))
            type_ = replace(fact.type, optional=bool(fact.may_lack))
            sayable_fact = element_fact(
                f"{field} {of}".replace("_", " "), fact.path, type_, (), ((), (argument,))
            )
            yield replace(sayable_fact, absent=fact.may_lack)


def sizes_of_records(
    returned: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> Iterator[SayableFact]:
    """The sizes of the lists of things that a call names: “number of passengers of the reservation”."""
    for thing in things:
        for listed, leaves in lists_in(thing, returned).items():
            field = field_of_value(leaves[0], leaves[0].path[2:])
            member = Record(member_name(thing, listed), (field,))
            held = list_field(listed, member)
            declared = (member, replace(thing.record, fields=(held,))), (thing.argument,)
            phrase = f"number of {listed.replace('_', ' ')} of the {thing.phrase}"
            place, number = f"len({thing.argument.name}.{held.name})", ArgumentType(Kind.INT, optional=True)
            yield replace(element_fact(phrase, place, number, (), declared), absent=(thing.argument.name,))


def members_of_records(
    returned: Mapping[str, Sequence[ToolValue]], things: Sequence[NamedThing]
) -> Iterator[tuple[NamedThing, str, str, tuple[SayableFact, ...]]]:
    """Each list of each thing: its name, what one member is called, and the facts of a member."""
    for thing in things:
        for listed, leaves in lists_in(thing, returned).items():
            member = member_name(thing, listed)
            element = f"one_{member}" if thing.phrase == thing.record.name else f"one_last_{member}"
            facts: list[SayableFact] = []
            for leaf in leaves:
                field = field_of_value(leaf, leaf.path[2:])
                of = Record(member, (field,))
                held = list_field(listed, of)
                declared = (of, replace(thing.record, fields=(held,))), (thing.argument,)
                phrase = field.name.replace("_", " ")
                facts.append(element_fact(phrase, f"{element}.{field.name}", field.type, (), declared))
            yield thing, listed, element, tuple(facts)
