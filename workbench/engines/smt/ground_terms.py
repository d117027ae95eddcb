"""Ground terms: the closed core of the dialect that the SMT encoding reads.

Grounding opens records, resolves tables, expands quantifiers over constants and renames
bound variables apart. The result has constants, arguments (including fields of records), bound variables of
quantifiers, counts and sums over *arguments* and over fields of elements, and the connectives; no ``Call``,
``Lookup``, ``TableEntry``, ``ImpliesTerm`` or named set. Boolean structure is simplified on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from threading import local
from typing import assert_never, cast

from workbench.model import Kind, Scalar
from workbench.policy.connectives import FALSE, TRUE, conjunction, disjunction, is_false, is_true, negate
from workbench.policy.flat.opening import open_policy
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Clause,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    FieldSet,
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
    Table,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import subterms


def is_boolean(term: Term) -> bool:
    """Whether a ground term is a truth value."""
    match term:
        case Constant(value):
            return isinstance(value, bool)
        case Variable(_, type) | Attribute(_, _, type):
            return type.kind is Kind.BOOL
        case Choice(_, then, otherwise):
            return is_boolean(then) and is_boolean(otherwise)
        case Length() | Arithmetic() | Lookup() | Count() | Sum():
            return False
        case _:
            return True


def may_be_missing(term: Term) -> bool:
    """Whether the value of a ground term can be None."""
    match term:
        case Variable(_, type) | Attribute(_, _, type):
            return type.optional
        case Constant(value):
            return value is None
        case Choice(_, then, otherwise):
            return may_be_missing(then) or may_be_missing(otherwise)
        case _:
            return False


def same_scalar(left: Scalar | None, right: Scalar | None) -> bool:
    """Equality of constants, in which True never equals 1."""
    return isinstance(left, bool) == isinstance(right, bool) and left == right


_MOST_KEPT = 20_000
_grounders = local()
"""The grounder that a thread used last: an edit of a rule leaves most terms unchanged."""


def grounder_of(terms: PolicyTerms) -> Grounder:
    """The grounder of a policy's terms; each thread keeps its last one for versions of the policy."""
    grounder: Grounder | None = getattr(_grounders, "grounder", None)
    if grounder is None or not grounder.serves(terms):
        grounder = _grounders.grounder = Grounder(terms)
    return grounder


def forget_grounder() -> None:
    """Drop the grounder that this thread keeps (for measurements)."""
    _grounders.grounder = None


