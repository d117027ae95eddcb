"""Facts from the arguments of a policy, by their paths, for conditions in a person's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.author.rules.words import split_words, stem
from workbench.clarify.fact_book import FactBook
from workbench.clarify.kinds_of_texts import kind_named
from workbench.clarify.listed_things import ListedThings
from workbench.clarify.sayable_facts import DerivedValue, FactSource, SayableFact, with_meaning
from workbench.model import Argument, Kind
from workbench.policy.rule_facts import RuleFact, facts_of
from workbench.policy.terms import Parameter

_TIMES = {("now", Kind.DATETIME): "time of the call", ("today", Kind.DATE): "day of the call"}
"""The arguments that give the present time, and their names in conditions."""


def argument_book(arguments: Sequence[Argument]) -> FactBook:
    """A reader of conditions on arguments, their fields, sizes and sums: ``any legs.cabin is business``.

    A missing value denies, for every source of the argument.
    """
    rule_facts = facts_of([Parameter(argument.name, argument.type) for argument in arguments]).values()
    by_name = {argument.name: argument for argument in arguments}
    facts = tuple(_sayable(fact, by_name) for fact in rule_facts if not fact.of)
    in_lists: dict[str, list[RuleFact]] = {}
    for fact in rule_facts:
        if fact.of:
            in_lists.setdefault(fact.of, []).append(fact)
    lists = tuple(_things(path, inside, by_name) for path, inside in in_lists.items())
    return FactBook(facts, None, lists=lists)


def _sayable(fact: RuleFact, arguments: Mapping[str, Argument]) -> SayableFact:
    """The fact under the name of its path; the present time also under its other name."""
    argument, type_ = arguments.get(fact.path), replace(fact.type, optional=bool(fact.may_lack))
    value = DerivedValue(fact.term, type_) if argument is None else argument
    time = _TIMES.get((fact.path, type_.kind), "")
    words = frozenset(map(stem, split_words(f"{fact.path} {time}")))
    source = FactSource.TIME if time else FactSource.POLICY
    sayable_fact = SayableFact(time or fact.path, source, value, stems=words, absent=fact.may_lack)
    if argument is not None:
        return with_meaning(sayable_fact)
    return replace(sayable_fact, meaning=_part(fact.path, arguments))


def _part(path: str, arguments: Mapping[str, Argument]) -> str:
    """The part of a kind of value that a field of an argument has: ``command.programs``."""
    argument, _, field = path.partition(".")
    kind = kind_named(arguments[argument].type, {}) if argument in arguments else ""
    return f"{kind}.{field}" if kind and field else ""


def _things(path: str, facts: Sequence[RuleFact], arguments: Mapping[str, Argument]) -> ListedThings:
    """The list at a path, with the facts of an element by their fields."""
    place, element, absent = facts[0].listed, facts[0].element, facts[0].may_lack
    assert place is not None and element is not None, "each fact is one of elements"
    argument = arguments[path.partition(".")[0]]
    held = replace(argument, type=replace(argument.type, optional=bool(absent)))
    words = frozenset(map(stem, split_words(f"{element.name} {path}")))
    return ListedThings(held, place, element, words, tuple(map(_of_element, facts)), absent=absent)


def _of_element(fact: RuleFact) -> SayableFact:
    field = fact.path.removeprefix(f"{fact.of}.")
    type_ = replace(fact.type, optional=bool(fact.lacking_inside))
    words = frozenset(map(stem, split_words(field)))
    return SayableFact(
        field,
        FactSource.POLICY,
        DerivedValue(fact.term, type_),
        stems=words,
        absent=fact.lacking_inside,
    )
