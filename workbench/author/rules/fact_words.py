"""Words for facts of records and lists in a lexicon: their names, their values, and shared values."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.author.argument_terms import variable
from workbench.author.rules.lexicon import (
    GENERIC_VALUES,
    Lexicon,
    LexiconEntry,
    Reference,
    key,
    value_meaning,
)
from workbench.author.rules.words import split_words
from workbench.model import Argument, Kind


def add_facts(lexicon: Lexicon, facts: tuple[Argument, ...], synonyms: Mapping[str, str]) -> None:
    """Add facts to a lexicon by name and value: “the reservation's cabin”, “business reservations”.

    A field's own name means the field if no other one has that name. A value of several fields is shared
    (``lexicon.shared``): the words next to it decide to which fact it belongs. Of the ``synonyms`` of the
    agent spec, those with a fact as target are added.
    """
    lexicon.arguments = (*lexicon.arguments, *facts)
    arguments = [fact for fact in facts if fact.type.kind is not Kind.DURATION]
    for fact in arguments:
        _add(lexicon, " ".join(fact.name.split(".")), fact)
        for value in fact.type.values if fact.type.kind is Kind.ENUM else ():
            _add_value(lexicon, fact, value)
    named = {fact.name: fact for fact in arguments}
    for words, target in synonyms.items():
        if (fact := named.get(target.strip())) is not None:
            _add(lexicon, words, fact)
    field_names = [fact.name.rpartition(".")[2] for fact in arguments]
    for fact, name in zip(arguments, field_names, strict=True):
        if (
            name not in ("number", "total")
            and field_names.count(name) == 1
            and not lexicon.meanings(key(name))
        ):
            _add(lexicon, name, fact)


def _add(lexicon: Lexicon, phrase: str, fact: Argument) -> None:
    meaning = variable(fact) if fact.type.kind is Kind.BOOL else Reference(fact.name)
    if stems := key(phrase):
        lexicon.entries.append(LexiconEntry(stems, meaning, phrase))


def _add_value(lexicon: Lexicon, fact: Argument, value: str) -> None:
    meaning, known_meaning = value_meaning(fact, value), lexicon.literals.get(value.lower())
    if known_meaning is not None:
        before = lexicon.shared.get(value.lower(), (known_meaning,))
        lexicon.shared[value.lower()] = (*before, meaning)
        return
    lexicon.literals[value.lower()] = meaning
    if value.lower() not in GENERIC_VALUES and split_words(value):
        lexicon.entries.append(LexiconEntry(key(value), meaning, value))