class Grounder:
    """Turns the terms of one policy into ground terms."""

    def __init__(self, terms: PolicyTerms) -> None:
        """Keep the tables that the terms may name."""
        self.opened = open_policy(terms)
        self._terms = self.opened.terms
        self._variables: dict[str, Term] = {p.name: Variable(p.name, p.type) for p in self._terms.arguments}
        # Keyed by the identity of a term, which is kept so that its identity is not reused.
        self._grounded: dict[tuple[int, Term | None], tuple[Term, Term]] = {}
        self._rules: dict[int, tuple[Term, Term]] = {}
        self._branches: dict[int, tuple[Term, tuple[Term, Term]]] = {}
        self._remembered: dict[tuple[str, *tuple[int, ...]], tuple[tuple[Term, ...], object]] = {}

    def serves(self, terms: PolicyTerms) -> bool:
        """Whether it can ground the terms of this policy too, which may differ only in rules and clauses."""
        own_terms = self.opened.original
        return (
            len(self._grounded) + len(self._rules) + len(self._branches) + len(self._remembered) < _MOST_KEPT
            and own_terms.arguments == terms.arguments
            and own_terms.assumed == terms.assumed
            and own_terms.tables == terms.tables
        )

    def remembered[Answer](self, kind: str, terms: tuple[Term, ...], make: Callable[[], Answer]) -> Answer:
        """A stored result that depends only on terms, arguments, preconditions and tables.

        Terms are compared by identity: an edit of one rule leaves the terms of all others unchanged.
        """
        key = (kind, *map(id, terms))
        if key not in self._remembered:
            self._remembered[key] = terms, make()  # the terms are kept so that no identity is reused
        return cast("Answer", self._remembered[key][1])

    def ground(self, term: Term, result: Term | None = None) -> Term:
        """Return ``term`` over the policy's arguments, with ``Result()`` replaced by ``result``."""
        key = id(term), result
        known_term = self._grounded.get(key)
        if known_term is None:
            known_term = self._grounded[key] = (term, self._joined(term, result))
        return known_term[1]

    def rule(self, body: Term) -> Term:
        """Return the body of a rule over the policy's arguments; it never speaks of the decision.

        Conditions that are joined from bodies share what this returns, as most of a policy's questions are.
        """
        known_body = self._rules.get(id(body))
        if known_body is None:
            known_body = self._rules[id(body)] = (body, self._ground(self.opened.term(body), None))
        return known_body[1]

    def branches(self, term: Term) -> tuple[Term, Term]:
        """Return ``term`` with the decision to allow, and with the decision to deny."""
        known_branches = self._branches.get(id(term))
        if known_branches is None:
            allowing = self._joined(term, TRUE)
            denying = self._joined(term, FALSE) if self._asks(term) else allowing
            known_branches = self._branches[id(term)] = (term, (allowing, denying))
        return known_branches[1]

    def _joined(self, term: Term, result: Term | None) -> Term:
        """Ground a term by the parts that connectives join, those that are bodies of rules only once."""
        known_body = self._rules.get(id(term))
        if known_body is not None:
            return known_body[1]
        match term:
            case Not(operand):
                return negate(self._joined(operand, result))
            case And(operands):
                return conjunction([self._joined(operand, result) for operand in operands])
            case Or(operands):
                return disjunction([self._joined(operand, result) for operand in operands])
            case _:
                return self._ground(self.opened.term(term), result)

    def _asks(self, term: Term) -> bool:
        """Whether a term speaks of the decision."""
        if id(term) in self._rules:
            return False
        match term:
            case Not(operand):
                return self._asks(operand)
            case And(operands) | Or(operands):
                return any(map(self._asks, operands))
            case _:
                return any(isinstance(part, ResultTerm) for part in subterms(term))

    def _ground(self, opened: Term, result: Term | None) -> Term:
        scope = dict(self._variables)
        if result is not None:
            scope["Result()"] = result
        return self._term(opened, scope, 0)

    def clause(self, clause: Clause, result: bool) -> Term:
        """Return the clause as a condition on the arguments if the decision is ``result``."""
        return self.ground(clause.term, Constant(result))

    def precondition(self) -> Term:
        """Return the conjunction of all preconditions and axioms."""
        return conjunction(self.ground(clause.term) for clause in self.opened.original.assumed)

    def _term(  # noqa: C901, PLR0912 # one case for each kind of term
        self, term: Term, scope: Mapping[str, Term], depth: int
    ) -> Term:
        match term:
            case Constant() | ResultTerm() | Variable() | IsMissing() | Attribute():
                return _leaf(term, scope)
            case Count():
                return self._count(term, scope, depth)
            case Sum():
                return self._sum(term, scope, depth)
            case CompareFields(operator, left, right):
                return CompareFields(operator, _side(left, scope), _side(right, scope))
            case Not(operand):
                return negate(self._term(operand, scope, depth))
            case And(operands):
                return conjunction(self._lazily(operands, scope, depth, FALSE))
            case Or(operands):
                return disjunction(self._lazily(operands, scope, depth, TRUE))
            case ImpliesTerm():
                return self._implication(term, scope, depth)
            case Compare(operator, left, right):
                return _compare(operator, self._term(left, scope, depth), self._term(right, scope, depth))
            case Member(item, collection):
                return self._member(self._term(item, scope, depth), collection, scope, depth)
            case Quantified():
                return self._quantified(term, scope, depth)
            case StringTest(kind, text, constant):
                return _string_test(kind, self._term(text, scope, depth), constant)
            case Length(text):
                return _length(self._term(text, scope, depth))
            case Arithmetic(operator, left, right):
                return Arithmetic(operator, self._term(left, scope, depth), self._term(right, scope, depth))
            case Choice(condition, then, otherwise):
                return choose(
                    self._term(condition, scope, depth),
                    self._term(then, scope, depth),
                    self._term(otherwise, scope, depth),
                )
            case Lookup(table, key, default):
                return self._lookup(self._terms.tables[table], self._term(key, scope, depth), default)
            case _:
                assert_never(term)

    def _bound(
        self, variable: Variable, parts: tuple[Term, ...], scope: Mapping[str, Term], depth: int
    ) -> tuple[Variable, tuple[Term, ...]]:
        """Ground parts in which a variable is bound, under a new name of the variable.

        The depth makes names distinct from those of every enclosing quantifier.
        """
        bound = Variable(f"{variable.name}@{depth}", variable.type)
        inner = {**scope, variable.name: bound}
        return bound, tuple(self._term(part, inner, depth + 1) for part in parts)

    def _implication(self, term: ImpliesTerm, scope: Mapping[str, Term], depth: int) -> Term:
        left = negate(self._term(term.condition, scope, depth))
        return TRUE if is_true(left) else disjunction((left, self._term(term.consequence, scope, depth)))

    def _count(self, term: Count, scope: Mapping[str, Term], depth: int) -> Term:
        bound, (condition,) = self._bound(term.variable, (term.condition,), scope, depth)
        collection = Elements(_held(term.collection.term, scope))
        return Constant(0) if is_false(condition) else Count(bound, collection, condition)

    def _sum(self, term: Sum, scope: Mapping[str, Term], depth: int) -> Term:
        bound, (value, condition) = self._bound(term.variable, (term.value, term.condition), scope, depth)
        collection = Elements(_held(term.collection.term, scope))
        return Sum(bound, collection, value, condition, term.type)

    def _lazily(
        self, operands: tuple[Term, ...], scope: Mapping[str, Term], depth: int, decisive: Constant
    ) -> Iterator[Term]:
        for operand in operands:
            ground = self._term(operand, scope, depth)
            yield ground
            if ground == decisive:
                return

    def _entries(self, table: Table, key: Term) -> Iterator[tuple[Term, frozenset[Scalar] | Scalar]]:
        """Yield each entry with the condition under which ``key`` selects it."""
        for name, entry in table.entries.items():
            condition = _compare(Comparison.EQ, key, Constant(name))
            if not is_false(condition):
                yield condition, entry

    def _elements(
        self, collection: ConstantSet | TableEntry, scope: Mapping[str, Term], depth: int
    ) -> Iterator[tuple[Term, tuple[Scalar, ...]]]:
        """Yield the constants of a collection, with the condition under which they are its elements."""
        if isinstance(collection, ConstantSet):
            yield TRUE, collection.values
            return
        key = self._term(collection.key, scope, depth)
        for condition, entry in self._entries(self._terms.tables[collection.table], key):
            if isinstance(entry, frozenset):
                yield condition, tuple(sorted(entry, key=lambda value: (type(value).__name__, str(value))))

    def _member(self, item: Term, collection: Collection, scope: Mapping[str, Term], depth: int) -> Term:
        if isinstance(collection, SetVariable | Elements):
            return Member(item, _set(collection, scope))
        return disjunction(
            conjunction((condition, member_of(item, values)))
            for condition, values in self._elements(collection, scope, depth)
        )

    def _quantified(self, term: Quantified, scope: Mapping[str, Term], depth: int) -> Term:
        join = disjunction if term.quantifier is Quantifier.ANY else conjunction
        name = term.variable.name
        if isinstance(term.collection, SetVariable | Elements):
            bound, (body,) = self._bound(term.variable, (term.body,), scope, depth)
            neutral = FALSE if term.quantifier is Quantifier.ANY else TRUE
            if body == neutral:
                return neutral
            return Quantified(term.quantifier, bound, _set(term.collection, scope), body)
        parts: list[Term] = []
        for condition, values in self._elements(term.collection, scope, depth):
            bodies = join(self._term(term.body, {**scope, name: Constant(value)}, depth) for value in values)
            any_of = term.quantifier is Quantifier.ANY
            parts.append(
                conjunction((condition, bodies)) if any_of else disjunction((negate(condition), bodies))
            )
        return join(parts)

    def _lookup(self, table: Table, key: Term, default: Constant | None) -> Term:
        entries = list(self._entries(table, key))
        if default is None and entries:
            # The checker has proved that a key is always present, so the last entry needs no test.
            *entries, (_, last) = entries
            value: Term = Constant(None if isinstance(last, frozenset) else last)
        else:
            value = default or Constant(None)
        for condition, entry in reversed(entries):
            if not isinstance(entry, frozenset):
                value = choose(condition, Constant(entry), value)
        return value


