"""Facts about a policy's arguments in its terms: the constants that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from workbench.model import Kind, Scalar
from workbench.policy.boundary_values import neighbours
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Compare,
    CompareFields,
    Constant,
    ConstantSet,
    Count,
    Elements,
    IsMissing,
    Length,
    Lookup,
    Member,
    PolicyTerms,
    Quantified,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import bound_names, children, inside, subterms

A_DATE = date(2026, 1, 15)
A_MOMENT = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
_PLACES = 2


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """The place that a term denotes: an argument, a field, an element of one, or listed constants.

    ``argument`` is a path: ``user``, ``user.age``, ``payments.*`` for an element of a list, and
    ``payments.*.amount`` for a field of it. An ``element`` is one of the elements of the set at the path.
    """

    argument: str = ""
    element: bool = False
    constants: tuple[Scalar, ...] = ()

    @property
    def root(self) -> str:
        """The argument that the place is, or belongs to; empty if there is none."""
        return self.argument.partition(".")[0]

    @property
    def is_whole(self) -> bool:
        """Whether the place is an argument or an element of one, and no part of a record or list."""
        return bool(self.argument) and self.root == self.argument

    def below(self, name: str) -> VariablePlace:
        """The place of a field or, with ``*``, of an element."""
        return VariablePlace(f"{self.argument}.{name}") if self.argument else VariablePlace()


@dataclass(frozen=True, slots=True)
class Boundary:
    """A constant (or the entry of a table) that an argument is compared with by order."""

    argument: str
    value: Scalar
    length: bool = False
    key: tuple[str, Scalar] | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of sets with an argument as its key, and the argument that is looked up in its rows."""

    table: str
    key: str
    item: str
    element: bool


@dataclass(slots=True)
class ArgumentFacts:
    """The facts of a term about the arguments of its policy.

    ``points`` are constants by the path that they are compared with, and ``sizes`` numbers of elements by the
    path of a list. ``paths`` are the fields that the term reads.
    """

    arguments: list[str] = field(default_factory=list[str])
    points: dict[str, list[Scalar]] = field(default_factory=dict[str, list[Scalar]])
    sizes: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    paths: set[str] = field(default_factory=set[str])
    boundaries: list[Boundary] = field(default_factory=list[Boundary])
    rows: list[TableRow] = field(default_factory=list[TableRow])
    sets: list[tuple[VariablePlace, ConstantSet]] = field(
        default_factory=list[tuple[VariablePlace, ConstantSet]]
    )
    uneven: list[Compare] = field(default_factory=list[Compare])

    def point(self, place: VariablePlace | None, values: Sequence[Scalar]) -> None:
        """Record constants that an argument, or the elements of one, are compared with."""
        if place is not None and place.argument:
            known_points = self.points.setdefault(place.argument, [])
            known_points.extend(value for value in values if value not in known_points)


def facts_of(terms: PolicyTerms, body: Term, places: Mapping[str, VariablePlace]) -> ArgumentFacts:
    """The facts of a term over the arguments with these places."""
    facts = ArgumentFacts()
    _read(terms, body, places, facts)
    return facts


def _read(  # noqa: C901, PLR0912 # one case for each kind of term
    terms: PolicyTerms, term: Term, places: Mapping[str, VariablePlace], facts: ArgumentFacts
) -> None:
    match term:
        case Variable(name) | IsMissing(Variable(name)):
            _seen(places.get(name), facts)
        case Attribute() | IsMissing(Attribute()):
            place = _place(term.variable if isinstance(term, IsMissing) else term, places)
            facts.paths.add(place.argument if place is not None else "")
        case CompareFields(_, left, right):
            for side in (left, right):
                place = _read_whole(side.collection, places, facts)
                facts.paths.update(f"{place}.*.{name}" for name in side.fields)
        case Compare():
            _compare(terms, term, places, facts)
        case Member():
            _member(terms, term, places, facts)
        case StringTest(kind, text, constant):
            facts.point(_place(text, places), _strings(kind, constant))
        case Lookup(table, key, _):
            facts.point(_place(key, places), tuple(terms.tables[table].entries))
        case Count(variable, collection, _) | Sum(variable, collection, _, _):
            inner = {**places, variable.name: _elements(collection, places)}
            for part in inside(term):
                _read(terms, part, inner, facts)
            _read_whole(collection, places, facts)
            return
        case Quantified(_, variable, collection, body):
            place = _bound(terms, collection, places, facts)
            _read(terms, body, {**places, variable.name: place}, facts)
            if isinstance(collection, TableEntry):
                _read(terms, collection.key, places, facts)
            return
        case _:
            pass
    for part in children(term):
        _read(terms, part, places, facts)


def _seen(place: VariablePlace | None, facts: ArgumentFacts) -> None:
    if place is not None and place.argument and place.root not in facts.arguments:
        facts.arguments.append(place.root)


