"""Inputs worth trying on a policy, read off its constants, and a search among them.

Deterministic: the same policy always yields the same inputs. The solver is asked only
where this search finds nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal

from workbench.model import Arguments, ArgumentType, Kind, Scalar, Value, Verdict, WorkbenchError
from workbench.policy.boundary_values import just_over, just_under
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.terms import (
    Call,
    Compare,
    Constant,
    ConstantSet,
    IsMissing,
    Length,
    Lookup,
    Member,
    PolicyTerms,
    Quantified,
    SetVariable,
    StringTest,
    StringTestKind,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.validate import Validator
from workbench.policy.walk import children

FOREIGN = "something else"
_MOST_TRIES = 4000
_MOST_CANDIDATES = 90
_MOST_UNTOLD = 3

type Witness = Callable[[PolicyTerms, Term], Arguments | None]


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """What a variable stands for: an argument, an element of a set argument, or listed constants."""

    argument: str = ""
    element: bool = False
    constants: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Boundary:
    """A constant (or the entry of a table) that an argument is compared with in order."""

    argument: str
    value: Scalar
    length: bool = False
    key: tuple[str, Scalar] | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of sets used with an argument as key, and the argument looked up in its rows."""

    table: str
    key: str
    item: str
    element: bool


@dataclass(slots=True)
class ArgumentFacts:
    """What a term says about the arguments of its policy."""

    arguments: list[str] = field(default_factory=list[str])
    points: dict[str, list[Scalar]] = field(default_factory=dict[str, list[Scalar]])
    boundaries: list[Boundary] = field(default_factory=list[Boundary])
    rows: list[TableRow] = field(default_factory=list[TableRow])
    sets: list[tuple[VariablePlace, ConstantSet]] = field(
        default_factory=list[tuple[VariablePlace, ConstantSet]]
    )
    uneven: list[Compare] = field(default_factory=list[Compare])

    def point(self, place: VariablePlace | None, values: Sequence[Scalar]) -> None:
        """Remember constants that an argument, or the elements of one, are compared with."""
        if place is not None and place.argument:
            known = self.points.setdefault(place.argument, [])
            known.extend(value for value in values if value not in known)


def facts_of(terms: PolicyTerms, body: Term, names: Sequence[str]) -> ArgumentFacts:
    """Read a term over the named arguments; helpers are followed."""
    facts = ArgumentFacts()
    _read(terms, body, {name: VariablePlace(name) for name in names}, facts, helper=False)
    return facts


def _read(
    terms: PolicyTerms, term: Term, places: Mapping[str, VariablePlace], facts: ArgumentFacts, *, helper: bool
) -> None:
    match term:
        case Variable(name) | IsMissing(Variable(name)):
            _seen(places.get(name), facts)
        case Compare():
            _compare(terms, term, places, facts, helper=helper)
        case Member():
            _member(terms, term, places, facts)
        case StringTest(kind, text, constant):
            facts.point(_place(text, places), _strings(kind, constant))
        case Lookup(table, key, _):
            facts.point(_place(key, places), tuple(terms.tables[table].entries))
        case Call(function, operands, _):
            called = terms.helpers[function]
            inner = {
                parameter.name: place
                for parameter, operand in zip(called.parameters, operands, strict=True)
                if (place := _place(operand, places)) is not None
            }
            _read(terms, called.body, inner, facts, helper=True)
        case Quantified(_, variable, collection, body):
            place = _bound(terms, collection, places, facts)
            _read(terms, body, {**places, variable.name: place}, facts, helper=helper)
            if isinstance(collection, TableEntry):
                _read(terms, collection.key, places, facts, helper=helper)
            return
        case _:
            pass
    for part in children(term):
        _read(terms, part, places, facts, helper=helper)


def _seen(place: VariablePlace | None, facts: ArgumentFacts) -> None:
    if place is not None and place.argument and place.argument not in facts.arguments:
        facts.arguments.append(place.argument)


def _place(term: Term, places: Mapping[str, VariablePlace]) -> VariablePlace | None:
    return places.get(term.name) if isinstance(term, Variable) else None


def _bound(
    terms: PolicyTerms, collection: object, places: Mapping[str, VariablePlace], facts: ArgumentFacts
) -> VariablePlace:
    """What the bound variable of a quantifier ranges over."""
    if isinstance(collection, SetVariable):
        outer = places.get(collection.name, VariablePlace())
        _seen(outer, facts)
        return VariablePlace(outer.argument, element=True)
    if isinstance(collection, ConstantSet):
        return VariablePlace(constants=collection.values)
    if isinstance(collection, TableEntry):
        entries = terms.tables[collection.table].entries
        facts.point(_place(collection.key, places), tuple(entries))
        return VariablePlace(constants=_members(entries))
    return VariablePlace()


