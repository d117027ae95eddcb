"""The values of an expression's variables: of the call, of the run, and of the elements in scope."""

from __future__ import annotations

import decimal
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import cast, override

from workbench.dialect.run_values import (
    CALL,
    PLACE,
    Applied,
    ContextValue,
    EarlierCalls,
    Gathered,
    IsLookedUp,
    LastCall,
    PartOfRun,
    ReadingOf,
    RecordAt,
    RunBound,
    RunExpression,
    RunValue,
    SentencesWith,
    SourceOf,
    SourceOfText,
    UserWords,
    ValueAsOf,
    Zipped,
    call_of,
    place_of,
)
from workbench.dialect.value_functions import FUNCTIONS
from workbench.model import Element, RecordValue, Scalar
from workbench.policy.evaluate import EXACT, UNDEFINED, Scope, Valuation, members_of, value_of
from workbench.policy.operations import Known
from workbench.policy.terms import Attribute, Elements, PolicyTerms, Quantified, Term, Variable
from workbench.policy.undetermined import Undetermined, unknown
from workbench.runs.expressions.aggregates import Aggregate, Bounded, read_parts, taken_apart
from workbench.runs.expressions.gathering import gathered_value, no_value
from workbench.runs.expressions.moment import Moment, Trace

NO_POLICY = PolicyTerms((), {}, {}, (), False, (), ())
"""Terms of an expression name no table."""
_TOOL = f"{CALL}.tool"


