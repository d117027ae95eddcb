"""Axioms: what relates the values over one run, whatever the run is.

The list is fixed. Each axiom holds of all values that are extracted from a run and a call; proofs assume it,
and nothing tests it at run time.

* A count is not negative.
* Some element meets a condition exactly if the count of those that meet it is above zero.
* More conditions leave no more elements: a count is at most that with fewer conditions, and so on for any.
  That calls lie in a part of the run is such a condition, and that they are of some of the tools.
* A call of several tools is a call of one of them: a count is the sum of the counts of its tools.
* No smallest or largest value is passed by one that counts; some element has it, or it is the default and
  no element counts. So it is for a limit that is a constant. The smallest is not above the largest.
* Some element counts exactly if there is a distinct value, and there are no more of these than elements.
* One key names one record: where all parts of two keys are equal, so are the records that they name. A part
  is a field of the call, a constant, or a field of a record that is there.
* A reading is a function of the text: where two texts are equal, so are their readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations, permutations

from workbench.dialect.run_values import DISTINCT, EarlierCalls, Gathered, RunBound, RunValue
from workbench.model import Kind
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Collection,
    Compare,
    Comparison,
    Constant,
    Count,
    Elements,
    IsMissing,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, holds_many, set_element
from workbench.policy.walk import substituted

_ELEMENT = Variable("element", BOOL)
"""The element in conjuncts, which are only compared: of whatever collection."""
_BEYOND = {
    "max": (Comparison.GT, Comparison.GE),
    "min": (Comparison.LT, Comparison.LE),
}
_KEY_TYPES: Mapping[Kind, type] = {Kind.INT: int, Kind.DATE: date}


@dataclass(frozen=True, slots=True)
class OverRun:
    """An argument that is a count, or an any, over a collection: the conjuncts that its elements meet.

    Calls are those of some tools, without a collection: of a part of the run those of the whole run within
    its bounds.
    """

    argument: Variable
    collection: Collection | None
    tools: frozenset[str]
    conjuncts: frozenset[Term | RunBound]
    counts: bool

    @property
    def elements(self) -> tuple[Collection | None, frozenset[str]]:
        """The elements, of which those that meet the conjuncts count."""
        return self.collection, self.tools


@dataclass(frozen=True, slots=True)
class GatheredOverRun:
    """An argument that is an extreme or a number of distinct values; ``value`` is over the element.

    Its elements are those that ``over`` counts.
    """

    argument: Variable
    operation: str
    over: OverRun
    value: Term
    default: Term | None


type Key = Variable | Attribute | Constant
"""A part of the key of a record: an argument, a field of one that is a record, or a constant."""


@dataclass(frozen=True, slots=True)
class KeyedRecord:
    """An argument that is the record of the run with this key."""

    argument: Variable
    record: str
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class ReadText:
    """An argument that is a reading of a text; the text is an argument."""

    argument: Variable
    reading: str
    text: Variable


def axioms(
    arguments: Sequence[tuple[Variable, Term]],
    records: Sequence[KeyedRecord],
    values: Mapping[str, RunValue],
    readings: Sequence[ReadText] = (),
) -> tuple[Term, ...]:
    """The axioms about arguments, each a condition over them.

    ``arguments`` come with the terms that they are; ``records`` are those that are records, and ``readings``
    those that are read of texts. ``values`` are the values over the run that the terms name.
    """
    over_run = [found for argument, term in arguments if (found := _over_run(argument, term, values))]
    found = [_not_negative(one.argument) for one in over_run if one.counts]
    found += [*_any_is_count(over_run), *_monotone(over_run), *_of_several_tools(over_run)]
    found += _one_key_one_record(records)
    found += _one_text_one_reading(readings)
    found += _of_gathered([one for pair in arguments if (one := _gathered(*pair, values))], over_run)
    return tuple(dict.fromkeys(found))


def _over_run(argument: Variable, term: Term, values: Mapping[str, RunValue]) -> OverRun | None:
    match term:
        case Count(variable, collection, condition):
            counts = True
        case Quantified(Quantifier.ANY, variable, collection, condition):
            counts = False
        case _:
            return None
    conjuncts = _conjuncts(condition, variable)
    place = collection.term if isinstance(collection, Elements) else None
    calls = values.get(place.name) if isinstance(place, Variable) else None
    if not isinstance(calls, EarlierCalls):
        return OverRun(argument, collection, frozenset(), conjuncts, counts)
    return OverRun(argument, None, frozenset(calls.tools), conjuncts | set(calls.bounds), counts)


def _gathered(argument: Variable, term: Term, values: Mapping[str, RunValue]) -> GatheredOverRun | None:
    value = values.get(term.name) if isinstance(term, Variable) else None
    if not isinstance(value, Gathered):
        return None
    of = value.of
    over = _over_run(argument, Count(of.variable, of.collection, of.condition), values)
    assert over is not None
    of_element = substituted(of.value, of.variable.name, _ELEMENT)
    return GatheredOverRun(argument, value.operation, over, of_element, value.default)


def _of_gathered(gathered: Sequence[GatheredOverRun], over_run: Sequence[OverRun]) -> Iterator[Term]:
    for one in gathered:
        if one.operation == DISTINCT:
            yield _not_negative(one.argument)
        for other in over_run:
            if other.elements != one.over.elements:
                continue
            if other.conjuncts == one.over.conjuncts:
                yield from _of_number(one, other)
            elif other.conjuncts > one.over.conjuncts and one.operation != DISTINCT:
                yield from _of_limit(one, other)
    yield from _in_order(gathered)


def _in_order(gathered: Sequence[GatheredOverRun]) -> Iterator[Term]:
    """The smallest of some values is not above the largest of them."""
    for least, most in permutations(gathered, 2):
        same = replace(least.over, argument=most.over.argument) == most.over
        if (
            (least.operation, most.operation) == ("min", "max")
            and same
            and (least.value, least.default) == (most.value, most.default)
        ):
            in_order = Compare(Comparison.LE, least.argument, most.argument)
            absent = [IsMissing(one.argument) for one in (least, most) if one.argument.type.optional]
            yield Or((*absent, in_order)) if absent else in_order


def _of_number(one: GatheredOverRun, other: OverRun) -> Iterator[Term]:
    """What the number of elements that count says: that none does, or how many."""
    if one.operation == DISTINCT:
        yield Compare(Comparison.EQ, Compare(Comparison.GT, one.argument, Constant(0)), _is_some(other))
        if other.counts:
            yield Compare(Comparison.LE, one.argument, other.argument)
    elif one.default == Constant(None):
        yield Compare(Comparison.EQ, IsMissing(one.argument), Not(_is_some(other)))
    elif isinstance(one.default, Constant):
        yield Or((_is_some(other), Compare(Comparison.EQ, one.argument, one.default)))


def _of_limit(one: GatheredOverRun, other: OverRun) -> Iterator[Term]:
    """An element that counts is beyond a constant exactly if the extreme is, apart from its default."""
    (test, *more) = other.conjuncts - one.over.conjuncts
    if more or not isinstance(test, Compare):
        return
    operator, limit = test.operator, test.right
    if test.right == one.value:
        operator, limit = operator.turned, test.left
    elif test.left != one.value:
        return
    beyond = _BEYOND[one.operation]
    if not isinstance(limit, Constant) or operator not in beyond:
        return
    is_beyond = Compare(operator, one.argument, limit)
    if one.default == Constant(None):
        present = And((Not(IsMissing(one.argument)), is_beyond))
        yield _implies(_is_some(other), present)
        yield Or((IsMissing(one.argument), Not(is_beyond), _is_some(other)))
    else:
        yield _implies(_is_some(other), is_beyond)
        of_default = [] if one.default is None else [Compare(Comparison.EQ, one.argument, one.default)]
        if one.default is None or isinstance(one.default, Constant):
            yield Or((Not(is_beyond), _is_some(other), *of_default))


def _conjuncts(condition: Term, variable: Variable) -> frozenset[Term | RunBound]:
    own = substituted(condition, variable.name, _ELEMENT)
    parts = own.operands if isinstance(own, And) else (own,)
    return frozenset(part for part in parts if part != Constant(True))


def _not_negative(count: Variable) -> Term:
    return Compare(Comparison.GE, count, Constant(0))


def _is_some(one: OverRun) -> Term:
    return Compare(Comparison.GT, one.argument, Constant(0)) if one.counts else one.argument


def _any_is_count(over_run: Sequence[OverRun]) -> Iterator[Term]:
    """Any exactly if the count is above zero, of one collection and condition."""
    for left, right in combinations(over_run, 2):
        same = left.elements == right.elements and left.conjuncts == right.conjuncts
        if same and left.counts != right.counts:
            yield Compare(Comparison.EQ, _is_some(left), _is_some(right))


def _monotone(over_run: Sequence[OverRun]) -> Iterator[Term]:
    """What meets more conditions is no more than what meets fewer of them."""
    for more, fewer in permutations(over_run, 2):
        same = more.collection == fewer.collection and more.tools <= fewer.tools
        if not same or not more.conjuncts >= fewer.conjuncts:
            continue
        if (more.tools, more.conjuncts) == (fewer.tools, fewer.conjuncts):
            continue
        if more.counts and fewer.counts:
            yield Compare(Comparison.LE, more.argument, fewer.argument)
        else:
            yield _implies(_is_some(more), _is_some(fewer))


def _of_several_tools(over_run: Sequence[OverRun]) -> Iterator[Term]:
    """A call of several tools that counts is one of some of them that counts."""
    for whole in over_run:
        parts = [
            one for one in over_run
            if one.collection is None and one.conjuncts == whole.conjuncts and one.tools < whole.tools
        ]  # fmt: skip
        if not parts or frozenset[str]().union(*(one.tools for one in parts)) != whole.tools:
            continue
        yield Or((Not(_is_some(whole)), *map(_is_some, parts)))
        counts = {one.tools: one.argument for one in parts if one.counts}
        if whole.counts and sorted(tool for tools in counts for tool in tools) == sorted(whole.tools):
            first, *others = counts.values()
            total: Term = first
            for other in others:
                total = Arithmetic("+", total, other)
            yield Compare(Comparison.EQ, whole.argument, total)


def _one_key_one_record(records: Sequence[KeyedRecord]) -> Iterator[Term]:
    for one, other in combinations(records, 2):
        if one.record != other.record:
            continue
        parts = list(zip(one.keys, other.keys, strict=True))
        if not all(left == right or _may_be_equal(left, right) for left, right in parts):
            continue
        differing = [(left, right) for left, right in parts if left != right]
        if not differing:
            continue
        holders = dict.fromkeys(key.record for pair in parts for key in pair if isinstance(key, Attribute))
        equal = [Compare(Comparison.EQ, left, right) for left, right in differing]
        tests = (*(Not(IsMissing(holder)) for holder in holders), *equal)
        same = tests[0] if len(tests) == 1 else And(tests)
        absent = Compare(Comparison.EQ, IsMissing(one.argument), IsMissing(other.argument))
        yield _implies(same, absent)
        present = (same, Not(IsMissing(one.argument)), Not(IsMissing(other.argument)))
        record, same_record = one.argument.type.record, other.argument.type.record
        for name, type_ in () if record is None else record.fields:
            is_read = same_record is not None and same_record.field(name) == type_
            if is_read and not holds_many(type_) and type_.kind is not Kind.RECORD:
                left, right = Attribute(one.argument, name, type_), Attribute(other.argument, name, type_)
                yield _implies(And(present), Compare(Comparison.EQ, left, right))


def _one_text_one_reading(readings: Sequence[ReadText]) -> Iterator[Term]:
    for one, other in combinations(readings, 2):
        if one.reading != other.reading or one.text == other.text:
            continue
        present = [Not(IsMissing(text)) for text in (one.text, other.text) if text.type.optional]
        equal = Compare(Comparison.EQ, one.text, other.text)
        same = And((*present, equal)) if present else equal
        if one.argument.type.kind is Kind.SET:
            yield from (
                _implies(same, _subset(*pair)) for pair in permutations((one.argument, other.argument))
            )
        elif not holds_many(one.argument.type):
            yield _implies(same, Compare(Comparison.EQ, one.argument, other.argument))


def _subset(one: Variable, other: Variable) -> Term:
    member = Variable(_ELEMENT.name, set_element(one.type))
    body = Member(member, SetVariable(other.name))
    return Quantified(Quantifier.ALL, member, SetVariable(one.name), body)


def _may_be_equal(left: Key, right: Key) -> bool:
    """Whether two keys are of one type and may have one value; two constants are one key or differ."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return False
    if isinstance(left, Constant):
        return _may_be(right, left)
    return _may_be(left, right) if isinstance(right, Constant) else left.type.kind is right.type.kind


def _may_be(key: Key, constant: Constant) -> bool:
    assert not isinstance(key, Constant)
    if key.type.kind is Kind.ENUM:
        return constant.value in key.type.values
    return type(constant.value) is _KEY_TYPES.get(key.type.kind, str)


def _implies(condition: Term, consequence: Term) -> Term:
    return Or((Not(condition), consequence))
