"""Every relation of the table between a fact and a value has its meaning on concrete arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.clarify.argument_book import argument_book
from workbench.clarify.condition_forms import ways
from workbench.model import Argument, ArgumentType, Kind, Value, WorkbenchError
from workbench.policy.check import check
from workbench.policy.evaluate import evaluate
from workbench.policy.one_more_rule import NewRule, with_rule
from workbench.policy.relations import RELATIONS, Family, begun_by
from workbench.policy.render import render_term
from workbench.policy.terms import Parameter, PolicyTerms

CABINS = ("basic", "full", "is known")
ARGUMENTS = (
    Argument("cabin", ArgumentType(Kind.ENUM, CABINS, optional=True)),
    Argument("note", ArgumentType(Kind.STR, optional=True)),
    Argument("size", ArgumentType(Kind.INT, optional=True)),
    Argument("price", ArgumentType(Kind.DECIMAL)),
    Argument("urgent", ArgumentType(Kind.BOOL, optional=True)),
    Argument("day", ArgumentType(Kind.DATE, optional=True)),
    Argument("moment", ArgumentType(Kind.DATETIME)),
    Argument("hour", ArgumentType(Kind.TIME)),
    Argument("stay", ArgumentType(Kind.DURATION)),
    Argument("tags", ArgumentType(Kind.SET)),
    Argument("numbers", ArgumentType(Kind.SET, element=ArgumentType(Kind.INT))),
    Argument("texts", ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR))),
    Argument("now", ArgumentType(Kind.DATETIME)),
    Argument("today", ArgumentType(Kind.DATE)),
)
PARAMETERS = tuple(Parameter(argument.name, argument.type) for argument in ARGUMENTS)
BOOK = argument_book(ARGUMENTS)
TEXTS = ("/tmp", "/tmp/a", "/tmpa", "ab", "b", "", "s3://b/x", "s3://bx")
DAYS = tuple(date(2026, 3, day) for day in (1, 2, 3))
MOMENTS = tuple(datetime(2026, 3, day, hour) for day in (1, 2, 3) for hour in (0, 9))
DRAWN: Mapping[Kind, st.SearchStrategy[Value]] = {
    Kind.ENUM: st.sampled_from(CABINS),
    Kind.STR: st.sampled_from(TEXTS),
    Kind.INT: st.integers(0, 4),
    Kind.DECIMAL: st.sampled_from([Decimal("1.5"), Decimal(2), Decimal("2.5")]),
    Kind.BOOL: st.booleans(),
    Kind.DATE: st.sampled_from(DAYS),
    Kind.DATETIME: st.sampled_from(MOMENTS),
    Kind.TIME: st.sampled_from([time(9), time(9, 30), time(10)]),
    Kind.DURATION: st.sampled_from([timedelta(hours=1), timedelta(hours=2), timedelta(days=1)]),
}
MEANT: Mapping[str, Callable[[Any, Any], bool]] = {
    "is": lambda value, said: value == said,
    "is not": lambda value, said: value != said,
    "is exactly": lambda value, said: value == said,
    "is the same as": lambda value, said: value == said,
    "is not the same as": lambda value, said: value != said,
    "is at least": lambda value, said: value >= said,
    "is at most": lambda value, said: value <= said,
    "is more than": lambda value, said: value > said,
    "is less than": lambda value, said: value < said,
    "is before": lambda value, said: value < said,
    "is after": lambda value, said: value > said,
    "is not before": lambda value, said: value >= said,
    "is not after": lambda value, said: value <= said,
    "is one of": lambda value, said: value in said,
    "is none of": lambda value, said: value not in said,
    "is not one of": lambda value, said: value not in said,
    "is among": lambda value, said: value in said,
    "is not among": lambda value, said: value not in said,
    "starts with": lambda value, said: str(value).startswith(str(said)),
    "does not start with": lambda value, said: not str(value).startswith(str(said)),
    "ends with": lambda value, said: str(value).endswith(str(said)),
    "does not end with": lambda value, said: not str(value).endswith(str(said)),
    "contains": lambda value, said: said in value,
    "does not contain": lambda value, said: said not in value,
    "is inside": lambda value, said: f"{value}/".startswith(f"{said}/"),
    "is not inside": lambda value, said: not f"{value}/".startswith(f"{said}/"),
    "is in the bucket": lambda value, said: str(value).startswith(f"s3://{said}/"),
    "is not in the bucket": lambda value, said: not str(value).startswith(f"s3://{said}/"),
    "has at least": lambda value, said: len(str(value)) >= said,
    "has at most": lambda value, said: len(str(value)) <= said,
    "is true": lambda value, _: value is True,
    "is false": lambda value, _: value is False,
    "is empty": lambda value, _: not value,
    "is not empty": lambda value, _: bool(value),
}
"""The meaning of each relation of a value, written a second time; those of presence are tested apart."""


def drawn(type_: ArgumentType) -> st.SearchStrategy[Value]:
    """Values of a type; from a small set, so that often two are equal."""
    element = DRAWN[_single(type_)]
    values: st.SearchStrategy[Value] = element
    if type_.kind is Kind.SET:
        values = cast("st.SearchStrategy[Value]", st.frozensets(element, max_size=2))
    elif type_.kind is Kind.LIST:
        values = cast("st.SearchStrategy[Value]", st.lists(element, max_size=2).map(tuple))
    return st.one_of(st.none(), values) if type_.optional else values


def _single(type_: ArgumentType) -> Kind:
    """The kind of a single value; for a list, the kind of an element."""
    if type_.element is not None:
        return type_.element.kind
    return Kind.STR if type_.kind is Kind.SET else type_.kind


def in_words(value: Value) -> str:
    """A value in the notation of a person."""
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return "yes" if value else "no"
        case timedelta():
            return f"{int(value.total_seconds()) // 3600} hours"
        case _:
            return str(value)


@cache
def policy(condition: str, *, forbids: bool) -> PolicyTerms:
    """A policy of one rule with this condition."""
    base = "def allow() -> bool:\n    return True\n"
    said = render_term(BOOK.condition(condition).guarded(forbids=forbids), as_listed=True)
    return check(with_rule(base, NewRule("forbid_it", said, "No."), PARAMETERS))


def holds(condition: str, arguments: Mapping[str, Value], *, forbids: bool) -> bool:
    """Whether a condition holds, by the interpreter of the dialect."""
    terms = policy(condition, forbids=forbids)
    return evaluate(terms, terms.rules[0].body, arguments) is True


CASES = [
    (argument, relation)
    for argument in ARGUMENTS
    for relation in RELATIONS.values()
    if argument.type.kind in relation.kinds and relation.family is not Family.PRESENCE
    if not (argument.type.kind is Kind.SET and relation.family is Family.LISTED)
]


@pytest.mark.parametrize(("name", "said"), [(argument.name, relation.words) for argument, relation in CASES])
@settings(max_examples=examples(8), deadline=None)
@given(st.data(), st.booleans())
def test_a_relation_means_what_it_says(name: str, said: str, data: st.DataObject, forbids: bool) -> None:
    argument = next(argument for argument in ARGUMENTS if argument.name == name)
    relation, type_ = RELATIONS[said], argument.type
    arguments = {one.name: data.draw(drawn(one.type)) for one in ARGUMENTS}
    behind, value = _behind(data, said, type_, arguments)
    meant = forbids if arguments[name] is None else MEANT[relation.words](arguments[name], value)
    assert holds(f"{name} {said} {behind}".strip(), arguments, forbids=forbids) is meant


def _behind(
    data: st.DataObject, said: str, type_: ArgumentType, arguments: Mapping[str, Value]
) -> tuple[str, object]:
    """The text after a relation, and its value."""
    relation, single = RELATIONS[said], DRAWN[_single(type_)]
    match relation.family:
        case Family.STATE:
            return "", None
        case Family.AMONG:
            return "tags", arguments["tags"]
        case Family.LENGTH:
            length = data.draw(st.integers(0, 8))
            return f"{length} characters", length
        case Family.LISTED:
            values = data.draw(st.frozensets(single, min_size=1, max_size=2))
            return ", ".join(map(in_words, values)), values
        case _:
            value = data.draw(single)
            assume(value or relation.operator not in ("inside", "bucket"))
            return in_words(value), value


@pytest.mark.parametrize("said", [said for said, one in RELATIONS.items() if one.family is Family.PRESENCE])
@pytest.mark.parametrize("forbids", [True, False])
@pytest.mark.parametrize("name", [one.name for one in ARGUMENTS if one.type.optional])
@settings(max_examples=examples(4), deadline=None)
@given(st.data())
def test_a_relation_of_presence_means_what_it_says(
    name: str, forbids: bool, said: str, data: st.DataObject
) -> None:
    arguments = {one.name: data.draw(drawn(one.type)) for one in ARGUMENTS}
    known = arguments[name] is not None
    assert holds(f"{name} {said}", arguments, forbids=forbids) is (known is not RELATIONS[said].negated)


BOUNDS = [said for said, one in RELATIONS.items() if one.family is Family.BOUND]


@pytest.mark.parametrize("said", BOUNDS)
@settings(max_examples=examples(10), deadline=None)
@given(st.data())
def test_a_place_in_time_is_before_or_after_and_a_span_is_more_or_less(
    said: str, data: st.DataObject
) -> None:
    """“is at most 1 day ago” speaks of a span, “is before 1 day ago” of a place in time."""
    arguments = {one.name: data.draw(drawn(one.type)) for one in ARGUMENTS}
    moment, now = arguments["moment"], arguments["now"]
    assert isinstance(moment, datetime)
    assert isinstance(now, datetime)
    span = timedelta(days=1)
    placed = "before" in said or "after" in said
    ago = MEANT[said](moment, now - span) if placed else MEANT[said](now - moment, span)
    assert holds(f"moment {said} 1 day ago", arguments, forbids=True) is ago
    assert holds(f"moment {said} 1 day before now", arguments, forbids=True) is ago
    later = MEANT[said](moment, now + span) if placed else MEANT[said](moment - now, span)
    assert holds(f"moment {said} 24h after now", arguments, forbids=True) is later


def test_the_meaning_of_every_relation_is_tested() -> None:
    presence = {said for said, one in RELATIONS.items() if one.family is Family.PRESENCE}
    assert {*MEANT, *presence} == {*RELATIONS}
    assert {relation.words for _, relation in CASES} == {*MEANT}


@pytest.mark.parametrize("said", [*RELATIONS])
def test_every_relation_is_one_of_the_grammar(said: str) -> None:
    relation = RELATIONS[said]
    reading = ways(f"amount {said} x" if relation.takes_value else f"amount {said}", "person_condition")[0]
    behind = f" {reading.inner_texts[1]}" if relation.family is Family.STATE else ""
    assert f"{reading.compared}{behind}" == said


@pytest.mark.parametrize("said", [said for said in RELATIONS if said.startswith("is ") and said != "is not"])
def test_the_beginning_of_a_relation_is_no_text_behind_is(said: str) -> None:
    word = said.removeprefix("is ").removeprefix("not ").split()[0]
    assert begun_by(f"{word} it")
    for condition in (f"note is {word} it", f"note is not {word} it", f"some tags is {word} it"):
        try:
            read = render_term(BOOK.condition(condition).guarded(forbids=True), as_listed=True)
        except WorkbenchError:
            continue
        assert f'"{word} it"' not in read
