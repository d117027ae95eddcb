"""The single conditions that a sentence names: forms of the grammar with what is named in their slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.language.earlier_conditions import EarlierConditions
from workbench.language.naming import Condition, Naming
from workbench.language.number_conditions import NumberConditions, TimeConditions
from workbench.language.value_conditions import PairConditions, PresenceConditions, ValueConditions


def named_conditions(naming: Naming, others: Sequence[str]) -> Iterator[Condition]:
    """Yield every condition that is named; ``others`` are the classes that may be named as earlier calls."""
    yield from NumberConditions(naming).every()
    yield from TimeConditions(naming).every()
    yield from ValueConditions(naming).every()
    yield from PresenceConditions(naming).every()
    yield from PairConditions(naming).every()
    yield from EarlierConditions(naming).every(others)
