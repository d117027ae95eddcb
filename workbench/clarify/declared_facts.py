"""The facts of an agent spec by the names that a person uses, and facts that could be added to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.author.rules.words import split_words, stem
from workbench.clarify.sayable_facts import DerivedValue, FactSource, SayableFact, with_meaning
from workbench.clarify.stated_values import called
from workbench.model import Argument, Kind

_AS_IT_IS = frozenset({"path", "tools", "elsewhere"})
"""The options of an extraction that take a value of the call unchanged."""


def facts_with(declared: Iterable[Argument], facts: Sequence[SayableFact]) -> tuple[SayableFact, ...]:
    """The facts of the agent spec and the facts that could be added, each only once.

    If the agent spec declares a text and the schema a number, both facts are included.
    """
    sayable_facts: list[SayableFact] = []
    for argument in declared:
        phrase = argument.description if _is_name(argument.description) else argument.name.replace("_", " ")
        words = frozenset(stem(word) for word in split_words(f"{phrase} {argument.name}"))
        sayable_facts.append(with_meaning(SayableFact(phrase, _source_of(argument), argument, (), words)))
    having = {called(fact.phrase): fact.tools for fact in facts}
    sayable_facts = [replace(fact, tools=having.get(called(fact.phrase), ())) for fact in sayable_facts]
    declared_facts = {(called(fact.phrase), fact.type.kind) for fact in sayable_facts}
    places = {place: fact.value for fact in sayable_facts if (place := _place(fact.value)) is not None}
    facts = [_as_declared(fact, places) for fact in facts]
    new = [fact for fact in facts if (called(fact.phrase), fact.type.kind) not in declared_facts]
    other_than_text = {called(fact.phrase) for fact in new if fact.type.kind is not Kind.STR}
    remaining = [
        fact
        for fact in sayable_facts
        if called(fact.phrase) not in other_than_text or fact.type.kind is not Kind.STR
    ]
    return (*remaining, *new)


def _source_of(argument: Argument) -> FactSource:
    """The source from which the agent spec takes an argument."""
    source = argument.extraction
    path = str(source.options.get("path", "")) if source is not None else ""
    if "$.arguments" in path or path == "$.tool":
        return FactSource.CALL
    return FactSource.CONTEXT if path.startswith("$.context") else FactSource.EXTRACTED


def _place(value: Argument | DerivedValue) -> tuple[str, Kind] | None:
    """The path and kind of an argument that is a plain value of the call."""
    source = value.extraction if isinstance(value, Argument) else None
    if source is None or source.method != "jsonpath" or source.options.keys() - _AS_IT_IS:
        return None
    path = str(source.options.get("path", ""))
    return (path, value.type.kind) if path.startswith("$.arguments") else None


def _as_declared(
    fact: SayableFact, declared: Mapping[tuple[str, Kind], Argument | DerivedValue]
) -> SayableFact:
    """The fact with the argument of the agent spec that declares it already, if there is one."""
    place = _place(fact.value) if fact.source is FactSource.CALL else None
    declared_value = declared.get(place) if place is not None else None
    if (
        not isinstance(declared_value, Argument)
        or declared_value.extraction is None
        or fact.extraction is None
    ):
        return fact
    elsewhere = fact.extraction.options.keys() - declared_value.extraction.options.keys() - {"tools"}
    is_same = not elsewhere and {*fact.type.values} <= {*declared_value.type.values}
    return replace(fact, value=declared_value) if is_same else fact


def _is_name(description: str) -> bool:
    return 0 < len(description) <= 100 and len(split_words(description)) > 2
