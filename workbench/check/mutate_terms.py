"""Mutants of single terms: each changes one node of a rule's condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from workbench.engines.smt.ground_parts import known_words
from workbench.model import Kind, Scalar
from workbench.policy.boundary_values import neighbours, other_members, with_one_more, without_one
from workbench.policy.connectives import is_true
from workbench.policy.guarded_values import is_guarded
from workbench.policy.render import render_term
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    HelperCall,
    IsMissing,
    Lookup,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import MOMENTS
from workbench.policy.walk import children, path_of, subterms, with_children

type TermChange = tuple[str, str, Term]
"""The operator, the change in words, and the changed term."""

_GUARDING = (And, Or, Not, Choice, IsMissing)
_TESTS = {
    StringTestKind.PREFIX: StringTestKind.CONTAINS,
    StringTestKind.SUFFIX: StringTestKind.CONTAINS,
    StringTestKind.CONTAINS: StringTestKind.PREFIX,
}


def mutate_term(term: Term, terms: PolicyTerms | None) -> Iterator[TermChange]:
    """Yield the term with one node changed; ``terms`` gives words to replace words with.

    A change after which a value that can be None is used without a test is no wrong version of a policy: the
    checker refuses it.
    """
    words = () if terms is None else known_words(terms)
    places = 2 if terms is None else terms.places
    guarded = frozenset(_uses_of_value(term))
    for change in _everywhere(term, words, places, guarded):
        if not guarded or terms is None or is_guarded(change[2], terms.helpers):
            yield change


def _uses_of_value(term: Term) -> Iterator[str]:
    """Yield optional arguments and fields with a use that a test for None has to guard."""
    match term:
        case Variable(name, type) if type.optional:
            yield name
        case Attribute(record, _, type):
            if type.optional:
                yield path_of(term)
            yield from _uses_of_value(record)
        case Compare(Comparison.EQ | Comparison.NE, left, right):
            for side in (left, right):
                if isinstance(side, Attribute):
                    yield from _uses_of_value(side.record)
                elif not isinstance(side, Variable):
                    yield from _uses_of_value(side)
        case _:
            for part in children(term):
                yield from _uses_of_value(part)


def _guards(term: Term, guarded: frozenset[str]) -> bool:
    """Whether a term has a test for None on which a guarded value depends: a change would be no policy."""
    tests = (part for part in subterms(term) if isinstance(part, IsMissing))
    return any(path_of(test.variable) in guarded for test in tests)


def _everywhere(
    term: Term, words: tuple[str, ...], places: int, guarded: frozenset[str]
) -> Iterator[TermChange]:
    guards = isinstance(term, _GUARDING) and _guards(term, guarded)
    for operator, new in _drops(term, guarded) if guards else _here(term, words, places):
        yield operator, f"{render_term(term)} became {render_term(new)}", new
    parts = children(term)
    for index, part in enumerate(parts):
        if is_true(part) and isinstance(term, Count | Sum):
            continue  # every element is counted: there is no condition
        for operator, description, new in _everywhere(part, words, places, guarded):
            yield operator, description, with_children(term, (*parts[:index], new, *parts[index + 1 :]))


def _here(  # noqa: C901, PLR0912 # one case for each kind of term
    term: Term, words: tuple[str, ...], places: int
) -> Iterator[tuple[str, Term]]:
    match term:
        case Constant(value):
            yield from _constant(value, words, places)
        case Not(operand):
            yield "negate a condition", operand
        case And(operands):
            yield "replace and by or", Or(operands)
            yield from _drops(term, frozenset())
        case Or(operands):
            yield "replace or by and", And(operands)
            yield from _drops(term, frozenset())
        case Compare(operator, left, right):
            yield "negate a condition", Not(term)
            if operator.other_bound is not operator:
                yield "move a boundary", replace(term, operator=operator.other_bound)
            yield from _other_member(left, right)
        case Member(_, collection):
            yield "negate a condition", Not(term)
            if isinstance(collection, ConstantSet) and collection.name is None:
                yield from _sets(term, collection, words)
        case Quantified(quantifier, _, collection, _):
            other_quantifier = Quantifier.ALL if quantifier is Quantifier.ANY else Quantifier.ANY
            yield f"replace {quantifier} by {other_quantifier}", replace(term, quantifier=other_quantifier)
            if isinstance(collection, ConstantSet) and collection.name is None:
                yield from _sets(term, collection, words)
        case Count(_, _, condition) | Sum(_, _, _, condition) if not is_true(condition):
            yield "drop a condition", replace(term, condition=Constant(True))
        case CompareFields():
            yield from _fields(term)
        case StringTest(kind):
            yield "negate a condition", Not(term)
            yield f"replace {kind} by {_TESTS[kind]}", replace(term, kind=_TESTS[kind])
        case Choice(condition, then, otherwise):
            yield "swap branches", Choice(condition, otherwise, then)
        case Arithmetic("-", left, right) if _is_moment(left) or _is_moment(right):
            yield "replace an operator", replace(term, left=right, right=left)
        case Arithmetic("+" | "-" as operator):
            yield "replace an operator", replace(term, operator="-" if operator == "+" else "+")
        case IsMissing():
            yield "negate a condition", Not(term)
        case Variable(_, type) | Attribute(_, _, type) | HelperCall(_, _, type) if (
            type.kind is Kind.BOOL and not type.optional
        ):
            yield "negate a condition", Not(term)
        case _:
            return


def _is_moment(term: Term) -> bool:
    """Whether a term is a date or a datetime, which can only be subtracted."""
    match term:
        case Variable(_, type) | Attribute(_, _, type) | HelperCall(_, _, type):
            return type.kind in MOMENTS
        case Constant(value):
            return isinstance(value, date)
        case Choice(_, then, _):
            return _is_moment(then)
        case Lookup():
            return True  # the operands are not known here, and a reversed difference is a mutant too
        case _:
            return False


def _fields(term: CompareFields) -> Iterator[tuple[str, Term]]:
    """Yield a comparison of field sets: negated, one way only or both, and without each of the fields."""
    yield "negate a condition", Not(term)
    if term.operator is Comparison.EQ:
        yield "replace == by <=", replace(term, operator=Comparison.LE)
        yield "replace == by >=", CompareFields(Comparison.LE, term.right, term.left)
    else:
        yield "replace <= by ==", replace(term, operator=Comparison.EQ)
        yield "replace <= by >=", CompareFields(Comparison.LE, term.right, term.left)
    for index in range(len(term.left.fields) if len(term.left.fields) > 1 else 0):
        sides = (replace(side, fields=_without(side.fields, index)) for side in (term.left, term.right))
        yield "drop a field", CompareFields(term.operator, next(sides), next(sides))


def _without(fields: tuple[str, ...], index: int) -> tuple[str, ...]:
    return (*fields[:index], *fields[index + 1 :])


def _drops(term: Term, guarded: frozenset[str]) -> Iterator[tuple[str, Term]]:
    """Yield a conjunction or disjunction without each part that guards nothing."""
    if not isinstance(term, And | Or):
        return
    operator = "drop a condition" if isinstance(term, And) else "drop an alternative"
    operands = term.operands
    for index, operand in enumerate(operands):
        if not _guards(operand, guarded):
            remaining_operands = operands[:index] + operands[index + 1 :]
            yield (
                operator,
                remaining_operands[0] if len(remaining_operands) == 1 else type(term)(remaining_operands),
            )


def _other_member(left: Term, right: Term) -> Iterator[tuple[str, Term]]:
    """Yield an equality with the other members of the enum that it tests."""
    for variable, constant in ((left, right), (right, left)):
        if (
            isinstance(variable, Variable | Attribute)
            and variable.type.kind is Kind.ENUM
            and isinstance(constant, Constant)
        ):
            for value in other_members(constant.value, variable.type.values):
                yield "swap roles", Compare(Comparison.EQ, variable, Constant(value))


def _sets(
    term: Member | Quantified, collection: ConstantSet, words: tuple[str, ...]
) -> Iterator[tuple[str, Term]]:
    for _, remaining_values in without_one(collection.values):
        yield "drop a set element", replace(term, collection=ConstantSet(remaining_values))
    for _, extended_values in with_one_more(collection.values, words):
        yield "add a set element", replace(term, collection=ConstantSet(extended_values))


def _constant(value: Scalar | None, words: tuple[str, ...], places: int) -> Iterator[tuple[str, Term]]:
    match value:
        case None:
            return
        case bool():
            yield "replace a constant", Constant(not value)
        case str():
            for word in [word for word in words if word != value][:1]:
                yield "replace a constant", Constant(word)
        case _:
            yield from (("move a boundary", Constant(near)) for near in neighbours(value, places))
