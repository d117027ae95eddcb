"""``any(...)`` and ``all(...)`` over a set or list."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from workbench.model import Kind, Scalar
from workbench.policy.checker.aggregates import apart, conditions, looks_at_list
from workbench.policy.checker.present_values import constant, element_is_free, is_collection, present
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet
from workbench.policy.terms import And, Constant, ConstantSet, Not, Or, Quantified, Quantifier, Term, Variable
from workbench.policy.types import BOOL, a_type
from workbench.policy.walk import substituted


def quantified(node: ast.Call, quantifier: Quantifier, scope: Scope, file: File) -> Typed | None:
    """``any(body for name in collection if condition)``, or ``all``."""
    generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        file.say(node, f"`{quantifier}` takes one test over one set or list.",
                 f"Write {quantifier}(test for x in SET).")  # fmt: skip
        return None
    clause = generator.generators[0]
    target = clause.target
    if not isinstance(target, ast.Name) or clause.is_async:
        file.say(target, "One plain name runs over the elements.", f"Write {quantifier}(test for x in SET).")
        return None
    if not is_collection(clause.iter, scope, file):
        typed = file.term(clause.iter, scope)
        if typed is not None:
            file.say(clause.iter, f"{a_type(typed.type, first=True)} is not a set or list.", "Run over one.")
        return None
    among = file.collection(clause.iter, scope)
    if not element_is_free(target, scope, file) or among is None:
        return None
    return _over(node, quantifier, target.id, among, lambda inner: _body(generator, quantifier, inner, file),
                 scope, file)  # fmt: skip


def _over(
    node: ast.Call,
    quantifier: Quantifier,
    name: str,
    among: TypedSet,
    body_in: Callable[[Scope], Typed | None],
    scope: Scope,
    file: File,
) -> Typed | None:
    if among.element is None:
        return constant(quantifier is Quantifier.ALL)
    variable = Variable(name, among.element)
    values = among.collection.values if isinstance(among.collection, ConstantSet) else ()
    before = list(file.problems.items)
    if values:
        file.unroll.add(name)
    body = body_in(scope.with_bound(name, Typed(variable, among.element)))
    file.unroll.discard(name)
    spread = f"{name}!" in file.unroll
    file.unroll.discard(f"{name}!")
    if values and not spread and body is not None and looks_at_list(body.term, file):
        return _unrolled(node, quantifier, [_with(body, name, value) for value in values], file)
    if spread:
        file.problems.items[:] = before
        parts = [body_in(scope.with_bound(name, constant(value))) for value in values]
        return _unrolled(node, quantifier, parts, file)
    if body is None:
        return None
    term = Quantified(quantifier, variable, among.collection, body.term)
    return file.typed(node, term, BOOL, body, among) if apart(node, term, file) else None


def _with(body: Typed, name: str, value: Scalar) -> Typed:
    """The body with a constant in place of the element."""
    return replace(body, term=substituted(body.term, name, Constant(value)))


def _unrolled(node: ast.AST, quantifier: Quantifier, parts: list[Typed | None], file: File) -> Typed | None:
    typed_parts = [part for part in parts if part is not None]
    if len(typed_parts) < len(parts):
        return None
    if len(typed_parts) == 1:
        return typed_parts[0]
    terms = tuple(part.term for part in typed_parts)
    return file.typed(node, Or(terms) if quantifier is Quantifier.ANY else And(terms), BOOL, *typed_parts)


def _body(generator: ast.GeneratorExp, quantifier: Quantifier, scope: Scope, file: File) -> Typed | None:
    tested, scope = conditions(generator, scope, file)
    body = present(generator.elt, file.term(generator.elt, scope), file)
    if body is not None and body.type.kind is not Kind.BOOL:
        message = f"A condition is expected here, but this is {a_type(body.type)}."
        file.say(generator.elt, message, "Compare it.")
        return None
    if body is None or tested is None:
        return None
    if not tested:
        return body
    if quantifier is Quantifier.ANY:
        joined: Term = And((*(condition.term for condition in tested), body.term))
    else:
        joined = Or((*(Not(condition.term) for condition in tested), body.term))
    return file.typed(generator, joined, BOOL, *tested, body)
