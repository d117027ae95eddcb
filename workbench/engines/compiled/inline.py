"""All rules of a policy written into one function, which saves the calls between them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from datetime import date

from workbench.model import Arguments, ArgumentType, Kind, Value
from workbench.policy.terms import PolicyTerms
from workbench.policy.types import holds

# The rules that fired as bits in the order of the policy's rules, and the arguments that it takes; None if a
# value does not have its type or a precondition does not hold.
type Full = Callable[[Arguments], tuple[int, dict[str, Value]] | None]

# The classes for type tests in place. Kinds that are not listed are tested by a function.
_TYPES: Mapping[Kind, type] = {
    Kind.BOOL: bool,
    Kind.INT: int,
    Kind.STR: str,
    Kind.ENUM: str,
    Kind.DATE: date,
}
FULL_NAMES: Mapping[str, object] = {
    "_type": type,
    **{f"_type_{kind.value}": python_type for kind, python_type in _TYPES.items()},
}


def tested_in_place(kind: ArgumentType) -> bool:
    """Whether ``full_decision`` tests a type in place, without a function."""
    return kind.kind in _TYPES


def fast_decision(
    policy: PolicyTerms, allow: ast.FunctionDef, rules: Mapping[str, ast.FunctionDef]
) -> ast.stmt:
    """The function from a mapping of arguments to the answer only, as a statement."""
    returned = allow.body[-1]
    assert isinstance(returned, ast.Return) and returned.value is not None
    inlined = ast.Return(_Inline(rules).visit(returned.value))
    normal = [
        _normalised(argument.name) for argument in policy.arguments if holds(argument.type, Kind.DATETIME)
    ]
    loads = [_load(argument.name) for argument in policy.arguments]
    return function("_allows", _ARGUMENTS, [*loads, *normal, inlined])


def full_decision(policy: PolicyTerms, rules: Mapping[str, ast.FunctionDef]) -> ast.stmt:
    """The function from a mapping to the rules that fire, which tests types and preconditions first."""
    body: list[ast.stmt] = []
    for argument in policy.arguments:
        body += [_load(argument.name), _tested(argument.name, argument.type)]
    operands: list[ast.expr] = [_loaded(argument.name) for argument in policy.arguments]
    for clause in policy.preconditions:
        holds = ast.Call(_loaded(clause_function(clause.id)), [*operands, ast.Constant(None)], [])
        body.append(ast.If(ast.UnaryOp(ast.Not(), holds), [ast.Return(ast.Constant(None))], []))
    body += _firing(policy, rules)
    names: list[ast.expr | None] = [ast.Constant(argument.name) for argument in policy.arguments]
    values = ast.Dict(names, operands)
    body.append(ast.Return(ast.Tuple([_loaded("_fired"), values], ast.Load())))
    return function("_full", _ARGUMENTS, body)


def rules_fired(policy: PolicyTerms, rules: Mapping[str, ast.FunctionDef]) -> ast.stmt:
    """The function from a mapping with well-typed values to the rules that fire."""
    loads = [_load(argument.name) for argument in policy.arguments]
    normal = [
        _normalised(argument.name) for argument in policy.arguments if holds(argument.type, Kind.DATETIME)
    ]
    body = [*loads, *normal, *_firing(policy, rules), ast.Return(_loaded("_fired"))]
    return function("_rules_fired", _ARGUMENTS, body)


def _firing(policy: PolicyTerms, rules: Mapping[str, ast.FunctionDef]) -> list[ast.stmt]:
    """The statements that set the bits of the rules that fire on the loaded arguments."""
    body: list[ast.stmt] = [ast.Assign([_stored("_fired")], ast.Constant(0))]
    inline = _Inline(rules)
    for position, rule in enumerate(policy.rules):
        operands: list[ast.expr] = [_loaded(parameter.name) for parameter in rule.parameters]
        fires = inline.visit(ast.Call(_loaded(rule.name), operands, []))
        bit = ast.AugAssign(_stored("_fired"), ast.BitOr(), ast.Constant(1 << position))
        body.append(ast.If(fires, [bit], []))
    return body


class _Inline(ast.NodeTransformer):
    """Replaces the call of a rule by its expression; its parameters have the arguments' names."""

    def __init__(self, rules: Mapping[str, ast.FunctionDef]) -> None:
        self.rules = rules

    def visit_Call(self, node: ast.Call) -> ast.expr:  # the name is the visitor's protocol
        rule = self.rules.get(node.func.id) if isinstance(node.func, ast.Name) else None
        first = rule.body[0] if rule is not None else None
        if isinstance(first, ast.Return) and first.value is not None:
            return first.value
        return node


def clause_function(identity: str) -> str:
    """The name of the function of a clause."""
    return f"_clause_{identity}"


_ARGUMENTS = ast.arguments([], [ast.arg("_arguments")], None, [], [], None, [])


def function(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.stmt:
    """The definition of a function."""
    return ast.FunctionDef(name, arguments, body, [], None, None, [])


def _loaded(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _stored(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _load(name: str) -> ast.stmt:
    value = ast.Subscript(_loaded("_arguments"), ast.Constant(name), ast.Load())
    return ast.Assign([_stored(name)], value)


def _normalised(name: str) -> ast.stmt:
    return ast.Assign([_stored(name)], ast.Call(_loaded("_in_utc"), [_loaded(name)], []))


def _tested(name: str, kind: ArgumentType) -> ast.stmt:
    """A statement that returns None from the function if the value does not have its type."""
    test: ast.stmt
    if kind.kind is Kind.BOOL:
        neither = [
            ast.Compare(_loaded(name), [ast.IsNot()], [ast.Constant(truth)]) for truth in (True, False)
        ]
        test = ast.If(ast.BoolOp(ast.And(), [*neither]), [ast.Return(ast.Constant(None))], [])
    elif tested_in_place(kind):
        call = ast.Call(_loaded("_type"), [_loaded(name)], [])
        misfits: ast.expr = ast.Compare(call, [ast.IsNot()], [_loaded(f"_type_{kind.kind.value}")])
        if kind.kind is Kind.ENUM:
            members = ast.Set([ast.Constant(value) for value in kind.values])
            misfits = ast.BoolOp(ast.Or(), [misfits, ast.Compare(_loaded(name), [ast.NotIn()], [members])])
        test = ast.If(misfits, [ast.Return(ast.Constant(None))], [])
    else:
        test = ast.Assign([_stored(name)], ast.Call(_loaded(f"_fit_{name}"), [_loaded(name)], []))
    if not kind.optional:
        return test
    return ast.If(ast.Compare(_loaded(name), [ast.IsNot()], [ast.Constant(None)]), [test], [])
