"""Flat lists: terms over lists as equivalent terms over counts, sums and witness elements.

``flatten`` flattens some terms together. For all list arguments there are flat arguments that satisfy
``Flat.requires`` and give every term the value that it has on the lists (tests compute them). So
a statement about all flat arguments holds for all lists, and a proof of the flat terms is a proof. The other
direction is not promised: a model of the flat terms is written out as lists (``Flat.rebuild``), and is
believed only if the policy decides on these lists as the model says.

``region`` describes how one list is divided. Lists that are compared with each other are flattened together:
whether the key of an element is in the other list is an additional truth value of the element, and conditions
on keys alone apply to the keys of both lists.

The flat arguments that replace the lists of a component, and the requirements on them.

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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce

from workbench.model import ArgumentType, Kind, Value
from workbench.policy.connectives import FALSE, TRUE, conjunction, disjunction, is_true, negate
from workbench.policy.flat.aggregates import Holding, Replacement, find, plain_membership
from workbench.policy.flat.component import Component, list_name, side_name, summed_field
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.opening import open_term, opened, types_of
from workbench.policy.flat.pairs import ListPair, keys_of
from workbench.policy.flat.region import ListForm, Region, Shared, SumGroup
from workbench.policy.flat.traverse import free_names, substitute
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Choice,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    Count,
    FieldSet,
    Length,
    Lookup,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import INT


def number_type(  # noqa: C901 # one case for each kind of number
    term: Term, policy: PolicyTerms
) -> ArgumentType:
    """The type of a number; its places are enough for every value that the term can have.

    Raises:
        FlatLimit: the term is neither a whole number nor a decimal.
    """
    match term:
        case Constant(bool()):
            pass
        case Constant(int()) | Length():
            return INT
        case Constant(Decimal() as value):
            exponent = value.as_tuple().exponent
            return _decimal(max(0, -exponent) if isinstance(exponent, int) else 0)
        case Variable() | Attribute() if term.type.kind is Kind.INT:
            return INT
        case Variable() | Attribute() if term.type.kind is Kind.DECIMAL:
            return _decimal(term.type.places)
        case Arithmetic("//" | "%"):
            return INT
        case Arithmetic(operator, left, right):
            argument_type, other_type = number_type(left, policy), number_type(right, policy)
            return (
                _product(argument_type, other_type) if operator == "*" else _joined(argument_type, other_type)
            )
        case Choice(_, then, otherwise):
            return _joined(number_type(then, policy), number_type(otherwise, policy))
        case Lookup(table, _, default):
            entries = policy.tables[table].entries.values()
            values = [Constant(value) for value in entries if not isinstance(value, frozenset)]
            types = [
                number_type(value, policy) for value in (*values, *([] if default is None else [default]))
            ]
            return reduce(_joined, types, INT)
        case Sum(_, _, value, _):
            return number_type(value, policy)
        case _:
            pass
    raise FlatLimit("Only whole numbers and decimals of a list can be added up in a proof.")


def _decimal(places: int) -> ArgumentType:
    return ArgumentType(Kind.DECIMAL, places=places)


def _places(type: ArgumentType) -> int:
    return type.places if type.kind is Kind.DECIMAL else 0


def _joined(left: ArgumentType, right: ArgumentType) -> ArgumentType:
    """The type that holds the values of both types."""
    if Kind.DECIMAL not in (left.kind, right.kind):
        return INT
    return _decimal(max(_places(left), _places(right)))


def _product(left: ArgumentType, right: ArgumentType) -> ArgumentType:
    if Kind.DECIMAL not in (left.kind, right.kind):
        return INT
    return _decimal(_places(left) + _places(right))


@dataclass(frozen=True, slots=True)
class Flat:
    """Terms without lists, equivalent to terms with lists; see the module.

    ``parameters`` are the flat arguments that ``parts`` and ``requires`` mention. ``hints`` are further
    conditions, from the strictest to the loosest, under which a model is easier to write out as lists.
    """

    parts: tuple[Term, ...]
    requires: tuple[Term, ...]
    hints: tuple[tuple[Term, ...], ...]
    parameters: tuple[Parameter, ...]
    has_lists: bool
    _policy: PolicyTerms
    _given_parameters: tuple[Parameter, ...]
    components: tuple[Component, ...]

    @property
    def listed(self) -> tuple[Parameter, ...]:
        """The flat arguments that replace lists."""
        given_names = {parameter.name for parameter in self._given_parameters}
        return tuple(parameter for parameter in self.parameters if parameter.name not in given_names)

    @property
    def sums(self) -> frozenset[str]:
        """The names of the flat arguments that are sums."""
        forms = (form for component in self.components for form in component.forms)
        return frozenset(group.name for form in forms for group in form.sums)

    def rebuild(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Arguments of the opened policy for flat arguments, as far as the flat arguments determine them.

        Raises:
            FlatLimit: the lists are too long, or no lists have these sums.
        """
        value_by_name = dict(values)
        for component in reversed(self.components):
            for form in component.forms:
                value_by_name[form.path] = form.rebuild(value_by_name)
        given_names = {parameter.name for parameter in self._given_parameters}
        return {name: value for name, value in value_by_name.items() if name in given_names}


