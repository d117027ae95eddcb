"""The families of strings of a program, and a code for every string that matters in each.

Strings that are compared with each other, or passed to the same parameter, belong to one family. In a family
every constant has a code of its own. Every other kind of string (see ``regions``) has as many codes as the
program can distinguish strings of that kind: one per scalar that is compared, and for compared sets, by the
theorem of Ehrenfeucht and Fraisse, quantifier depth many for each way of belonging to the sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from collections.abc import Collection as Names
from dataclasses import dataclass, field

from workbench.engines.nagini.lowering.string_regions import Atoms, LoweringLimit, representatives
from workbench.model import Kind, Scalar
from workbench.policy.terms import (
    Choice,
    Collection,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Length,
    Lookup,
    Member,
    Parameter,
    PolicyTerms,
    Quantified,
    SetVariable,
    StringTest,
    StringTestKind,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import children

MOST_COPIES = 64
type Slot = tuple[str, str]
"""A place of strings: ("", argument), or (table, "[]")."""
type Scope = dict[str, Slot]
LOOSE: Slot = ("", "")


@dataclass(slots=True)
class StringFamily:
    """One family of strings and its codes; codes count from 1."""

    constants: set[str] = field(default_factory=set[str])
    groups: list[frozenset[str]] = field(default_factory=list[frozenset[str]])
    prefixes: set[str] = field(default_factory=set[str])
    suffixes: set[str] = field(default_factory=set[str])
    infixes: set[str] = field(default_factory=set[str])
    lengths: set[int] = field(default_factory=set[int])
    scalars: list[str] = field(default_factory=list[str])
    sets: list[str] = field(default_factory=list[str])
    related: bool = False
    depth: int = 1
    open: bool = False
    words: tuple[str, ...] = ()
    codes: dict[str, int] = field(default_factory=dict[str, int])
    regions: dict[tuple[bool, ...], list[int]] = field(default_factory=dict[tuple[bool, ...], list[int]])
    atoms: Atoms = field(default_factory=Atoms)

    @property
    def alike(self) -> bool:
        """Whether the program tests a string only for equality with others and membership in sets."""
        return self.open and not self.constants and self.atoms.only_equality

    def absorb(self, other: StringFamily) -> None:
        """Add everything of another family."""
        self.constants |= other.constants
        self.groups += other.groups
        self.prefixes |= other.prefixes
        self.suffixes |= other.suffixes
        self.infixes |= other.infixes
        self.lengths |= other.lengths
        self.scalars += other.scalars
        self.sets += other.sets
        self.related = self.related or other.related
        self.depth = max(self.depth, other.depth)
        self.open = self.open or other.open

    def copies(self, methods: Iterable[Names[str]]) -> int:
        """The number of strings of one kind that the program can distinguish.

        All methods are counted together, so that one encoding of arguments serves all of them. If that is
        too many, it is the largest number of one method, because no method uses the arguments of another.

        Raises:
            LoweringLimit: one method can distinguish too many.
        """
        if not self.related:
            return 1
        together = self._copies(self.scalars, self.sets)
        if together <= MOST_COPIES:
            return together
        alone = [
            self._copies(
                [scalar for scalar in self.scalars if scalar in names],
                [set_slot for set_slot in self.sets if set_slot in names],
            )
            for names in methods
        ]
        if not alone or max(alone) > MOST_COPIES:
            raise LoweringLimit(
                f"The policy compares {len(self.sets)} sets and {len(self.scalars)} strings with each other, "
                "which is too many for a proof; compare fewer of them."
            )
        return max(alone)

    def _copies(self, scalars: Sized, sets: Sized) -> int:
        return max(1, len(scalars) + (self.depth * (2 ** len(sets) - 1) if sets else 0))

    def assign(self, methods: Iterable[Names[str]]) -> None:
        """Give codes to the constants and to the representatives of all other strings."""
        self.atoms = Atoms(
            frozenset(self.constants),
            frozenset(self.prefixes),
            frozenset(self.suffixes),
            frozenset(self.infixes),
            frozenset(self.lengths),
        )
        copies = self.copies(methods)
        groups = list(dict.fromkeys(self.groups))

        def place(word: str) -> tuple[object, ...]:
            return tuple(word not in group for group in groups), self.atoms.signature(word), word

        words = sorted(self.constants, key=place)
        words_by_signature = representatives(self.atoms, copies) if self.open else {}
        for signature, strings in sorted(words_by_signature.items()):
            self.regions[signature] = list(range(len(words) + 1, len(words) + 1 + len(strings)))
            words.extend(strings)
        self.words = tuple(words)
        self.codes = {word: code for code, word in enumerate(words, 1)}

    def where(self, test: Callable[[str], bool]) -> tuple[int, ...]:
        """The codes of the strings that pass a test of the family."""
        return tuple(code for code, word in enumerate(self.words, 1) if test(word))


class StringFamilies:
    """The families of one program."""

    def __init__(self, terms: PolicyTerms, arguments: tuple[Parameter, ...]) -> None:
        """Collect nothing yet; every string argument starts as a family of its own."""
        self.terms = terms
        self._leader: dict[Slot, Slot] = {}
        self._family: dict[Slot, StringFamily] = {}
        for argument in arguments:
            self._declare(argument)

    def _declare(self, argument: Parameter) -> None:
        if argument.type.kind not in {Kind.STR, Kind.ENUM, Kind.SET}:
            return
        family = self._at(("", argument.name))
        if argument.type.kind is Kind.ENUM:
            family.constants.update(argument.type.values)
            return
        family.open = True
        (family.sets if argument.type.kind is Kind.SET else family.scalars).append(argument.name)

    def _find(self, slot: Slot) -> Slot:
        leader = self._leader.setdefault(slot, slot)
        while self._leader[leader] != leader:
            leader = self._leader[leader]
        self._leader[slot] = leader
        return leader

    def _at(self, slot: Slot) -> StringFamily:
        return self._family.setdefault(self._find(slot), StringFamily())

    def _join(self, slots: Iterable[Slot]) -> StringFamily:
        leaders = list(dict.fromkeys(self._find(slot) for slot in slots)) or [self._find(LOOSE)]
        family = self._at(leaders[0])
        for other_leader in leaders[1:]:
            family.absorb(self._at(other_leader))
            del self._family[other_leader]
            self._leader[other_leader] = leaders[0]
        return family

    def family(self, slot: Slot) -> StringFamily:
        """The family of a slot."""
        return self._at(slot)

    def of(self, term: Term, scope: Scope) -> StringFamily:
        """The family of a term of strings."""
        slots, _ = self._sources(term, scope)
        return self._at(slots[0] if slots else LOOSE)

    def families(self) -> tuple[StringFamily, ...]:
        """All families that hold a code."""
        return tuple(self._family.values())

    def assign(self, methods: Sequence[Names[str]]) -> None:
        """Fix all codes; call after everything was collected. ``methods`` has the arguments of each one."""
        for family in self._family.values():
            family.assign(methods)

    def _sources(self, term: Term, scope: Scope) -> tuple[list[Slot], set[str]]:
        """The slots and the constants that the value of a string term may come from."""
        match term:
            case Constant(value):
                return [], {value} if isinstance(value, str) else set()
            case Variable(name):
                return [scope[name]], set()
            case Choice(_, then, otherwise):
                then_sources, otherwise_sources = self._sources(then, scope), self._sources(otherwise, scope)
                return then_sources[0] + otherwise_sources[0], then_sources[1] | otherwise_sources[1]
            case Lookup(table, _, default):
                values = {
                    entry for entry in self.terms.tables[table].entries.values() if isinstance(entry, str)
                }
                if default is not None and isinstance(default.value, str):
                    values.add(default.value)
                return [(table, "[]")], values
            case _:
                return [], set()

    def unite(self, terms: Iterable[Term], scope: Scope, slots: Iterable[Slot] = ()) -> StringFamily:
        """The one family of all the terms, with their constants."""
        together = list(slots)
        constants: set[str] = set()
        for term in terms:
            own_slots, words = self._sources(term, scope)
            together += own_slots
            constants |= words
        family = self._join(together)
        family.constants |= constants
        return family

    def collect(self, term: Term, scope: Scope) -> int:
        """Collect a term; returns the depth of its quantifiers over sets."""
        if isinstance(term, Quantified) and isinstance(term.collection, SetVariable):
            slot = scope[term.collection.name]
            depth = 1 + self.collect(term.body, {**scope, term.variable.name: slot})
            family = self._at(slot)
            family.depth = max(family.depth, depth)
            return depth
        depth = max((self.collect(child, scope) for child in children(term)), default=0)
        match term:
            case Compare(operator, left, right) if is_text(self.terms, left) or is_text(self.terms, right):
                self._compare(left, right, scope)
            case Compare(operator, left, right) if isinstance(left, Length) or isinstance(right, Length):
                self._length(operator, left, right, scope)
            case Member(item, collection):
                self._member(item, collection, scope)
            case StringTest(kind, text, constant):
                family = self.unite([text], scope)
                tests = {
                    StringTestKind.PREFIX: family.prefixes,
                    StringTestKind.SUFFIX: family.suffixes,
                    StringTestKind.CONTAINS: family.infixes,
                }
                if constant:
                    tests[kind].add(constant)
            case Lookup(table, key, _):
                self._keys(table, key, scope)
                self.unite([term], scope)
            case _:
                pass
        return depth

    def _compare(self, left: Term, right: Term, scope: Scope) -> None:
        family = self.unite([left, right], scope)
        left_slots, right_slots = self._sources(left, scope)[0], self._sources(right, scope)[0]
        if left_slots and right_slots:
            family.related = True

    def _length(self, operator: Comparison, left: Term, right: Term, scope: Scope) -> None:
        test = length_test(operator, left, right)
        if test is not None:
            text, ordered, threshold = test
            lengths = self.unite([text], scope).lengths
            if ordered not in {Comparison.LE, Comparison.GT}:
                lengths.add(threshold)
            if ordered not in {Comparison.LT, Comparison.GE}:
                lengths.add(threshold + 1)

    def _keys(self, table: str, key: Term, scope: Scope) -> None:
        keys = frozenset(entry for entry in self.terms.tables[table].entries if isinstance(entry, str))
        if keys:
            family = self.unite([key], scope)
            family.constants |= keys
            family.groups.extend(frozenset({entry}) for entry in sorted(keys))

    def _member(self, item: Term, collection: Collection, scope: Scope) -> None:
        if isinstance(collection, SetVariable):
            family = self.unite([item], scope, [scope[collection.name]])
            family.related = family.related or bool(self._sources(item, scope)[0])
            return
        groups: list[Iterable[Scalar]] = [collection.values] if isinstance(collection, ConstantSet) else []
        if isinstance(collection, TableEntry):
            self._keys(collection.table, collection.key, scope)
            entries = self.terms.tables[collection.table].entries.values()
            groups += [entry for entry in entries if isinstance(entry, frozenset)]
        if is_text(self.terms, item):
            family = self.unite([item], scope)
            for group in groups:
                words = frozenset(word for word in group if isinstance(word, str))
                family.constants |= words
                family.groups.append(words)


def is_text(terms: PolicyTerms, term: Term) -> bool:
    """Whether a term is a string or an enum member."""
    match term:
        case Constant(value):
            return isinstance(value, str)
        case Variable(_, kind):
            return kind.kind in {Kind.STR, Kind.ENUM}
        case Choice(_, then, otherwise):
            return is_text(terms, then) or is_text(terms, otherwise)
        case Lookup(table):
            return any(isinstance(entry, str) for entry in terms.tables[table].entries.values())
        case _:
            return False


def length_test(operator: Comparison, left: Term, right: Term) -> tuple[Term, Comparison, int] | None:
    """``len(text) <operator> constant`` from a comparison in either order, else None."""
    if isinstance(right, Length):
        left, right, operator = right, left, operator.turned
    if isinstance(left, Length) and isinstance(right, Constant) and type(right.value) is int:
        return left.text, operator, right.value
    return None
