"""A ground term with known values of some arguments: the rest is a term about the others."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import cast

from workbench.engines.smt.ground_parts import mentioned
from workbench.model import Arguments, Kind, RecordValue, Scalar, Value
from workbench.policy.connectives import FALSE, conjunction, disjunction, is_false, is_true, negate
from workbench.policy.evaluate import evaluate, in_utc
from workbench.policy.flat.traverse import free_names
from workbench.policy.operations import Known
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Constant,
    ConstantSet,
    Count,
    Elements,
    IsMissing,
    Length,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    SetVariable,
    StringTest,
    Sum,
    Term,
    Variable,
)
from workbench.policy.undetermined import Undetermined
from workbench.policy.walk import children, subterms, with_children

_MOST_COUNTED = 50


def fixed(policy: PolicyTerms, term: Term, values: Arguments) -> Term:
    """A ground boolean term with these arguments replaced by their values, and simplified.

    An argument that is None is kept where its value is used, with the condition that it is None.
    """
    folded = _Fixing(policy, values).of(term, {})
    left = mentioned(folded)
    variables = {part.name: part for part in subterms(folded) if isinstance(part, Variable)}
    absent = [part for name, part in variables.items() if name in left and name in values]
    return conjunction((*(IsMissing(part) for part in absent), folded))


class _Fixing:
    """Replaces arguments and, below a quantifier over a known set, the bound variable."""

    def __init__(self, policy: PolicyTerms, values: Arguments) -> None:
        self._policy = policy
        self._values = values
        self._known: dict[int, Term] = {}

    def of(self, term: Term, bound: Mapping[str, Value]) -> Term:
        if bound:
            return self._fresh(term, bound)
        known_term = self._known.get(id(term))
        if known_term is None:
            known_term = self._known[id(term)] = self._fresh(term, bound)
        return known_term

    def _fresh(self, term: Term, bound: Mapping[str, Value]) -> Term:  # noqa: C901, PLR0912 # one case for each kind
        match term:
            case Variable(name):
                value = bound[name] if name in bound else self._values.get(name)
                if value is None or isinstance(value, frozenset | tuple | RecordValue):
                    return term
                return Constant(_plain(value))
            case Count() | Sum():
                return self._counted(term, bound)
            case Attribute() | IsMissing(Attribute()) | CompareFields():
                return self._folded(term, bound)
            case IsMissing(Variable(name)):
                return Constant(self._values[name] is None) if name in self._values else term
            case Not(operand):
                return negate(self.of(operand, bound))
            case And(operands):
                return conjunction(self.of(operand, bound) for operand in operands)
            case Or(operands):
                return disjunction(self.of(operand, bound) for operand in operands)
            case Choice(condition, then, otherwise):
                chosen = self.of(condition, bound)
                if isinstance(chosen, Constant):
                    return self.of(then if is_true(chosen) else otherwise, bound)
                return Choice(chosen, self.of(then, bound), self.of(otherwise, bound))
            case Member(item, collection):
                return self._member(self.of(item, bound), collection, bound)
            case Quantified():
                return self._quantified(term, bound)
            case Compare() | StringTest() | Length() | Arithmetic():
                parts = tuple(self.of(part, bound) for part in children(term))
                whole = with_children(term, parts)
                return self._folded(whole, {}) if all(isinstance(part, Constant) for part in parts) else whole
            case _:
                return term

    def _folded(self, term: Term, bound: Mapping[str, Value]) -> Term:
        """A term as a constant, if all its values are known; else unchanged."""
        known_values = {**self._values, **bound}
        if not free_names(term) <= known_values.keys():
            return term
        try:
            value = evaluate(self._policy, term, known_values)
        except (TypeError, KeyError, AttributeError):
            return term
        is_scalar = not isinstance(value, frozenset | tuple | RecordValue | Undetermined)
        return Constant(value) if is_scalar else term

    def _counted(self, term: Count | Sum, bound: Mapping[str, Value]) -> Term:
        """A count or sum over a known list, whose conditions may contain unknown values."""
        folded = self._folded(term, bound)
        known_elements = self._elements(term.collection, bound)
        if isinstance(folded, Constant) or known_elements is None or len(known_elements) > _MOST_COUNTED:
            return folded
        is_decimal = isinstance(term, Sum) and term.type.kind is Kind.DECIMAL
        nothing: Term = Constant(Decimal(0) if is_decimal else 0)
        total: Term | None = None
        for element in known_elements:
            inner = {**bound, term.variable.name: element}
            condition = self.of(term.condition, inner)
            if is_false(condition):
                continue
            value = self.of(term.value, inner) if isinstance(term, Sum) else Constant(1)
            part = value if is_true(condition) else Choice(condition, value, nothing)
            total = part if total is None else Arithmetic("+", total, part)
        return nothing if total is None else total

    def _elements(self, collection: Collection, bound: Mapping[str, Value]) -> tuple[Value, ...] | None:
        """The elements of a collection; None if they are not known."""
        known_value: Known = None
        if isinstance(collection, SetVariable):
            known_value = self._values.get(collection.name)
        elif isinstance(collection, Elements):
            try:
                known_value = evaluate(self._policy, collection.term, {**self._values, **bound})
            except (TypeError, KeyError, AttributeError):
                return None
        if isinstance(known_value, frozenset):
            return tuple(sorted(known_value))
        return known_value if isinstance(known_value, tuple) else None

    def _member(self, item: Term, collection: Collection, bound: Mapping[str, Value]) -> Term:
        known_elements = self._elements(collection, bound)
        if known_elements is not None:
            collection = ConstantSet(tuple(cast("Scalar", element) for element in known_elements))
        if isinstance(collection, ConstantSet):
            if not collection.values:
                return FALSE
            if isinstance(item, Constant):
                return Constant(item.value in collection.values)
        return Member(item, collection)

    def _quantified(self, term: Quantified, bound: Mapping[str, Value]) -> Term:
        known_elements = self._elements(term.collection, bound)
        if known_elements is None:
            return Quantified(term.quantifier, term.variable, term.collection, self.of(term.body, bound))
        parts = (self.of(term.body, {**bound, term.variable.name: element}) for element in known_elements)
        return disjunction(parts) if term.quantifier is Quantifier.ANY else conjunction(parts)


def _plain(value: Scalar) -> Scalar:
    return in_utc(value) if isinstance(value, datetime) else value