class ReadExpression:
    """An expression with what its evaluation needs to know of its terms."""

    def __init__(self, expression: RunExpression) -> None:
        """Take a checked expression."""
        self.expression = expression
        self.term = expression.term
        """The term of the expression over whole runs."""
        self.values: Mapping[str, RunValue] = expression.values
        within: Bounded = {}
        if any(isinstance(value, EarlierCalls) and value.bounds for value in self.values.values()):
            from workbench.runs.expressions.parts_of_runs import WholeRuns

            whole = WholeRuns(self.values)
            self.term, self.values, within = whole.term(self.term), whole.values, whole.within
        self.taken_apart, aggregates = taken_apart(self.term, self.values, within)
        self.aggregates: Mapping[str, Aggregate] = {aggregate.name: aggregate for aggregate in aggregates}

    @cached_property
    def parts(self) -> tuple[Term, ...]:
        """All parts of the term, with those of the values over the run that it names."""
        return tuple(read_parts(self.term, self.values))

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """The fields of the decided call that the expression reads."""
        paths = (path_in_call(part) for part in self.parts)
        return tuple(dict.fromkeys(path[0] for path in paths if path))

    @cached_property
    def own_paths(self) -> tuple[tuple[str, ...], ...]:
        """The fields of the call that the expression reads, each by its longest path."""
        paths = {path for part in self.parts if (path := path_in_call(part))}
        return tuple(
            sorted(path for path in paths if not any(other[: len(path)] == path for other in paths - {path}))
        )

    @cached_property
    def fields_of_records(self) -> Mapping[str, tuple[str, ...]]:
        """The fields of records that the expression reads, by the name of the record."""
        names: dict[str, dict[str, None]] = {}
        for part in self.parts:
            if isinstance(part, Attribute) and isinstance(part.record, Variable):
                value = self.values.get(part.record.name)
                if isinstance(value, RecordAt):
                    names.setdefault(value.record, {})[part.name] = None
        return {record: tuple(fields) for record, fields in names.items()}

    @cached_property
    def pairs(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """The names by which the expression reads the pairs of each ``zip``."""
        found: dict[str, dict[tuple[str, str], None]] = {}
        for part in self.parts:
            element = part.type.element if isinstance(part, Variable) else None
            if isinstance(part, Variable) and isinstance(self.values.get(part.name), Zipped) and element:
                left, right = [name for name, _ in element.record.fields] if element.record else ["", ""]
                found.setdefault(part.name, {})[left, right] = None
        return {name: tuple(pairs) for name, pairs in found.items()}


def path_in_call(term: Term) -> tuple[str, ...]:
    """The names of the fields from the call to a term; empty if it is no field of the call."""
    names: list[str] = []
    while isinstance(term, Attribute):
        names.append(term.name)
        term = term.record
    return tuple(reversed(names)) if isinstance(term, Variable) and term.name == CALL else ()


class RunScope(Scope):
    """The values of the variables of one evaluation of an expression."""

    def __init__(
        self, read: ReadExpression, moment: Moment, trace: Trace, bound: Mapping[str, Known]
    ) -> None:
        """Take the moment of the decision, and the values of the elements in scope."""
        self.read = read
        self.moment = moment
        self.trace = trace
        self.bound = bound

    @override
    def having(self, name: str, value: Known) -> RunScope:
        return type(self)(self.read, self.moment, self.trace, {**self.bound, name: value})

    @override
    def __contains__(self, name: object) -> bool:
        return name in self.bound or name in (CALL, _TOOL) or name in self.read.values

    @override
    def __iter__(self) -> Iterator[str]:
        return iter((*self.bound, CALL, _TOOL, *self.read.values))

    @override
    def __len__(self) -> int:
        return len(tuple(iter(self)))

    @override
    def __getitem__(self, name: str) -> Known:
        """The value of a variable; raises an error of ``UNDEFINED`` if it has none."""
        if name in self.bound:
            return self.bound[name]
        if name == CALL:
            return self.moment.decided(self.read.own_names)
        if name == _TOOL:
            return self.moment.tool
        return self.of_run(name, self.read.values[name])

    @property
    def valuation(self) -> Valuation:
        """The valuation of terms in this scope."""
        return Valuation(NO_POLICY, self, None)

    def of_run(self, name: str, value: RunValue) -> Known:  # noqa: C901 # one case for each kind of value
        """A value over the run."""
        match value:
            case RecordAt() | IsLookedUp() | SourceOf() | SourceOfText():
                return value_as_of(self.valuation, name, value, self.moment, self.trace)
            case EarlierCalls(tools, ()):
                return self.moment.earlier(tools)
            case EarlierCalls() | PartOfRun():
                return unknown(f"{name} is compared as a set, and a part of a run has no elements then")
            case Applied(function, operands):
                return self._applied(function, operands)
            case ContextValue(context):
                return self.moment.context(context)
            case Zipped(left, right):
                return self._pairs(name, left, right)
            case LastCall(marker):
                return self._last(marker)
            case Gathered():
                return self._gathered(value)
            case UserWords(attribute, bounds):
                return self._said(attribute, bounds)
            case SentencesWith() | ReadingOf():
                return self._of_text(name, value)

    def _last(self, marker: Quantified, *, latest: bool = True) -> Known:
        """The last of the calls that meet a test; undetermined if a later one may meet it.

        It is the first one that does, if not the ``latest``.
        """
        place = marker.collection.term if isinstance(marker.collection, Elements) else None
        calls = self.read.values.get(place.name) if isinstance(place, Variable) else None
        tools = calls.tools if isinstance(calls, EarlierCalls) else ()
        for call in self.moment.in_turn(tools, latest_first=latest):
            if isinstance(call, Undetermined):
                return call
            met = value_of(marker.body, self.having(marker.variable.name, call).valuation)
            if isinstance(met, Undetermined):
                return Undetermined(met.names)
            if met is True:
                return call
        return None

    def _said(self, attribute: str, bounds: tuple[RunBound, ...]) -> Known:
        """What the user said in the run, or in a part of it."""
        begins: list[int] = []
        ends: list[int] = []
        for bound in bounds:
            place = self._place_of_bound(bound)
            if isinstance(place, Undetermined):
                return place
            if isinstance(place, int):
                (begins if bound.since else ends).append(place)
        return self.moment.said(attribute, max(begins, default=None), min(ends, default=None))

    def _place_of_bound(self, bound: RunBound) -> Known:
        """The place of the call where a part of the run begins or ends; None if no call does that."""
        if bound.call is not None:
            return value_of(place_of(bound.call), self.valuation)
        call = self._last(bound.marker, latest=bound.since)
        return dict(call.fields)[PLACE] if isinstance(call, RecordValue) else call

    def _gathered(self, value: Gathered) -> Known:
        """The smallest or largest value of elements, or how many distinct ones there are."""
        members = members_of(value.of.collection, self.valuation)
        if isinstance(members, Undetermined):
            return Undetermined(members.names)
        values: list[tuple[Known, bool]] = []
        open_parts: list[Known] = []
        for element in members:
            inner = self.having(value.of.variable.name, element).valuation
            truth = value_of(value.of.condition, inner)
            if truth is False:
                continue
            one = if_guarded(value.of.value, inner, truth)
            values.append((one, truth is True))
            open_parts += [part for part in (truth, one) if isinstance(part, Undetermined)]
        default = (
            no_value(value.operation) if value.default is None else value_of(value.default, self.valuation)
        )
        return gathered_value(value.operation, values, default, open_parts)

    def _of_text(self, name: str, value: SentencesWith | ReadingOf) -> Known:
        """A value that is made of a text."""
        text = value_of(value.text, self.valuation)
        match value:
            case SentencesWith(_, with_value):
                held = value_of(with_value, self.valuation)
                return self.moment.sentences_with(name, text, held, self.trace)
            case ReadingOf():
                return self.moment.reading(value, name, text, self.trace)

    def _values(self, terms: tuple[Term, ...]) -> list[Known]:
        return [value_of(term, self.valuation) for term in terms]

    def _applied(self, function: str, operands: tuple[Term, ...]) -> Known:
        values = self._values(operands)
        if open_values := [value for value in values if isinstance(value, Undetermined)]:
            return Undetermined(frozenset[str]().union(*(value.names for value in open_values)))
        if any(value is None or isinstance(value, tuple | frozenset | RecordValue) for value in values):
            raise TypeError(f"{function} has no value here.")
        return FUNCTIONS[function].compute(cast("list[Scalar]", values))

    def _pairs(self, name: str, left: Elements, right: Elements) -> Known:
        lists = [members_of(side, self.valuation) for side in (left, right)]
        open_lists = [members for members in lists if isinstance(members, Undetermined)]
        if open_lists:
            return open_lists[0].with_those_of(*open_lists)
        sides = [tuple(members) for members in lists if not isinstance(members, Undetermined)]
        if len(sides[0]) != len(sides[1]):
            return unknown(f"{name} has {len(sides[0])} and {len(sides[1])} elements")
        names = self.read.pairs.get(name, ())
        return tuple(_pair(names, one, other) for one, other in zip(*sides, strict=True))


def if_guarded(term: Term, world: Valuation, truth: Known) -> Known:
    """The value of a term behind a condition of this truth, which may guard it."""
    try:
        return value_of(term, world)
    except UNDEFINED:
        if isinstance(truth, Undetermined):
            return Undetermined(truth.names)
        raise


def value_as_of(
    world: Valuation,
    name: str,
    value: ValueAsOf,
    moment: Moment,
    trace: Trace,
) -> Known:
    """A value in a valuation that is read at a moment, or as of an earlier call."""
    call = call_of(value)
    place = None if call is None else value_of(place_of(call), world)
    if isinstance(place, Undetermined):
        return place
    assert place is None or isinstance(place, int)
    match value:
        case UserWords(attribute):
            return moment.said(attribute, end=place)
        case SourceOf():
            return moment.source(value, trace, place)
        case SourceOfText(text):
            return moment.source_of(value_of(text, world), name.rpartition(".source")[0], trace, place)
        case RecordAt(record, keys):
            return moment.record(record, [value_of(key, world) for key in keys], trace, place)
        case IsLookedUp(record, keys):
            return moment.is_looked_up(record, [value_of(key, world) for key in keys], trace, place)


def _pair(names: tuple[tuple[str, str], ...], one: Element, other: Element) -> RecordValue:
    fields = {name: value for pair in names for name, value in zip(pair, (one, other), strict=True)}
    return RecordValue("Pair", tuple(fields.items()))


def value_in(scope: RunScope, term: Term) -> Known:
    """The value of a term of an expression; undetermined if it has none in this scope."""
    try:
        with decimal.localcontext(EXACT):
            return value_of(term, scope.valuation)
    except UNDEFINED as error:
        return unknown(f"it has no value here ({error})")


def naive_value(read: ReadExpression, moment: Moment, trace: Trace, bound: Mapping[str, Known]) -> Known:
    """The value of an expression, from scratch: every earlier call is read and tested again."""
    return value_in(RunScope(read, moment, trace, bound), read.term)
