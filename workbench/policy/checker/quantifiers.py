"""``any(...)`` and ``all(...)`` over a collection."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.model import Kind
from workbench.policy.checker.comparisons import constant, is_collection, present
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet, present_if
from workbench.policy.names import RESERVED
from workbench.policy.terms import And, ConstantSet, Not, Or, Quantified, Quantifier, Term, Variable
from workbench.policy.types import BOOL, a_type


def quantified(node: ast.Call, quantifier: Quantifier, scope: Scope, file: File) -> Typed | None:
    """``any(body for name in collection if condition)``, or ``all``."""
    generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        file.say(node, f"`{quantifier}` takes one test over one set.",
                 f"Write {quantifier}(test for x in SET).")  # fmt: skip
        return None
    clause = generator.generators[0]
    target = clause.target
    if not isinstance(target, ast.Name) or clause.is_async:
        file.say(target, "One plain name runs over the set.", f"Write {quantifier}(test for x in SET).")
        return None
    if not is_collection(clause.iter, scope, file):
        found = file.term(clause.iter, scope)
        if found is not None:
            file.say(clause.iter, f"{a_type(found.type, first=True)} is not a set.", "Run over a set.")
        return None
    among = file.collection(clause.iter, scope)
    if not _free(target, scope, file) or among is None:
        return None
    return _over(node, quantifier, target.id, among, lambda inner: _body(generator, quantifier, inner, file),
                 scope, file)  # fmt: skip


def _free(target: ast.Name, scope: Scope, file: File) -> bool:
    if target.id in scope.names or target.id in file.defined() or target.id in RESERVED:
        file.say(target, f"`{target.id}` already has a meaning here.", "Choose another name for the element.")
        return False
    if target.id.startswith("_"):
        file.say(target, f"The name `{target.id}` begins with an underscore.", "Begin names with a letter.")
        return False
    return True


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
    before = list(file.problems.found)
    if values:
        file.unroll.add(name)
    body = body_in(scope.with_bound(name, Typed(variable, among.element)))
    file.unroll.discard(name)
    if f"{name}!" in file.unroll:
        file.unroll.discard(f"{name}!")
        file.problems.found[:] = before
        parts = [body_in(scope.with_bound(name, constant(value))) for value in values]
        return _unrolled(node, quantifier, parts, file)
    if body is None:
        return None
    term = Quantified(quantifier, variable, among.collection, body.term)
    return file.made(node, term, BOOL, body, among)


def _unrolled(node: ast.AST, quantifier: Quantifier, parts: list[Typed | None], file: File) -> Typed | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    terms = tuple(part.term for part in known)
    return file.made(node, Or(terms) if quantifier is Quantifier.ANY else And(terms), BOOL, *known)


def _body(generator: ast.GeneratorExp, quantifier: Quantifier, scope: Scope, file: File) -> Typed | None:
    conditions: list[Typed | None] = []
    for test in generator.generators[0].ifs:
        found = _condition(test, scope, file)
        conditions.append(found)
        if found is not None:
            scope = scope.knowing(present_if(found.term, True))
    body = _condition(generator.elt, scope, file)
    known = [condition for condition in conditions if condition is not None]
    if body is None or len(known) < len(conditions):
        return None
    if not known:
        return body
    if quantifier is Quantifier.ANY:
        joined: Term = And((*(condition.term for condition in known), body.term))
    else:
        joined = Or((*(Not(condition.term) for condition in known), body.term))
    return file.made(generator, joined, BOOL, *known, body)


def _condition(node: ast.expr, scope: Scope, file: File) -> Typed | None:
    found = present(node, file.term(node, scope), file)
    if found is not None and found.type.kind is not Kind.BOOL:
        file.say(node, f"A condition is expected here, but this is {a_type(found.type)}.", "Compare it.")
        return None
    return found
