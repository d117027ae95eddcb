"""Counts, sums and lengths of lists, and which terms read a list."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.model import Kind
from workbench.policy.checker.present_values import condition, element_is_free, is_collection, present
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet, present_if
from workbench.policy.names import free_name
from workbench.policy.terms import (
    And,
    Arithmetic,
    Choice,
    CompareFields,
    Constant,
    Count,
    Elements,
    Lookup,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, INT, NUMBERS, a_type
from workbench.policy.walk import subterms

SIZE_OF_SET = "The size of a set is not part of the dialect."
"""The problem of a set whose members are counted."""
_SHAPE = "Write sum(1 for x in list if condition), or sum(x.field for x in list if condition)."


def length(node: ast.Call, among: TypedSet, scope: Scope, file: File) -> Typed | None:
    """``len(list)``."""
    if not among.is_list or not isinstance(among.collection, Elements) or among.element is None:
        file.say(node, SIZE_OF_SET, "Use any(...) or all(...), or declare it as a list in agent.toml.")
        return None
    variable = Variable(free_name("item", {*scope.names, *file.defined()}), among.element)
    return file.typed(node, Count(variable, among.collection, Constant(True)), INT, among)


def summed(node: ast.Call, scope: Scope, file: File) -> Typed | None:
    """``sum(1 for name in list if condition)`` or ``sum(value for name in list if condition)``.

    A second argument is the value of no elements, ``Decimal("0")``, by which Python gives one type.
    """
    start = node.args[1] if len(node.args) == 2 else None
    generator = node.args[0] if node.args and not node.args[2:] and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        file.say(node, "`sum` counts or adds over one list.", _SHAPE)
        return None
    clause = generator.generators[0]
    target = clause.target
    if not isinstance(target, ast.Name) or clause.is_async:
        file.say(target, "One plain name runs over the list.", _SHAPE)
        return None
    among = file.collection(clause.iter, scope) if is_collection(clause.iter, scope, file) else None
    if among is None or not among.is_list or among.element is None:
        if among is not None or not is_collection(clause.iter, scope, file):
            file.say(clause.iter, "`sum` runs over a list only.", "Use any(...) or all(...) for a set.")
        return None
    if not element_is_free(target, scope, file):
        return None
    variable = Variable(target.id, among.element)
    typed = _over(
        generator,
        variable,
        among,
        scope.with_bound(target.id, Typed(variable, among.element), among.collection),
        file,
    )
    if typed is None:
        return None
    return typed if start is None or _is_zero(start, typed, scope, file) else None


def _is_zero(start: ast.expr, total: Typed, scope: Scope, file: File) -> bool:
    """Whether this is the zero of the type of a sum; if not, report it."""
    value = file.term(start, scope)
    if value is None:
        return False
    if value.term == Constant(0) and value.type.kind is total.type.kind:
        return True
    zero = "0" if total.type.kind is Kind.INT else 'Decimal("0")'
    file.say(
        start, f"This sum begins at {zero}.", f"Write sum(..., {zero}), and add another value to the sum."
    )
    return False


def _over(
    generator: ast.GeneratorExp, variable: Variable, among: TypedSet, scope: Scope, file: File
) -> Typed | None:
    assert isinstance(among.collection, Elements)
    tested, inner = conditions(generator, scope, file)
    if tested is None:
        return None
    meets = all_of(tested)
    value = _value(generator.elt, inner, file)
    if value is None:
        return None
    if value.term == Constant(1) and value.type.kind is Kind.INT:
        return file.typed(generator, Count(variable, among.collection, meets), INT, among, *tested)
    term = Sum(variable, among.collection, value.term, meets, value.type)
    return file.typed(generator, term, value.type, among, value, *tested)


def _value(node: ast.expr, scope: Scope, file: File) -> Typed | None:
    value = present(node, file.term(node, scope), file)
    if value is not None and value.type.kind not in NUMBERS:
        hint = (
            "Count with sum(1 for x in list if x.field)." if value.type.kind is Kind.BOOL else "Add numbers."
        )
        file.say(node, f"`sum` cannot add {a_type(value.type)}.", hint)
        return None
    return value


def conditions(generator: ast.GeneratorExp, scope: Scope, file: File) -> tuple[list[Typed] | None, Scope]:
    """The conditions after ``if``, with the scope in which they hold; None for conditions with problems."""
    tests: list[Typed | None] = []
    for test in generator.generators[0].ifs:
        typed = condition(test, scope, file)
        tests.append(typed)
        if typed is not None:
            scope = scope.knowing(present_if(typed.term, True))
    typed_tests = [typed for typed in tests if typed is not None]
    return (typed_tests if len(typed_tests) == len(tests) else None), scope


def all_of(tests: Sequence[Typed]) -> Term:
    """The condition that all tests hold; true if there are none."""
    terms = tuple(test.term for test in tests)
    return terms[0] if len(terms) == 1 else And(terms) if terms else Constant(True)


def tested_body(
    generator: ast.GeneratorExp, quantifier: Quantifier, scope: Scope, file: File
) -> Typed | None:
    """The body of ``any`` or ``all`` with the conditions after ``if``."""
    tested, scope = conditions(generator, scope, file)
    body = condition(generator.elt, scope, file)
    if body is None or tested is None or not tested:
        return None if tested is None else body
    joined: Term = And((*(test.term for test in tested), body.term))
    if quantifier is Quantifier.ALL:
        joined = Or((*(Not(test.term) for test in tested), body.term))
    return file.typed(generator, joined, BOOL, *tested, body)


def looks_at_list(term: Term) -> bool:
    """Whether the value of a term depends on the elements of a list."""
    return any(reads_list(part) for part in subterms(term))


def reads_list(term: Term) -> bool:
    """Whether a term itself, not its parts, reads the elements of a list."""
    match term:
        case Count() | Sum() | CompareFields():
            return True
        case Member(_, Elements(place)) | Quantified(_, _, Elements(place), _):
            return place.type.kind is Kind.LIST
        case _:
            return False


def degree(term: Term) -> int:
    """How many values a number multiplies at most: none for a constant, an entry of a table, or a choice."""
    match term:
        case Constant() | Lookup():
            return 0
        case Choice(_, then, otherwise):
            return max(degree(then), degree(otherwise))
        case Arithmetic("*", left, right):
            return degree(left) + degree(right)
        case Arithmetic(_, left, right):
            return max(degree(left), degree(right))
        case Sum(_, _, value, _):
            return degree(value)
        case _:
            return 1
