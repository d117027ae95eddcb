"""The flat arguments of lists: what flat terms say of them is compared with what terms say of the lists."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import cast

from workbench.model import Arguments, Element, Kind, RecordValue, Scalar, Value, field_of
from workbench.policy.evaluate import EXACT, Valuation, normalised, value_of
from workbench.policy.flat.component import Component, holds, side_name
from workbench.policy.flat.flatten import Flat, number_type
from workbench.policy.flat.opening import spread
from workbench.policy.flat.plainest_value import plain_present
from workbench.policy.flat.region import ListForm, Shared, evaluates_to_true
from workbench.policy.terms import FieldSet, PolicyTerms


def abstract(flat: Flat, arguments: Arguments) -> dict[str, Value]:
    """The flat arguments for arguments of the opened policy."""
    values = {name: normalised(value) for name, value in arguments.items()}
    for component in flat.components:
        with decimal.localcontext(EXACT):
            places = {form.path: _places(component, form, values) for form in component.forms}
            for form in component.forms:
                values.update(
                    _amounts(form, component.policy, places[form.path], _elements(form, values), values)
                )
            for form, place, element in _witnesses(component, places, values):
                values.update(_spread_witness(form, place, element))
    return {parameter.name: values[parameter.name] for parameter in flat.parameters}


def _places(component: Component, form: ListForm, values: Mapping[str, Value]) -> list[int]:
    """The region of each element of a list."""
    keys_by_shared = {shared: _other_keys(component, shared, values) for shared in form.shared}
    regions: list[int] = []
    for element in _elements(form, values):
        keys = (
            _key_of(_side(component, shared), element) in keys_by_shared[shared] for shared in form.shared
        )
        regions.append(_region(form, (*_bits(form, component.policy, element, values), *keys)))
    return regions


def _side(component: Component, shared: Shared, *, other: bool = False) -> FieldSet:
    pair = component.pairs[shared.pair]
    return pair.right if (shared.side == 1) is not other else pair.left


def _other_keys(component: Component, shared: Shared, values: Mapping[str, Value]) -> set[tuple[Value, ...]]:
    side = _side(component, shared, other=True)
    return {_key_of(side, element) for element in _elements(component.form(side_name(side)), values)}


def _witnesses(
    component: Component, places: Mapping[str, Sequence[int]], values: Mapping[str, Value]
) -> list[tuple[ListForm, int, Element | None]]:
    """An element of each region: any element, or one with the same key if the flat terms require it."""
    chosen: dict[tuple[str, int], Element | None] = {}
    for form in component.forms:
        elements = _elements(form, values)
        for place in range(len(form.regions)):
            inside = zip(elements, places[form.path], strict=True)
            chosen[form.path, place] = next((element for element, region in inside if region == place), None)
    for number, left, right in component.equal:
        pair = component.pairs[number]
        form, other_form = component.form(side_name(pair.left)), component.form(side_name(pair.right))
        first = chosen[form.path, left]
        if first is not None:
            key = _key_of(pair.left, first)
            alike = (
                element for element in _elements(other_form, values) if _key_of(pair.right, element) == key
            )
            chosen[other_form.path, right] = next(alike)
    return [(component.form(path), place, element) for (path, place), element in chosen.items()]


def _key_of(side: FieldSet, element: Element) -> tuple[Value, ...]:
    """The key of a concrete element."""
    if not side.fields or not isinstance(element, RecordValue):
        return (element,)
    return tuple(field_of(element, name) for name in side.fields)


def _elements(form: ListForm, values: Mapping[str, Value]) -> tuple[Element, ...]:
    value = values.get(form.path)
    return value if isinstance(value, tuple) else ()


def _bits(
    form: ListForm, policy: PolicyTerms, element: Element, values: Mapping[str, Value]
) -> tuple[bool, ...]:
    """The truth values of the bodies on an element.

    If a part cannot be evaluated, a false condition guards it. So its value decides nothing.
    """
    world = Valuation(policy, {**values, form.item.name: element}, None)
    return tuple(holds(body, lambda atom: evaluates_to_true(atom, world)) for body in form.bodies)


def _region(form: ListForm, bits: tuple[bool, ...]) -> int:
    """The position of the region whose elements have these truth values."""
    for place, region in enumerate(form.regions):
        if region.bits == bits:
            return place
    raise AssertionError(f"an element of {form.path} lies in no region: {bits}")


def _amounts(
    form: ListForm,
    policy: PolicyTerms,
    places: Sequence[int],
    elements: Sequence[Element],
    values: Mapping[str, Value],
) -> dict[str, Value]:
    """The counts and sums of elements that lie in the regions ``places``."""
    amount_by_name: dict[str, Value] = {
        region.count: places.count(place) for place, region in enumerate(form.regions)
    }
    for regions, name in form.counts.items():
        amount_by_name[name] = sum(places.count(place) for place in regions)
    for group in form.sums:
        worlds = (
            Valuation(policy, {**values, form.item.name: element}, None)
            for place, element in zip(places, elements, strict=True)
            if place in group.regions
        )
        zero: Scalar = Decimal(0) if number_type(group.value, policy).kind is Kind.DECIMAL else 0
        total = zero
        for world in worlds:
            total += cast("int", value_of(group.value, world))  # type: ignore[operator] # numbers of one type
        amount_by_name[group.name] = total
    return amount_by_name


def _spread_witness(form: ListForm, place: int, element: Element | None) -> dict[str, Value]:
    """The witness of a region and its fields; a plain element if the region is empty."""
    witness = form.regions[place].witness
    value = plain_present(form.element) if element is None else element
    return {**dict(spread(witness, form.element, value)), witness: value}