def flatten(
    policy: PolicyTerms, parts: Sequence[Term], parameters: Sequence[Parameter], prefix: str = ""
) -> Flat:
    """Make terms flat together.

    Args:
        policy: gives the tables that the terms may name.
        parts: terms over ``parameters``, whose records are opened.
        parameters: the arguments.
        prefix: begins the names of all flat arguments that replace lists.

    Raises:
        FlatLimit: the terms relate elements of lists in a way that has no flat form, or tell too many
            kinds of elements apart.
    """
    all_parameters = tuple(parameters)
    if not any(parameter.type.kind is Kind.LIST for parameter in all_parameters):
        return Flat(tuple(parts), (), ((),), all_parameters, False, policy, all_parameters, ())
    work = _Work([plain_membership(part) for part in parts])
    declared = {
        parameter.name: parameter for parameter in all_parameters if parameter.type.kind is not Kind.LIST
    }
    components: list[Component] = []
    flattened_paths: set[str] = set()
    while True:
        found_aggregates = find((*work.parts, *work.requires), work.holding)
        if not found_aggregates.closed and not found_aggregates.waiting:
            break
        component = Component.of(policy, found_aggregates, prefix, flattened_paths)
        flattened_paths |= {form.path for form in component.forms}
        components.append(component)
        made_flat = _eliminate(component)
        declared.update({parameter.name: parameter for parameter in made_flat.parameters})
        work.take(made_flat.replacement_of, made_flat.requires)
        work.few += made_flat.few
        work.alike += made_flat.alike
    named = frozenset[str]().union(*(free_names(term) for term in (*work.parts, *work.requires)))
    flat = tuple(parameter for name, parameter in declared.items() if name in named)
    return Flat(
        tuple(work.parts), tuple(work.requires), work.hints(), flat, bool(components), policy, all_parameters,
        tuple(components),
    )  # fmt: skip


@dataclass(slots=True)
class _Work:
    """The terms while they are flattened, and the requirements on the flat arguments."""

    parts: list[Term]
    requires: list[Term] = field(default_factory=list[Term])
    few: list[Term] = field(default_factory=list[Term])
    alike: list[Term] = field(default_factory=list[Term])
    holding: Holding = field(default_factory=Holding)

    def take(self, replacement_of: Mapping[Term, Term], requires: Iterable[Term]) -> None:
        """Replace aggregates in all terms, and add requirements."""
        replacement = Replacement(replacement_of, self.holding)
        self.parts = [replacement.of(part) for part in self.parts]
        self.requires = [replacement.of(part) for part in self.requires]
        self.requires += [
            plain_membership(requirement) for requirement in requires if not is_true(requirement)
        ]

    def hints(self) -> tuple[tuple[Term, ...], ...]:
        """The hints: short lists whose shared elements are equal, such lists of any length, any lists."""
        levels = ((*self.few, *self.alike), tuple(self.alike), ())
        return tuple(dict.fromkeys(levels))


