"""One list in flat form: its regions, its counts and sums, and the way back to elements.

A *region* is one combination of truth values of the conditions (*bodies*) that a goal applies to the elements
of a list. A goal cannot distinguish the elements of a region. So the list is represented by the number of
elements of each region, a *witness* for each non-empty region, and the sums that the goal mentions.
"""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import cast

from workbench.model import ArgumentType, Element, RecordValue, Scalar, Value
from workbench.policy.evaluate import EXACT, Valuation, value_of
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.opening import gathered
from workbench.policy.flat.value_cells import Combination
from workbench.policy.terms import Term, Variable

MOST_ELEMENTS = 300
"""A model with longer lists is not written out."""


@dataclass(frozen=True, slots=True)
class Shared:
    """An element's key is in the other list of the comparison ``pair``; ``side`` is 0 on the left."""

    pair: int
    side: int


@dataclass(frozen=True, slots=True)
class Region:
    """One combination of truth values: ``bits`` of the bodies in order, then of ``ListForm.shared``.

    ``count`` and ``witness`` name the flat arguments; ``cells`` are the combinations of cells of the
    enumerated fields that have these truth values; empty if no field is enumerated.
    """

    bits: tuple[bool, ...]
    count: str
    witness: str
    cells: tuple[Combination, ...]

    def bounds(self, name: str) -> tuple[Scalar | None, Scalar | None]:
        """The least and the greatest value that a field can have in the region; None for a missing bound."""
        value_cells = [cells[name] for cells in self.cells if name in cells]
        lows, highs = [cell.low for cell in value_cells], [cell.high for cell in value_cells]
        low = None if not value_cells or None in lows else min(cast("list[Decimal]", lows))
        return low, None if not value_cells or None in highs else max(cast("list[Decimal]", highs))


@dataclass(frozen=True, slots=True)
class SumGroup:
    """The sum of a value over the elements of some regions: a flat argument called ``name``.

    ``field`` is the summed field; None for a value that is computed from fields.
    """

    name: str
    value: Term
    field: str | None
    regions: tuple[int, ...]


@dataclass(slots=True)
class ListForm:
    """One list in flat form; ``path`` is its name in the opened policy, ``base`` begins the flat names.

    A witness has the ``needed`` fields: conditions on them depend on more than their cells. The values of the
    ``fixed`` fields come from the cells of the region. The cells make the ``settled`` bodies true or false.
    """

    path: str
    base: str
    element: ArgumentType
    item: Variable
    bodies: list[Term] = field(default_factory=list[Term])
    shared: list[Shared] = field(default_factory=list[Shared])
    needed: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    settled: tuple[Term, ...] = ()
    regions: list[Region] = field(default_factory=list[Region])
    sums: list[SumGroup] = field(default_factory=list[SumGroup])
    counts: dict[tuple[int, ...], str] = field(default_factory=dict[tuple[int, ...], str])

    def settles(self, body: Term) -> bool:
        """Whether the cells of a region alone make a body true or false, for any witness."""
        return body in self.settled

    def shares(self, region: Region, shared: Shared) -> bool:
        """Whether the keys of a region's elements are in the other list of a comparison."""
        return region.bits[len(self.bodies) + self.shared.index(shared)]

    # --- from flat arguments to elements ----------------------------------------------

    def rebuild(self, values: Mapping[str, Value]) -> tuple[Element, ...]:
        """A list with the given counts and sums, if a simple list has them.

        ``values`` also has the lists that witnesses contain.

        Raises:
            FlatLimit: the list is too long, or no amounts of its elements have the sum.
        """
        members = [place for place, region in enumerate(self.regions) for _ in range(_count(region, values))]
        chosen: list[dict[str, Scalar]] = [{} for _ in members]
        with decimal.localcontext(EXACT):
            for group in self.sums:
                if group.field is not None and group.name in values:
                    self._share_out(group, group.field, members, chosen, values)
        built = (
            self._element(self.regions[place], field_values, values)
            for place, field_values in zip(members, chosen, strict=True)
        )
        return tuple(built)

    def _share_out(
        self,
        group: SumGroup,
        name: str,
        members: Sequence[int],
        chosen: Sequence[dict[str, Scalar]],
        values: Mapping[str, Value],
    ) -> None:
        """Choose amounts with the given sum for the elements of a group."""
        left = cast("Decimal", values[group.name])
        own_places = [place for place, region in enumerate(members) if region in group.regions]
        bounds = [self.regions[members[place]].bounds(name) for place in own_places]
        starts = [
            _within(
                values.get(f"{self.regions[members[place]].witness}.{name}".rstrip("."), left * 0), limits
            )
            for place, limits in zip(own_places, bounds, strict=True)
        ]
        left -= sum(starts, left * 0)
        for place, (low, high), start in zip(own_places, bounds, starts, strict=True):
            amount = _within(start + left, (low, high))
            left -= amount - start
            chosen[place][name] = amount
        if left:
            raise FlatLimit(f"No amounts of the elements of {self.path} have the sum that was found.")

    def _element(
        self,
        region: Region,
        amounts: Mapping[str, Scalar],
        values: Mapping[str, Value],
    ) -> Element:
        """An element of a region with given amounts."""
        fitting = (
            cells
            for cells in region.cells
            if all(cells[name].holds(value) for name, value in amounts.items() if name in cells)
        )
        cells = next(fitting, region.cells[0] if region.cells else {})
        own_values: dict[str, Value] = {name: cells[name].value for name in self.fixed if name in cells}
        own_values.update(amounts)
        if self.element.record is None:
            return cast(
                "Element",
                own_values[""] if "" in own_values else gathered(region.witness, self.element, values),
            )
        fields = (
            (
                name,
                own_values[name]
                if name in own_values
                else gathered(f"{region.witness}.{name}", type, values),
            )
            for name, type in self.element.record.fields
        )
        return RecordValue(self.element.record.name, tuple(fields))


def evaluates_to_true(body: Term, world: Valuation) -> bool:
    """Whether a condition is true; a condition that cannot be evaluated is not."""
    try:
        return value_of(body, world) is True
    except (TypeError, AttributeError):
        return False


def _count(region: Region, values: Mapping[str, Value]) -> int:
    count = values.get(region.count, 0)
    if not isinstance(count, int) or count > MOST_ELEMENTS:
        raise FlatLimit("The list is too long to be written out.")
    return count


def _within(value: Value, limits: tuple[Scalar | None, Scalar | None]) -> Decimal:
    """The value, moved to the nearest bound if it lies outside the limits."""
    low, high = cast("tuple[Decimal | None, Decimal | None]", limits)
    bounded = cast("Decimal", value)
    if low is not None:
        bounded = max(bounded, low)
    return bounded if high is None else min(bounded, high)
