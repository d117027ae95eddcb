"""The flat arguments that replace the lists of a component, and the requirements on them.

``any`` and ``all`` compare the number of elements of some regions with 0. Counts are such numbers, and sums
are sums over groups of regions. For a group with ``n`` elements and a sum ``s`` it is required

* that ``s`` is 0 if ``n`` is 0, and the value of the witness if ``n`` is 1 and the region has one;
* that ``s`` lies between ``n`` times the least and ``n`` times the greatest value, if constants bound the
  values.

Every requirement is true of every list, for any choice of witnesses. The keys of two witnesses are required
to be equal only under two conditions: each list has one region of shared elements with the same answers to
the bodies on keys, and neither list is compared with a third list. Otherwise it is only required that one
list has shared elements of a kind exactly if the other list has some.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.model import ArgumentType, Kind
from workbench.policy.connectives import FALSE, TRUE, conjunction, disjunction, negate
from workbench.policy.flat.component import Component, list_name, side_name, summed_field
from workbench.policy.flat.numeric import number_type
from workbench.policy.flat.opening import open_term, opened, types_of
from workbench.policy.flat.pairs import ListPair, keys_of
from workbench.policy.flat.region import ListForm, Region, Shared, SumGroup
from workbench.policy.flat.traverse import substitute
from workbench.policy.terms import (
    Arithmetic,
    Choice,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    Count,
    FieldSet,
    Parameter,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import INT

ZERO = Constant(0)


@dataclass(slots=True)
class Eliminated:
    """The flat form of the lists of a component.

    ``replacement_of`` maps each aggregate to its replacement. Models in which ``few`` and ``alike`` are true
    are easier to write out as lists: each region has at most one element, and shared elements have equal
    keys.
    """

    replacement_of: dict[Term, Term] = field(default_factory=dict[Term, Term])
    requires: list[Term] = field(default_factory=list[Term])
    few: list[Term] = field(default_factory=list[Term])
    alike: list[Term] = field(default_factory=list[Term])
    parameters: list[Parameter] = field(default_factory=list[Parameter])


def eliminate(component: Component) -> Eliminated:
    """Write the flat form of the lists of a component."""
    writer = _Writer(component)
    for form in component.forms:
        writer.regions(form)
    for number, pair in enumerate(component.pairs):
        writer.shared(number, pair)
    sums: dict[tuple[str, Term], list[Sum]] = {}
    for aggregate in component.aggregates:
        match aggregate:
            case Quantified() | Count():
                writer.out.replacement_of[aggregate] = writer.counted(aggregate)
            case CompareFields():
                writer.out.replacement_of[aggregate] = writer.compared(aggregate)
            case Sum():
                form = component.form(list_name(aggregate))
                value = substitute(aggregate.value, {aggregate.variable.name: form.item})
                sums.setdefault((form.path, value), []).append(aggregate)
    for (path, value), alike in sums.items():
        writer.summed(component.form(path), value, alike)
    return writer.out


class _Writer:
    """Collects the flat form of one component."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.out = Eliminated()

    # --- regions and counts ------------------------------------------------------------

    def regions(self, form: ListForm) -> None:
        """Declare the counts and witnesses of a list, and require the meaning of its regions."""
        for region in form.regions:
            self._declare(region.count, INT)
            self.out.parameters += opened(region.witness, form.element)
            self.out.requires.append(Compare(Comparison.GE, Variable(region.count, INT), ZERO))
            self.out.few.append(Compare(Comparison.LE, Variable(region.count, INT), Constant(1)))
            truths = (
                at_witness(form, region, body if bit else negate(body))
                for body, bit in zip(form.bodies, region.bits, strict=False)
                if not form.settles(body)
            )
            self.out.requires.append(implies(inhabited(region), conjunction(list(truths))))

    def _declare(self, name: str, type: ArgumentType) -> Variable:
        self.out.parameters.append(Parameter(name, type))
        return Variable(name, type)

    def count(self, form: ListForm, places: Iterable[int]) -> Term:
        """The number of elements in some regions; several regions get a name of their own."""
        region_places = tuple(places)
        numbers: list[Term] = [Variable(form.regions[place].count, INT) for place in region_places]
        if len(numbers) < 2:
            return total(numbers)
        if region_places not in form.counts:
            form.counts[region_places] = f"{form.base} count {len(form.counts) + 1}"
            named = self._declare(form.counts[region_places], INT)
            self.out.requires.append(Compare(Comparison.EQ, named, total(numbers)))
        return Variable(form.counts[region_places], INT)

    def counted(self, aggregate: Quantified | Count) -> Term:
        """The term that replaces ``any``, ``all`` or a count."""
        form = self.component.form(list_name(aggregate))
        condition = aggregate.condition if isinstance(aggregate, Count) else aggregate.body
        literal = self.component.literal(form, aggregate.variable, condition)
        counts_holding = not (isinstance(aggregate, Quantified) and aggregate.quantifier is Quantifier.ALL)
        count = self.count(
            form, (i for i, region in enumerate(form.regions) if literal.holds(region) is counts_holding)
        )
        if isinstance(aggregate, Count):
            return count
        return more(count) if counts_holding else none(count)

    # --- sums --------------------------------------------------------------------------

    def summed(self, form: ListForm, value: Term, sums: Sequence[Sum]) -> None:
        """Name the sums of a value over the groups of regions that the conditions of the sums distinguish."""
        literals = [
            self.component.literal(form, aggregate.variable, aggregate.condition) for aggregate in sums
        ]
        groups: dict[tuple[tuple[bool, ...], Term], list[int]] = {}
        for place, region in enumerate(form.regions):
            held = tuple(literal.holds(region) for literal in literals)
            if any(held):
                groups.setdefault((held, self._outcome(form, region, value)), []).append(place)
        parts: list[list[Term]] = [[] for _ in sums]
        for (held, outcome), places in groups.items():
            term = self._group(form, outcome, places)
            for part, holds in zip(parts, held, strict=True):
                if holds:
                    part.append(term)
        kind = number_type(value, self.component.policy).kind
        for aggregate, part in zip(sums, parts, strict=True):
            nothing = Constant(Decimal(0)) if kind is Kind.DECIMAL else ZERO
            self.out.replacement_of[aggregate] = total(part) if part else nothing

    def _outcome(self, form: ListForm, region: Region, value: Term) -> Term:
        """The value in a region, if the conditions that choose it are known."""
        while isinstance(value, Choice):
            literal = self.component.literals[form.path, value.condition]
            value = value.then if literal.holds(region) else value.otherwise
        return value

    def _group(self, form: ListForm, value: Term, places: Sequence[int]) -> Term:
        count = self.count(form, places)
        if isinstance(value, Constant):
            return Arithmetic("*", count, value)
        type = number_type(value, self.component.policy)
        name = f"{form.base} sum {len(form.sums) + 1}"
        group = SumGroup(name, value, summed_field(value, form.item), tuple(places))
        form.sums.append(group)
        amount = self._declare(name, type)
        zero = Constant(Decimal(0)) if type.kind is Kind.DECIMAL else ZERO
        self.out.requires.append(implies(none(count), Compare(Comparison.EQ, amount, zero)))
        self._bound(form, group, amount, lower=True)
        self._bound(form, group, amount, lower=False)
        if group.field is None or group.field in form.needed:
            for place in places:
                region = form.regions[place]
                alone = (is_one(Variable(region.count, INT)), is_one(count))
                same_amount = Compare(Comparison.EQ, amount, at_witness(form, region, value))
                self.out.requires.append(implies(conjunction(alone), same_amount))
        return amount

    def _bound(self, form: ListForm, group: SumGroup, amount: Variable, *, lower: bool) -> None:
        """Require that a sum is within the number of elements times the bounds of the values."""
        if group.field is None:
            return
        bounds = {
            place: form.regions[place].bounds(group.field)[0 if lower else 1] for place in group.regions
        }
        bounded = {place: bound for place, bound in bounds.items() if bound is not None}
        if bounded:
            terms = [
                Arithmetic("*", Variable(form.regions[place].count, INT), Constant(bound))
                for place, bound in bounded.items()
            ]
            unbounded_count = self.count(form, (place for place, bound in bounds.items() if bound is None))
            operator = Comparison.GE if lower else Comparison.LE
            self.out.requires.append(implies(none(unbounded_count), Compare(operator, amount, total(terms))))

    # --- comparisons of lists ------------------------------------------------------------

    def compared(self, compare_fields: CompareFields) -> Term:
        """The term that replaces a comparison of two lists as sets of fields."""
        if compare_fields.left == compare_fields.right:
            return TRUE
        sides = (
            (compare_fields.left, compare_fields.right)
            if compare_fields.operator is Comparison.EQ
            else (compare_fields.left,)
        )
        return conjunction([none(self._unshared(compare_fields, side)) for side in sides])

    def _unshared(self, compare_fields: CompareFields, side: FieldSet) -> Term:
        form = self.component.form(side_name(side))
        number = next(
            number
            for number, pair in enumerate(self.component.pairs)
            if {compare_fields.left, compare_fields.right} == {pair.left, pair.right}
        )
        pair = self.component.pairs[number]
        shared = Shared(number, 0 if side == pair.left else 1)
        return self.count(
            form, (i for i, region in enumerate(form.regions) if not form.shares(region, shared))
        )

    def shared(self, number: int, pair: ListPair) -> None:
        """Require what holds for the keys of shared and unshared elements of two lists."""
        left, right = (self.component.form(side_name(side)) for side in (pair.left, pair.right))
        mine, theirs = Shared(number, 0), Shared(number, 1)
        solo = left is not right and left.shared == [mine] and right.shared == [theirs]
        kinds: dict[tuple[bool, ...], tuple[list[int], list[int]]] = {}
        for form, shared in ((left, mine), (right, theirs)):
            for place, region in enumerate(form.regions):
                if form.shares(region, shared):
                    kind = tuple(region.bits[bodies[shared.side]] for bodies in pair.bodies)
                    kinds.setdefault(kind, ([], []))[shared.side].append(place)
        for ours, other_places in kinds.values():
            nonempty_sides = (more(self.count(left, ours)), more(self.count(right, other_places)))
            self.out.requires.append(
                disjunction((conjunction(nonempty_sides), conjunction([negate(x) for x in nonempty_sides])))
            )
            if solo and len(ours) == 1 and len(other_places) == 1:
                self.component.equal.append((number, ours[0], other_places[0]))
        for place, region in enumerate(left.regions):
            for other_place, other_region in enumerate(right.regions):
                self._keys(number, pair, (place, region), (other_place, other_region))

    def _keys(
        self, number: int, pair: ListPair, left_witness: tuple[int, Region], right_witness: tuple[int, Region]
    ) -> None:
        """Require, or give as a hint, what is known of the keys of two witnesses."""
        left, right = (self.component.form(side_name(side)) for side in (pair.left, pair.right))
        keys = zip(keys_of(pair.left, left.item), keys_of(pair.right, right.item), strict=True)
        same_keys = conjunction(
            [
                Compare(
                    Comparison.EQ,
                    at_witness(left, left_witness[1], mine),
                    at_witness(right, right_witness[1], theirs),
                )
                for mine, theirs in keys
            ]
        )
        both_inhabited = conjunction((inhabited(left_witness[1]), inhabited(right_witness[1])))
        kinds = [
            tuple(region.bits[bodies[side]] for bodies in pair.bodies)
            for side, region in enumerate((left_witness[1], right_witness[1]))
        ]
        if kinds[0] != kinds[1]:
            return
        if not (
            left.shares(left_witness[1], Shared(number, 0))
            and right.shares(right_witness[1], Shared(number, 1))
        ):
            self.out.requires.append(implies(both_inhabited, negate(same_keys)))
        elif (number, left_witness[0], right_witness[0]) in self.component.equal:
            self.out.requires.append(implies(both_inhabited, same_keys))
        else:
            self.out.alike.append(implies(both_inhabited, same_keys))