def _members(entries: Mapping[Scalar, frozenset[Scalar] | Scalar]) -> tuple[Scalar, ...]:
    found: list[Scalar] = []
    for row in entries.values():
        if isinstance(row, frozenset):
            found.extend(value for value in sorted(row, key=str) if value not in found)
    return tuple(found)


def _member(
    terms: PolicyTerms, term: Member, places: Mapping[str, VariablePlace], facts: ArgumentFacts
) -> None:
    place = _place(term.item, places)
    match term.collection:
        case ConstantSet():
            facts.point(place, term.collection.values)
            if place is not None and place.argument:
                facts.sets.append((place, term.collection))
        case TableEntry(table, key):
            entries = terms.tables[table].entries
            facts.point(place, _members(entries))
            key_place = _place(key, places)
            facts.point(key_place, tuple(entries))
            if place is not None and place.argument and key_place is not None and key_place.argument:
                facts.rows.append(TableRow(table, key_place.argument, place.argument, place.element))
        case SetVariable(name):
            outer = places.get(name)
            _seen(outer, facts)
            if isinstance(term.item, Constant) and isinstance(term.item.value, str):
                facts.point(outer, (term.item.value,))
            elif place is not None:
                facts.point(outer, place.constants)


def _compare(
    terms: PolicyTerms,
    term: Compare,
    places: Mapping[str, VariablePlace],
    facts: ArgumentFacts,
    *,
    helper: bool,
) -> None:
    ordered = term.operator.value not in ("==", "!=")
    understood = False
    for one, other in ((term.left, term.right), (term.right, term.left)):
        length = isinstance(one, Length)
        place = _place(one.text if isinstance(one, Length) else one, places)
        if place is None or not place.argument:
            continue
        if isinstance(other, Constant) and other.value is not None:
            understood = True
            if length and isinstance(other.value, int):
                facts.boundaries.append(Boundary(place.argument, other.value, length=True))
            else:
                facts.point(place, (other.value,))
                if ordered and not place.element:
                    facts.boundaries.append(Boundary(place.argument, other.value))
        elif isinstance(other, Lookup) and ordered and not length:
            key = _place(other.key, places)
            for known, value in terms.tables[other.table].entries.items():
                if not isinstance(value, frozenset) and key is not None and key.argument:
                    understood = True
                    facts.boundaries.append(Boundary(place.argument, value, key=(key.argument, known)))
    if ordered and not understood and not helper:
        facts.uneven.append(term)


def _strings(kind: StringTestKind, constant: str) -> tuple[str, ...]:
    """Strings that pass a test and, where one is near, one that just fails it."""
    match kind:
        case StringTestKind.PREFIX:
            return (f"{constant}x", f"x{constant}")
        case StringTestKind.SUFFIX:
            return (f"x{constant}", f"{constant}x")
        case StringTestKind.CONTAINS:
            return (f"x{constant}x", constant)


def beside(boundary: Boundary, declared: ArgumentType) -> tuple[tuple[str, Value], ...]:
    """The values just under, at and just over a boundary, each with its side, as far as there are any."""
    value = boundary.value
    if boundary.length:
        lengths = (("under", just_under(value, 0)), ("at", value), ("over", just_over(value, 0)))
        return tuple(
            (side, "x" * length) for side, length in lengths if isinstance(length, int) and length >= 0
        )
    places = declared.places
    values = (("under", just_under(value, places)), ("at", value), ("over", just_over(value, places)))
    return tuple((side, near) for side, near in values if near is not None)


def foreign_text(known: Sequence[object]) -> str:
    """A string that is none of the known ones, in their shape (``table.column``)."""
    dotted = bool(known) and all(isinstance(value, str) and value.count(".") == 1 for value in known)
    text = "unlisted.column" if dotted else FOREIGN
    while text in known:
        text += "x"
    return text


