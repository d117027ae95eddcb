"""Inputs on which two ways of deciding one policy are most likely to differ, for comparing them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import cast

from workbench.check.cases_inputs import Inputs, neighbours
from workbench.model import Arguments, ArgumentType, Value
from workbench.policy.terms import PolicyTerms

_DRAWN = 1000
# Values of every type, some of which fit no argument: an input may hold anything.
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
)


def boundary_inputs(terms: PolicyTerms) -> Iterator[Arguments]:
    """Every constant of the policy with its neighbours, in each argument and drawn together, and misfits.

    Deterministic: the same policy gives the same inputs.
    """
    candidates = Inputs(terms, None).candidates
    pools = {one.name: _around(candidates[one.name], one.type) for one in terms.arguments}
    quiet = {name: values[0] for name, values in pools.items()}
    for name, values in pools.items():
        yield from ({**quiet, name: value} for value in values)
        yield from ({**quiet, name: cast("Value", value)} for value in _ODD)
        yield {other: value for other, value in quiet.items() if other != name}
    draw = random.Random(0)
    for _ in range(_DRAWN):
        yield {name: draw.choice(values) for name, values in pools.items()}


def _around(values: tuple[Value, ...], declared: ArgumentType) -> tuple[Value, ...]:
    """The values, and those just beside each, which no rule may name."""
    found = [*values]
    for value in values:
        if value is not None and not isinstance(value, frozenset):
            with suppress(OverflowError):  # the first and the last day
                found += neighbours(value, declared)
    return tuple(found)