def _held(term: Variable | Attribute, scope: Mapping[str, Term]) -> Variable | Attribute:
    """The term of a list, set or record, with the element of a list under its new name."""
    if isinstance(term, Attribute):
        return Attribute(_held(term.record, scope), term.name, term.type)
    actual = scope.get(term.name, term)
    return actual if isinstance(actual, Variable) else term


def _side(side: FieldSet, scope: Mapping[str, Term]) -> FieldSet:
    return FieldSet(Elements(_held(side.collection.term, scope)), side.fields)


def _leaf(term: Constant | ResultTerm | Variable | IsMissing | Attribute, scope: Mapping[str, Term]) -> Term:
    match term:
        case Attribute():
            return _held(term, scope)
        case IsMissing(Attribute() as field):
            return IsMissing(Attribute(_held(field.record, scope), field.name, field.type))
        case Constant():
            return term
        case ResultTerm():
            return scope.get("Result()", term)
        case Variable(name):
            return scope.get(name, term)
        case IsMissing(variable):
            actual = scope.get(variable.name, variable)
            if isinstance(actual, Constant):
                return Constant(actual.value is None)
            if isinstance(actual, Variable):
                return IsMissing(actual) if actual.type.optional else FALSE
            return Compare(Comparison.EQ, actual, Constant(None))