class Inputs:
    """The candidate values of each argument of a policy, and the search for an input."""

    def __init__(self, terms: PolicyTerms, witness: Witness | None) -> None:
        """Collect candidates from all rules and preconditions; ``witness`` is asked last."""
        self.terms = terms
        self.names = [argument.name for argument in terms.arguments]
        self.types = {argument.name: argument.type for argument in terms.arguments}
        self._validate = Validator(terms.arguments)
        self._witness = witness
        self._untold = 0
        bodies = [rule.body for rule in terms.rules] + [clause.term for clause in terms.preconditions]
        self.facts = [facts_of(terms, body, self.names) for body in bodies]
        points: dict[str, list[Scalar]] = {}
        for facts in self.facts:
            for name, values in facts.points.items():
                known = points.setdefault(name, [])
                known.extend(value for value in values if value not in known)
        self.points = points
        self.candidates = {name: self._candidates(name) for name in self.names}

    def _candidates(self, name: str) -> tuple[Value, ...]:
        declared, points = self.types[name], self.points.get(name, [])
        values = list(_plain_values(declared, points))
        values += [
            near
            for facts in self.facts
            for boundary in facts.boundaries
            if boundary.argument == name
            for _, near in beside(boundary, declared)
        ]
        if declared.optional:
            values.append(None)
        kept: list[Value] = []
        for value in values:
            if all(type(value) is not type(other) or value != other for other in kept):
                kept.append(value)
        return tuple(kept[:_MOST_CANDIDATES])

    def verdict(self, arguments: Arguments) -> Verdict:
        """What the policy decides, by interpreting its terms."""
        _, reasons = self._validate(arguments)
        if reasons or not all(self.holds(clause.term, arguments) for clause in self.terms.preconditions):
            return Verdict.CANNOT_EVALUATE
        return Verdict.ALLOW if evaluate_decision(self.terms, arguments) else Verdict.DENY

    def possible(self, arguments: Arguments) -> bool:
        """Whether the policy decides at all: the arguments fit and meet the preconditions."""
        return self.verdict(arguments) is not Verdict.CANNOT_EVALUATE

    def in_order(self, arguments: Arguments) -> dict[str, Value]:
        """The arguments in the order in which the policy takes them."""
        return {name: arguments[name] for name in self.names if name in arguments}

    def holds(self, term: Term, arguments: Arguments) -> bool:
        """Whether a boolean term without ``Result()`` holds on well-typed arguments."""
        return evaluate(self.terms, term, arguments) is True

    def search(
        self, base: Arguments, names: Sequence[str], test: Callable[[Arguments], bool]
    ) -> Arguments | None:
        """The first combination of candidates of the named arguments, the rest as in ``base``."""
        pools = [self.candidates[name] for name in names]
        for values in itertools.islice(_diagonal(pools), _MOST_TRIES):
            arguments = {**base, **dict(zip(names, values, strict=True))}
            if test(arguments):
                return arguments
        return None

    def solve(self, term: Term) -> Arguments | None:
        """An input on which a term holds, by the solver; None without one.

        A solver that could not tell a few times is not asked again: each such answer costs its time limit.
        """
        if self._witness is None or self._untold >= _MOST_UNTOLD:
            return None
        try:
            return self._witness(self.terms, term)
        except WorkbenchError:
            self._untold += 1
            return None


def _diagonal(pools: Sequence[Sequence[Value]]) -> Iterator[tuple[Value, ...]]:
    """All combinations, those that take early candidates first."""
    if not pools:
        yield ()
        return
    highest = sum(len(pool) - 1 for pool in pools)
    for total in range(highest + 1):
        yield from _with_total(pools, total)


def _with_total(pools: Sequence[Sequence[Value]], total: int) -> Iterator[tuple[Value, ...]]:
    first, rest = pools[0], pools[1:]
    if not rest:
        if total < len(first):
            yield (first[total],)
        return
    room = sum(len(pool) - 1 for pool in rest)
    for index in range(max(0, total - room), min(total, len(first) - 1) + 1):
        for others in _with_total(rest, total - index):
            yield (first[index], *others)


def _plain_values(declared: ArgumentType, points: Sequence[Scalar]) -> tuple[Value, ...]:
    """Candidates of a type: what no rule names comes first, so that the first input is a quiet one."""
    match declared.kind:
        case Kind.BOOL:
            return (True, False)
        case Kind.ENUM:
            return tuple(sorted(declared.values, key=lambda value: value in points))
        case Kind.STR:
            known = [point for point in points if isinstance(point, str)]
            return (foreign_text([*known, *declared.values]), *known, *declared.values[:5], "")
        case Kind.SET:
            known = [point for point in points if isinstance(point, str)]
            words = list(dict.fromkeys([*known, *declared.values]))
            single = [frozenset({word}) for word in [*words, foreign_text(words)]]
            return (frozenset[str](), *single, frozenset(words))
        case Kind.INT:
            return (*points, 0, 1)
        case Kind.DECIMAL:
            return (*points, Decimal(0), Decimal(1))
        case Kind.DATE:
            return (*points, date(2026, 1, 15))
        case Kind.TIME:
            return (*points, time(12, 0))
        case Kind.DATETIME:
            return (*points, datetime(2026, 1, 15, 12, 0, tzinfo=UTC))
