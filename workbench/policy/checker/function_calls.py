"""Calls: helpers, string tests, ``len``, ``TABLE.get`` and the contract vocabulary."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.model import ArgumentType, Kind
from workbench.policy.checker.aggregates import length, summed
from workbench.policy.checker.comparisons import text_constant
from workbench.policy.checker.constants import is_literal, literal, need_import
from workbench.policy.checker.present_values import is_collection, present, promoted, unguarded
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, present_if, suggestion
from workbench.policy.names import CONTRACT, METHODS, VOCABULARY
from workbench.policy.terms import (
    Constant,
    Elements,
    HelperCall,
    ImpliesTerm,
    Length,
    Lookup,
    Quantifier,
    ResultTerm,
    SetVariable,
    StringTest,
    StringTestKind,
    Table,
    Term,
    Variable,
)
from workbench.policy.types import (
    BOOL,
    INT,
    INT_SET,
    SET,
    STR,
    a_type,
    assignable,
    holds_many,
    is_text,
    join,
    of_value,
    set_element,
    show,
)

type TableKey = Callable[[ast.expr, ast.expr, ast.expr, Scope, File], tuple[Table, Typed] | None]
type Quantify = Callable[[ast.Call, Quantifier, Scope, File], Typed | None]


def call(node: ast.Call, scope: Scope, file: File, table_key: TableKey, quantify: Quantify) -> Typed | None:
    """The term of a call of a helper, a string test or another callable name."""
    if isinstance(node.func, ast.Attribute):
        return _method(node, node.func, scope, file, table_key)
    if not isinstance(node.func, ast.Name):
        file.say(node, "Only named functions can be called.", "Call a helper by its name.")
        return None
    name = node.func.id
    if name in ("any", "all"):
        return quantify(node, Quantifier(name), scope, file)
    if name == "sum":
        return summed(node, scope, file)
    if name == "len":
        return _length(node, scope, file)
    if name in CONTRACT:
        return _contract(node, name, scope, file)
    signature = file.signatures.get(name)
    if signature is None:
        if name in file.broken:
            return None
        known_names = {*file.signatures, *VOCABULARY}
        hint = (
            suggestion(name, known_names) or "Only helpers of this file, any, all, len and sum can be called."
        )
        file.say(node, f"`{name}(...)` is not allowed.", hint)
        return None
    return _helper(node, signature, scope, file)


def _helper(node: ast.Call, signature: Signature, scope: Scope, file: File) -> Typed | None:
    name = signature.name
    if signature.kind != "helper":
        hint = "State the condition itself." if scope.contract else "Move the shared condition to a helper."
        file.say(node, f"The {signature.kind} `{name}` can only be named in the decision.", hint)
        return None
    if node.keywords or len(node.args) != len(signature.parameters):
        parameters_text = ", ".join(parameter for parameter, _ in signature.parameters)
        file.say(
            node,
            f"`{name}` takes {len(signature.parameters)} argument(s).",
            f"Write {name}({parameters_text}).",
        )
        return None
    operands = [
        _operand(argument, parameter, kind, scope, file)
        for argument, (parameter, kind) in zip(node.args, signature.parameters, strict=True)
    ]
    typed_operands = [operand for operand in operands if operand is not None]
    if len(typed_operands) < len(operands) or name not in file.costs:
        return None
    size, depth = file.costs[name].filled_in(
        [operand.size for operand in typed_operands], [operand.depth for operand in typed_operands]
    )
    inside = Typed(Constant(True), BOOL, size, depth)
    term = HelperCall(name, tuple(_as_term(operand) for operand in typed_operands), signature.result)
    return file.typed(node, term, signature.result, inside)


def _as_term(operand: Meaning) -> Term:
    if isinstance(operand, Typed):
        return operand.term
    if isinstance(operand.collection, Elements):
        return operand.collection.term
    assert isinstance(operand.collection, SetVariable)
    kind = INT_SET if operand.element is not None and operand.element.kind is Kind.INT else SET
    return Variable(operand.collection.name, kind)


def _operand(node: ast.expr, name: str, declared: ArgumentType, scope: Scope, file: File) -> Meaning | None:
    if holds_many(declared):
        return _many(node, name, declared, scope, file)
    typed = file.term(node, scope)
    if typed is None:
        return None
    typed = promoted(typed, Typed(Constant(None), declared))
    if typed.type.optional and not declared.optional:
        unguarded(node, typed, file)
        return None
    if not assignable(typed.type, declared):
        file.say(
            node,
            f"`{name}` takes {a_type(declared)}, not {a_type(typed.type)}.",
            "Pass a value of that type.",
        )
        return None
    return typed


def _many(node: ast.expr, name: str, declared: ArgumentType, scope: Scope, file: File) -> Meaning | None:
    """The set or list that is passed to a parameter: an argument, a parameter or a field."""
    kind = "set" if declared.kind is Kind.SET else "list"
    if not is_collection(node, scope, file):
        file.say(node, f"`{name}` takes a {kind} argument.", f"Pass an argument of type {show(declared)}.")
        return None
    among = file.collection(node, scope)
    if among is None:
        return None
    if not isinstance(among.collection, SetVariable | Elements):
        file.say(
            node,
            f"`{name}` takes a {kind} argument, not a constant set.",
            "Name the constant in the helper.",
        )
        return None
    argument_type = among.element
    element = set_element(declared) if declared.kind is Kind.SET else declared.element
    if (
        among.is_list is (declared.kind is Kind.SET)
        or argument_type is None
        or element is None
        or (not assignable(argument_type, element))
    ):
        passed = f"{among.is_called} of {show(argument_type or STR)}"
        file.say(node, f"`{name}` takes {show(declared)}, not {passed}.", "Pass a value of that type.")
        return None
    return among


def _length(node: ast.Call, scope: Scope, file: File) -> Typed | None:
    if len(node.args) != 1 or node.keywords:
        file.say(node, "`len` takes one string or list.", "Write len(text).")
        return None
    if is_collection(node.args[0], scope, file):
        among = file.collection(node.args[0], scope)
        return None if among is None else length(node, among, scope, file)
    text = present(node.args[0], file.term(node.args[0], scope), file)
    if text is None:
        return None
    if not is_text(text.type):
        file.say(
            node, f"`len` takes a string or a list, not {a_type(text.type)}.", "Compare the value itself."
        )
        return None
    return file.typed(node, Length(text.term), INT, text)


def _contract(node: ast.Call, name: str, scope: Scope, file: File) -> Typed | None:
    need_import(node, name, file)
    if not scope.contract or name in ("Ensures", "Requires"):
        file.say(node, f"`{name}` belongs to the contract of `allow`.", "Remove it here.")
        return None
    if name == "Result":
        if node.args or node.keywords:
            file.say(node, "`Result` takes no arguments.", "Write Result().")
        elif not scope.result:
            file.say(node, "A precondition cannot speak of the result.", "Move it to an Ensures.")
        else:
            return Typed(ResultTerm(), BOOL)
        return None
    if len(node.args) != 2 or node.keywords:
        file.say(node, "`Implies` takes a condition and a consequence.", "Write Implies(a, b).")
        return None
    condition = _truth(node.args[0], scope, file)
    inner = scope if condition is None else scope.knowing(present_if(condition.term, True))
    consequence = _truth(node.args[1], inner, file)
    if condition is None or consequence is None:
        return None
    return file.typed(node, ImpliesTerm(condition.term, consequence.term), BOOL, condition, consequence)


def _truth(node: ast.expr, scope: Scope, file: File) -> Typed | None:
    typed = present(node, file.term(node, scope), file)
    if typed is not None and typed.type.kind is not Kind.BOOL:
        file.say(node, f"A condition is expected here, but this is {a_type(typed.type)}.", "Compare it.")
        return None
    return typed


def _method(
    node: ast.Call, method: ast.Attribute, scope: Scope, file: File, table_key: TableKey
) -> Typed | None:
    name = method.attr
    if name == "get":
        return _get(node, method, scope, file, table_key)
    if name not in ("startswith", "endswith"):
        hint = suggestion(name, set(METHODS)) or "Use startswith, endswith or `in`."
        file.say(node, f"`.{name}(...)` is not part of the dialect.", hint)
        return None
    text = present(method.value, file.term(method.value, scope), file)
    if len(node.args) != 1 or node.keywords:
        file.say(node, f"`{name}` takes one constant string.", f'Write text.{name}("...").')
        return None
    part = file.term(node.args[0], scope)
    if text is None or part is None:
        return None
    if not is_text(text.type):
        file.say(node, f"`{name}` needs a string, not {a_type(text.type)}.", "Test a string argument.")
        return None
    constant = text_constant(node.args[0], part, file)
    if constant is None:
        return None
    return file.typed(node, StringTest(StringTestKind(name), text.term, constant), BOOL, text)


def _get(
    node: ast.Call, method: ast.Attribute, scope: Scope, file: File, table_key: TableKey
) -> Typed | None:
    if len(node.args) != 2 or node.keywords:
        file.say(node, "`get` takes a key and a default.", "Write TABLE.get(key, default).")
        return None
    table_and_key = table_key(node, method.value, node.args[0], scope, file)
    if table_and_key is None:
        return None
    table, key = table_and_key
    if any(isinstance(value, frozenset) for value in table.entries.values()):
        file.say(
            node,
            f"An entry of `{table.name}` is a set, not a single value.",
            "Use `in`, any(...) or all(...).",
        )
        return None
    default = _default(node.args[1], file)
    if default is None:
        return None
    values = [of_value(value) for value in table.entries.values() if not isinstance(value, frozenset)]
    default = promoted(default, Typed(Constant(None), values[0]))
    kind: ArgumentType | None = default.type
    for value in values:
        kind = join(kind, value) if kind is not None else None
    if kind is None or not isinstance(default.term, Constant):
        file.say(
            node.args[1],
            f"The default is not of the type of the entries of `{table.name}`.",
            "Match the type.",
        )
        return None
    return file.typed(node, Lookup(table.name, key.term, default.term), kind, key)


def _default(node: ast.expr, file: File) -> Typed | None:
    if isinstance(node, ast.Name) and node.id in file.constants:
        value = file.constants[node.id]
        return Typed(Constant(value), of_value(value))
    if not is_literal(node):
        file.say(node, "The default of `get` is a constant.", "Write the value itself.")
        return None
    value = literal(node, file)
    return None if value is None else Typed(Constant(value), of_value(value))
