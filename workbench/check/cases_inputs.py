"""Inputs worth trying on a policy from its constants, a search among them, and those to compare engines.

Deterministic: the same policy always yields the same inputs. The solver is asked only if this search finds
nothing.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from workbench.check.argument_facts import ArgumentFacts, Boundary, VariablePlace, facts_of
from workbench.check.candidate_values import NamedValues, candidates, diagonal
from workbench.model import (
    TOOL_ARGUMENT,
    Arguments,
    ArgumentType,
    Kind,
    RecordValue,
    Scalar,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.boundary_values import just_over, just_under, neighbours
from workbench.policy.evaluate import UNDEFINED, Valuation, evaluate, evaluate_in, evaluate_incomplete
from workbench.policy.near_inputs import Neighbour, ReadInputs, truth_of
from workbench.policy.parts_by_tool import PartsByTool
from workbench.policy.terms import Parameter, PolicyTerms, Term
from workbench.policy.validate import Validator

_MOST_TRIES = 4000
_MOST_CANDIDATES = 90
_MOST_UNTOLD = 3

type Witness = Callable[[PolicyTerms, Term], Arguments | None]


def beside(boundary: Boundary, declared: ArgumentType) -> tuple[tuple[str, Value], ...]:
    """The values just under, at and just over a boundary, each with its side, as far as they exist."""
    value = boundary.value
    if boundary.length:
        lengths = (("under", just_under(value, 0)), ("at", value), ("over", just_over(value, 0)))
        return tuple(
            (side, "x" * length) for side, length in lengths if isinstance(length, int) and length >= 0
        )
    places = declared.places
    values = (("under", just_under(value, places)), ("at", value), ("over", just_over(value, places)))
    return tuple((side, near) for side, near in values if near is not None)


class Inputs:
    """The candidate values of each argument of a policy, and the search for an input."""

    def __init__(self, terms: PolicyTerms, witness: Witness | None) -> None:
        """Collect candidates from all rules and preconditions; ``witness`` is asked last."""
        self.terms = terms
        self.parts = PartsByTool(terms)
        self.names = [argument.name for argument in terms.arguments]
        self.types = {argument.name: argument.type for argument in terms.arguments}
        self._fits = {argument.name: _Fitting(argument) for argument in terms.arguments}
        self._witness = witness
        self._validate = Validator(terms.arguments)
        self._untold = 0
        self._fitting: Neighbour | None = None
        # The inputs that are tried differ in few arguments, so a term is evaluated once for their values.
        self._worlds = ReadInputs()
        self._tried: Arguments = {}
        self._world: dict[str, Value] = {}
        self._truths: dict[int, tuple[Term, Callable[[Mapping[str, Value]], bool]]] = {}
        bodies = [rule.body for rule in terms.rules] + [clause.term for clause in terms.assumed]
        self.places = {name: VariablePlace(name) for name in self.names}
        self.facts = [facts_of(terms, body, self.places) for body in bodies]
        points: dict[str, list[Scalar]] = {}
        for facts in self.facts:
            for name, values in facts.points.items():
                known_points = points.setdefault(name, [])
                known_points.extend(value for value in values if value not in known_points)
        sizes: dict[str, list[int]] = {}
        for facts in self.facts:
            for name, numbers in facts.sizes.items():
                sizes.setdefault(name, []).extend(numbers)
        paths = set[str]().union(*(facts.paths for facts in self.facts))
        self.named = NamedValues(points, sizes, paths)
        self.candidates = {name: self._candidates(name, self.named, self.facts) for name in self.names}

    def _candidates(self, name: str, named: NamedValues, every: Iterable[ArgumentFacts]) -> tuple[Value, ...]:
        declared = self.types[name]
        near = (
            value
            for facts in every
            for boundary in facts.boundaries
            if boundary.argument == name
            for _, value in beside(boundary, declared)
        )
        missing = (None,) if declared.optional else ()
        every_one = _distinct(itertools.chain(candidates(declared, name, named), near, missing))
        return tuple(itertools.islice(every_one, _MOST_CANDIDATES))

    def _pools(self, names: Sequence[str], own: ArgumentFacts | None) -> Sequence[Sequence[Value]]:
        """The candidates of arguments, those of a rule first where a search does not reach all of them."""
        every = [self.candidates[name] for name in names]
        if own is None or math.prod(map(len, every)) <= _MOST_TRIES:
            return every
        named = NamedValues(own.points, own.sizes, own.paths)
        of_rule = [self._candidates(name, named, (own,)) for name in names]
        return [[*_distinct(itertools.chain(*both))] for both in zip(of_rule, every, strict=True)]

    def of(self, terms: PolicyTerms) -> Inputs:
        """The inputs of a part of the policy, by the same witness."""
        return Inputs(terms, self._witness)

    def verdict(self, arguments: Arguments) -> Verdict:
        """The policy's verdict, by interpreting its terms."""
        if not self.possible(arguments):
            return Verdict.CANNOT_EVALUATE
        rules = self.parts.rules_about(arguments.get(TOOL_ARGUMENT))
        return self.terms.verdict([rule for rule in rules if self.holds(rule.body, arguments)])

    def possible(self, arguments: Arguments) -> bool:
        """Whether the policy decides at all: the arguments fit and meet the preconditions."""
        return self._fit(arguments) and self._as_assumed(arguments)

    def passes(self, arguments: Arguments, test: Callable[[Arguments], bool]) -> bool:
        """Whether the policy decides an input that passes a test, which few inputs do."""
        try:
            return self._fit(arguments) and test(arguments) and self._as_assumed(arguments)
        except UNDEFINED:  # of an input that is not possible, a term may have no value
            return False

    def _fit(self, arguments: Arguments) -> bool:
        changed = None if self._fitting is None else self._fitting.changed(arguments)
        if changed is None and not arguments.keys() >= self._fits.keys():
            return False
        others = arguments.items() if changed is None else changed
        fit = all(self._fits[name](value) for name, value in others if name in self._fits)
        if fit:
            self._fitting = Neighbour(arguments)
        return fit

    def _as_assumed(self, arguments: Arguments) -> bool:
        return all(self.holds(clause.term, arguments) for clause in self.terms.assumed)

    def is_decided(self, arguments: Arguments) -> bool:
        """Whether the policy can evaluate an input that may lack values or have some that do not fit."""
        read = self._validate.read(arguments)
        if read.outside:
            return False
        truths = [evaluate(self.terms, clause.term, read.values) for clause in self.terms.preconditions]
        not_denied = evaluate_incomplete(self.terms.without_asking, read.values)
        return all(truth is True for truth in truths) and isinstance(not_denied, bool)

    def in_order(self, arguments: Arguments) -> dict[str, Value]:
        """The arguments in the order of the policy's signature."""
        return {name: arguments[name] for name in self.names if name in arguments}

    def holds(self, term: Term, arguments: Arguments) -> bool:
        """Whether a boolean term without ``Result()`` holds on well-typed arguments."""
        if arguments is not self._tried:
            self._tried, self._world = arguments, self._worlds(arguments)
        known_truth = self._truths.get(id(term))
        if known_truth is None:
            known_truth = self._truths[id(term)] = term, truth_of(term, self._part_holds)
        return known_truth[1](self._world)

    def _part_holds(self, part: Term, world: Mapping[str, Value]) -> bool:
        return evaluate_in(Valuation(self.terms, world, None), part) is True

    def search(
        self,
        base: Arguments,
        names: Sequence[str],
        test: Callable[[Arguments], bool],
        own: ArgumentFacts | None = None,
    ) -> Arguments | None:
        """The first combination of candidates of the named arguments, the rest as in ``base``.

        ``own`` are the facts of the rule that the input is for.
        """
        for values in itertools.islice(diagonal(self._pools(names, own)), _MOST_TRIES):
            arguments = {**base, **dict(zip(names, values, strict=True))}
            if test(arguments):
                return arguments
        return None

    def allowed(self, base: Arguments, names: Sequence[str]) -> Arguments | None:
        """The first such combination that is allowed; a policy that allows nothing is not searched."""
        if not self.terms.default_allow and all(rule.forbids for rule in self.terms.rules):
            return None
        return self.search(base, names, lambda arguments: self.verdict(arguments) is Verdict.ALLOW)

    def solve(self, term: Term) -> Arguments | None:
        """An input on which a term holds, by the solver; None without a solver.

        A solver that failed to decide a few times is not asked again: each such answer costs its time limit.
        """
        if self._witness is None or self._untold >= _MOST_UNTOLD:
            return None
        try:
            return self._witness(self.terms, term)
        except WorkbenchError:
            self._untold += 1
            return None


