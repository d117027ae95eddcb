"""Facts that are derived from arguments: the fields of records, and values of the elements of lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.author.rules.words import split_words, stem
from workbench.clarify.sayable_facts import DerivedValue, FactSource, SayableFact
from workbench.model import Argument, Kind, Record
from workbench.policy.elements import Place
from workbench.policy.rule_facts import facts_of
from workbench.policy.terms import Attribute, Parameter, Variable

type Declared = tuple[tuple[Record, ...], tuple[Argument, ...]]
"""The records and the arguments that a fact needs."""


def derived_fact(
    phrase: str, value: DerivedValue | Place, tools: tuple[str, ...], declared: Declared, source: FactSource
) -> SayableFact:
    """A fact that is derived from arguments, such as a field of one; ``declared`` is what the fact needs."""
    words = frozenset(map(stem, split_words(phrase)))
    derived = value if isinstance(value, DerivedValue) else DerivedValue(value, value.type)
    return SayableFact(phrase, source, derived, tools, words, *declared)


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
            sayable_fact = derived_fact(phrase, value, (), ((), (argument,)), FactSource.EXTRACTED)
            yield replace(sayable_fact, absent=fact.may_lack)
