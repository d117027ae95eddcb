"""Calls of a policy's own functions, which are filled in where they are called."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.dialect.call_fields import kind_of_field
from workbench.dialect.call_file import ANY_CALL, KIND_CLASSES, RUN, CallFile, Fact, FactParameter
from workbench.dialect.element_names import with_own_names
from workbench.dialect.run_terms import canonical, text_of
from workbench.dialect.told_apart import for_class
from workbench.model import ArgumentType
from workbench.policy.checker.bodies import block_of
from workbench.policy.checker.scope import Meaning, Scope, Signature, Typed
from workbench.policy.term_text import render_collection
from workbench.policy.terms import Attribute
from workbench.policy.types import a_type, assignable

MOST_INLINED = 40
MOST_FILLED_IN = 2_000
"""The most calls of functions that are filled in for one rule or clause: each may double the one before."""


def value_of_fact(node: ast.Call, fact: Fact, scope: Scope, calls: CallFile) -> Typed | None:
    """The value of a function of the file, which is filled in."""
    if fact.name in calls.inlined:
        circle = [*calls.inlined[calls.inlined.index(fact.name) :], fact.name]
        calls.file.say(
            node, f"`{fact.name}` is computed from itself: {' → '.join(circle)}.", "Break the circle."
        )
        return None
    if len(calls.inlined) >= MOST_INLINED:
        calls.file.say(
            node, f"Functions call each other more than {MOST_INLINED} deep.", "Join some of them."
        )
        return None
    calls.filled_in += 1
    if calls.filled_in > MOST_FILLED_IN:
        calls.file.say(
            node,
            f"Functions are called more than {MOST_FILLED_IN:,} times by one rule or clause.",
            "Give the values of calls local names, or call fewer functions.",
        )
        return None
    if node.keywords or len(node.args) != len(fact.parameters):
        names = ", ".join(parameter.name for parameter in fact.parameters)
        calls.file.say(
            node,
            f"`{fact.name}` takes {len(fact.parameters)} argument(s).",
            f"Write {fact.name}({names}).",
        )
        return None
    operands = [
        _operand(argument, fact, parameter, scope, calls)
        for argument, parameter in zip(node.args, fact.parameters, strict=True)
    ]
    if any(operand is None for operand in operands):
        return None
    names = {
        parameter.name: operand
        for parameter, operand in zip(fact.parameters, operands, strict=True)
        if operand is not None
    }
    return _known(node, fact, names, scope, calls)


def _known(
    node: ast.Call, fact: Fact, names: Mapping[str, Meaning], scope: Scope, calls: CallFile
) -> Typed | None:
    """The value of a function, which is filled in once for equal operands.

    Two texts tell constants apart that are equal in Python, as True and 1. What is kept counts as filled in
    each time: a term is as large as if it had been.
    """
    texts = tuple(
        text_of(one.term) if isinstance(one, Typed) else render_collection(one.collection)
        for one in names.values()
    )
    key = (fact.name, tuple(names.values()), texts, calls.tool, scope.bound, scope.present, scope.broken)
    kept = calls.filled.get(key)
    if kept is not None:
        typed, inner = kept
        calls.filled_in += inner
        return typed
    problems, before = len(calls.file.problems.items), calls.filled_in
    typed = _filled_in(node, fact, names, scope, calls)
    if typed is not None and len(calls.file.problems.items) == problems:
        calls.filled[key] = typed, calls.filled_in - before
    return typed


def _filled_in(
    node: ast.Call, fact: Fact, names: Mapping[str, Meaning], scope: Scope, calls: CallFile
) -> Typed | None:
    calls.inlined.append(fact.name)
    try:
        apart = with_own_names(fact.node, scope.bound)
        for parameter in fact.parameters:
            operand = names[parameter.name]
            record = operand.type.record if isinstance(operand, Typed) else None
            if parameter.classes and record is not None and record.name in parameter.classes:
                apart = for_class(apart, parameter.name, record.name)
        signature = Signature(fact.name, (), fact.result, apart, "helper")
        body = block_of(signature, Scope(names, scope.bound, scope.present, broken=scope.broken), calls.file)
    finally:
        calls.inlined.pop()
    if body is None:
        return None
    typed = calls.file.typed(
        node, body.term, body.type if fact.result.optional else fact_type(body, fact), body
    )
    if typed is not None:
        own = canonical(body.term, calls.values, calls.classes)
        calls.named.setdefault(text_of(own), fact)
    return typed


def _operand(
    node: ast.expr, fact: Fact, parameter: FactParameter, scope: Scope, calls: CallFile
) -> Meaning | None:
    if parameter.classes:
        typed = calls.file.term(node, scope) if not calls.is_collection(node, scope) else None
        record = typed.type.record if typed is not None else None
        names = set(record.name.split(" | ")) if record is not None else set[str]()
        if typed is not None and names and names <= set(parameter.classes) and not typed.type.optional:
            return typed
        if typed is not None and ANY_CALL in parameter.classes and names <= {*calls.types.calls, ANY_CALL}:
            return typed
        if typed is not None:
            expected = " | ".join(parameter.classes)
            calls.file.say(node, f"`{fact.name}` takes a {expected} here.", "Pass such a call.")
        return None
    typed = calls.file.term(node, scope)
    if typed is None:
        return None
    if parameter.type == RUN and typed.type == RUN:
        return typed
    if parameter.kind:
        if _kind_of(typed) == parameter.kind and (parameter.type.optional or not typed.type.optional):
            return typed
        wanted = next(name for name, kind in KIND_CLASSES.items() if kind == parameter.kind)
        calls.file.say(
            node,
            f"`{fact.name}` takes a {wanted} here{'' if parameter.type.optional else ' that is not None'}.",
            f'Pass a text that agent.toml declares as type = "{parameter.kind}".',
        )
        return None
    if parameter.type == RUN or not assignable(typed.type, parameter.type):
        calls.file.say(
            node,
            f"`{fact.name}` takes {a_type(parameter.type)}, not {a_type(typed.type)}.",
            "Pass such a value.",
        )
        return None
    return typed


def _kind_of(typed: Typed) -> str:
    """The kind of a text with typed parts, or of an element that is one; empty for any other value."""
    record = typed.type.record
    if record is not None:
        return KIND_CLASSES.get(record.name, "")
    place = typed.term
    holder = place.record.type.record if isinstance(place, Attribute) else None
    return "" if holder is None or not isinstance(place, Attribute) else kind_of_field(holder, place.name)


def fact_type(body: Typed, fact: Fact) -> ArgumentType:
    """The type of a filled-in function: the narrower of its body's and the declared one."""
    return body.type if assignable(body.type, fact.result) else fact.result
