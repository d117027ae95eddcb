"""What a call of a helper becomes when the helper is filled in: its size, depth and longest duration.

A parameter that is used twice doubles what is passed, so a few helpers within helpers can double without an
end. The counts here are those of the filled-in term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from workbench.model import Kind
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Choice,
    Constant,
    HelperCall,
    IsMissing,
    Lookup,
    Table,
    Term,
    Variable,
)
from workbench.policy.validate import LONGEST_DURATION
from workbench.policy.walk import children

MOST_DAYS = timedelta.max.days - 1
"""The most days of a duration that a policy may make: Python holds no longer ones."""
_MOST_COUNTED = 10**12
_LONGEST_SPAN = (date.max - date.min).days + 2


@dataclass(frozen=True, slots=True)
class Days:
    """A bound of a duration in days: a number, and for each parameter a multiple of what is passed."""

    number: int = 0
    multiples: Mapping[str, int] = field(default_factory=dict[str, int])

    def plus(self, other: Days) -> Days:
        """The bound of a sum or a difference."""
        names = self.multiples.keys() | other.multiples.keys()
        multiples = {name: self.multiples.get(name, 0) + other.multiples.get(name, 0) for name in names}
        return Days(min(self.number + other.number, _MOST_COUNTED), multiples)

    def most(self, other: Days) -> Days:
        """A bound of either."""
        names = self.multiples.keys() | other.multiples.keys()
        multiples = {name: max(self.multiples.get(name, 0), other.multiples.get(name, 0)) for name in names}
        return Days(max(self.number, other.number), multiples)

    def of(self, passed: Mapping[str, Days]) -> Days:
        """The bound where these durations are passed."""
        total = Days(self.number)
        for name, multiple in self.multiples.items():
            held = passed.get(name, Days(LONGEST_DURATION.days))
            scaled = {other: multiple * factor for other, factor in held.multiples.items()}
            total = total.plus(Days(min(multiple * held.number, _MOST_COUNTED), scaled))
        return total


@dataclass(frozen=True, slots=True)
class HelperCost:
    """A helper's size and depth with parameters of one part, and how often its body uses each parameter.

    ``result`` bounds the duration that it returns, ``longest`` every duration that is made on the way.
    """

    size: int
    depth: int
    parameters: tuple[str, ...]
    uses: tuple[int, ...]
    result: Days | None
    longest: Days

    def filled_in(self, sizes: Sequence[int], depths: Sequence[int]) -> tuple[int, int]:
        """The size and depth of a call whose operands have these sizes and depths."""
        more = sum(uses * (size - 1) for uses, size in zip(self.uses, sizes, strict=True))
        return self.size + more, self.depth + max(depths, default=0)


def helper_cost(
    body: Term,
    size: int,
    depth: int,
    parameters: tuple[str, ...],
    costs: Mapping[str, HelperCost],
    tables: Mapping[str, Table],
) -> HelperCost:
    """The cost of a helper with this body, from those of the helpers that it calls."""
    durations = Durations(costs, tables, frozenset(parameters))
    result = durations.of(body)
    uses = tuple(_uses(body, name, costs) for name in parameters)
    return HelperCost(size, depth, parameters, uses, result, durations.longest)


def _uses(term: Term, name: str, costs: Mapping[str, HelperCost]) -> int:
    """How often a term uses a variable once helpers are filled in."""
    match term:
        case Variable(used) | IsMissing(Variable(used)):
            return int(used == name)
        case HelperCall(function, operands):
            weights = costs[function].uses if function in costs else (1,) * len(operands)
            used = (weight * _uses(part, name, costs) for weight, part in zip(weights, operands, strict=True))
            return min(sum(used), _MOST_COUNTED)
        case _:
            return sum(_uses(part, name, costs) for part in children(term))


class Durations:
    """Bounds the durations of a term; ``longest`` bounds all those that were read."""

    def __init__(
        self, costs: Mapping[str, HelperCost], tables: Mapping[str, Table], parameters: frozenset[str]
    ) -> None:
        """Take what is known of helpers, and the parameters whose durations are not known."""
        self._costs = costs
        self._tables = tables
        self._parameters = parameters
        self.longest = Days()

    def of(self, term: Term) -> Days | None:
        """The bound of a duration; None for another value. What the term is made of is read, too."""
        parts = [self.of(part) for part in children(term)]
        found = self._made(term, parts)
        if found is not None:
            self.longest = self.longest.most(found)
        return found

    def _made(self, term: Term, parts: Sequence[Days | None]) -> Days | None:
        match term:
            case Constant(timedelta() as value):
                return _days(value)
            case Variable(name) if term.type.kind is Kind.DURATION and name in self._parameters:
                return Days(0, {name: 1})
            case Variable() | Attribute() if term.type.kind is Kind.DURATION:
                return Days(LONGEST_DURATION.days)
            case Arithmetic("-", left, _) if self._is_moment(left):
                return Days(_LONGEST_SPAN)
            case Arithmetic("+" | "-"):
                left, right = parts
                return None if left is None or right is None else left.plus(right)
            case Choice():
                _, then, otherwise = parts
                return None if then is None or otherwise is None else then.most(otherwise)
            case Lookup():
                durations = [_days(value) for value in self._entries(term) if isinstance(value, timedelta)]
                return max(durations, key=lambda found: found.number, default=None)
            case HelperCall(function) if function in self._costs:
                cost = self._costs[function]
                passed = dict(zip(cost.parameters, parts, strict=True))
                known = {name: days for name, days in passed.items() if days is not None}
                self.longest = self.longest.most(cost.longest.of(known))
                return None if cost.result is None else cost.result.of(known)
            case _:
                return None

    def _entries(self, term: Lookup) -> Iterator[object]:
        yield from self._tables[term.table].entries.values()
        if term.default is not None:
            yield term.default.value

    def _is_moment(self, term: Term) -> bool:
        """Whether a term is a date or a datetime."""
        match term:
            case Constant(value):
                return isinstance(value, date)
            case Variable(_, type_) | Attribute(_, _, type_) | HelperCall(_, _, type_):
                return type_.kind in (Kind.DATE, Kind.DATETIME)
            case Choice(_, then, _):
                return self._is_moment(then)
            case Lookup():
                return any(isinstance(value, date) for value in self._entries(term))
            case _:
                return False


def _days(value: timedelta) -> Days:
    return Days(abs(value).days + 1)
