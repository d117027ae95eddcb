"""Pairs of two lists: ``any(test for a, b in zip(call.old, call.new))``, or ``all``."""

from __future__ import annotations

import ast

from workbench.dialect.call_file import CallFile
from workbench.dialect.run_values import Zipped
from workbench.model import ArgumentType, Kind, RecordType
from workbench.policy.checker.aggregates import conditions
from workbench.policy.checker.present_values import element_is_free, present
from workbench.policy.checker.scope import Scope, Typed
from workbench.policy.terms import And, Attribute, Elements, Not, Or, Quantified, Quantifier, Variable
from workbench.policy.types import BOOL, a_type
from workbench.policy.walk import path_of


def zipped(node: ast.Call, quantifier: Quantifier, scope: Scope, calls: CallFile) -> Typed | None:
    """``any(test for a, b in zip(one, other))``, or ``all``."""
    generator, target, pairs = pairs_in(node) or (None, None, None)
    assert generator is not None and target is not None and pairs is not None
    names = [one.id for one in target.elts if isinstance(one, ast.Name)]
    keywords = [keyword.arg for keyword in pairs.keywords]
    if len(names) != 2 or len(set(names)) != 2 or len(pairs.args) != 2 or keywords not in ([], ["strict"]):
        calls.file.say(
            node, "Pairs are of two lists.", f"Write {quantifier}(test for a, b in zip(one, other))."
        )
        return None
    sides = [calls.file.collection(side, scope) for side in pairs.args]
    if not all(element_is_free(one, scope, calls.file) for one in target.elts if isinstance(one, ast.Name)):
        return None
    left, right = sides
    if left is None or right is None:
        return None
    if not (left.is_list and right.is_list and left.element and right.element):
        calls.file.say(pairs, "`zip` takes two lists.", "Pairs need an order, which a set does not have.")
        return None
    assert isinstance(left.collection, Elements) and isinstance(right.collection, Elements)
    text = f"zip({path_of(left.collection.term)}, {path_of(right.collection.term)})"
    calls.values[text] = Zipped(left.collection, right.collection)
    fields = ((names[0], left.element), (names[1], right.element))
    element = ArgumentType(Kind.RECORD, record=RecordType("Pair", fields))
    pair = Variable(f"({names[0]}, {names[1]})", element)
    inner = scope
    for name, type_ in fields:
        inner = inner.with_bound(name, Typed(Attribute(pair, name, type_), type_))
    body = _pair_body(generator, quantifier, inner, calls)
    if body is None:
        return None
    among = Elements(Variable(text, ArgumentType(Kind.LIST, element=element)))
    return calls.file.typed(node, Quantified(quantifier, pair, among, body.term), BOOL, body)


def _pair_body(
    generator: ast.GeneratorExp, quantifier: Quantifier, scope: Scope, calls: CallFile
) -> Typed | None:
    tested, scope = conditions(generator, scope, calls.file)
    body = present(generator.elt, calls.file.term(generator.elt, scope), calls.file)
    if body is None or tested is None:
        return None
    if body.type.kind is not Kind.BOOL:
        calls.file.say(
            generator.elt,
            f"A condition is expected here, but this is {a_type(body.type)}.",
            "Compare it.",
        )
        return None
    if not tested:
        return body
    tests = tuple(test.term for test in tested)
    term = (
        And((*tests, body.term))
        if quantifier is Quantifier.ANY
        else Or((*(Not(test) for test in tests), body.term))
    )
    return calls.file.typed(generator, term, BOOL, *tested, body)


def pairs_in(node: ast.Call) -> tuple[ast.GeneratorExp, ast.Tuple, ast.Call] | None:
    """The parts of ``any(test for a, b in zip(...))``; None for another form."""
    generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        return None
    clause = generator.generators[0]
    pairs = clause.iter
    if not isinstance(pairs, ast.Call) or not isinstance(pairs.func, ast.Name) or pairs.func.id != "zip":
        return None
    return (generator, clause.target, pairs) if isinstance(clause.target, ast.Tuple) else None
