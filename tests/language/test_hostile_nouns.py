"""Nouns and units that a person chose, whatever they are: each sentence is read as what it was written of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dialect.call_policies import policy_text
from tests.examples import examples
from tests.language.read_back import meanings, read_back
from tests.runs.expressions.small_agent import TYPES
from workbench.dialect.call_fields import type_of_record
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.nouns import check_words
from workbench.language.language import Language
from workbench.model import ArgumentType, Kind, RecordType
from workbench.policy.rule_names import RULES

WORDS = (
    "if", "and", "or", "the", "a", "is", "is not", "at least", "the user said yes", "number of entries",
    "total", "amount", "date of birth", "call", "earlier call to pay", "5,000", "5 EUR", "9:00", "its", "it",
    "المبلغ الكلي", "金额", "金额 过大", "größe", "that succeeded", "whether the call", "since",
    "unless it is allowed", "line B", "called line B", "entry", "entries", "legs", "yes", "no", "a, b or c",
    "so; or", "x: y", "what's left", "0", "—", "call's total", "length", "sum of the amount of all lines",
    "last call", "now", "today", "minus",
)  # fmt: skip
UNITS = ("EUR", "$", "%", "fraction", "minutes", "days", "MB", "nights", "km/h", "is", "金")


def _names(types: AgentTypes) -> Iterator[tuple[str, ArgumentType | None]]:
    """The classes and fields of an agent, each with its type."""
    classes: list[RecordType] = [one.earlier for one in types.calls.values()]
    classes += [type_of_record(one) for one in types.records.values()]
    for one in classes:
        yield one.name, None
        for name, type_ in one.fields:
            if "." not in name:
                yield f"{one.name}.{name}", type_
            inner = type_.element or type_
            if inner.record is not None and inner.record not in classes:
                classes.append(inner.record)


def renamed(random: Random, source: str) -> AgentTypes:
    """The small agent, with random words for half of what it and a policy have, and random units."""
    named = dict(_names(TYPES))
    facts = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    named |= {name: None for name in facts if not name.startswith((*RULES, "contract_"))}
    nouns = {name: random.choice(WORDS) for name in named if random.random() < 0.5}
    numbers = [name for name, type_ in named.items() if type_ and _is_number(type_)]
    units = {name: random.choice(UNITS) for name in numbers if random.random() < 0.6}
    return replace(TYPES, nouns=nouns, units=units)


def _is_number(type_: ArgumentType) -> bool:
    return (type_.element or type_).kind in (Kind.INT, Kind.DECIMAL)


def test_the_hostile_words_may_be_chosen() -> None:
    for words in WORDS:
        check_words("Booking", words)


@pytest.mark.slow
@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.integers(0, 2**32).map(Random))
def test_whatever_the_nouns_are_a_sentence_reads_as_what_it_was_written_of(random: Random) -> None:
    source = policy_text(random, 4)
    language = Language(renamed(random, source), source)
    sentences = tuple(language.aloud())
    assert [(one.name, one.line) for one in sentences if not one.text] == []
    assert meanings(read_back(language, sentences)) == meanings(language.policy)