def _set(collection: SetVariable | Elements, scope: Mapping[str, Term]) -> SetVariable | Elements:
    if isinstance(collection, Elements):
        return Elements(_held(collection.term, scope))
    actual = scope.get(collection.name)
    return SetVariable(actual.name) if isinstance(actual, Variable) else collection


def choose(condition: Term, then: Term, otherwise: Term) -> Term:
    """Return ``then if condition else otherwise``, simplified if the condition is known."""
    if is_true(condition) or then == otherwise:
        return then
    if is_false(condition):
        return otherwise
    if is_boolean(then) and is_boolean(otherwise):
        if is_true(then):
            return disjunction((condition, otherwise))
        if is_false(then):
            return conjunction((negate(condition), otherwise))
        if is_false(otherwise):
            return conjunction((condition, then))
        if is_true(otherwise):
            return disjunction((negate(condition), then))
    return Choice(condition, then, otherwise)


def member_of(item: Term, values: tuple[Scalar, ...]) -> Term:
    """Return the term that tests whether a ground item is one of the constants."""
    if isinstance(item, Constant):
        return Constant(any(same_scalar(item.value, value) for value in values))
    if isinstance(item, Variable) and item.type.kind is Kind.ENUM:
        values = tuple(value for value in values if value in item.type.values)
    return Member(item, ConstantSet(tuple(dict.fromkeys(values)))) if values else FALSE


def _compare(operator: Comparison, left: Term, right: Term) -> Term:
    if operator is Comparison.NE:
        return negate(_compare(Comparison.EQ, left, right))
    if isinstance(left, Constant) and isinstance(right, Constant):
        if operator is Comparison.EQ and not hasattr(left.value, "tzinfo"):  # the encoding handles zones
            return Constant(same_scalar(left.value, right.value))
    elif operator is Comparison.EQ:
        if isinstance(left, Constant):
            left, right = right, left
        if isinstance(right, Constant) and isinstance(right.value, bool) and not may_be_missing(left):
            return left if right.value else negate(left)
        if left == right:
            return TRUE
        if isinstance(right, Constant) and isinstance(left, Variable) and left.type.kind is Kind.ENUM:
            absent = right.value is not None and right.value not in left.type.values
            if absent or (right.value is None and not left.type.optional):
                return FALSE
    return Compare(operator, left, right)


def _length(text: Term) -> Term:
    if isinstance(text, Constant) and isinstance(text.value, str):
        return Constant(len(text.value))
    return Length(text)


def _string_test(kind: StringTestKind, text: Term, constant: str) -> Term:
    if constant == "":
        return TRUE
    if isinstance(text, Constant) and isinstance(text.value, str):
        match kind:
            case StringTestKind.PREFIX:
                return Constant(text.value.startswith(constant))
            case StringTestKind.SUFFIX:
                return Constant(text.value.endswith(constant))
            case StringTestKind.CONTAINS:
                return Constant(constant in text.value)
    return StringTest(kind, text, constant)
