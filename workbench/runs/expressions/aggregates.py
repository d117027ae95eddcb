"""Aggregates over the earlier calls of a run, taken apart so that each earlier call is judged once.

The condition of an any, all, count or sum is a conjunction. What it asks of an earlier call alone is judged
when the call is made, and again when its result comes. A bound of a part of the run is the place of one call
of another aggregate, the marker. An equality of one of its fields with a value of the
decided call is the key of a group of calls. A comparison of its time is a window: the end or the begin of a
group in order of time. Only what is left is tested at each decision, on the calls of one group in the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.dialect.run_values import (
    PLACE,
    EarlierCalls,
    Gathered,
    IsLookedUp,
    RecordAt,
    RunBound,
    RunValue,
    SourceOfText,
    UserWords,
    ValueAsOf,
    all_parts,
    call_of,
    sets_of,
)
from workbench.model import ArgumentType, Kind
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Compare,
    Comparison,
    Count,
    Elements,
    IsMissing,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import bound_names, children, opposite, with_children

_LATER = (Comparison.GT, Comparison.GE)


WINDOW_TIME = "#time"
"""The time or place of an earlier call in the test of a window; ``#0`` and on are its other operands."""


@dataclass(frozen=True, slots=True)
class Window:
    """A comparison that holds for the calls from a time on, or up to a time if it is not ``from_on``.

    ``test`` is the comparison over ``#time`` and over ``#0``, ``#1``, the values of the terms ``outer``. With
    ``of_places`` it is about the places of calls in place of their times.
    """

    test: Compare
    outer: tuple[Term, ...]
    from_on: bool
    of_places: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """The calls after the last one that meets a condition, or before the first one if it is not ``since``."""

    since: bool
    marker: Aggregate


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the earlier calls of some tools, and the parts of its condition.

    ``name`` is the variable that stands for it in the expression. ``edges`` are the bounds of the part of the
    run that it is over; its ``condition`` has them too. An ``all`` is the negation of an ``any``
    whose condition is the negated body. ``fields`` are those of an earlier call that it reads. ``keys`` have
    the term of the earlier call, and the one of the decided call that it has to equal. ``value`` is what an
    earlier call adds; ``is_settled`` is whether that is known of the earlier call alone. ``gathered`` is what
    is done with these values in place of adding them. ``past`` are the values as of an element, by name.
    """

    name: str
    term: Quantified | Count | Sum
    tools: tuple[str, ...]
    fields: frozenset[str]
    condition: Term
    settled: tuple[Term, ...]
    keys: tuple[tuple[Term, Term], ...]
    windows: tuple[Window, ...]
    rest: tuple[Term, ...]
    value: Term | None
    is_settled: bool
    edges: tuple[Edge, ...] = ()
    gathered: Gathered | None = None
    past: Mapping[str, ValueAsOf] = field(default_factory=dict[str, ValueAsOf])

    @property
    def variable(self) -> str:
        """The name of the earlier call in the terms."""
        return self.term.variable.name

    @property
    def is_decimal(self) -> bool:
        """Whether it is a sum of decimals."""
        return self.is_sum and isinstance(self.term, Sum) and self.term.type.kind is Kind.DECIMAL

    @property
    def is_sum(self) -> bool:
        """Whether the values of calls are added, and not compared."""
        return self.gathered is None


type Bounded = Mapping[str, Sequence[RunBound]]


def taken_apart(
    term: Term, values: Mapping[str, RunValue], within: Bounded
) -> tuple[Term, tuple[Aggregate, ...]]:
    """The term with a variable in the place of each aggregate over earlier calls, and these aggregates.

    ``within`` are the bounds of collections whose aggregates begin with the conditions of these bounds.
    """
    aggregates: list[Aggregate] = []
    return _replaced(term, values, within, aggregates), tuple(aggregates)


def _replaced(
    term: Term, values: Mapping[str, RunValue], within: Bounded, aggregates: list[Aggregate]
) -> Term:
    gathered = values.get(term.name) if isinstance(term, Variable) else None
    gathered = gathered if isinstance(gathered, Gathered) else None
    own = term if gathered is None else gathered.of
    inner = with_children(own, tuple(_replaced(part, values, within, aggregates) for part in children(own)))
    if not isinstance(inner, Quantified | Count | Sum) or not isinstance(inner.collection, Elements):
        return inner
    place = inner.collection.term
    calls = values.get(place.name) if isinstance(place, Variable) else None
    if not isinstance(calls, EarlierCalls):
        return inner if gathered is None else term
    assert isinstance(place, Variable)
    fields = frozenset(_fields(own, inner.variable.name, values))
    edges: list[Edge] = []
    for bound in within.get(place.name, ()):
        _replaced(bound.marker, values, within, aggregates)
        edges.append(Edge(bound.since, aggregates[-1]))
    name = f"#{len(aggregates) + 1}"
    aggregate = replace(_aggregate(name, inner, calls.tools, fields, values, tuple(edges)), gathered=gathered)
    aggregates.append(aggregate)
    return Variable(aggregate.name, term.type if isinstance(term, Variable) else _type_of(inner))


def _type_of(term: Quantified | Count | Sum) -> ArgumentType:
    if isinstance(term, Sum):
        return term.type
    return ArgumentType(Kind.INT if isinstance(term, Count) else Kind.BOOL)


def _aggregate(
    name: str,
    term: Quantified | Count | Sum,
    tools: tuple[str, ...],
    fields: frozenset[str],
    values: Mapping[str, RunValue],
    edges: tuple[Edge, ...],
) -> Aggregate:
    condition = _condition(term)
    element = term.variable.name
    settled: list[Term] = []
    keys: list[tuple[Term, Term]] = []
    windows: list[Window] = []
    conjuncts = list(_conjuncts(condition))[len(edges) :]
    while conjuncts:
        test = conjuncts[0]
        names = _names(test, values)
        if names <= {element}:
            settled.append(test)
        elif (key := _key(test, element, values)) is not None:
            keys.append(key)
        elif (window := _window(test, element, values)) is not None:
            windows.append(window)
        else:
            break  # what comes after it may be guarded by it
        conjuncts.pop(0)
    value = term.value if isinstance(term, Sum) else None
    return Aggregate(
        name,
        term,
        tools,
        fields,
        condition,
        tuple(settled),
        tuple(keys),
        tuple(windows),
        tuple(conjuncts),
        value,
        value is None or _names(value, values) <= {element},
        edges,
        past={
            name: of
            for part in all_parts(term, values)
            if (name := _named(part)) and (of := _of_past(name, values))
        },
    )


def _condition(term: Quantified | Count | Sum) -> Term:
    """What an earlier call must meet to count; for an all, to be a counterexample."""
    if isinstance(term, Quantified):
        return term.body if term.quantifier is Quantifier.ANY else opposite(term.body)
    return term.condition


def _conjuncts(term: Term) -> Iterator[Term]:
    if isinstance(term, And):
        for operand in term.operands:
            yield from _conjuncts(operand)
    else:
        yield term


def _names(term: Term, values: Mapping[str, RunValue]) -> set[str]:
    """The names of all variables that a term takes from outside, with those of values over the run."""
    names = {
        part.name
        for part in all_parts(term, values)
        if isinstance(part, Variable) and not _of_past(part.name, values)
    }
    return names - bound_names(term)


def _of_past(name: str, values: Mapping[str, RunValue]) -> ValueAsOf | None:
    """The value of this name as of a call that is an element: it never changes for one element."""
    value = values.get(name)
    if not isinstance(value, RecordAt | IsLookedUp | SourceOfText | UserWords):
        return None
    call = call_of(value)
    return value if call is not None and call.name not in values else None


def _named(part: Term) -> str:
    """The name of the variable, or of the set, that a part of a term is; else empty."""
    if isinstance(part, Variable):
        return part.name
    return next((one.name for one in sets_of(part)), "")


def _key(test: Term, element: str, values: Mapping[str, RunValue]) -> tuple[Term, Term] | None:
    if not isinstance(test, Compare) or test.operator is not Comparison.EQ:
        return None
    for one, other in ((test.left, test.right), (test.right, test.left)):
        if _names(one, values) == {element} and element not in _names(other, values):
            return one, other
    return None


def _window(test: Term, element: str, values: Mapping[str, RunValue]) -> Window | None:
    if not isinstance(test, Compare) or test.operator in (Comparison.EQ, Comparison.NE):
        return None
    for one, other, operator in (
        (test.left, test.right, test.operator),
        (test.right, test.left, test.operator.turned),
    ):
        if element in _names(other, values):
            continue
        if _is_field(one, element, PLACE):
            return Window(Compare(operator, _TIME, _operand(0)), (other,), operator in _LATER, of_places=True)
        if _is_time(one, element):
            return Window(Compare(operator, _TIME, _operand(0)), (other,), operator in _LATER)
        if not isinstance(one, Arithmetic) or one.operator != "-":
            continue
        if _is_time(one.right, element) and element not in _names(one.left, values):
            since = Arithmetic("-", _operand(0), _TIME)
            return Window(Compare(operator, since, _operand(1)), (one.left, other), operator not in _LATER)
        if _is_time(one.left, element) and element not in _names(one.right, values):
            until = Arithmetic("-", _TIME, _operand(0))
            return Window(Compare(operator, until, _operand(1)), (one.right, other), operator in _LATER)
    return None


_TIME = Variable(WINDOW_TIME, ArgumentType(Kind.DATETIME))


def _operand(number: int) -> Variable:
    return Variable(f"#{number}", ArgumentType(Kind.DATETIME))


def _is_time(term: Term, element: str) -> bool:
    return _is_field(term, element, "time")


def _is_field(term: Term, element: str, name: str) -> bool:
    if not isinstance(term, Attribute) or term.name != name:
        return False
    return isinstance(term.record, Variable) and term.record.name == element


def read_parts(term: Term, values: Mapping[str, RunValue]) -> Iterator[Term]:
    """Yield all parts of a term whose values it reads; a field that is tested for None is one too."""
    for part in all_parts(term, values):
        yield part
        if isinstance(part, IsMissing):
            yield part.variable


def _fields(term: Term, element: str, values: Mapping[str, RunValue]) -> Iterator[str]:
    """The fields of an earlier call that a term reads."""
    for part in read_parts(term, values):
        if isinstance(part, Attribute) and isinstance(part.record, Variable) and part.record.name == element:
            yield part.name
