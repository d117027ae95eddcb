"""Partial evaluation of terms: parts that a clause's condition already decides are not proved again.

Under the condition of a clause many parts of a policy are constant: a table entry for the one role that the
clause is about, a rule for another action. Simplifying them away is an equivalence, so a proof and a
refutation of the simplified goal are those of the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from workbench.engines.nagini.lowering.numbers import exact, ordinal, same
from workbench.engines.nagini.lowering.string_regions import LoweringLimit
from workbench.model import Scalar
from workbench.policy.connectives import FALSE, TRUE, conjunction, disjunction, is_false, is_true, negate
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    ImpliesTerm,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    TableEntry,
    Term,
    Variable,
)

MAX_EXPANSION = 20_000


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """Knowledge about arguments: their possible values, and which are present or missing."""

    values: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict[str, tuple[Scalar, ...]])
    missing: Mapping[str, bool] = field(default_factory=dict[str, bool])

    def without(self, name: str) -> KnownFacts:
        """The facts in a scope where ``name`` is bound to another value."""
        if name not in self.values and name not in self.missing:
            return self
        return KnownFacts(
            {key: value for key, value in self.values.items() if key != name},
            {key: value for key, value in self.missing.items() if key != name},
        )


class Simplifier:
    """Simplifies the terms of one policy under facts."""

    def __init__(self, terms: PolicyTerms) -> None:
        self.terms = terms
        self._left = MAX_EXPANSION

    def simplify(  # noqa: C901 # one case for each kind of term
        self, term: Term, facts: KnownFacts
    ) -> Term:
        """A term that is equivalent wherever the facts are true.

        Quantifiers over constant sets and table entries are expanded.

        Raises:
            LoweringLimit: the expansion makes the policy too large.
        """
        again = self.simplify
        match term:
            case Constant() | ResultTerm() | Variable() | IsMissing():
                return _known(term, facts)
            case Attribute() | CompareFields():
                return term
            case Count(variable, _, condition):
                return replace(term, condition=again(condition, facts.without(variable.name)))
            case Sum(variable, _, value, condition):
                inner = facts.without(variable.name)
                return replace(term, value=again(value, inner), condition=again(condition, inner))
            case Not(operand):
                return negate(again(operand, facts))
            case And(operands):
                return conjunction(again(operand, facts) for operand in operands)
            case Or(operands):
                return disjunction(again(operand, facts) for operand in operands)
            case ImpliesTerm(condition, consequence):
                return _implication(again(condition, facts), again(consequence, facts))
            case Compare():
                return self._compare(term, facts)
            case Member():
                return self._member(again(term.item, facts), self._collection(term.collection, facts), facts)
            case Quantified():
                return self._quantified(term, facts)
            case _:
                return self._operation(term, facts)

    def _operation(self, term: StringTest | Length | Arithmetic | Choice | Lookup, facts: KnownFacts) -> Term:
        again = self.simplify
        match term:
            case StringTest(kind, text, constant):
                inner = again(text, facts)
                if isinstance(inner, Constant) and isinstance(inner.value, str):
                    return Constant(string_test(kind, constant)(inner.value))
                return StringTest(kind, inner, constant)
            case Length(text):
                inner = again(text, facts)
                if isinstance(inner, Constant) and isinstance(inner.value, str):
                    return Constant(len(inner.value))
                return Length(inner)
            case Arithmetic(operator, left, right):
                return _arithmetic(operator, again(left, facts), again(right, facts))
            case Choice(condition, then, otherwise):
                return _choice(again(condition, facts), again(then, facts), again(otherwise, facts))
            case Lookup(table, key, default):
                return self._lookup(table, again(key, facts), default)

    def _compare(self, term: Compare, facts: KnownFacts) -> Term:
        left, right = self.simplify(term.left, facts), self.simplify(term.right, facts)
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(_compare_constants(term.operator, left.value, right.value))
        if term.operator in {Comparison.EQ, Comparison.NE}:
            equal = _equality(left, right, facts)
            if equal is not None:
                return equal if term.operator is Comparison.EQ else negate(equal)
        return Compare(term.operator, left, right)

    def _collection(self, collection: Collection, facts: KnownFacts) -> Collection:
        if not isinstance(collection, TableEntry):
            return collection
        key = self.simplify(collection.key, facts)
        if isinstance(key, Constant):
            return ConstantSet(tuple(sorted(self.entry(collection.table, key.value), key=_order)))
        return TableEntry(collection.table, key)

    def entry(self, table: str, key: Scalar | None) -> frozenset[Scalar]:
        """The set that a table of sets has for a key; empty if it has none."""
        for entry_key, value in self.terms.tables[table].entries.items():
            if same(entry_key, key) and isinstance(value, frozenset):
                return value
        return frozenset()

    def _member(self, item: Term, collection: Collection, facts: KnownFacts) -> Term:
        if isinstance(collection, ConstantSet):
            possible: tuple[Scalar | None, ...] = ()
            if isinstance(item, Constant):
                possible = (item.value,)
            elif isinstance(item, Variable):
                possible = facts.values.get(item.name, ())
            answers = {any(same(value, member) for member in collection.values) for value in possible}
            if len(answers) == 1:
                return Constant(answers.pop())
            if not collection.values:
                return FALSE
        return Member(item, collection)

    def _quantified(self, term: Quantified, facts: KnownFacts) -> Term:
        collection = self._collection(term.collection, facts)
        join = disjunction if term.quantifier is Quantifier.ANY else conjunction
        name = term.variable.name
        if isinstance(collection, SetVariable | Elements):
            body = self.simplify(term.body, facts.without(name))
            empty = FALSE if term.quantifier is Quantifier.ANY else TRUE
            return (
                empty
                if isinstance(body, Constant) and body.value is empty.value
                else Quantified(term.quantifier, term.variable, collection, body)
            )
        if isinstance(collection, ConstantSet):
            return join(self._instances(term, collection.values, facts))
        parts: list[Term] = []
        for key in self.terms.tables[collection.table].entries:
            chosen = self._compare(Compare(Comparison.EQ, collection.key, Constant(key)), facts)
            values = sorted(self.entry(collection.table, key), key=_order)
            inner = join(self._instances(term, values, facts)) if not is_false(chosen) else FALSE
            if term.quantifier is Quantifier.ANY:
                parts.append(conjunction((chosen, inner)))
            else:
                parts.append(disjunction((negate(chosen), inner)))
        return join(parts)

    def _instances(self, term: Quantified, values: Iterable[Scalar], facts: KnownFacts) -> Iterable[Term]:
        name = term.variable.name
        for value in values:
            self._left -= 1
            if self._left < 0:
                raise LoweringLimit(
                    "The quantifiers over constant sets are too large to be written out for the proof; "
                    "use smaller sets or a set argument."
                )
            inner = KnownFacts({**facts.without(name).values, name: (value,)}, facts.without(name).missing)
            yield self.simplify(term.body, inner)

    def _lookup(self, table: str, key: Term, default: Constant | None) -> Term:
        if not isinstance(key, Constant):
            return Lookup(table, key, default)
        for entry_key, value in self.terms.tables[table].entries.items():
            if same(entry_key, key.value) and not isinstance(value, frozenset):
                return Constant(value)
        return default if default is not None else Lookup(table, key, default)


def string_test(kind: StringTestKind, constant: str) -> Callable[[str], bool]:
    """The test as a Python function of the text."""
    match kind:
        case StringTestKind.PREFIX:
            return lambda text: text.startswith(constant)
        case StringTestKind.SUFFIX:
            return lambda text: text.endswith(constant)
        case StringTestKind.CONTAINS:
            return lambda text: constant in text


def _known(term: Constant | ResultTerm | Variable | IsMissing, facts: KnownFacts) -> Term:
    if isinstance(term, Variable):
        values = facts.values.get(term.name, ())
        return Constant(values[0]) if len(values) == 1 else term
    if isinstance(term, IsMissing) and isinstance(term.variable, Variable):
        is_missing = facts.missing.get(term.variable.name)
        return term if is_missing is None else Constant(is_missing)
    return term


def _order(value: Scalar) -> tuple[str, str]:
    return type(value).__name__, str(value)


def optional(term: Term) -> bool:
    """Whether a term may be missing."""
    match term:
        case Constant(value):
            return value is None
        case Variable(_, kind) | Attribute(_, _, kind):
            return kind.optional
        case Choice(_, then, otherwise):
            return optional(then) or optional(otherwise)
        case _:
            return False


def _equality(left: Term, right: Term, facts: KnownFacts) -> Term | None:
    """Equality decided or reduced by the known facts, or None."""
    if isinstance(left, Constant):
        left, right = right, left
    if not isinstance(right, Constant):
        return TRUE if left == right else None
    if right.value is None and isinstance(left, Variable) and not left.type.optional:
        return FALSE
    if isinstance(right.value, bool):
        return None if optional(left) else left if right.value else negate(left)
    if isinstance(left, Variable):
        possible = facts.values.get(left.name, ())
        if possible and not any(same(value, right.value) for value in possible):
            return FALSE
    return None


def _compare_constants(operator: Comparison, left: Scalar | None, right: Scalar | None) -> bool:
    if operator is Comparison.EQ:
        return same(left, right)
    if operator is Comparison.NE:
        return not same(left, right)
    if left is None or right is None:
        return False
    low, high = ordinal(left), ordinal(right)
    if isinstance(low, str) or isinstance(high, str):
        return False
    match operator:
        case Comparison.LT:
            return low < high
        case Comparison.LE:
            return low <= high
        case Comparison.GT:
            return low > high
        case Comparison.GE:
            return low >= high


def _implication(condition: Term, consequence: Term) -> Term:
    if is_false(condition) or is_true(consequence):
        return TRUE
    return consequence if is_true(condition) else ImpliesTerm(condition, consequence)


def _arithmetic(operator: str, left: Term, right: Term) -> Term:
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return Arithmetic(operator, left, right)
    left_value, right_value = left.value, right.value
    if isinstance(left_value, int) and isinstance(right_value, int):
        match operator:
            case "//":
                return Constant(left_value // right_value)
            case "%":
                return Constant(left_value % right_value)
            case _:
                pass
    if isinstance(left_value, (int, Decimal)) and isinstance(right_value, (int, Decimal)):
        result = exact(operator, left_value, right_value)
        if result is not None:
            return Constant(result)
    return Arithmetic(operator, left, right)


def _choice(condition: Term, then: Term, otherwise: Term) -> Term:
    if is_true(condition):
        return then
    if is_false(condition) or then == otherwise:
        return otherwise
    if is_true(then):
        return disjunction((condition, otherwise))
    if is_false(then):
        return conjunction((negate(condition), otherwise))
    if is_true(otherwise):
        return disjunction((negate(condition), then))
    if is_false(otherwise):
        return conjunction((condition, then))
    return Choice(condition, then, otherwise)
