"""The agent spec as a lexicon: the arguments and values that the words of a request mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.author.argument_terms import (
    among,
    elements,
    names,
    opposite,
    value_listing,
    variable,
)
from workbench.author.rules.fact_arguments import FactArgument
from workbench.author.rules.words import LIGHT, PEOPLE, split_words, stem, word_set
from workbench.model import AgentSpec, Argument, Kind
from workbench.policy.terms import (
    Quantifier,
    Term,
)

ACTION_NAMES = frozenset(
    stem(word) for word in ["action", "tool", "operation", "command", "function", "task", "call", "intent"]
)
_WHETHER = re.compile(
    r"(?:whether|true if|if)\s+(?:(?:the|an|a|all|any)\b)?\s*(?P<subject>(?:\w+\s+){0,2}?\w+|(?=is\b))"
    r"['’s]*\s+"
    r"(?P<verb>is|are|has|have|was|were|passed|gave|(?=\w+ed\b))\s*(?P<predicate>.+)$",
    re.I,
)
# “labresult” in words: “lab result”.
_COLUMN = re.compile(r"([a-z]{3,}?)(name|time|date|code|result|value|status|type)")
GENERIC_VALUES = frozenset(["other", "others", "none", "unknown", "else", "any"])
_FILLER = word_set("for of to a an the with from in on at or and whether user agent") | LIGHT | PEOPLE


@dataclass(frozen=True, slots=True)
class Reference:
    """A word that names an argument but none of its values."""

    argument: str


type Meaning = Term | Reference


def arguments_of(meaning: Meaning) -> tuple[str, ...]:
    """The names of the arguments in a meaning."""
    return (meaning.argument,) if isinstance(meaning, Reference) else names(meaning)


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A phrase of the lexicon by its stems, in any order, with its meaning."""

    stems: frozenset[str]
    meaning: Meaning
    phrase: str


@dataclass(slots=True)
class Lexicon:
    """The phrases that a request may use for the arguments of one agent spec.

    The facts of its records and lists are arguments here, and ``fact_by_name`` has their terms. ``shared``
    are values that several arguments have. ``preferred_facts`` are those that a reading uses if a word fits
    several facts.
    """

    arguments: tuple[Argument, ...]
    entries: list[LexiconEntry] = field(default_factory=list[LexiconEntry])
    literals: dict[str, Meaning] = field(default_factory=dict[str, Meaning])
    schema: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    shared: dict[str, tuple[Meaning, ...]] = field(default_factory=dict[str, tuple[Meaning, ...]])
    preferred_facts: frozenset[str] = frozenset()
    records_and_lists: tuple[Argument, ...] = ()
    fact_by_name: Mapping[str, FactArgument] = field(default_factory=dict[str, FactArgument])

    def argument(self, name: str) -> Argument:
        """The argument called ``name``."""
        return next(
            argument for argument in (*self.arguments, *self.records_and_lists) if argument.name == name
        )

    def of_kind(self, *kinds: Kind) -> tuple[Argument, ...]:
        """The arguments of these kinds, in order."""
        return tuple(argument for argument in self.arguments if argument.type.kind in kinds)

    def action(self) -> Argument | None:
        """The argument for the agent's action, if there is one."""
        return next((argument for argument in self.arguments if is_action(argument)), None)

    def meanings(self, stems_: frozenset[str]) -> list[Meaning]:
        """The meanings of a phrase of exactly these stems, without repetitions."""
        meanings: list[Meaning] = []
        for entry in self.entries:
            if entry.stems == stems_ and entry.meaning not in meanings:
                meanings.append(entry.meaning)
        return meanings

    def literals_of(self, word: str) -> tuple[Meaning, ...]:
        """The values that one word names by itself, in singular or plural."""
        return tuple(
            meaning
            for value, meaning in self.literals.items()
            if stem(value) == stem(word.lower()) and value not in GENERIC_VALUES
        )

    def objects(self, stems_: frozenset[str]) -> tuple[str, ...]:
        """The one action whose object has these stems; empty if there are several."""
        action = self.action()
        actions = [
            value
            for value in (action.type.values if action is not None else ())
            if len(split_words(value)) > 1 and stems_ and key(" ".join(split_words(value)[1:])) == stems_
        ]
        return tuple(actions) if len(actions) == 1 else ()

    def longest(self) -> int:
        """The number of stems of the longest phrase."""
        return max((len(entry.stems) for entry in self.entries), default=0)


def is_action(argument: Argument) -> bool:
    """Whether an enum argument is the agent's action (its name is action, tool, ...)."""
    last = split_words(argument.name)[-1:]
    return argument.type.kind is Kind.ENUM and any(stem(word) in ACTION_NAMES for word in last)


def is_object(lexicon: Lexicon, text: str) -> bool:
    """Whether a text names the object in some action's name."""
    action = lexicon.action()
    named = [split_words(value)[1:] for value in (action.type.values if action is not None else ())]
    return any(words and key(text) == key(" ".join(words)) for words in named)


