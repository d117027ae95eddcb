"""Encoding of ground terms as SMT terms.

Booleans are booleans. Ints, decimals (scaled), dates (ordinals), times (microseconds of the day), datetimes
(microseconds since year 1, UTC) and durations (microseconds) are integers. Words have one of the encodings of
``words``. An optional value is a flag "missing" with a value. Set arguments share a pool of candidate
elements (see ``witnesses``), words or ints. There are no records and no lists: they are made flat before
(``policy.flat``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import assert_never

from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.solver import Smt, Solver
from workbench.engines.smt.string_encoding import Codes, Texts, Words
from workbench.model import ArgumentType, Kind, Scalar, Value
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    ImpliesTerm,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    Parameter,
    Quantified,
    Quantifier,
    ResultTerm,
    StringTest,
    StringTestKind,
    Sum,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.types import LONGEST_DURATION
from workbench.policy.validate import LARGEST_EXPONENT

_FIRST_INSTANT = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 24 * 60 * 60 * 1_000_000
_LONGEST = LONGEST_DURATION // _MICROSECOND
_INSTANTS = (datetime.max.replace(tzinfo=UTC) - _FIRST_INSTANT) // _MICROSECOND


@dataclass(frozen=True, slots=True)
class Encoded:
    """An SMT term with facts that its sort does not express.

    ``scale`` counts the decimal places of a number; ``missing`` is the flag of a value that may be None; a
    ``day`` is a date, whose differences are durations.
    """

    smt: Smt
    scale: int = 0
    missing: Smt | None = None
    word: bool = False
    day: bool = False


def scaled(value: Decimal) -> tuple[int, int]:
    """Return a finite decimal as ``(digits, places)`` with ``value == digits / 10**places``."""
    sign, digits, exponent = value.as_tuple()
    number = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is not a finite decimal")
    return (number, -exponent) if exponent < 0 else (number * 10**exponent, 0)


def instant(value: datetime) -> int:
    """Return the microseconds since the start of year 1, UTC; a datetime without a zone is UTC."""
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return (aware - _FIRST_INSTANT) // _MICROSECOND


def number_of(value: bool | int | Decimal | date | time | datetime | timedelta) -> tuple[int, int]:
    """Return ``(number, scale)`` of a constant with an order."""
    match value:
        case Decimal():
            return scaled(value)
        case datetime():
            return instant(value), 0
        case timedelta():
            return value // _MICROSECOND, 0
        case date():
            return value.toordinal(), 0
        case time():
            return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond, 0
        case _:
            return int(value), 0


def value_of(number: int, type: ArgumentType) -> Scalar:
    """Return the value of the given type that a number of the encoding denotes."""
    match type.kind:
        case Kind.DECIMAL:
            return Decimal((int(number < 0), tuple(int(d) for d in str(abs(number))), -type.places))
        case Kind.DATE:
            return date.fromordinal(number)
        case Kind.TIME:
            return (_FIRST_INSTANT + number * _MICROSECOND).time()
        case Kind.DATETIME:
            return _FIRST_INSTANT + number * _MICROSECOND
        case Kind.DURATION:
            return number * _MICROSECOND
        case _:
            return number


class Encoder:
    """Encodes ground terms over fixed arguments with a fixed pool size."""

    def __init__(
        self,
        solver: Solver,
        arguments: Iterable[Parameter],
        pool: int,
        *,
        as_text: bool,
        sets: Iterable[frozenset[str]] = (),
        unbounded: Collection[str] = (),
    ) -> None:
        """Declare the arguments.

        ``pool`` is the number of candidate elements of set arguments, ``sets`` are constant sets of words
        that terms will mention. The numbers named in ``unbounded`` may be larger than an argument can be:
        they are sums.
        """
        self._solver = solver
        self._unbounded = frozenset(unbounded)
        self._arguments = tuple(arguments)
        vocabulary = dict.fromkeys(v for argument in self._arguments for v in argument.type.values)
        self._words: Words = Texts(solver) if as_text else Codes(solver, vocabulary, sets)
        self._values: dict[str, Encoded] = {}
        self._members: dict[str, list[Smt]] = {}
        self._memo: dict[tuple[int, tuple[tuple[str, int], ...]], tuple[Term, Encoded]] = {}
        self._pool = [self._words.variable(f"#{index}") for index in range(pool)]
        self._numbers = [solver.integer(f"#{index} as a number") for index in range(pool)]
        self._of_numbers = {a.name for a in self._arguments if _holds_numbers(a.type)}
        self._domains: dict[str, Smt] = {a.name: self._declare(a) for a in self._arguments}

    def query(self, term: Term) -> Smt:
        """Encode a ground boolean term with the domains of the arguments that it mentions."""
        encoded = self._boolean(term, {})
        names = mentioned(term)
        return self._solver.all_of([*(d for n, d in self._domains.items() if n in names), encoded])

    def read(self, names: Iterable[str]) -> dict[str, Value]:
        """Read the values of the named arguments from the current model."""
        decoder: dict[object, str] = {}
        wanted_names = set(names)
        return {a.name: self._read(a, decoder) for a in self._arguments if a.name in wanted_names}

    def _read(self, argument: Parameter, decoder: dict[object, str]) -> Value:
        if argument.type.kind is Kind.SET:
            bits = zip(self._members[argument.name], self._candidates(argument.name), strict=True)
            chosen = [item for bit, item in bits if self._solver.boolean_value(bit)]
            if argument.name in self._of_numbers:
                return frozenset(self._solver.integer_value(item) for item in chosen)
            return frozenset(self._words.read(item, decoder) for item in chosen)
        value = self._values[argument.name]
        if value.missing is not None and self._solver.boolean_value(value.missing):
            return None
        if argument.type.kind is Kind.BOOL:
            return self._solver.boolean_value(value.smt)
        if value.word:
            return self._words.read(value.smt, decoder)
        return value_of(self._solver.integer_value(value.smt), argument.type)

    def _candidates(self, name: str) -> list[Smt]:
        """The candidate elements of a set."""
        return self._numbers if name in self._of_numbers else self._pool

    def _declare(self, argument: Parameter) -> Smt:
        """Declare an argument and return the constraint that its value can be evaluated."""
        solver, name, kind = self._solver, argument.name, argument.type.kind
        domain, scale, word = solver.true, 0, False
        match kind:
            case Kind.SET:
                self._members[name] = [solver.boolean(f"{name}#{index}") for index in range(len(self._pool))]
                return domain
            case Kind.BOOL:
                smt = solver.boolean(name)
            case Kind.STR | Kind.ENUM:
                smt, word = self._words.variable(name), True
                if kind is Kind.ENUM:
                    domain = self._words.one_of(smt, argument.type.values)
            case _:
                smt = solver.integer(name)
                scale = argument.type.places if kind is Kind.DECIMAL else 0
                largest = 10 ** (LARGEST_EXPONENT + scale) - 1
                bounds = {
                    Kind.DECIMAL: (-largest, largest),
                    Kind.DATE: (1, date.max.toordinal()),
                    Kind.TIME: (0, _DAY - 1),
                    Kind.DATETIME: (0, _INSTANTS),
                    Kind.DURATION: (-_LONGEST, _LONGEST),
                }
                if kind in bounds and name not in self._unbounded:
                    low, high = (solver.number(bound) for bound in bounds[kind])
                    domain = solver.all_of((solver.at_most(low, smt), solver.at_most(smt, high)))
        missing = solver.boolean(f"{name} is None") if argument.type.optional else None
        self._values[name] = Encoded(smt, scale, missing, word, kind is Kind.DATE)
        return domain

    def _boolean(self, term: Term, bound: Mapping[str, int]) -> Smt:
        return self._encode(term, bound).smt

    def _encode(self, term: Term, bound: Mapping[str, int]) -> Encoded:
        key = (id(term), tuple(bound.items()))
        known_encoding = self._memo.get(key)
        if known_encoding is None:
            # The term is kept with its encoding, so that its identity is not reused.
            known_encoding = self._memo[key] = (term, self._fresh(term, bound))
        return known_encoding[1]

    def _fresh(  # noqa: C901, PLR0912 # one case for each kind of term
        self, term: Term, bound: Mapping[str, int]
    ) -> Encoded:
        solver = self._solver
        match term:
            case Constant(value):
                return self._constant(value)
            case Variable(name, kind) if name in bound:
                if kind.kind is Kind.INT:
                    return Encoded(self._numbers[bound[name]])
                return Encoded(self._pool[bound[name]], word=True)
            case Variable(name):
                return self._values[name]
            case Not(operand):
                return Encoded(solver.negation(self._boolean(operand, bound)))
            case And(operands):
                return Encoded(solver.all_of(self._boolean(operand, bound) for operand in operands))
            case Or(operands):
                return Encoded(solver.any_of(self._boolean(operand, bound) for operand in operands))
            case Compare(operator, left, right):
                return Encoded(self._compare(operator, self._encode(left, bound), self._encode(right, bound)))
            case Member():
                return Encoded(self._member(term, self._encode(term.item, bound)))
            case Quantified():
                return Encoded(self._quantified(term, bound))
            case StringTest(kind, text, constant):
                test = {
                    StringTestKind.PREFIX: solver.starts_with,
                    StringTestKind.SUFFIX: solver.ends_with,
                    StringTestKind.CONTAINS: solver.contains,
                }[kind]
                return Encoded(test(self._encode(text, bound).smt, self._words.constant(constant)))
            case Length(text):
                return Encoded(solver.length(self._encode(text, bound).smt))
            case Arithmetic(operator, left, right):
                return self._arithmetic(operator, self._encode(left, bound), self._encode(right, bound))
            case Choice(condition, then, otherwise):
                chosen = (self._encode(then, bound), self._encode(otherwise, bound))
                return self._choice(self._boolean(condition, bound), *chosen)
            case IsMissing(Variable(name)):
                missing = self._values[name].missing
                return Encoded(solver.false if missing is None else missing)
            case IsMissing() | Attribute() | Count() | Sum() | CompareFields():
                raise TypeError(f"not a flat term: {type(term).__name__}")
            case ResultTerm() | ImpliesTerm() | Lookup():
                raise TypeError(f"not a ground term: {type(term).__name__}")
            case _:
                assert_never(term)

    def _constant(self, value: Scalar | None) -> Encoded:
        solver = self._solver
        match value:
            case None:
                return Encoded(solver.false, missing=solver.true)
            case bool():
                return Encoded(solver.true if value else solver.false)
            case str():
                return Encoded(self._words.constant(value), word=True)
            case _:
                number, scale = number_of(value)
                is_day = isinstance(value, date) and not isinstance(value, datetime)
                return Encoded(solver.number(number), scale, day=is_day)

    def _aligned(self, left: Encoded, right: Encoded) -> tuple[Smt, Smt, int]:
        scale = max(left.scale, right.scale)
        numbers = (
            value.smt
            if value.scale == scale
            else self._solver.arithmetic("*", self._solver.number(10 ** (scale - value.scale)), value.smt)
            for value in (left, right)
        )
        return next(numbers), next(numbers), scale

    def _compare(self, operator: Comparison, left: Encoded, right: Encoded) -> Smt:
        solver = self._solver
        none = (left.missing is solver.true) or (right.missing is solver.true)
        first, second, _ = (left.smt, right.smt, 0) if none else self._aligned(left, right)
        match operator:
            case Comparison.LT:
                return solver.less(first, second)
            case Comparison.LE:
                return solver.at_most(first, second)
            case Comparison.GT:
                return solver.less(second, first)
            case Comparison.GE:
                return solver.at_most(second, first)
            case Comparison.EQ | Comparison.NE:
                equal = self._equal_or_missing(
                    left, right, solver.false if none else solver.equal(first, second)
                )
                return solver.negation(equal) if operator is Comparison.NE else equal

    def _equal_or_missing(self, left: Encoded, right: Encoded, equal: Smt) -> Smt:
        """Equality of values that may be None: both missing, or neither and equal."""
        solver = self._solver
        if left.missing is None and right.missing is None:
            return equal
        left_missing, right_missing = left.missing or solver.false, right.missing or solver.false
        present = solver.all_of((solver.negation(left_missing), solver.negation(right_missing), equal))
        return solver.any_of((solver.all_of((left_missing, right_missing)), present))

    def _member(self, term: Member, item: Encoded) -> Smt:
        solver = self._solver
        match term.collection:
            case ConstantSet(values):
                if item.word:
                    smt = self._words.one_of(item.smt, (value for value in values if isinstance(value, str)))
                else:
                    present_item = Encoded(item.smt, item.scale)
                    constants = (self._constant(value) for value in values if not isinstance(value, str))
                    smt = solver.any_of(self._compare(Comparison.EQ, present_item, c) for c in constants)
            case TableEntry() | Elements():
                raise TypeError("not a ground and flat term: an element of a table or list")
            case collection:
                bits = zip(self._members[collection.name], self._candidates(collection.name), strict=True)
                smt = solver.any_of(
                    solver.all_of((bit, solver.equal(candidate, item.smt))) for bit, candidate in bits
                )
        return smt if item.missing is None else solver.all_of((solver.negation(item.missing), smt))

    def _quantified(self, term: Quantified, bound: Mapping[str, int]) -> Smt:
        solver = self._solver
        if isinstance(term.collection, ConstantSet | TableEntry | Elements):
            raise TypeError("not a ground and flat term: a quantifier over constants or a list")
        any_of = term.quantifier is Quantifier.ANY
        parts: list[Smt] = []
        for index, bit in enumerate(self._members[term.collection.name]):
            body = self._boolean(term.body, {**bound, term.variable.name: index})
            parts.append(
                solver.all_of((bit, body)) if any_of else solver.any_of((solver.negation(bit), body))
            )
        return solver.any_of(parts) if any_of else solver.all_of(parts)

    def _arithmetic(self, operator: str, left: Encoded, right: Encoded) -> Encoded:
        if operator == "*":
            product = self._solver.arithmetic("*", left.smt, right.smt)
            return Encoded(product, left.scale + right.scale)
        first, second, scale = self._aligned(left, right)
        result = self._solver.arithmetic(operator, first, second)
        if left.day and right.day:
            result = self._solver.arithmetic("*", self._solver.number(_DAY), result)
        return Encoded(result, scale)

    def _choice(self, condition: Smt, then: Encoded, otherwise: Encoded) -> Encoded:
        solver = self._solver
        missing = None
        if then.missing is not None or otherwise.missing is not None:
            flags = (then.missing or solver.false, otherwise.missing or solver.false)
            missing = solver.choice(condition, *flags)
        for constant, other_value in ((then, otherwise), (otherwise, then)):
            if constant.missing is solver.true:
                return Encoded(other_value.smt, other_value.scale, missing, other_value.word, other_value.day)
        first, second, scale = self._aligned(then, otherwise)
        return Encoded(solver.choice(condition, first, second), scale, missing, then.word, then.day)


def _holds_numbers(type: ArgumentType) -> bool:
    """Whether a set holds ints."""
    return type.kind is Kind.SET and type.element is not None and type.element.kind is Kind.INT
