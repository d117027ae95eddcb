"""Minima, maxima and numbers of distinct values: of two values, and of what each element of a list has."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.dialect.call_file import CallFile
from workbench.dialect.run_terms import text_of_value
from workbench.dialect.run_values import DISTINCT, GATHERING, Gathered
from workbench.model import Kind
from workbench.policy.checker.aggregates import conditions
from workbench.policy.checker.present_values import element_is_free, fresh, is_collection, present, promoted
from workbench.policy.checker.scope import Meaning, Scope, Typed, TypedSet
from workbench.policy.terms import And, Constant, Elements, Sum, Variable
from workbench.policy.types import INT, a_type, assignable, holds_many, show

_ORDERED = (Kind.INT, Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.DATETIME, Kind.DURATION)


def is_gathered(node: ast.Call, name: str) -> bool:
    """Whether a call is one of ``min``, ``max``, or ``len`` of a set that is made in place."""
    return name in GATHERING or (name == DISTINCT and any(isinstance(one, ast.SetComp) for one in node.args))


def gathered(node: ast.Call, name: str, scope: Scope, calls: CallFile) -> Typed | None:
    """The value of ``min(a, b)``, ``max((c.total for c in list if test), default=...)`` or ``len({...})``.

    None, with a problem, if it has no meaning. Without a default there is no extreme where no element counts.
    """
    if name in GATHERING and len(node.args) > 1 and not node.keywords:
        return calls.file.term(_choice(node, name), scope)
    argument = node.args[0] if len(node.args) == 1 else None
    keywords = [keyword.arg for keyword in node.keywords]
    if argument is None or keywords not in ([], ["default"]) or (name == DISTINCT and keywords):
        shape = f"Write {name}((x.field for x in list if condition), default=...), or {name}(a, b)."
        calls.file.say(node, f"`{name}` takes values to compare, or one for each element of a list.", shape)
        return None
    found = _each(argument, name, scope, calls)
    if found is None:
        return None
    of, parts = found
    if name == DISTINCT:
        return _noted(node, Gathered(name, of), parts, calls)
    if not node.keywords:
        return _noted(node, Gathered(name, of), parts, calls)
    given = node.keywords[0].value
    if isinstance(given, ast.Constant) and given.value is None:
        return _noted(node, Gathered(name, of, Constant(None)), parts, calls)
    default = present(given, calls.file.term(given, scope), calls.file)
    if default is None:
        return None
    default = promoted(default, Typed(of.value, of.type))
    if not assignable(default.type, of.type):
        calls.file.say(
            given, f"The default is {a_type(default.type)}, not {show(of.type)}.", "Match the type."
        )
        return None
    return _noted(node, Gathered(name, of, default.term), [*parts, default], calls)


def _choice(node: ast.Call, name: str) -> ast.expr:
    """``min(a, b)`` as the choice that it is: ``a if a <= b else b``."""
    operator = ast.LtE() if name == "min" else ast.GtE()
    chosen = node.args[0]
    for other in node.args[1:]:
        chosen = ast.IfExp(ast.Compare(chosen, [operator], [other]), chosen, other)
        chosen = ast.fix_missing_locations(ast.copy_location(chosen, node))
    return chosen


def _noted(node: ast.Call, value: Gathered, parts: list[Meaning], calls: CallFile) -> Typed | None:
    type_ = INT if value.operation == DISTINCT else value.of.type
    if value.default == Constant(None):
        type_ = replace(type_, optional=True)
    text = text_of_value(value, calls.classes)
    calls.values[text] = value
    return calls.file.typed(node, Variable(text, type_), type_, *parts)


def _each(argument: ast.expr, name: str, scope: Scope, calls: CallFile) -> tuple[Sum, list[Meaning]] | None:
    """What each element of a list has, in the form of the sum of these values."""
    among = _among(argument, name, scope, calls)
    if among is None:
        return None
    made = argument if isinstance(argument, ast.GeneratorExp | ast.SetComp) else None
    target = None if made is None else made.generators[0].target
    if isinstance(target, ast.Name) and not element_is_free(target, scope, calls.file):
        return None
    own = target.id if isinstance(target, ast.Name) else fresh("item", {*scope.names, *calls.file.defined()})
    assert among.element is not None and isinstance(among.collection, Elements)
    variable = Variable(own, among.element)
    inner = scope.with_bound(own, Typed(variable, among.element))
    tested: list[Typed] | None = []
    value: Typed | None = Typed(variable, among.element)
    if made is not None:
        generator = ast.copy_location(ast.GeneratorExp(made.elt, made.generators), made)
        tested, inner = conditions(generator, inner, calls.file)
        if calls.is_collection(made.elt, inner):
            calls.file.say(made.elt, f"`{name}` takes one value of each element.", "Name one field.")
            return None
        value = present(made.elt, calls.file.term(made.elt, inner), calls.file)
    if value is None or tested is None:
        return None
    is_of_type = value.type.kind is not Kind.RECORD if name == DISTINCT else value.type.kind in _ORDERED
    if not is_of_type or holds_many(value.type):
        hint = "Name a field." if name == DISTINCT else "Compare numbers, dates or times."
        calls.file.say(argument, f"`{name}` is not of {a_type(value.type)}.", hint)
        return None
    tests = tuple(test.term for test in tested)
    condition = tests[0] if len(tests) == 1 else And(tests) if tests else Constant(True)
    return Sum(variable, among.collection, value.term, condition, value.type), [among, value, *tested]


def _among(argument: ast.expr, name: str, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The list whose elements are gathered."""
    many = argument
    if isinstance(argument, ast.GeneratorExp | ast.SetComp):
        clause = argument.generators[0]
        many = clause.iter
        if len(argument.generators) > 1 or clause.is_async or not isinstance(clause.target, ast.Name):
            calls.file.say(
                argument, f"`{name}` takes a value for each element of one list.", "Name the element."
            )
            return None
    if not is_collection(many, scope, calls.file):
        calls.file.say(many, f"`{name}` of one value is that value.", f"Write {name}(a, b), or name a list.")
        return None
    among = calls.file.collection(many, scope)
    if among is not None and not (among.is_list and among.element is not None):
        calls.file.say(many, f"`{name}` runs over a list only.", "A set is tested by any(...) or all(...).")
        return None
    return among