def at_witness(form: ListForm, region: Region, term: Term) -> Term:
    """The term with the witness of a region as the element."""
    types = types_of(opened(region.witness, form.element))
    return open_term(substitute(term, {form.item.name: Variable(region.witness, form.element)}), types)


def inhabited(region: Region) -> Term:
    """The condition that a region has elements."""
    return more(Variable(region.count, INT))


def more(count: Term) -> Term:
    """The condition that a number of elements is more than 0."""
    return FALSE if count == ZERO else Compare(Comparison.GT, count, ZERO)


def none(count: Term) -> Term:
    """The condition that a number of elements is 0."""
    return TRUE if count == ZERO else Compare(Comparison.EQ, count, ZERO)


def is_one(count: Term) -> Term:
    """The condition that a number of elements is 1."""
    return Compare(Comparison.EQ, count, Constant(1))


def implies(condition: Term, consequence: Term) -> Term:
    """The implication."""
    return disjunction((negate(condition), consequence))


def total(terms: Sequence[Term]) -> Term:
    """The sum of terms as a balanced tree, so that the prover gets no deep nesting."""
    if len(terms) < 2:
        return terms[0] if terms else ZERO
    middle = len(terms) // 2
    return Arithmetic("+", total(terms[:middle]), total(terms[middle:]))
