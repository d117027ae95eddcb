"""Lists that are compared with each other, flattened together: regions, counts, sums and shared keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

from workbench.model import ArgumentType, RecordValue, Value
from workbench.policy.evaluate import Valuation
from workbench.policy.flat.aggregates import Aggregate, FoundAggregates, find
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.pairs import ListPair, keys_of, moved
from workbench.policy.flat.region import ListForm, Region, Shared, evaluates_to_true
from workbench.policy.flat.traverse import fields_used, inner_parts, substitute
from workbench.policy.flat.value_cells import (
    Combination,
    cells_of,
    combinations,
    field_name,
    is_enumerable,
)
from workbench.policy.terms import (
    And,
    Choice,
    CompareFields,
    Constant,
    Count,
    Elements,
    FieldSet,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Sum,
    Term,
    Variable,
)

MOST_ATOMS = 10
"""The most atoms to analyse; with more atoms, every combination of truth values is assumed possible."""


def atoms(term: Term) -> tuple[Term, ...]:
    """The parts of a condition that are joined by "and", "or" and "not"."""
    match term:
        case Not(operand):
            return atoms(operand)
        case And(operands) | Or(operands):
            return tuple(dict.fromkeys(atom for operand in operands for atom in atoms(operand)))
        case _:
            return (term,)


def holds(term: Term, atom_holds: Callable[[Term], bool]) -> bool:
    """Whether a condition is true if its atoms have these truth values."""
    match term:
        case Not(operand):
            return not holds(operand, atom_holds)
        case And(operands):
            return all(holds(operand, atom_holds) for operand in operands)
        case Or(operands):
            return any(holds(operand, atom_holds) for operand in operands)
        case _:
            return atom_holds(term)


def vectors(conditions: Sequence[Term]) -> list[tuple[bool, ...]]:
    """The combinations of truth values that conditions can have for any meaning of their atoms, each once."""
    parts = tuple(dict.fromkeys(atom for condition in conditions for atom in atoms(condition)))
    if len(parts) > MOST_ATOMS:
        return list(product((True, False), repeat=len(conditions)))
    truth_vectors: dict[tuple[bool, ...], None] = {}
    for values in product((True, False), repeat=len(parts)):
        truth_by_part = dict(zip(parts, values, strict=True))
        truth_vectors[tuple(holds(condition, truth_by_part.__getitem__) for condition in conditions)] = None
    return sorted(truth_vectors, reverse=True)


MOST_REGIONS = 64
"""The most kinds of elements of a list that a goal may distinguish; beyond that, the goal stays undecided."""

_RELATED = (
    "Elements of one list are compared with each other, or with those of a list that is compared with them, "
    "which cannot be decided; compare the lists as sets of fields."
)


@dataclass(frozen=True, slots=True)
class Literal:
    """A condition that is a body of its list or the negation of a body; ``body`` is None for a constant."""

    body: int | None
    value: bool

    def holds(self, region: Region) -> bool:
        """Whether the condition is true of the elements of a region."""
        return self.value if self.body is None else region.bits[self.body] is self.value


@dataclass(slots=True)
class Component:
    """The lists that are flattened in one step, the aggregates over them, and their comparisons."""

    policy: PolicyTerms
    forms: tuple[ListForm, ...]
    aggregates: tuple[Aggregate, ...]
    pairs: list[ListPair] = field(default_factory=list[ListPair])
    literals: dict[tuple[str, Term], Literal] = field(default_factory=dict[tuple[str, Term], Literal])
    equal: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """The pairs, each with a left and a right region whose witnesses have equal keys."""

    @staticmethod
    def of(policy: PolicyTerms, found_aggregates: FoundAggregates, prefix: str, done: set[str]) -> Component:
        """The next lists that can be flattened, with their regions.

        Raises:
            FlatLimit: no list can be flattened.
        """
        chosen: list[tuple[bool, tuple[str, ...]]] = []
        for name in found_aggregates.closed:
            names = _connected(name, found_aggregates)
            inner_lists = [
                find(inner_parts(aggregate)).types.keys()
                for aggregate in _aggregates(names, found_aggregates)
            ]
            if not set(names) & (found_aggregates.waiting | done) and not any(
                set(names) & inner for inner in inner_lists
            ):
                chosen.append((any(inner_lists), names))
        if not chosen:
            raise FlatLimit(_RELATED)
        _, names = min(chosen, key=lambda candidate: candidate[0])
        forms = tuple(_form(found_aggregates.types[name], prefix) for name in names)
        component = Component(policy, forms, _aggregates(names, found_aggregates))
        component._collect()
        for form in forms:
            component._divide(form)
        return component

    def form(self, path: str) -> ListForm:
        """The form of a list."""
        return next(form for form in self.forms if form.path == path)

    def literal(self, form: ListForm, variable: Variable, condition: Term) -> Literal:
        """The condition of an aggregate on the elements of a list."""
        return self.literals[form.path, _at_item(form, variable, condition)]

    # --- what is asked ---------------------------------------------------------------

    def _collect(self) -> None:
        for aggregate in self.aggregates:
            match aggregate:
                case Quantified(_, variable, _, body):
                    self._ask(self._of(aggregate), variable, body)
                case Count(variable, _, condition):
                    self._ask(self._of(aggregate), variable, condition)
                case Sum(variable, _, value, condition):
                    self._ask(self._of(aggregate), variable, condition)
                    for part in choices(value):
                        self._ask(self._of(aggregate), variable, part)
                case CompareFields(_, left, right):
                    self._pair(left, right)
        while any([self._exchange(pair) for pair in self.pairs]):
            pass

    def _of(self, aggregate: Quantified | Count | Sum) -> ListForm:
        return self.form(list_name(aggregate))

    def _ask(self, form: ListForm, variable: Variable, condition: Term) -> None:
        term = _at_item(form, variable, condition)
        self.literals[form.path, term] = self._body(form, term)

    def _body(self, form: ListForm, term: Term) -> Literal:
        value = True
        while isinstance(term, Not):
            term, value = term.operand, not value
        if isinstance(term, Constant):
            return Literal(None, (term.value is True) is value)
        if term not in form.bodies:
            form.bodies.append(term)
            if 2 ** len(form.bodies) > MOST_REGIONS**2:
                raise _too_many(form)
        return Literal(form.bodies.index(term), value)

    def _pair(self, left: FieldSet, right: FieldSet) -> None:
        known_pairs = [{pair.left, pair.right} for pair in self.pairs]
        if left != right and {left, right} not in known_pairs:
            number = len(self.pairs)
            self.pairs.append(ListPair(left, right))
            self.form(side_name(left)).shared.append(Shared(number, 0))
            self.form(side_name(right)).shared.append(Shared(number, 1))

    def _exchange(self, pair: ListPair) -> bool:
        """Add the bodies on the keys of each list to the other list; return whether there were any."""
        left, right = self.form(side_name(pair.left)), self.form(side_name(pair.right))
        left_keys, right_keys = keys_of(pair.left, left.item), keys_of(pair.right, right.item)
        before = len(pair.bodies)
        for place, body in list(enumerate(left.bodies)):
            term = moved(body, left.item, left_keys, right_keys)
            if term is not None and all(place != left_place for left_place, _ in pair.bodies):
                pair.bodies.append((place, self._index(right, term)))
        for place, body in list(enumerate(right.bodies)):
            term = moved(body, right.item, right_keys, left_keys)
            if term is not None and all(place != right_place for _, right_place in pair.bodies):
                pair.bodies.append((self._index(left, term), place))
        return len(pair.bodies) > before

    def _index(self, form: ListForm, term: Term) -> int:
        place = self._body(form, term).body
        assert place is not None
        return place

    # --- regions ---------------------------------------------------------------------

    def _divide(self, form: ListForm) -> None:
        """Find the regions of a list, and which fields need no witness."""
        closed = [place for place, body in enumerate(form.bodies) if is_enumerable(body, form.item)]
        reached = self._reached(form, closed)
        if reached is None:
            closed, reached = [], {(): ()}
        open_bodies = [place for place in range(len(form.bodies)) if place not in closed]
        open_vectors = vectors([form.bodies[place] for place in open_bodies])
        if len(reached) * len(open_vectors) * 2 ** len(form.shared) > MOST_REGIONS:
            raise _too_many(form)
        keys = product((True, False), repeat=len(form.shared))
        for (bits, cells), open_bits, shared in product(reached.items(), open_vectors, tuple(keys)):
            truth = dict(zip(closed, bits, strict=True)) | dict(zip(open_bodies, open_bits, strict=True))
            ordered = tuple(truth[place] for place in range(len(form.bodies)))
            name = f"{form.base}[{len(form.regions) + 1}]"
            form.regions.append(Region((*ordered, *shared), f"{name} count", name, cells))
        tested = frozenset[str]().union(*(fields_used(form.bodies[place], form.item) for place in closed))
        form.needed = self._needed(form, open_bodies)
        if not tested & form.needed:
            form.fixed = tested
            form.settled = tuple(form.bodies[place] for place in closed)

    def _reached(
        self, form: ListForm, closed: Sequence[int]
    ) -> dict[tuple[bool, ...], tuple[Combination, ...]] | None:
        """The truth values that the enumerable bodies can have together, with the cells that give them."""
        bodies = [form.bodies[place] for place in closed]
        listed = combinations(cells_of(bodies, form.item))
        if listed is None:
            return None
        tests = [self._of_cells(form, body) for body in bodies]
        reached: dict[tuple[bool, ...], list[Combination]] = {}
        for cells in listed:
            reached.setdefault(tuple([holds(cells) for holds in tests]), []).append(cells)
        return {bits: tuple(cells) for bits, cells in reached.items()}

    def _of_cells(self, form: ListForm, body: Term) -> Callable[[Combination], bool]:
        """A test of a body on the cells of the fields that it reads; each combination is evaluated once."""
        used_fields = fields_used(body, form.item)
        truth_by_cells: dict[tuple[int, ...], bool] = {}

        def holds(cells: Combination) -> bool:
            tested = {name: cell for name, cell in cells.items() if name in used_fields}
            key = tuple(map(id, tested.values()))  # cells live as long as the combinations in use
            if key not in truth_by_cells:
                world = Valuation(self.policy, {form.item.name: _example(form.element, tested)}, None)
                truth_by_cells[key] = evaluates_to_true(body, world)
            return truth_by_cells[key]

        return holds

    def _needed(self, form: ListForm, open_bodies: Sequence[int]) -> frozenset[str]:
        """The fields that a witness must have, because conditions on them depend on more than cells."""
        terms = [form.bodies[place] for place in open_bodies]
        for pair in self.pairs:
            for side in (pair.left, pair.right):
                if side_name(side) == form.path:
                    terms += keys_of(side, form.item)
        for aggregate in self.aggregates:
            if isinstance(aggregate, Sum) and list_name(aggregate) == form.path:
                leaves = outcomes(_at_item(form, aggregate.variable, aggregate.value))
                terms += [leaf for leaf in leaves if summed_field(leaf, form.item) is None]
        return frozenset[str]().union(*(fields_used(term, form.item) for term in terms))


def _connected(name: str, found_aggregates: FoundAggregates) -> tuple[str, ...]:
    """The lists that are compared with a list, directly or through other lists."""
    names = [name]
    for connected in names:
        for aggregate in found_aggregates.closed.get(connected, ()):
            if isinstance(aggregate, CompareFields):
                sides = (side_name(aggregate.left), side_name(aggregate.right))
                names += [side for side in sides if side not in names]
    return tuple(names)


def _aggregates(names: Sequence[str], found_aggregates: FoundAggregates) -> tuple[Aggregate, ...]:
    return tuple(
        dict.fromkeys(aggregate for name in names for aggregate in found_aggregates.closed.get(name, ()))
    )


def _form(variable: Variable, prefix: str) -> ListForm:
    element = variable.type.element
    if element is None:
        raise FlatLimit(f"The list {variable.name} does not say what it holds.")
    base = variable.name if variable.name.startswith(prefix) else f"{prefix}{variable.name}"
    return ListForm(variable.name, base, element, Variable(f"{base}[]", element))


def _at_item(form: ListForm, variable: Variable, term: Term) -> Term:
    return substitute(term, {variable.name: form.item})


def list_name(aggregate: Quantified | Count | Sum) -> str:
    """The name of the list that an aggregate reads."""
    return _name(aggregate.collection.term if isinstance(aggregate.collection, Elements) else None)


def side_name(side: FieldSet) -> str:
    """The name of the list on one side of a comparison."""
    return _name(side.collection.term)


def _name(term: object) -> str:
    if not isinstance(term, Variable):
        raise FlatLimit(_RELATED)
    return term.name


def _too_many(form: ListForm) -> FlatLimit:
    return FlatLimit(
        f"The policy tells more than {MOST_REGIONS} kinds of elements of `{form.path}` apart, which is too "
        "many for a proof; split the rule, or ask less of the list in one rule."
    )


def choices(value: Term) -> list[Term]:
    """The conditions that choose between the values of a sum."""
    if not isinstance(value, Choice):
        return []
    return [value.condition, *choices(value.then), *choices(value.otherwise)]


def outcomes(value: Term) -> list[Term]:
    """The possible values of a sum's summand, between which its conditions choose."""
    if not isinstance(value, Choice):
        return [value]
    return [*outcomes(value.then), *outcomes(value.otherwise)]


def summed_field(value: Term, item: Variable) -> str | None:
    """The field that is summed unchanged; ``""`` for constants and for elements of a list of numbers."""
    return "" if isinstance(value, Constant) else field_name(value, item)


def _example(element: ArgumentType, cells: Combination) -> Value:
    if element.record is None:
        return cells[""].value if "" in cells else None
    return RecordValue(element.record.name, tuple((name, cell.value) for name, cell in cells.items()))
