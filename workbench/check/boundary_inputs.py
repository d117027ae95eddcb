"""Inputs on which two ways of deciding one policy are most likely to differ, for comparing the two."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import cast

from workbench.check.argument_facts import ArgumentFacts
from workbench.check.candidate_values import NamedValues, candidates
from workbench.check.cases_inputs import Inputs, beside
from workbench.model import Arguments, ArgumentType, Kind, RecordValue, Value
from workbench.policy.boundary_values import neighbours
from workbench.policy.terms import PolicyTerms

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