_ZERO = Constant(0)


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


def _eliminate(component: Component) -> Eliminated:
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
            self.out.requires.append(Compare(Comparison.GE, Variable(region.count, INT), _ZERO))
            self.out.few.append(Compare(Comparison.LE, Variable(region.count, INT), Constant(1)))
            truths = (
                _at_witness(form, region, body if bit else negate(body))
                for body, bit in zip(form.bodies, region.bits, strict=False)
                if not form.settles(body)
            )
            self.out.requires.append(_implies(_inhabited(region), conjunction(list(truths))))

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
        return _more(count) if counts_holding else _none(count)

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
            nothing = Constant(Decimal(0)) if kind is Kind.DECIMAL else _ZERO
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
        zero = Constant(Decimal(0)) if type.kind is Kind.DECIMAL else _ZERO
        self.out.requires.append(_implies(_none(count), Compare(Comparison.EQ, amount, zero)))
        self._bound(form, group, amount, lower=True)
        self._bound(form, group, amount, lower=False)
        if group.field is None or group.field in form.needed:
            for place in places:
                region = form.regions[place]
                alone = (_is_one(Variable(region.count, INT)), _is_one(count))
                same_amount = Compare(Comparison.EQ, amount, _at_witness(form, region, value))
                self.out.requires.append(_implies(conjunction(alone), same_amount))
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
            self.out.requires.append(
                _implies(_none(unbounded_count), Compare(operator, amount, total(terms)))
            )

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
        return conjunction([_none(self._unshared(compare_fields, side)) for side in sides])

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
            nonempty_sides = (_more(self.count(left, ours)), _more(self.count(right, other_places)))
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
                    _at_witness(left, left_witness[1], mine),
                    _at_witness(right, right_witness[1], theirs),
                )
                for mine, theirs in keys
            ]
        )
        both_inhabited = conjunction((_inhabited(left_witness[1]), _inhabited(right_witness[1])))
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
            self.out.requires.append(_implies(both_inhabited, negate(same_keys)))
        elif (number, left_witness[0], right_witness[0]) in self.component.equal:
            self.out.requires.append(_implies(both_inhabited, same_keys))
        else:
            self.out.alike.append(_implies(both_inhabited, same_keys))


def _at_witness(form: ListForm, region: Region, term: Term) -> Term:
    """The term with the witness of a region as the element."""
    types = types_of(opened(region.witness, form.element))
    return open_term(substitute(term, {form.item.name: Variable(region.witness, form.element)}), types)


def _inhabited(region: Region) -> Term:
    """The condition that a region has elements."""
    return _more(Variable(region.count, INT))


def _more(count: Term) -> Term:
    """The condition that a number of elements is more than 0."""
    return FALSE if count == _ZERO else Compare(Comparison.GT, count, _ZERO)


def _none(count: Term) -> Term:
    """The condition that a number of elements is 0."""
    return TRUE if count == _ZERO else Compare(Comparison.EQ, count, _ZERO)


def _is_one(count: Term) -> Term:
    """The condition that a number of elements is 1."""
    return Compare(Comparison.EQ, count, Constant(1))


def _implies(condition: Term, consequence: Term) -> Term:
    """The implication."""
    return disjunction((negate(condition), consequence))


def total(terms: Sequence[Term]) -> Term:
    """The sum of terms as a balanced tree, so that nothing gets deep nesting."""
    if len(terms) < 2:
        return terms[0] if terms else _ZERO
    middle = len(terms) // 2
    return Arithmetic("+", total(terms[:middle]), total(terms[middle:]))