def _place(term: Term, places: Mapping[str, VariablePlace]) -> VariablePlace | None:
    match term:
        case Variable(name):
            return places.get(name)
        case Attribute(record, name, _):
            place = _place(record, places)
            return None if place is None else place.below(name)
        case _:
            return None


def _read_whole(collection: Elements, places: Mapping[str, VariablePlace], facts: ArgumentFacts) -> str:
    """Record that a term reads a list, or a set that is a field; returns its path."""
    place = _place(collection.term, places) or VariablePlace()
    _seen(place, facts)
    facts.paths.add(place.argument)
    return place.argument


def _elements(collection: Elements, places: Mapping[str, VariablePlace]) -> VariablePlace:
    """The place of an element of a list, or of a set that is a field."""
    outer = _place(collection.term, places) or VariablePlace()
    if collection.term.type.kind is Kind.SET:
        return VariablePlace(outer.argument, element=True)
    return outer.below("*")


def _bound(
    terms: PolicyTerms, collection: object, places: Mapping[str, VariablePlace], facts: ArgumentFacts
) -> VariablePlace:
    """The place of the bound variable of a quantifier."""
    if isinstance(collection, SetVariable):
        outer = places.get(collection.name, VariablePlace())
        _seen(outer, facts)
        return VariablePlace(outer.argument, element=True)
    if isinstance(collection, Elements):
        _read_whole(collection, places, facts)
        return _elements(collection, places)
    if isinstance(collection, ConstantSet):
        return VariablePlace(constants=collection.values)
    if isinstance(collection, TableEntry):
        entries = terms.tables[collection.table].entries
        facts.point(_place(collection.key, places), tuple(entries))
        return VariablePlace(constants=_members(entries))
    return VariablePlace()


def _members(entries: Mapping[Scalar, frozenset[Scalar] | Scalar]) -> tuple[Scalar, ...]:
    members: list[Scalar] = []
    for row in entries.values():
        if isinstance(row, frozenset):
            members.extend(value for value in sorted(row, key=str) if value not in members)
    return tuple(members)


def _member(
    terms: PolicyTerms, term: Member, places: Mapping[str, VariablePlace], facts: ArgumentFacts
) -> None:
    place = _place(term.item, places)
    match term.collection:
        case ConstantSet():
            facts.point(place, term.collection.values)
            if place is not None and place.is_whole:
                facts.sets.append((place, term.collection))
        case TableEntry(table, key):
            entries = terms.tables[table].entries
            facts.point(place, _members(entries))
            key_place = _place(key, places)
            facts.point(key_place, tuple(entries))
            if place is not None and place.is_whole and key_place is not None and key_place.is_whole:
                facts.rows.append(TableRow(table, key_place.argument, place.argument, place.element))
        case Elements():
            _among(term, _elements(term.collection, places), place, facts)
        case SetVariable(name):
            outer = places.get(name)
            _seen(outer, facts)
            if isinstance(term.item, Constant) and term.item.value is not None:
                facts.point(outer, (term.item.value,))
            elif place is not None:
                facts.point(outer, place.constants)


def _among(term: Member, elements: VariablePlace, item: VariablePlace | None, facts: ArgumentFacts) -> None:
    """Record the item that is tested for membership in a list, or in a set that is a field."""
    if isinstance(term.item, Constant) and term.item.value is not None:
        facts.point(elements, (term.item.value,))
    elif item is not None:
        facts.point(elements, item.constants)


def _is_free(term: Term, places: Mapping[str, VariablePlace]) -> bool:
    """Whether a term can be evaluated by itself: it has no variable of an outer quantifier."""
    bound = bound_names(term)
    names = {part.name for part in subterms(term) if isinstance(part, Variable)} - bound
    return all(places[name].argument == name for name in names if name in places)


def _sizes(term: Compare, places: Mapping[str, VariablePlace], facts: ArgumentFacts) -> None:
    """Record the bound of a count, or of a sum of a field."""
    for side, other_side in ((term.left, term.right), (term.right, term.left)):
        bound = other_side.value if isinstance(other_side, Constant) else None
        if isinstance(side, Count) and isinstance(bound, int):
            place = _place(side.collection.term, places)
            if place is not None and place.argument:
                sizes = (bound, *neighbours(bound, _PLACES))
                known_sizes = facts.sizes.setdefault(place.argument, [])
                known_sizes.extend(size for size in sizes if isinstance(size, int) and size > 0)
        if isinstance(side, Sum) and isinstance(bound, int | Decimal):
            value = _place(side.value, {**places, side.variable.name: _elements(side.collection, places)})
            facts.point(value, (bound, *neighbours(bound, _PLACES)))