@lru_cache(maxsize=16384)
def key(text: str) -> frozenset[str]:
    """The stems of the words of a phrase that matter for matching it."""
    words = split_words(text)
    content = [word for word in words if word not in _FILLER] or list(words)
    return frozenset(stem(word) for word in content)


def build_lexicon(spec: AgentSpec, arguments: tuple[Argument, ...]) -> Lexicon:
    """The lexicon of a spec: names, values, descriptions and synonyms of its arguments."""
    lexicon = Lexicon(arguments, schema=dict(spec.schema))
    for argument in arguments:
        _add_argument(lexicon, argument)
    _add_verbs(lexicon)
    _add_nouns(lexicon)
    for words, target in spec.synonyms.items():
        meaning = target_meaning(lexicon, target)
        if meaning is not None:
            _add(lexicon, words, meaning)
    return lexicon


def target_meaning(lexicon: Lexicon, target: str) -> Meaning | None:
    """The meaning of a synonym's target: a value, an argument, or ``not`` an argument."""
    negated = target.startswith("not ")
    name = target.removeprefix("not ").strip()
    for argument in lexicon.arguments:
        meaning: Meaning | None = None
        if argument.name == name:
            meaning = variable(argument) if argument.type.kind is Kind.BOOL else Reference(name)
        elif name in argument.type.values:
            meaning = value_meaning(argument, name)
        if meaning is not None and not isinstance(meaning, Reference):
            return opposite(meaning) if negated else meaning
        if meaning is not None and not negated:
            return meaning
    return None


def value_meaning(argument: Argument, value: str) -> Term:
    """The condition that the argument is, or contains, the value."""
    if argument.type.kind is Kind.SET:
        return elements(argument, Quantifier.ANY, value)
    return among(argument, value)


def _add(lexicon: Lexicon, phrase: str, meaning: Meaning) -> None:
    if stems_ := key(phrase):
        lexicon.entries.append(LexiconEntry(stems_, meaning, phrase))


def _add_argument(lexicon: Lexicon, argument: Argument) -> None:
    name, kind = argument.name, argument.type.kind
    meaning: Meaning = variable(argument) if kind is Kind.BOOL else Reference(name)
    _add(lexicon, name, meaning)
    content = [word for word in split_words(argument.description) if word not in _FILLER]
    if kind is Kind.BOOL and 0 < len(content) <= 3:
        _add(lexicon, argument.description, meaning)
    if kind is Kind.BOOL:
        for phrase in _predicates(argument.description):
            if key(phrase) and not any(entry.stems == key(phrase) for entry in lexicon.entries):
                _add(lexicon, phrase, meaning)
    for value in argument.type.values:
        lexicon.literals[value.lower()] = value_meaning(argument, value)
        if value.lower() not in GENERIC_VALUES and kind is not Kind.SET:
            _add(lexicon, value, value_meaning(argument, value))
    if kind is Kind.SET:
        _add_tables(lexicon, argument)


def _add_tables(lexicon: Lexicon, argument: Argument) -> None:
    """Add “the lab database” for all of its columns, and “lab result” for the column ``labresult``."""
    for table, columns in lexicon.schema.items():
        listed = tuple(value for value in argument.type.values if value.startswith(f"{table}."))
        if len(listed) == len(columns):
            _add(lexicon, f"{table} database", elements(argument, Quantifier.ANY, *listed))
            _add(lexicon, f"{table} table", elements(argument, Quantifier.ANY, *listed))
        for value in listed:
            if apart := _COLUMN.fullmatch(value.removeprefix(f"{table}.")):
                _add(lexicon, f"{apart[1]} {apart[2]}", value_meaning(argument, value))


def _predicates(description: str) -> tuple[str, ...]:
    """The predicate in “whether the patient gave consent”, and the predicate with its subject."""
    match = _WHETHER.match(description.strip())
    if match is None or len(split_words(match["predicate"])) > 4:
        return ()
    return match["predicate"], f"{match['subject']} {match['predicate']}"


def _add_verbs(lexicon: Lexicon) -> None:
    """Add each verb that begins actions, for any of them (“book anything”), and its noun in -ment."""
    action = lexicon.action()
    if action is None:
        return
    by_verb: dict[str, list[str]] = {}
    for value in action.type.values:
        words = split_words(value)
        if len(words) > 1:
            by_verb.setdefault(words[0], []).append(value)
    for verb, values in by_verb.items():
        verb_listings = [
            value_listing(meaning)
            for meaning in lexicon.meanings(key(verb))
            if not isinstance(meaning, Reference)
        ]
        if not any(listing is not None and listing.argument == action.name for listing in verb_listings):
            _add(lexicon, verb, among(action, *values))
        if not lexicon.meanings(key(noun := f"{verb}ment")):
            _add(lexicon, noun, among(action, *values))


def _add_nouns(lexicon: Lexicon) -> None:
    """Add other words for the one argument that holds an address."""
    holders = [
        argument
        for argument in lexicon.of_kind(Kind.STR)
        if {"recipient", "to"} & set(split_words(argument.name))
    ]
    if len(holders) == 1:
        for noun in ("address", "recipient", "addressee"):
            if not lexicon.meanings(key(noun)):
                _add(lexicon, noun, Reference(holders[0].name))