def _distinct(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values once, in order; 1 and True are two."""
    seen: set[tuple[type, Value]] = set()
    for value in values:
        if (key := (type(value), value)) not in seen:
            seen.add(key)
            yield value


class _Fitting:
    """Whether values fit a parameter; each value is checked once, and stored with the answer."""

    def __init__(self, parameter: Parameter) -> None:
        self._name = parameter.name
        self._validate = Validator((parameter,))
        self._known: dict[int, tuple[Value, bool]] = {}

    def __call__(self, value: Value) -> bool:
        known_answer = self._known.get(id(value))
        if known_answer is None:
            _, misfits = self._validate({self._name: value})
            known_answer = self._known[id(value)] = value, not misfits
        return known_answer[1]


_DRAWN = 1000
_DRAWN_FOR_A_RULE = 30
# Values of every type, some of which fit no argument: an input may contain anything.
_ODD: tuple[object, ...] = (
    None,
    True,
    0,
    1.0,
    0.1,
    float("nan"),
    2.0**53,
    "",
    "something else",
    frozenset({"x"}),
    frozenset({1}),
    (),
    ("x",),
    (None,),
)


def boundary_inputs(terms: PolicyTerms) -> Iterator[Arguments]:
    """The policy's constants with their neighbours, combined for each rule and overall, and misfits.

    Deterministic: the same policy gives the same inputs.
    """
    inputs = Inputs(terms, None)
    candidates = inputs.candidates
    pools = {argument.name: _around(candidates[argument.name], argument.type) for argument in terms.arguments}
    quiet = {name: values[0] for name, values in pools.items()}
    for name, values in pools.items():
        yield from ({**quiet, name: value} for value in values)
        yield from ({**quiet, name: cast("Value", value)} for value in _ODD)
        yield {other_name: value for other_name, value in quiet.items() if other_name != name}
    draw = random.Random(0)
    for facts in inputs.facts:
        near = {name: (quiet[name], *_near(facts, name, inputs.types[name])) for name in facts.arguments}
        for _ in range(_DRAWN_FOR_A_RULE):
            yield {**quiet, **{name: draw.choice(values) for name, values in near.items()}}
    for _ in range(_DRAWN):
        yield {name: draw.choice(values) for name, values in pools.items()}


def _near(facts: ArgumentFacts, name: str, declared: ArgumentType) -> tuple[Value, ...]:
    """The constants that one rule compares an argument with, and their neighbours."""
    points = facts.points.get(name, ())
    if declared.record is not None or declared.kind is Kind.LIST:
        return candidates(declared, name, NamedValues(facts.points, facts.sizes, facts.paths))
    if declared.kind is Kind.SET:
        element_type = int if declared.element is not None else str
        return tuple(cast("Value", frozenset({point})) for point in points if type(point) is element_type)
    bounds = [
        near
        for boundary in facts.boundaries
        if boundary.argument == name
        for _, near in beside(boundary, declared)
    ]
    return (*_around(tuple(points), declared), *bounds)


def _around(values: tuple[Value, ...], declared: ArgumentType) -> tuple[Value, ...]:
    """The values with their neighbours, which no rule may name."""
    values_around = [*values]
    for value in values:
        if value is not None and not isinstance(value, frozenset | tuple | RecordValue):
            values_around += neighbours(value, declared.places)
    return tuple(values_around)