def _moments(term: Compare, places: Mapping[str, VariablePlace], facts: ArgumentFacts) -> None:
    """Record times whose difference is at, just below or just above a constant duration."""
    for side, other_side in ((term.left, term.right), (term.right, term.left)):
        bound = other_side.value if isinstance(other_side, Constant) else None
        if not (isinstance(side, Arithmetic) and side.operator == "-" and isinstance(bound, timedelta)):
            continue
        later, earlier = _place(side.left, places), _place(side.right, places)
        if later is not None and earlier is not None and isinstance(side.right, Variable | Attribute):
            start = A_DATE if side.right.type.kind is Kind.DATE else A_MOMENT
            facts.point(later, (start,))
            moment = _solved("-", start, bound, first=False)
            if moment is not None:
                facts.point(earlier, (moment, *neighbours(moment, _PLACES)))


def _parts(
    term: Compare, terms: PolicyTerms, places: Mapping[str, VariablePlace], facts: ArgumentFacts
) -> None:
    """Record values for which a sum, difference or product with constants is at or next to a constant."""
    for side, other_side in ((term.left, term.right), (term.right, term.left)):
        if (
            not isinstance(side, Arithmetic)
            or not isinstance(other_side, Constant)
            or other_side.value is None
        ):
            continue
        for part, other_part in ((side.left, side.right), (side.right, side.left)):
            place = _place(part, places)
            for value in _values(other_part, terms) if place is not None else ():
                solution = _solved(side.operator, value, other_side.value, first=part is side.left)
                if solution is not None:
                    facts.point(place, (solution, *neighbours(solution, _PLACES)))


def _values(term: Term, terms: PolicyTerms) -> tuple[Scalar, ...]:
    """The values of a constant, or of the entries of a table; nothing beside it for another number."""
    if isinstance(term, Constant):
        return () if term.value is None else (term.value,)
    if isinstance(term, Variable) and term.type.kind in (Kind.INT, Kind.DECIMAL):
        return (Decimal(0) if term.type.kind is Kind.DECIMAL else 0,)
    entries = terms.tables[term.table].entries.values() if isinstance(term, Lookup) else ()
    return tuple(value for value in entries if not isinstance(value, frozenset))


def _solved(operator: str, known_operand: Scalar, whole: Scalar, *, first: bool) -> Scalar | None:
    """The operand that gives ``whole`` with the known one; ``first`` if it comes before the known one."""
    try:
        match operator, known_operand, whole:
            case "+", int() | Decimal(), int() | Decimal():
                return whole - known_operand
            case "-", int() | Decimal(), int() | Decimal():
                return whole + known_operand if first else known_operand - whole
            case "*", int(), int() if known_operand > 0:
                return whole // known_operand
            case "+", timedelta(), timedelta():
                return whole - known_operand
            case "-", timedelta(), timedelta():
                return whole + known_operand if first else known_operand - whole
            case "-", date(), timedelta():
                return known_operand + whole if first else known_operand - whole
            case _:
                return None
    except OverflowError:  # the calendar ends here
        return None


def _compare(
    terms: PolicyTerms,
    term: Compare,
    places: Mapping[str, VariablePlace],
    facts: ArgumentFacts,
) -> None:
    ordered = term.operator.value not in ("==", "!=")
    _sizes(term, places, facts)
    _moments(term, places, facts)
    _parts(term, terms, places, facts)
    understood = False
    for side, other_side in ((term.left, term.right), (term.right, term.left)):
        length = isinstance(side, Length)
        place = _place(side.text if isinstance(side, Length) else side, places)
        if place is None or not place.argument:
            continue
        if isinstance(other_side, Constant) and other_side.value is not None:
            understood = place.is_whole
            if not place.is_whole:
                near = neighbours(other_side.value, _PLACES) if ordered else ()
                facts.point(place, (other_side.value, *near))
            elif length and isinstance(other_side.value, int):
                facts.boundaries.append(Boundary(place.argument, other_side.value, length=True))
            else:
                facts.point(place, (other_side.value,))
                if ordered and not place.element:
                    facts.boundaries.append(Boundary(place.argument, other_side.value))
        elif isinstance(other_side, Lookup) and ordered and not length and place.is_whole:
            boundaries = _entries(terms, place, other_side, places)
            facts.boundaries += boundaries
            understood = understood or bool(boundaries)
    if ordered and not understood and _is_free(term, places):
        facts.uneven.append(term)


def _entries(
    terms: PolicyTerms, place: VariablePlace, entry: Lookup, places: Mapping[str, VariablePlace]
) -> list[Boundary]:
    """The entries of a table that an argument is compared with, by the argument that is the key."""
    key = _place(entry.key, places)
    if key is None or not key.is_whole:
        return []
    entries = terms.tables[entry.table].entries.items()
    return [
        Boundary(place.argument, value, key=(key.argument, entry_key))
        for entry_key, value in entries
        if not isinstance(value, frozenset)
    ]


def _strings(kind: StringTestKind, constant: str) -> tuple[str, ...]:
    """Strings that pass a test and, if one is close, a string that just fails it."""
    match kind:
        case StringTestKind.PREFIX:
            return (f"{constant}x", f"x{constant}")
        case StringTestKind.SUFFIX:
            return (f"x{constant}", f"{constant}x")
        case StringTestKind.CONTAINS:
            return (f"x{constant}x", constant)
